/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The one door down. Nothing else in the module sends anything to a device.
 */
#ifndef FC_IO_SUBMIT_H
#define FC_IO_SUBMIT_H

#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/dm-io.h>

#include "compat/compat.h"

struct fc_cache;

enum fc_dev { FC_DISK_DEV, FC_SSD_DEV };

typedef void (*fc_io_done_t)(void *context, blk_status_t status);

/**
 * struct fc_submit - what the door needs
 * @bs: bios of our own I/O
 * @dmio: for metadata and loading
 */
struct fc_submit {
	struct bio_set bs;
	struct dm_io_client *dmio;
};

/**
 * fc_submit_result() - how a bio ended, for whoever sent it with REQ_NOWAIT, too
 * @bio: bio that has come back
 * @status: its result
 *
 * Device-mapper gives the flag to a target whose devices all know it. A device that has got another
 * table since may refuse it, which must not be taken for a failure: without the flag the bio can go.
 *
 * Return: @status, or BLK_STS_AGAIN in that case.
 */
static inline blk_status_t fc_submit_result(const struct bio *bio, blk_status_t status)
{
	if (unlikely(status == BLK_STS_NOTSUPP) && bio->bi_opf & REQ_NOWAIT)
		return BLK_STS_AGAIN;
	return status;
}

/**
 * struct fc_read_ahead - metadata that is being read
 * @done: it has been
 * @failed: or could not be
 */
struct fc_read_ahead {
	struct completion done;
	bool failed;
};

int fc_submit_init(struct fc_cache *c);
void fc_submit_exit(struct fc_cache *c);

void fc_submit_renew(struct bio *bio);
void fc_submit_bio(struct bio *bio);
void fc_submit_aim(struct fc_cache *c, struct bio *bio, enum fc_dev dev, sector_t sector);

bool fc_submit_pages(struct fc_cache *c, enum fc_dev dev, fc_opf_t opf, sector_t sector,
		     struct page **pages, u32 first, u32 sectors, gfp_t gfp,
		     fc_io_done_t done, void *context);

bool fc_submit_part(struct fc_cache *c, enum fc_dev dev, struct bio *bio, u32 skip, u32 sectors,
		    sector_t sector, fc_io_done_t done, void *context);

int fc_submit_sync(struct fc_cache *c, enum fc_dev dev, fc_opf_t opf, sector_t sector,
		   void *buf, u32 sectors);
void fc_submit_read_ahead(struct fc_cache *c, sector_t sector, void *buf, u32 sectors,
			  struct fc_read_ahead *read);
int fc_submit_read_wait(struct fc_cache *c, struct fc_read_ahead *read);
int fc_submit_flush(struct fc_cache *c, enum fc_dev dev);

#endif /* FC_IO_SUBMIT_H */
