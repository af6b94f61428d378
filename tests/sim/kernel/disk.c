// SPDX-License-Identifier: GPL-2.0
/*
 * The devices at work: I/O in flight, the volatile cache, failures.
 */
#include <stdlib.h>

#include "disk-io.h"

#define VOL_MANY	6000u	/* a cache of this many sectors begins to write back by itself */

u64 disk_changes;

static struct io *free_ios;

/* --- I/O -------------------------------------------------------------------------------------- */

static struct io *get_io(struct leg *leg, blk_opf_t opf, sector_t sector, u32 nr)
{
	struct io *io = free_ios;

	if (io)
		free_ios = io->next;
	else
		io = calloc(1, sizeof(*io));
	if (io && io->room < nr) {
		io->room = nr < 64 ? 64 : nr;
		io->at = realloc(io->at, io->room * sizeof(*io->at));
		io->done = realloc(io->done, io->room);
	}
	if (!io || (nr && (!io->at || !io->done)))
		abort();
	io->leg = leg;
	io->opf = opf;
	io->sector = (u32)sector;
	io->nr = nr;
	io->left = nr;
	io->id = ++mach->events;
	io->status = BLK_STS_OK;
	io->bio = NULL;
	io->over = false;
	io->held_until = mach_hold();
	io->flushing = opf & REQ_PREFLUSH || (opf & REQ_OP_MASK) == REQ_OP_FLUSH;
	if (nr)
		memset(io->done, 0, nr);
	return io;
}

static void free_io(struct io *io)
{
	io->next = free_ios;
	free_ios = io;
}

/** disk_forget() - the machine is off: nobody asks any more how its I/Os ended */
void disk_forget(void)
{
	while (mach->nr_ios)
		free_io(mach->ios[--mach->nr_ios]);
	while (mach->over) {
		struct io *io = mach->over;

		mach->over = io->next;
		free_io(io);
	}
}

static u32 kind_of(const struct io *io)
{
	if (!io->nr)
		return FAIL_FLUSH;
	return op_is_write(io->opf) ? FAIL_WRITE : FAIL_READ;
}

static bool fails(struct leg *leg, const struct io *io)
{
	if (leg->fail_what && !(leg->fail_what & kind_of(io)))
		return false;
	leg->count++;
	if (leg->fail_at && leg->count >= leg->fail_at && leg->count < leg->fail_to)
		return true;
	return leg->error_pct && rng_chance(&mach->rng, leg->error_pct);
}

/* What a device is asked for, and that it has ended, in the trace of the run itself. */
static void tell(const struct io *io, const char *what)
{
	static const char * const ops[] = { "read", "write", "flush", "discard" };

	if (!kernel_traces || mach->depth)
		return;
	sim_printk("%s %s%s%s of %u+%u, I/O %llu%s%s", io->leg == &mach->legs[LEG_SSD] ? "flash" :
		   "disk", !io->nr ? "" : ops[io->opf & 3], io->opf & REQ_PREFLUSH ? " flush" : "",
		   io->opf & REQ_FUA ? " FUA" : "", io->sector, io->nr, io->id, what,
		   io->status ? " with an error" : "");
}

/*
 * A device that would have to wait, or whose table has changed and which knows no REQ_NOWAIT any
 * more. Of a bio that it had cut, a part may have been written by then.
 */
static void refuse(struct io *io)
{
	io->status = rng_chance(&mach->rng, 80) ? BLK_STS_AGAIN : BLK_STS_NOTSUPP;
	io->flushing = false;
	if (io->status == BLK_STS_NOTSUPP || rng_chance(&mach->rng, 50))
		io->left = 0;
}

static void launch(struct io *io)
{
	struct leg *leg = io->leg;

	if (io->nr && (io->sector >= leg->nr || io->nr > leg->nr - io->sector)) {
		sim_fail("I/O behind the end of the %s: sector %u, %u sectors",
			 leg == &mach->legs[LEG_SSD] ? "flash" : "disk", io->sector, io->nr);
		io->nr = 0;
		io->left = 0;
	}
	if (io->opf & REQ_NOWAIT && leg->again_pct && rng_chance(&mach->rng, leg->again_pct))
		refuse(io);
	else if (fails(leg, io))
		io->status = BLK_STS_IOERR;
	if (mach->nr_ios == MAX_IOS)
		sim_fail("too many I/Os in flight");
	else
		mach->ios[mach->nr_ios++] = io;
	tell(io, "");
	disk_changes++;
}

