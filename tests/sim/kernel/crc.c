// SPDX-License-Identifier: GPL-2.0
/*
 * CRC32C, fast: each load of a cache sums up its whole log. With the processor's instruction where
 * there is one, three streams at a time, since each instruction waits for the one before it.
 */
#include "kernel.h"

#define POLY	0x82f63b78u	/* Castagnoli, bits reversed */
#define STREAM	1360u		/* bytes; three of them are a block of the ledger but a few bytes */

static u32 byte_table[256];
static u32 shift_table[4][256];	/* what STREAM zero bytes make of a CRC, by each of its bytes */
static bool have_instruction;

static u32 by_table(u32 crc, const u8 *at, size_t len)
{
	while (len--)
		crc = crc >> 8 ^ byte_table[(crc ^ *at++) & 0xff];
	return crc;
}

static __attribute__((constructor)) void build_tables(void)
{
	static const u8 zeros[STREAM];
	u32 i, j, crc;

	for (i = 0; i < 256; i++) {
		for (crc = i, j = 0; j < 8; j++)
			crc = crc & 1 ? crc >> 1 ^ POLY : crc >> 1;
		byte_table[i] = crc;
	}
	for (j = 0; j < 4; j++)
		for (i = 0; i < 256; i++)
			shift_table[j][i] = by_table(i << (8 * j), zeros, STREAM);
#if defined(__x86_64__)
	have_instruction = __builtin_cpu_supports("sse4.2");
#endif
}

#if defined(__x86_64__)
static u64 word(const u8 *at)
{
	u64 w;

	memcpy(&w, at, sizeof(w));
	return w;
}

static u32 shift(u32 crc)
{
	return shift_table[0][crc & 0xff] ^ shift_table[1][crc >> 8 & 0xff] ^
	       shift_table[2][crc >> 16 & 0xff] ^ shift_table[3][crc >> 24];
}

static __attribute__((target("sse4.2"))) u32 by_instruction(u32 crc, const u8 *at, size_t len)
{
	while (len >= 3 * STREAM) {
		u64 a = crc, b = 0, c = 0;
		u32 i;

		for (i = 0; i < STREAM; i += 8) {
			a = __builtin_ia32_crc32di(a, word(at + i));
			b = __builtin_ia32_crc32di(b, word(at + STREAM + i));
			c = __builtin_ia32_crc32di(c, word(at + 2 * STREAM + i));
		}
		crc = shift(shift((u32)a) ^ (u32)b) ^ (u32)c;
		at += 3 * STREAM;
		len -= 3 * STREAM;
	}
	for (; len >= 8; at += 8, len -= 8)
		crc = (u32)__builtin_ia32_crc32di(crc, word(at));
	while (len--)
		crc = __builtin_ia32_crc32qi(crc, *at++);
	return crc;
}
#else
static u32 by_instruction(u32 crc, const u8 *at, size_t len)
{
	return by_table(crc, at, len);
}
#endif

u32 crc32c(u32 crc, const void *data, size_t len)
{
	return have_instruction ? by_instruction(crc, data, len) : by_table(crc, data, len);
}
