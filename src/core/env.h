/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What the core needs from where it runs.
 *
 * The core is compiled into the module, the tools, the unit tests, the fuzzers and the simulators.
 * This is the only file of the room that knows which. It brings types, byte order, CRC32C and bit
 * scanning, and nothing that could do I/O, take a lock, allocate or read a clock.
 */
#ifndef FC_CORE_ENV_H
#define FC_CORE_ENV_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/crc32c.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>

/* The lock word that the shell keeps in each set; the core never touches it. */
typedef spinlock_t fc_env_lock_t;

#else

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <endian.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef u64 sector_t;
typedef struct { u32 unused; } fc_env_lock_t;

#define cpu_to_le16(x)	htole16(x)
#define cpu_to_le32(x)	htole32(x)
#define cpu_to_le64(x)	htole64(x)
#define le16_to_cpu(x)	le16toh(x)
#define le32_to_cpu(x)	le32toh(x)
#define le64_to_cpu(x)	le64toh(x)

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __must_check	__attribute__((warn_unused_result))
#define noinline	__attribute__((__noinline__))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BITS_PER_LONG	((unsigned int)(8 * sizeof(long)))
#define BITS_TO_LONGS(n) (((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)

u32 crc32c(u32 crc, const void *data, size_t len);

/* Userspace runs the core in one thread. */
#define smp_load_acquire(p) (*(p))

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

static inline unsigned int hweight16(unsigned int w)
{
	return (unsigned int)__builtin_popcount(w & 0xffff);
}

static inline unsigned int __ffs(unsigned long w)
{
	return (unsigned int)__builtin_ctzl(w);
}

static inline void __set_bit(unsigned int n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= 1ul << (n % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned int n, unsigned long *map)
{
	map[n / BITS_PER_LONG] &= ~(1ul << (n % BITS_PER_LONG));
}

static inline bool test_bit(unsigned int n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> (n % BITS_PER_LONG) & 1;
}

#endif /* __KERNEL__ */

#endif /* FC_CORE_ENV_H */
