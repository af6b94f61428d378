/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which sectors are in use by operations in flight. A range is never waited for: take it, or try
 * another one.
 */
#ifndef FC_TEST_RANGES_H
#define FC_TEST_RANGES_H

#include <pthread.h>
#include <stdint.h>

enum range_use { RANGE_READ, RANGE_WRITE, RANGE_DISCARD };

struct range {
	enum range_use use;
	uint64_t first;
	uint64_t end;			/* first == end: not in use */
};

struct ranges {
	pthread_mutex_t lock;
	int overlap_reads;		/* a read may overlap a write */
	unsigned int nr;		/* of slots, one an operation in flight */
	struct range *slots;
};

void ranges_init(struct ranges *rs, unsigned int nr, int overlap_reads);
void ranges_exit(struct ranges *rs);

/* Returns whether the range could be taken, in the given slot. */
int range_try(struct ranges *rs, unsigned int slot, enum range_use use, uint64_t first,
	      uint64_t nr);
void range_release(struct ranges *rs, unsigned int slot);

#endif
