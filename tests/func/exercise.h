/* SPDX-License-Identifier: GPL-2.0 */
/* The load: threads that each keep some operations in flight on random ranges of the span. */
#ifndef FC_TEST_EXERCISE_H
#define FC_TEST_EXERCISE_H

#include <stdint.h>

#include "device.h"
#include "journal.h"
#include "shadow.h"

enum op { OP_READ, OP_WRITE, OP_FUA, OP_FLUSH, OP_DISCARD, OP_STREAM, NR_OPS };

extern const char *const op_names[NR_OPS];

struct exercise {
	const struct device *dev;
	struct shadow *shadow;
	struct journal *journal;	/* or NULL */
	uint64_t seed;
	uint64_t ops;			/* 0: until the time is up */
	uint64_t tell;			/* say so when that many were begun; 0: never */
	unsigned int seconds;		/* 0: until the operations are done */
	unsigned int threads;
	unsigned int depth;		/* operations in flight, a thread */
	uint32_t align;			/* sectors: of all offsets and lengths */
	uint32_t max;			/* sectors: the longest operation */
	unsigned int hot_ops;		/* per cent of the operations ... */
	unsigned int hot_span;		/* ... go to this share of the span */
	int overlap_reads;
	int no_nowait;			/* have the kernel submit from a thread that may sleep */
	unsigned int mix[NR_OPS];	/* weights */

	/* The result. */
	uint64_t done[NR_OPS];
	uint64_t bytes;
	uint64_t bad_sectors;
	int error;			/* the first I/O error, a negative number, or 0 */
};

/* Run the load to its end, or to the first mismatch or I/O error. */
void exercise_run(struct exercise *ex);

#endif
