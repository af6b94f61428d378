// SPDX-License-Identifier: GPL-2.0
/*
 * The one door down.
 */
#include <linux/slab.h>

#include "cache.h"

#define OWN_BIOS	64	/* kept in reserve, so that our own I/O always goes on */

/**
 * struct fc_own_io - lies in front of each bio of our own
 * @c: cache
 * @dev: where it goes
 * @done: called once, in any context
 * @context: for @done
 * @bio: last, since its vectors follow
 */
struct fc_own_io {
	struct fc_cache *c;
	enum fc_dev dev;
	fc_io_done_t done;
	void *context;
	struct bio bio;
};

int fc_submit_init(struct fc_cache *c)
{
	int r;

	r = bioset_init(&c->io.bs, OWN_BIOS, offsetof(struct fc_own_io, bio),
			BIOSET_NEED_BVECS | BIOSET_NEED_RESCUER);
	if (r)
		return r;
	c->io.dmio = dm_io_client_create();
	if (IS_ERR(c->io.dmio)) {
		r = PTR_ERR(c->io.dmio);
		c->io.dmio = NULL;
	}
	return r;
}

void fc_submit_exit(struct fc_cache *c)
{
	if (c->io.dmio)
		dm_io_client_destroy(c->io.dmio);
	bioset_exit(&c->io.bs);
}

static struct block_device *bdev_of(struct fc_cache *c, enum fc_dev dev)
{
	return dev == FC_DISK_DEV ? c->disk->bdev : c->ssd->bdev;
}

static void count(struct fc_cache *c, enum fc_dev dev, bool write)
{
	static const enum fc_stat which[2][2] = {
		[FC_DISK_DEV] = { FC_STAT_disk_reads, FC_STAT_disk_writes },
		[FC_SSD_DEV] = { FC_STAT_ssd_reads, FC_STAT_ssd_writes },
	};

	this_cpu_inc(c->stats->n[which[dev][write]]);
}

static void count_error(struct fc_cache *c, enum fc_dev dev, bool write)
{
	static const enum fc_stat which[2][2] = {
		[FC_DISK_DEV] = { FC_STAT_disk_read_errors, FC_STAT_disk_write_errors },
		[FC_SSD_DEV] = { FC_STAT_ssd_read_errors, FC_STAT_ssd_write_errors },
	};

	this_cpu_inc(c->stats->n[which[dev][write]]);
}

/**
 * fc_submit_aim() - direct a user's bio at a device, without sending it, and count it
 * @c: cache
 * @bio: bio, to be returned as DM_MAPIO_REMAPPED
 * @dev: device
 * @sector: place on it
 */
void fc_submit_aim(struct fc_cache *c, struct bio *bio, enum fc_dev dev, sector_t sector)
{
	count(c, dev, op_is_write(bio_op(bio)));
	bio_set_dev(bio, bdev_of(c, dev));
	bio->bi_iter.bi_sector = sector;
}

/**
 * fc_submit_renew() - make a user's bio fit to be sent, perhaps not for the first time
 * @bio: bio that was kept, or has come back
 *
 * A device below may have cut it, which leaves its count at zero, or merged it with others, which
 * leaves a stale link: either would let it end early, or others with it. And it has waited by now, so
 * it may wait for the device as well.
 */
void fc_submit_renew(struct bio *bio)
{
	bio->bi_next = NULL;
	bio->bi_status = BLK_STS_OK;
	bio->bi_opf &= ~(REQ_NOWAIT | FC_REQ_POLLED);
	bio_clear_flag(bio, BIO_CHAIN);
	atomic_set(&bio->__bi_remaining, 1);
}

/**
 * fc_submit_bio() - send a user's bio that was kept and is aimed now
 * @bio: bio
 *
 * Context: process.
 */
void fc_submit_bio(struct bio *bio)
{
	submit_bio_noacct(bio);
}

