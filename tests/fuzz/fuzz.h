/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What the fuzzers share.
 *
 * Each target is one file with fuzz_one(). It reads its input front to back with the fuzz_*()
 * readers, which give zeros when nothing is left, so that every input means something. What must
 * hold is said with CHECK() (tests/unit/harness.h); a failed one aborts, which the fuzzer records.
 */
#ifndef FC_FUZZ_FUZZ_H
#define FC_FUZZ_FUZZ_H

#include "env.h"
#include "flashcache/format.h"
#include "harness.h"

/**
 * struct fuzz_in - what is left of an input
 * @at: next byte
 * @left: bytes left
 */
struct fuzz_in {
	const u8 *at;
	size_t left;
};

u8 fuzz_u8(struct fuzz_in *in);
u16 fuzz_u16(struct fuzz_in *in);
u64 fuzz_u64(struct fuzz_in *in);
void fuzz_bytes(struct fuzz_in *in, void *to, size_t len);

/* A block of metadata in memory. */
union fuzz_block {
	u8 bytes[FCD_BLOCK_SIZE];
	struct fcd_super super;
	struct fcd_log_head log;
	struct fcd_table_head table;
};

/* The CRC that the block should have; @seed is 0 for superblocks. */
u32 fuzz_block_crc(u32 seed, const union fuzz_block *block);
void fuzz_seal(u32 seed, union fuzz_block *block);

/* One input. */
void fuzz_one(struct fuzz_in *in);

#endif /* FC_FUZZ_FUZZ_H */
