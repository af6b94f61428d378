/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The two devices, each with a volatile write cache.
 *
 * The grain is a sector of 512 bytes, which never tears. A sector of data is a stamp, a number that
 * says which write put it there; it lies at both ends of the sector's bytes. A sector of metadata is
 * the number of a blob, which has all its bytes.
 *
 * What a write put into the cache may be lost, or kept, or lost though what came later is kept, each
 * sector by itself, until a flush that was sent after the write had ended has ended; or, with FUA,
 * until the write has ended.
 */
#ifndef SIM_DISK_H
#define SIM_DISK_H

#include <linux/bio.h>

#include "rng.h"

#define MAX_SECTORS	(1u << 16)
#define STAMP_DISCARDED	0xfffffff0u	/* what a discarded sector reads */
#define STAMP_BROKEN	0xfffffff1u	/* both ends of a sector's bytes differ */
#define STAMP_NEVER	0xfffffff2u	/* nobody put anything there */

enum { LEG_DISK, LEG_SSD };

/* Ways to be a bad device, to show that the judges notice. */
#define LIE_FLUSH	(1u << 0)	/* FLUSH does nothing */
#define LIE_FUA		(1u << 1)	/* FUA does nothing */
#define LIE_TORN	(1u << 2)	/* at a power cut even a durable sector may get lost */

/* What fails: reads, writes, flushes. */
enum { FAIL_READ = 1, FAIL_WRITE = 2, FAIL_FLUSH = 4, FAIL_KINDS = 3 };

/**
 * struct vol - a sector in the cache
 * @sector: sector
 * @value: what was written
 * @io: by whom
 * @ended: when that had ended, 0 = not yet
 */
struct vol {
	u32 sector;
	u32 value;
	u64 io;
	u64 ended;
};

#define MAX_FAILED	64u

/**
 * struct failed - an I/O that failed
 * @sector: first sector
 * @nr: sectors
 * @what: FAIL_*
 * @first: for the judge: sectors of the disk that it concerned, from this one
 * @end: to before this one
 * @only: there was no other copy of some of them
 */
struct failed {
	u32 sector;
	u32 nr;
	u32 what;
	u32 first;
	u32 end;
	bool only;
};

/**
 * struct leg - a device
 * @nr: its sectors
 * @meta: the first so many hold metadata
 * @now: what each sector reads
 * @safe: what each has for certain after a power cut; not kept with @frozen
 * @vol: what the cache has beyond that, in the order in which it came
 * @nr_vol: length of @vol
 * @cap_vol: room in @vol
 * @frozen: nobody will ask what a power cut would leave
 * @discards: it takes discards
 * @lies: LIE_*
 * @count: I/Os so far
 * @fail_at: the I/O of this number fails, 0 = none
 * @fail_to: and all that follow, to before this one
 * @fail_what: of these kinds; others are not counted
 * @error_pct: and so many besides
 * @again_pct: how often one that must not wait would have to
 * @failures: I/Os that failed
 * @first_failed: kind of the first of them
 * @failed: the last of them
 */
struct leg {
	u32 nr;
	u32 meta;
	u32 *now;
	u32 *safe;
	struct vol *vol;
	u32 nr_vol;
	u32 cap_vol;
	bool frozen;
	bool discards;
	u32 lies;
	u64 count;
	u64 fail_at;
	u64 fail_to;
	u32 fail_what;
	u32 error_pct;
	u32 again_pct;
	u64 failures;
	u32 first_failed;
	struct failed failed[MAX_FAILED];
};

struct io;

void disk_attach(struct leg *leg, u32 depth, u32 which, u32 nr, u32 meta);
void disk_submit(struct bio *bio);
int disk_sync(u32 which, blk_opf_t opf, sector_t sector, void *buf, u32 nr);
void disk_io_step(u32 index);
u64 disk_io_held_until(const struct io *io);
void disk_forget(void);

/* Images: what a power cut now would leave. */
enum image_kind {
	IMAGE_WORST,	/* only what is durable for certain */
	IMAGE_BEST,	/* everything, what is on its way included */
	IMAGE_CACHED,	/* everything that has reached the device */
	IMAGE_RANDOM,	/* each sector by itself, with some chance */
	IMAGE_FEW_LOST,
	IMAGE_FEW_KEPT,
	IMAGE_BLOCKS,	/* as random, but eight sectors share their fate */
	NR_IMAGES
};

const char *disk_image_name(enum image_kind kind);
struct mach;
void disk_image(const struct mach *from, u32 which, struct leg *to, enum image_kind kind,
		struct rng *rng);
void disk_settle(struct leg *leg);

u32 blob_mark(void);
void blob_release(u32 mark);
void blob_collect(struct leg *leg);

/* Changes so far that a power cut would show: writes, flushes, ends. */
extern u64 disk_changes;

#endif /* SIM_DISK_H */
