/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_CTYPE_H
#define SIM_LINUX_CTYPE_H

#include <linux/kernel.h>

/* The kernel's table of characters is that of Latin-1, with one more blank. */
static inline bool sim_isspace(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0;
}

#undef isspace
#define isspace(c)	sim_isspace(c)

#endif /* SIM_LINUX_CTYPE_H */