/* Whoever sent a part counts its errors as those of the user's bio. */
static void part_end_io(struct bio *bio)
{
	struct fc_own_io *io = container_of(bio, struct fc_own_io, bio);
	fc_io_done_t done = io->done;
	void *context = io->context;
	blk_status_t status = fc_submit_result(bio, bio->bi_status);

	bio_put(bio);
	done(context, status);
}

static void own_end_io(struct bio *bio)
{
	struct fc_own_io *io = container_of(bio, struct fc_own_io, bio);
	fc_io_done_t done = io->done;
	void *context = io->context;
	blk_status_t status = fc_submit_result(bio, bio->bi_status);

	if (unlikely(status) && !(status == BLK_STS_AGAIN && bio->bi_opf & REQ_NOWAIT))
		count_error(io->c, io->dev, op_is_write(bio_op(bio)));
	bio_put(bio);
	done(context, status);
}

/**
 * fc_submit_pages() - read or write pages of our own
 * @c: cache
 * @dev: device
 * @opf: operation and flags; with REQ_NOWAIT the result may be BLK_STS_AGAIN, which is no error
 * @sector: place on the device
 * @pages: pages that hold sectors one after the other
 * @first: sector within @pages to begin with
 * @sectors: number, at most %BIO_MAX_VECS pages
 * @gfp: GFP_NOIO succeeds always; GFP_NOWAIT may fail
 * @done: called once when true is returned, perhaps before
 * @context: for @done
 *
 * Return: false when there was no memory.
 */
bool fc_submit_pages(struct fc_cache *c, enum fc_dev dev, fc_opf_t opf, sector_t sector,
		     struct page **pages, u32 first, u32 sectors, gfp_t gfp,
		     fc_io_done_t done, void *context)
{
	u32 at = first % PAGE_SECTORS, page = first / PAGE_SECTORS;
	u32 vecs = DIV_ROUND_UP(at + sectors, PAGE_SECTORS);
	struct fc_own_io *io;
	struct bio *bio;

	bio = fc_bio_alloc(bdev_of(c, dev), vecs, opf, gfp, &c->io.bs);
	if (!bio)
		return false;
	io = container_of(bio, struct fc_own_io, bio);
	io->c = c;
	io->dev = dev;
	io->done = done;
	io->context = context;
	bio->bi_end_io = own_end_io;
	bio->bi_iter.bi_sector = sector;
	while (sectors) {
		u32 n = min_t(u32, sectors, PAGE_SECTORS - at);

		/* Cannot fail: the bio was made with room for all of it. */
		__bio_add_page(bio, pages[page++], n << SECTOR_SHIFT, at << SECTOR_SHIFT);
		sectors -= n;
		at = 0;
	}
	count(c, dev, op_is_write(opf & REQ_OP_MASK));
	submit_bio_noacct(bio);
	return true;
}

/**
 * fc_submit_part() - send a part of a user's bio, by a bio of our own
 * @c: cache
 * @dev: device
 * @bio: the user's bio, which has to stay until @done; not changed
 * @skip: sectors of it to leave out
 * @sectors: number of sectors that follow
 * @sector: place on the device
 * @done: called once when true is returned, perhaps before
 * @context: for @done
 *
 * Context: does not sleep. Return: false when there was no memory.
 */
bool fc_submit_part(struct fc_cache *c, enum fc_dev dev, struct bio *bio, u32 skip, u32 sectors,
		    sector_t sector, fc_io_done_t done, void *context)
{
	struct bio *part = fc_bio_clone(bdev_of(c, dev), bio, GFP_NOWAIT | __GFP_NOWARN,
					&c->io.bs);
	struct fc_own_io *io;

	if (!part)
		return false;
	io = container_of(part, struct fc_own_io, bio);
	io->c = c;
	io->dev = dev;
	io->done = done;
	io->context = context;
	part->bi_end_io = part_end_io;
	/* Whoever polls knows only the user's bio. */
	part->bi_opf &= ~FC_REQ_POLLED;
	bio_advance(part, skip << SECTOR_SHIFT);
	part->bi_iter.bi_size = sectors << SECTOR_SHIFT;
	part->bi_iter.bi_sector = sector;
	count(c, dev, op_is_write(bio_op(bio)));
	submit_bio_noacct(part);
	return true;
}

