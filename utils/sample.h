/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_SAMPLE_H
#define FC_UTILS_SAMPLE_H

#include "cache.h"

/**
 * struct leg_sample - counters of a block device, as the kernel keeps them for each
 * @reads: reads completed
 * @read_sectors: in them
 * @read_ms: time that they took, all together
 * @writes: writes completed
 * @write_sectors: in them
 * @write_ms: time that they took, all together
 * @busy_ms: time in which something was under way
 */
struct leg_sample {
	u64 reads;
	u64 read_sectors;
	u64 read_ms;
	u64 writes;
	u64 write_sectors;
	u64 write_ms;
	u64 busy_ms;
};

enum { SAMPLE_CACHE, SAMPLE_SSD, SAMPLE_DISK, SAMPLE_LEGS };

/* Counters of the status line that are watched. */
enum {
	SAMPLE_READ_BLOCKS, SAMPLE_READ_HITS, SAMPLE_WRITE_BLOCKS, SAMPLE_WRITE_HITS,
	SAMPLE_CLEANINGS, SAMPLE_CLEAN_WRITES, SAMPLE_COUNTERS
};

/**
 * struct sample - a cache at one moment
 * @ms: the moment
 * @counters: of the status line
 * @legs: of the mapped device and both below it
 */
struct sample {
	u64 ms;
	u64 counters[SAMPLE_COUNTERS];
	struct leg_sample legs[SAMPLE_LEGS];
};

/**
 * struct leg_rates - what a device did between two samples, in a second
 * @reads: reads
 * @writes: writes
 * @read_bytes: bytes read
 * @write_bytes: bytes written
 * @read_ms: milliseconds that a read took
 * @write_ms: milliseconds that a write took
 * @busy: share of the time, per cent
 */
struct leg_rates {
	double reads;
	double writes;
	double read_bytes;
	double write_bytes;
	double read_ms;
	double write_ms;
	double busy;
};

/**
 * struct rates - what a cache did between two samples
 * @seconds: between them
 * @counts: by how much the counters rose, in all
 * @clean_bytes: bytes cleaned in a second
 * @legs: the devices
 */
struct rates {
	double seconds;
	u64 counts[SAMPLE_COUNTERS];
	double clean_bytes;
	struct leg_rates legs[SAMPLE_LEGS];
};

void sample_take(struct sample *s, const struct cache *c);
void sample_rates(struct rates *r, const struct cache *c, const struct sample *from,
		  const struct sample *to);

#endif /* FC_UTILS_SAMPLE_H */