/* A user's bio that comes up from a device, as devices leave them: cut, merged, eaten. */
static void spoil(struct bio *bio, const struct io *io)
{
	bio->bi_iter.bi_sector += io->nr;
	bio->bi_iter.bi_size = 0;
	bio->bi_next = (struct bio *)0x5a5a5a5aul;
	bio_set_flag(bio, BIO_CHAIN);
	atomic_set(&bio->__bi_remaining, 0);
}

/**
 * disk_submit() - a bio arrives at a device
 * @bio: bio; its bdev says at which
 */
void disk_submit(struct bio *bio)
{
	struct leg *leg = &mach->legs[bio->bi_bdev->leg];
	u32 nr = bio_sectors(bio), i = 0;
	struct bvec_iter iter;
	struct bio_vec bv;
	struct io *io;

	if (bio->bi_next)
		sim_fail("a bio is sent with a stale link");
	if (bio_flagged(bio, BIO_CHAIN) || atomic_read(&bio->__bi_remaining) != 1)
		sim_fail("a bio is sent with a stale count");
	io = get_io(leg, bio->bi_opf, bio->bi_iter.bi_sector, nr);
	io->bio = bio;
	if (bio_op(bio) != REQ_OP_DISCARD) {
		bio_for_each_segment(bv, bio, iter) {
			u8 *data = (u8 *)page_address(bv.bv_page) + bv.bv_offset;
			u32 n;

			if (bv.bv_len % SECTOR_SIZE || bv.bv_offset + bv.bv_len > PAGE_SIZE)
				sim_fail("a bio has a piece that is no whole sectors");
			for (n = 0; n < bv.bv_len; n += SECTOR_SIZE)
				io->at[i++] = data + n;
		}
	}
	launch(io);
}

/**
 * disk_sync() - read, write or flush, and wait
 * @which: device
 * @opf: operation
 * @sector: first sector
 * @buf: memory
 * @nr: sectors
 */
int disk_sync(u32 which, blk_opf_t opf, sector_t sector, void *buf, u32 nr)
{
	struct io *io = get_io(&mach->legs[which], opf, sector, nr), **link;
	bool bad;
	u32 i;

	for (i = 0; i < nr; i++)
		io->at[i] = (u8 *)buf + (size_t)i * SECTOR_SIZE;
	launch(io);
	if (mach->instant)
		while (!io->over)
			disk_io_step(mach->nr_ios - 1);
	while (!io->over)
		sim_sleep_on(io);
	bad = io->status;
	for (link = &mach->over; *link != io; link = &(*link)->next)
		;
	*link = io->next;
	free_io(io);
	return bad ? -EIO : 0;
}

/* --- the cache -------------------------------------------------------------------------------- */

static void cache(struct leg *leg, u32 sector, u32 value, u64 io)
{
	leg->now[sector] = value;
	if (leg->frozen)
		return;
	if (leg->nr_vol == leg->cap_vol) {
		leg->cap_vol = leg->cap_vol ? 2 * leg->cap_vol : 1024;
		leg->vol = realloc(leg->vol, leg->cap_vol * sizeof(*leg->vol));
		if (!leg->vol)
			abort();
	}
	leg->vol[leg->nr_vol++] = (struct vol){ sector, value, io, 0 };
}

/*
 * Makes some of the cache durable, and drops what lies below it. Walks from the newest to the
 * oldest; @seen marks sectors of which something was made durable.
 */
static void make_durable(struct leg *leg, bool (*choose)(const struct vol *v, u64 arg), u64 arg)
{
	static u64 seen[MAX_SECTORS];
	static u64 round;
	u32 i, to;

	round++;
	for (i = leg->nr_vol; i--;) {
		struct vol *v = &leg->vol[i];

		if (seen[v->sector] == round) {
			v->sector = MAX_SECTORS;
		} else if (choose(v, arg)) {
			seen[v->sector] = round;
			leg->safe[v->sector] = v->value;
			v->sector = MAX_SECTORS;
		}
	}
	for (i = 0, to = 0; i < leg->nr_vol; i++)
		if (leg->vol[i].sector != MAX_SECTORS)
			leg->vol[to++] = leg->vol[i];
	leg->nr_vol = to;
	disk_changes++;
}

static bool ended_before(const struct vol *v, u64 when)
{
	return v->ended && v->ended < when;
}

static bool is_of_io(const struct vol *v, u64 io)
{
	return v->io == io;
}

static bool by_chance(const struct vol *v, u64 seed)
{
	return v->ended && rng_mix(v->sector ^ seed) & 1;
}

