/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamp: what a test program writes into a sector, so that whatever is read back explains
 * itself.
 *
 * A stamped sector names the run that wrote it (tag), its own address (sector) and the write that
 * it belongs to (gen). The rest is a filler derived from these three. So a stale sector, a sector
 * that went to another address, and a sector made of two halves are each recognised for what they
 * are.
 */
#ifndef FC_TEST_STAMP_H
#define FC_TEST_STAMP_H

#include <stdint.h>

#define SECTOR_SHIFT	9
#define SECTOR_SIZE	(1u << SECTOR_SHIFT)

enum stamp_kind {
	STAMP_GOOD,		/* of this run, at its own address, whole */
	STAMP_MISPLACED,	/* of this run, whole, but written to another address */
	STAMP_TORN,		/* a header of this run, with a filler that is not its own */
	STAMP_FOREIGN,		/* a stamp of another run */
	STAMP_ZERO,		/* nothing but zeros */
	STAMP_NONE,		/* anything else */
};

struct stamp {
	enum stamp_kind kind;
	uint32_t gen;		/* where there is a header (up to STAMP_TORN): its generation */
	uint64_t sector;	/* and its address */
	uint32_t sum;		/* of all 512 bytes, never 0 */
};

/* The mixing function of all test programs (splitmix64). */
uint64_t mix64(uint64_t x);

/* Stamp nr sectors that start at sector. */
void stamp_write(void *buf, uint64_t tag, uint64_t sector, uint32_t nr, uint32_t gen);

/* Tell what the 512 bytes at buf are, when tag and sector are expected there. */
struct stamp stamp_read(const void *buf, uint64_t tag, uint64_t sector);

#endif
