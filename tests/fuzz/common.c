// SPDX-License-Identifier: GPL-2.0
/*
 * What the fuzzers share: readers of the input, the end of a failed check, and libFuzzer's hook.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

u8 fuzz_u8(struct fuzz_in *in)
{
	u8 byte = 0;

	fuzz_bytes(in, &byte, sizeof(byte));
	return byte;
}

u16 fuzz_u16(struct fuzz_in *in)
{
	__le16 raw;

	fuzz_bytes(in, &raw, sizeof(raw));
	return le16_to_cpu(raw);
}

u64 fuzz_u64(struct fuzz_in *in)
{
	__le64 raw;

	fuzz_bytes(in, &raw, sizeof(raw));
	return le64_to_cpu(raw);
}

void fuzz_bytes(struct fuzz_in *in, void *to, size_t len)
{
	size_t have = len < in->left ? len : in->left;

	memset(to, 0, len);
	if (have)
		memcpy(to, in->at, have);
	in->at += have;
	in->left -= have;
}

u32 fuzz_block_crc(u32 seed, const union fuzz_block *block)
{
	return crc32c(~seed, block->bytes + 4, FCD_BLOCK_SIZE - 4);
}

void fuzz_seal(u32 seed, union fuzz_block *block)
{
	block->log.crc = cpu_to_le32(fuzz_block_crc(seed, block));
}

/* Numbers for what is not of the input: genuine images. The same as in tests/unit/harness.c. */
static u64 state = 1;

void test_seed(u64 seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ull;
}

u64 test_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dull;
}

u32 test_below(u32 limit)
{
	return (u32)((test_random() >> 32) * limit >> 32);
}

bool test_chance(u32 percent)
{
	return test_below(100) < percent;
}

/* The checks of tests/unit end here. */
void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "fuzz: %s:%d: ", file, line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
	abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = { data, size };

	fuzz_one(&in);
	return 0;
}