/** disk_settle() - all of the cache becomes durable */
void disk_settle(struct leg *leg)
{
	memcpy(leg->safe, leg->now, leg->nr * sizeof(*leg->safe));
	leg->nr_vol = 0;
}

/* --- progress --------------------------------------------------------------------------------- */

u32 disk_content(const struct io *io, u32 i)
{
	const u8 *p = io->at[i];
	u32 first, last;

	if ((io->opf & REQ_OP_MASK) == REQ_OP_DISCARD)
		return STAMP_DISCARDED;
	if (io->sector + i < io->leg->meta)
		return blob_new(p);
	memcpy(&first, p, sizeof(first));
	memcpy(&last, p + SECTOR_SIZE - sizeof(last), sizeof(last));
	return first == last ? first : STAMP_BROKEN;
}

static void fetch(const struct io *io, u32 i)
{
	const struct leg *leg = io->leg;
	u32 value = leg->now[io->sector + i];
	u8 *p = io->at[i];

	if (io->sector + i < leg->meta) {
		memcpy(p, blob_data(value), SECTOR_SIZE);
		return;
	}
	/* The module looks at the bytes of what it reads by itself. */
	if (!io->bio)
		memset(p, 0, SECTOR_SIZE);
	memcpy(p, &value, sizeof(value));
	memcpy(p + SECTOR_SIZE - sizeof(value), &value, sizeof(value));
}

static void happen(struct io *io, u32 i)
{
	io->done[i] = 1;
	io->left--;
	if (op_is_write(io->opf)) {
		/* Of a write that fails some sectors get there. */
		if (!io->status || rng_chance(&mach->rng, 50))
			cache(io->leg, io->sector + i, disk_content(io, i), io->id);
		disk_changes++;
	} else if (!io->status) {
		fetch(io, i);
	}
}

/* Sectors in any order: often all at once, else some of them. */
static void transfer(struct io *io)
{
	bool all = mach->instant || rng_below(&mach->rng, 100) < 60;
	u32 i;

	if (!io->left)
		return;
	if (!op_is_write(io->opf) && all && io->left == io->nr && !io->status &&
	    disk_read_whole(io)) {
		io->left = 0;
		return;
	}
	for (i = 0; i < io->nr; i++)
		if (!io->done[i] && (all || rng_next(&mach->rng) >> 63))
			happen(io, i);
}

static void note_ended(struct io *io)
{
	struct leg *leg = io->leg;
	u64 now = ++mach->events;
	u32 i, left = io->nr;

	if (leg->frozen || !op_is_write(io->opf))
		return;
	for (i = leg->nr_vol; i-- && left;) {
		if (leg->vol[i].io == io->id) {
			leg->vol[i].ended = now;
			left--;
		}
	}
	if (io->opf & REQ_FUA && !io->status && !(leg->lies & LIE_FUA))
		make_durable(leg, is_of_io, io->id);
	if (leg->nr_vol > VOL_MANY)
		make_durable(leg, by_chance, rng_next(&mach->rng));
	disk_changes++;
}

static void note_failed(const struct io *io)
{
	struct leg *leg = io->leg;
	struct failed *f = &leg->failed[leg->failures++ % MAX_FAILED];

	*f = (struct failed){ .sector = io->sector, .nr = io->nr, .what = kind_of(io) };
	if (leg->failures == 1)
		leg->first_failed = f->what;
	sim_io_failed(leg, f);
}

static void end_io(struct io *io, u32 index)
{
	struct bio *bio = io->bio;

	mach->ios[index] = mach->ios[--mach->nr_ios];
	note_ended(io);
	tell(io, " ends");
	if (io->status == BLK_STS_IOERR)
		note_failed(io);
	if (!bio) {
		io->over = true;
		io->next = mach->over;
		mach->over = io;
		sim_wake(io);
		return;
	}
	spoil(bio, io);
	block_end_bio(bio, io->status);
	free_io(io);
}

u64 disk_io_held_until(const struct io *io)
{
	return io->held_until;
}

/**
 * disk_io_step() - an I/O makes progress
 * @index: which of the machine's
 */
void disk_io_step(u32 index)
{
	struct io *io = mach->ios[index];

	if (io->flushing) {
		/* What had ended when it was sent is durable now; nothing more is promised. */
		io->flushing = false;
		if (!io->leg->frozen && !io->status && !(io->leg->lies & LIE_FLUSH))
			make_durable(io->leg, ended_before, io->id);
		if (io->status)
			io->left = 0;
		if (io->left || !mach->instant)
			return;
	}
	if (io->left) {
		transfer(io);
		if (io->left || !mach->instant)
			return;
	}
	end_io(io, index);
}
