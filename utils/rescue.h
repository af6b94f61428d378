/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Writing the dirty data of a cache that does not run to its disk, without the kernel module.
 *
 * Order: data to the disk, flush of the disk, then the metadata that says that nothing is dirty. As
 * long as that is not durable all dirty data is still on flash and counts, so it can be repeated
 * from the beginning after any interruption.
 */
#ifndef FC_UTILS_RESCUE_H
#define FC_UTILS_RESCUE_H

#include "image.h"

/**
 * struct piece - dirty sectors that lie one behind the other on both devices
 * @disk: first sector on the disk
 * @ssd: first sector on the SSD
 * @nr: number of sectors
 */
struct piece {
	u64 disk;
	u64 ssd;
	u32 nr;
};

/**
 * struct rescue - the copying
 * @image: what is dirty
 * @disk: open for writing
 * @pieces: by place on the disk
 * @nr_pieces: number of them
 * @sectors: dirty sectors in all
 * @disputed: of these, claimed by two slots and therefore left alone
 * @written: that reached the disk
 * @unreadable: that the SSD does not give
 * @unwritable: that the disk does not take
 */
struct rescue {
	const struct image *image;
	struct device *disk;
	struct piece *pieces;
	u64 nr_pieces;
	u64 sectors;
	u64 disputed;
	u64 written;
	u64 unreadable;
	u64 unwritable;
};

int __must_check rescue_plan(struct rescue *r);
int __must_check rescue_copy(struct rescue *r);
int __must_check rescue_mark_begun(struct image *image);
int __must_check rescue_mark_done(struct image *image);

#endif /* FC_UTILS_RESCUE_H */
