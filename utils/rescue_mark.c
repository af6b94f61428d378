// SPDX-License-Identifier: GPL-2.0
/*
 * Marks on flash around a rescue. Each superblock is written after what it names is durable, and
 * twice, so that damage to one copy does not bring an older one back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "progress.h"
#include "rescue.h"
#include "tool.h"

static int write_super(struct image *image)
{
	struct fcd_super raw;

	image->super.seq++;
	fc_super_encode(&image->super, &raw);
	return device_write(image->ssd, image->super.seq % FCD_SUPER_COPIES * FCD_BLOCK_SIZE, &raw,
			    sizeof(raw));
}

/*
 * The log goes on a whole ring further, where nothing that is left of it can be taken for the
 * future.
 */
static void leave_log(struct image *image)
{
	image->super.tail_seq = image->log.next_seq + image->super.geo.log_blocks;
	image->log.next_seq = image->super.tail_seq;
}

/**
 * rescue_mark_begun() - note on flash that the disk is going to be written
 * @image: loaded and sound, its SSD open for writing
 *
 * If the power stayed on since the crash, what was read may be in the SSD's volatile cache only, and
 * an older superblock come back with the next power cut. So it is made durable before anything is
 * written over that the older one still needs.
 *
 * After an orderly stop the print of the disk would tell a second attempt that somebody has written
 * the disk. From now on the cache is as after a crash: what is dirty counts, nothing else does.
 */
int rescue_mark_begun(struct image *image)
{
	if (fsync(image->ssd->fd))
		return fail("SSD %s: cannot flush: %s", image->ssd->path, strerror(errno));
	if (!image->orderly)
		return 0;
	leave_log(image);
	image->super.state = FCD_STATE_RUNNING;
	image->super.flags &= ~FCD_SUPER_FINGERPRINT;
	return write_super(image) || write_super(image) ? -1 : 0;
}

/* Into the copies that do not count: until the superblock is written nothing has changed. */
static int write_empty_table(struct image *image, u64 gen, u64 *sum)
{
	const struct fc_geo *geo = &image->super.geo;
	union {
		struct fcd_table_head head;	/* for its alignment */
		u8 bytes[FCD_BLOCK_SIZE];
	} block;
	struct progress p;
	u64 i;

	*sum = 0;
	progress_begin(&p, "marking", geo->table_blocks, FCD_BLOCK_SIZE);
	for (i = 0; i < geo->table_blocks; i++) {
		unsigned int copy = !(image->newest[i / BITS_PER_LONG] >> i % BITS_PER_LONG & 1);
		u64 at = fc_geo_table_sector(geo, copy, i) * SECTOR_SIZE;

		memset(&block, 0, sizeof(block));
		*sum += fc_table_seal(&image->super, block.bytes, i, gen);
		if (pwrite(image->ssd->fd, block.bytes, sizeof(block), (off_t)at) != sizeof(block))
			break;
		progress_at(&p, i);
	}
	progress_end(&p);
	if (i < geo->table_blocks || fsync(image->ssd->fd))
		return fail("SSD %s: cannot write: %s", image->ssd->path, strerror(errno));
	return 0;
}

/**
 * rescue_mark_done() - make the cache an empty one that was stopped in order
 * @image: loaded and sound, its SSD open for writing; all its dirty data is durable on the disk
 *
 * What was clean goes too: who needed a rescue may well use the disk by itself from now on.
 */
int rescue_mark_done(struct image *image)
{
	struct fc_super *super = &image->super;
	u64 sum;

	if (write_empty_table(image, super->table_gen + 1, &sum))
		return -1;
	leave_log(image);
	super->table_gen++;
	super->table_sum = sum;
	super->state = FCD_STATE_ORDERLY;
	super->flags &= ~FCD_SUPER_FINGERPRINT;
	return write_super(image) || write_super(image) ? -1 : 0;
}