/* Reads or writes metadata; waits when @notify is empty. */
static int move_metadata(struct fc_cache *c, enum fc_dev dev, fc_opf_t opf, sector_t sector,
			 void *buf, u32 sectors, struct dm_io_notify notify)
{
	struct dm_io_memory mem = { .type = DM_IO_VMA, .ptr.vma = buf };
	struct dm_io_region where = {
		.bdev = bdev_of(c, dev),
		.sector = sector,
		.count = sectors,
	};

	count(c, dev, op_is_write(opf & REQ_OP_MASK));
	return fc_dm_io(c->io.dmio, opf, mem, &where, notify);
}

/**
 * fc_submit_sync() - read or write metadata and wait for it
 * @c: cache
 * @dev: device
 * @opf: operation and flags
 * @sector: place on the device
 * @buf: from vmalloc()
 * @sectors: number
 *
 * Context: process, sleeps. Return: 0 or -EIO.
 */
int fc_submit_sync(struct fc_cache *c, enum fc_dev dev, fc_opf_t opf, sector_t sector,
		   void *buf, u32 sectors)
{
	int r = move_metadata(c, dev, opf, sector, buf, sectors, (struct dm_io_notify){ });

	if (r)
		count_error(c, dev, op_is_write(opf & REQ_OP_MASK));
	return r;
}

static void read_ended(bool failed, void *context)
{
	struct fc_read_ahead *read = context;

	read->failed = failed;
	complete(&read->done);
}

FC_DM_IO_END(read_ended)

/**
 * fc_submit_read_ahead() - begin to read metadata from the flash
 * @c: cache
 * @sector: place
 * @buf: from vmalloc(); not to be touched before fc_submit_read_wait()
 * @sectors: number
 * @read: what to wait for, which has to be done
 *
 * Context: process, may sleep.
 */
void fc_submit_read_ahead(struct fc_cache *c, sector_t sector, void *buf, u32 sectors,
			  struct fc_read_ahead *read)
{
	struct dm_io_notify notify = { .fn = read_ended_dm_io, .context = read };

	init_completion(&read->done);
	if (move_metadata(c, FC_SSD_DEV, REQ_OP_READ, sector, buf, sectors, notify))
		read_ended(true, read);
}

/**
 * fc_submit_read_wait() - wait for fc_submit_read_ahead()
 * @c: cache
 * @read: what was begun
 *
 * Context: process, sleeps. Return: 0 or -EIO.
 */
int fc_submit_read_wait(struct fc_cache *c, struct fc_read_ahead *read)
{
	wait_for_completion_io(&read->done);
	if (!read->failed)
		return 0;
	count_error(c, FC_SSD_DEV, false);
	return -EIO;
}

/**
 * fc_submit_flush() - make durable what a device has completed
 * @c: cache
 * @dev: device
 *
 * Context: process, sleeps. Return: 0 or -EIO.
 */
int fc_submit_flush(struct fc_cache *c, enum fc_dev dev)
{
	struct dm_io_memory mem = { .type = DM_IO_KMEM };
	struct dm_io_region where = { .bdev = bdev_of(c, dev) };
	int r;

	if (dev == FC_SSD_DEV)
		fc_count(c, ssd_flushes);
	else
		fc_count(c, disk_flushes);
	r = fc_dm_io(c->io.dmio, REQ_OP_WRITE | REQ_PREFLUSH, mem, &where,
		     (struct dm_io_notify){ });
	if (r)
		count_error(c, dev, true);
	return r;
}
