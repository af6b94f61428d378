// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel brings and userspace does not. Not part of the module.
 */
#include "env.h"

#define CRC32C_POLY	0x82f63b78u	/* Castagnoli, bits reversed */

/* Written before main(), so that threads need no care. */
static u32 table[256];

static u32 table_entry(u32 byte)
{
	unsigned int bit;

	for (bit = 0; bit < 8; bit++)
		byte = byte & 1 ? byte >> 1 ^ CRC32C_POLY : byte >> 1;
	return byte;
}

static __attribute__((constructor)) void build_table(void)
{
	u32 i;

	for (i = 0; i < 256; i++)
		table[i] = table_entry(i);
}

/**
 * crc32c() - CRC32C as Linux computes it
 * @crc: seed, or the result for what comes before
 * @data: bytes
 * @len: number of them
 *
 * Nothing is inverted: the usual CRC32C (RFC 3720) of some bytes is ~crc32c(~0, ...).
 */
u32 crc32c(u32 crc, const void *data, size_t len)
{
	const u8 *at = data;

	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *at++) & 0xff];
	return crc;
}
