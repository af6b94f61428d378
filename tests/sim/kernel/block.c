// SPDX-License-Identifier: GPL-2.0
/*
 * The block layer: bios, and dm-io on top of them.
 */
#include "kernel.h"

int bioset_init(struct bio_set *bs, unsigned int reserve, unsigned int front_pad, int flags)
{
	(void)reserve;
	(void)flags;
	bs->front_pad = front_pad;
	return 0;
}

void bioset_exit(struct bio_set *bs)
{
	(void)bs;
}

struct bio *bio_alloc_bioset(struct block_device *bdev, unsigned short vecs, blk_opf_t opf,
			     gfp_t gfp, struct bio_set *bs)
{
	u8 *at;
	struct bio *bio;

	if (sim_no_memory(gfp))
		return NULL;
	at = sim_alloc(bs->front_pad + sizeof(*bio) + vecs * sizeof(struct bio_vec), false);
	bio = (struct bio *)(at + bs->front_pad);
	*bio = (struct bio){
		.bi_bdev = bdev, .bi_opf = opf, .bi_max_vecs = vecs, .bi_pool = bs,
		.bi_io_vec = (struct bio_vec *)(bio + 1), .__bi_remaining = ATOMIC_INIT(1),
	};
	return bio;
}

/* A clone has a place of its own, but the pages of its model. */
struct bio *bio_alloc_clone(struct block_device *bdev, struct bio *bio, gfp_t gfp,
			    struct bio_set *bs)
{
	struct bio *clone = bio_alloc_bioset(bdev, 0, bio->bi_opf, gfp, bs);

	if (!clone)
		return NULL;
	clone->bi_iter = bio->bi_iter;
	clone->bi_io_vec = bio->bi_io_vec;
	clone->bi_vcnt = bio->bi_vcnt;
	clone->bi_max_vecs = bio->bi_vcnt;
	clone->bi_ioprio = bio->bi_ioprio;
	return clone;
}

void bio_put(struct bio *bio)
{
	sim_free((u8 *)bio - bio->bi_pool->front_pad);
}

void __bio_add_page(struct bio *bio, struct page *page, unsigned int len, unsigned int offset)
{
	if (bio->bi_vcnt == bio->bi_max_vecs) {
		sim_fail("a bio gets more pages than it has room for");
		return;
	}
	bio->bi_io_vec[bio->bi_vcnt++] = (struct bio_vec){ page, len, offset };
	bio->bi_iter.bi_size += len;
}

void bio_advance_iter(const struct bio *bio, struct bvec_iter *iter, unsigned int bytes)
{
	iter->bi_sector += bytes >> SECTOR_SHIFT;
	iter->bi_size -= bytes;
	if (bio_op(bio) == REQ_OP_DISCARD)
		return;
	bytes += iter->bi_bvec_done;
	while (bytes && bytes >= bio->bi_io_vec[iter->bi_idx].bv_len)
		bytes -= bio->bi_io_vec[iter->bi_idx++].bv_len;
	iter->bi_bvec_done = bytes;
}

void bio_endio(struct bio *bio)
{
	bio->bi_end_io(bio);
}

void submit_bio_noacct(struct bio *bio)
{
	sim_preempt();
	disk_submit(bio);
}

static void end_bio(void *arg)
{
	bio_endio(arg);
}

/* The end of an I/O may come on another processor: a task of its own. */
void block_end_bio(struct bio *bio, blk_status_t status)
{
	bio->bi_status = status;
	task_start(end_bio, bio);
}

/* The sizes and talents of the devices are those of the machine's legs. */
sector_t bdev_nr_sectors(struct block_device *bdev)
{
	return mach->legs[bdev->leg].nr;
}

unsigned int bdev_max_discard_sectors(struct block_device *bdev)
{
	return mach->legs[bdev->leg].discards ? 1u << 20 : 0;
}

/* --- dm-io ------------------------------------------------------------------------------------ */

struct dm_io_client {
	int unused;
};

struct dm_io_client *dm_io_client_create(void)
{
	return sim_alloc(sizeof(struct dm_io_client), true);
}

void dm_io_client_destroy(struct dm_io_client *client)
{
	sim_free(client);
}

static int sync_io(const struct dm_io_request *req, const struct dm_io_region *where)
{
	void *buf = req->mem.type == DM_IO_VMA ? req->mem.ptr.vma : req->mem.ptr.addr;

	return disk_sync((u32)where->bdev->leg, req->bi_opf, where->sector, buf,
			 (u32)where->count);
}

struct async_io {
	struct dm_io_request req;
	struct dm_io_region where;
};

/* What nobody waits for at once is done by a task of its own, at any time. */
static void async_io(void *arg)
{
	struct async_io *io = arg;
	struct dm_io_notify notify = io->req.notify;
	int r = sync_io(&io->req, &io->where);

	sim_free(io);
	notify.fn(r ? 1 : 0, notify.context);
}

int dm_io(struct dm_io_request *req, unsigned int nr, struct dm_io_region *where,
	  unsigned long *errors, unsigned short ioprio)
{
	int r = 0;

	(void)ioprio;
	if (nr != 1) {
		sim_fail("a kind of dm_io() that the simulator does not know");
		return -EIO;
	}
	if (req->notify.fn) {
		struct async_io *io = sim_alloc(sizeof(*io), true);

		*io = (struct async_io){ *req, *where };
		task_start(async_io, io);
	} else {
		r = sync_io(req, where);
	}
	if (errors)
		*errors = r ? 1 : 0;
	return r;
}
