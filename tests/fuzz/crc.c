// SPDX-License-Identifier: GPL-2.0
/*
 * CRC32C as in src/core/env_user.c, eight bytes at a time: most of a fuzzer's time goes into it.
 */
#include "env.h"

static u32 tables[8][256];

static __attribute__((constructor)) void build_tables(void)
{
	u32 i, t, bit;

	for (i = 0; i < 256; i++) {
		u32 crc = i;

		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
		tables[0][i] = crc;
	}
	for (t = 1; t < 8; t++)
		for (i = 0; i < 256; i++)
			tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
	if (~crc32c(~0u, "123456789", 9) != 0xe3069283)
		__builtin_trap();
}

static u32 eight(u32 crc, const u8 *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	word = le64_to_cpu(word) ^ crc;
	return tables[7][word & 0xff] ^ tables[6][word >> 8 & 0xff] ^
	       tables[5][word >> 16 & 0xff] ^ tables[4][word >> 24 & 0xff] ^
	       tables[3][word >> 32 & 0xff] ^ tables[2][word >> 40 & 0xff] ^
	       tables[1][word >> 48 & 0xff] ^ tables[0][word >> 56];
}

static u32 long_way(u32 crc, const u8 *at, size_t len)
{
	for (; len >= 8; len -= 8, at += 8)
		crc = eight(crc, at);
	while (len--)
		crc = crc >> 8 ^ tables[0][(crc ^ *at++) & 0xff];
	return crc;
}

/* Most blocks of an image are blank: remember the last answer for one of that length. */
u32 crc32c(u32 crc, const void *data, size_t len)
{
	static u32 last_crc, last_answer;
	static size_t last_len;
	const u8 *at = data;

	if (len < 1024 || at[0] || memcmp(at, at + 1, len - 1))
		return long_way(crc, at, len);
	if (last_len != len || last_crc != crc) {
		last_answer = long_way(crc, at, len);
		last_len = len;
		last_crc = crc;
	}
	return last_answer;
}
