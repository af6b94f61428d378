/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_HASH_H
#define SIM_LINUX_HASH_H

#include <linux/kernel.h>

static inline u32 hash_32(u32 value, unsigned int bits)
{
	return value * 0x61c88647u >> (32 - bits);
}

#endif /* SIM_LINUX_HASH_H */
