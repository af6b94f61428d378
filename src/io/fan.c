// SPDX-License-Identifier: GPL-2.0
/*
 * Large hits fan out: a request over several clusters, whose blocks lie in as many sets and places
 * on flash, goes there in as many bios of our own, at once. To hand it back to device-mapper piece
 * by piece would give the same, but costs three times as many instructions for each piece.
 *
 * Only what is in the cache, and open, is fanned out; at the first piece that is not, the rest goes
 * back to device-mapper. If a piece fails, the whole request asks again, piece by piece.
 */
#include <linux/slab.h>

#include "io/request.h"

#define PIECES_MAX	16u	/* 1 MiB of clusters that are whole */

struct fc_fan;

/**
 * struct fc_piece - what lies in one place on flash
 * @fan: where it belongs
 * @set: its set
 * @set_index: number of @set
 * @plan: FC_HIT
 */
struct fc_piece {
	struct fc_fan *fan;
	struct fc_set *set;
	u32 set_index;
	struct fc_plan plan;
};

/**
 * struct fc_fan - a request that is fanned out
 * @req: the request
 * @left: pieces in flight, and one for whoever still sends
 * @failed: a piece failed, or could not be sent
 * @nr: pieces
 * @sectors: covered by them
 * @pieces: the pieces
 */
struct fc_fan {
	struct fc_req *req;
	atomic_t left;
	bool failed;
	u32 nr;
	u32 sectors;
	struct fc_piece pieces[PIECES_MAX];
};

static struct kmem_cache *fan_cache;

int fc_fan_module_init(void)
{
	fan_cache = KMEM_CACHE(fc_fan, 0);
	return fan_cache ? 0 : -ENOMEM;
}

void fc_fan_module_exit(void)
{
	kmem_cache_destroy(fan_cache);
}

static bool is_write(const struct fc_fan *fan)
{
	return op_is_write(bio_op(fc_req_bio(fan->req)));
}

/* Asks for the next piece; false when it is not to be had at once. */
static bool ask(struct fc_fan *fan, const struct bio *bio, const struct bvec_iter *left)
{
	struct fc_piece *piece = &fan->pieces[fan->nr];
	struct fc_cache *c = fan->req->c;
	struct fc_ask ask;
	unsigned long flags;
	bool hit;

	fc_req_ask(fan->req, bio, left, &ask);
	piece->fan = fan;
	piece->set_index = fc_geo_set(&c->core.geo, ask.hash);
	piece->set = fc_core_set(&c->core, piece->set_index);
	fc_set_lock(piece->set, &flags);
	if (op_is_write(bio_op(bio)))
		hit = fc_desk_try_write(&c->core, piece->set, &ask, &piece->plan);
	else
		hit = fc_desk_try_read(&c->core, piece->set, &ask, &piece->plan);
	fc_set_unlock(piece->set, flags);
	return hit;
}

static void count(struct fc_cache *c, const struct fc_plan *plan, bool write)
{
	if (unlikely(plan->replaced))
		fc_count_by(c, replacements, plan->replaced);
	if (write)
		fc_count_write(c, plan);
	else
		fc_count_read(c, plan);
}

static void collect(struct fc_fan *fan, const struct bio *bio)
{
	bool write = op_is_write(bio_op(bio));
	struct bvec_iter left = bio->bi_iter;

	while (left.bi_size && fan->nr < PIECES_MAX && ask(fan, bio, &left)) {
		u32 nr = fan->pieces[fan->nr].plan.nr;

		count(fan->req->c, &fan->pieces[fan->nr].plan, write);
		fan->nr++;
		fan->sectors += nr;
		left.bi_sector += nr;
		left.bi_size -= nr << SECTOR_SHIFT;
	}
}

static void put_fan(struct fc_fan *fan)
{
	struct fc_req *req = fan->req;
	bool failed;

	if (!atomic_dec_and_test(&fan->left))
		return;
	failed = fan->failed;
	kmem_cache_free(fan_cache, fan);
	if (unlikely(failed))
		fc_wait_defer(req);
	else
		fc_request_finish(req, BLK_STS_OK);
}

static void piece_done(void *context, blk_status_t status)
{
	struct fc_piece *piece = context;
	struct fc_fan *fan = piece->fan;
	struct fc_cache *c = fan->req->c;

	/* Also where to ask again does not help: then that will tell. */
	if (unlikely(status))
		WRITE_ONCE(fan->failed, true);
	if (is_write(fan))
		fc_hit_write_done(c, piece->set, &piece->plan, status);
	else
		fc_hit_read_done(c, piece->set, &piece->plan, status);
	put_fan(fan);
}

static void send(struct fc_fan *fan, struct bio *bio)
{
	struct fc_cache *c = fan->req->c;
	const struct fc_geo *geo = &c->core.geo;
	sector_t first = bio->bi_iter.bi_sector;
	u32 i;

	atomic_set(&fan->left, fan->nr + 1);
	for (i = 0; i < fan->nr; i++) {
		struct fc_piece *piece = &fan->pieces[i];
		const struct fc_plan *plan = &piece->plan;
		struct fc_slotno slot = fc_geo_slot(geo, piece->set_index, plan->way[0]);

		/* Without memory it is as if the device had said that one would have to wait. */
		if (!fc_submit_part(c, FC_SSD_DEV, bio, (u32)(plan->sector - first), plan->nr,
				    fc_geo_place(geo, slot, plan->sector), piece_done, piece))
			piece_done(piece, BLK_STS_AGAIN);
	}
	put_fan(fan);
}

/**
 * fc_fan_out() - send a large request to flash in pieces
 * @req: request that has just arrived, neither FLUSH nor FUA
 * @bio: its bio; cut to what is sent
 *
 * Context: that of fc_request_map(). Return: true when the request is on its way.
 */
bool fc_fan_out(struct fc_req *req, struct bio *bio)
{
	sector_t end = fc_geo_run_end(&req->c->core.geo, bio->bi_iter.bi_sector);
	struct fc_fan *fan;

	if (bio_end_sector(bio) <= end)
		return false;
	fan = kmem_cache_alloc(fan_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!fan)
		return false;
	fan->req = req;
	fan->failed = false;
	fan->nr = 0;
	fan->sectors = 0;
	collect(fan, bio);
	if (!fan->nr) {
		kmem_cache_free(fan_cache, fan);
		return false;
	}
	if (fan->sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, fan->sectors);
	req->iter = bio->bi_iter;
	send(fan, bio);
	return true;
}
