// SPDX-License-Identifier: GPL-2.0
/*
 * The devices, the cleaner, discards, and how an I/O ends.
 */
#include "model.h"

/* ---- devices --------------------------------------------------------------------------------- */

struct io *model_new_io(struct job *job, bool flash, bool write)
{
	u32 i;

	for (i = 0; i < MAX_IOS; i++) {
		struct io *io = &w->ios[i];

		if (io->used)
			continue;
		io->used = true;
		io->flash = flash;
		io->write = write;
		io->job = job;
		io->nr = 0;
		io->left = 0;
		io->fail = !w->draining && test_chance(w->error_pct);
		job->ios++;
		return io;
	}
	test_fail(__FILE__, __LINE__, "too many I/Os");
}

void model_add_sector(struct io *io, u32 addr, u32 val)
{
	CHECK(io->nr < MAX_SECTORS);
	CHECK(addr < (io->flash ? w->nr_flash : w->nr_disk));
	io->addr[io->nr] = addr;
	io->val[io->nr] = val;
	io->done[io->nr] = false;
	io->nr++;
	io->left++;
}

static void happen(struct io *io, u32 i)
{
	u32 *at = (io->flash ? w->flash : w->disk) + io->addr[i];

	io->done[i] = true;
	io->left--;
	if (!io->write)
		io->val[i] = *at;
	else if (!io->fail || test_chance(50))
		*at = io->val[i];
}

void model_flush_device(bool flash)
{
	if (flash)
		memcpy(w->flash_stable, w->flash, w->nr_flash * sizeof(u32));
	else
		memcpy(w->disk_stable, w->disk, w->nr_disk * sizeof(u32));
}

/* ---- the cleaner ----------------------------------------------------------------------------- */

static void clean_begin(const struct fc_clean_item *item)
{
	const struct fc_geo *geo = &w->core->geo;
	struct fc_set *set = fc_core_set(w->core, (u32)(item->slot.n / geo->assoc));
	struct job *job = model_new_job(JOB_CLEAN, NULL, set);
	u32 first = (u32)item->b.n * model_block_sectors(), i;
	struct io *io;

	if (!job) {
		w->want_clean[fc_core_set_index(w->core, set)] = true;
		return;
	}
	job->item = *item;
	job->units = fc_clean_begin(w->core, set, item);
	if (!job->units) {
		job->used = false;
		return;
	}
	io = model_new_io(job, true, false);
	for (i = 0; i < model_block_sectors() && first + i < w->nr_disk; i++)
		if (job->units >> (i >> geo->unit_shift) & 1)
			model_add_sector(io, (u32)item->slot.n * model_block_sectors() + i, 0);
	model_check(set);
}

static void clean_end(struct job *job, bool ok)
{
	unsigned int done = fc_clean_end(w->core, job->set, &job->item, job->units, ok);

	w->cleans += ok;
	job->used = false;
	model_obey(job->set, done);
}

static void clean_step(struct job *job, const struct io *read)
{
	u32 first = (u32)job->item.b.n * model_block_sectors(), i;
	struct io *io;

	if (read->fail || job->stage++) {
		clean_end(job, !read->fail);
		return;
	}
	io = model_new_io(job, false, true);
	for (i = 0; i < read->nr; i++)
		model_add_sector(io, first + read->addr[i] % model_block_sectors(), read->val[i]);
}

/*
 * Picks now, begins later, when things may have changed. Returns true when there was room for all.
 */
bool model_pick(u32 index, bool waiting)
{
	struct fc_set *set = fc_core_set(w->core, index);
	u32 room = MAX_ITEMS - w->nr_items, nr;
	struct fc_clean_item *items = &w->items[w->nr_items];

	if (waiting)
		nr = fc_clean_pick_waiting(w->core, set, items, room);
	else
		nr = fc_clean_pick(w->core, set, 1 + test_below(6), items, room);
	CHECK(nr <= room);
	w->nr_items += nr;
	return nr < room;
}

void model_begin_one(void)
{
	u32 i = test_below(w->nr_items);
	struct fc_clean_item item = w->items[i], neighbour;
	struct fc_set *set;

	w->items[i] = w->items[--w->nr_items];
	clean_begin(&item);
	item.b.n++;
	if (item.b.n > (w->core->geo.disk_sectors - 1) >> w->core->geo.block_shift)
		return;
	set = fix_set(w->core, item.b.n * model_block_sectors());
	if (fc_clean_find(w->core, set, item.b, &neighbour))
		clean_begin(&neighbour);
}

/* ---- discards -------------------------------------------------------------------------------- */

static void discard_done(struct job *job, bool ok)
{
	bool woken = w->core->discard.wait;
	u32 i;

	w->core->discard.nr = 0;
	w->core->discard.wait = false;
	job->used = false;
	if (!ok)
		job->op->failed = true;
	w->disk_wrote = true;
	model_op_end(job->op);
	for (i = 0; woken && i < w->core->geo.nr_sets; i++)
		model_wake(i);
}

/* Drops block by block; the disk's part follows when the cache holds none of them. */
void model_ask_discard(struct op *op)
{
	u32 bs = model_block_sectors();
	struct job *job;
	struct io *io;
	u32 i;

	w->core->discard.first.n = op->sector / bs;
	w->core->discard.nr = op->nr / bs;
	while (op->done < op->nr) {
		struct fc_oblock b = { (op->sector + op->done) / bs };
		struct fc_set *set = fix_set(w->core, b.n * bs);
		unsigned int done = 0;

		if (!fc_desk_discard(w->core, set, b, &done)) {
			model_obey(set, done);
			op->state = OP_PARKED;
			op->set = fc_core_set_index(w->core, set);
			model_check(set);
			return;
		}
		model_obey(set, done);
		model_check(set);
		op->done += bs;
	}
	job = model_new_job(JOB_DISCARD, op, NULL);
	if (!job)
		return;
	op->state = OP_BUSY;
	io = model_new_io(job, false, true);
	for (i = 0; i < op->nr; i++)
		model_add_sector(io, (u32)op->sector + i, op->version);
}

/* ---- I/O ends -------------------------------------------------------------------------------- */

/* A write with FUA is on the medium; one without may be only in the device's cache. */
static void note_written(const struct io *io)
{
	u32 *now = io->flash ? w->flash : w->disk;
	u32 *stable = io->flash ? w->flash_stable : w->disk_stable;
	const struct job *job = io->job;
	u32 i;

	if (!io->write)
		return;
	/* What the cleaner writes need not be flushed for the user's sake: FC_DONE_BARE tells. */
	if (!io->flash && job->kind != JOB_CLEAN)
		w->disk_wrote = true;
	if (job->kind != JOB_PLAN || io->fail || !job->op || !job->op->fua || !job->write)
		return;
	if (job->plan.verdict != FC_HIT)
		return;
	for (i = 0; i < io->nr; i++)
		stable[io->addr[i]] = now[io->addr[i]];
}

static void io_end(struct io *io)
{
	struct job *job = io->job;
	struct fc_set *set = job->set;

	job->ios--;
	if (job->kind == JOB_PLAN)
		model_trace(job->plan.sector, job->plan.nr_blocks * model_block_sectors(), io->flash ?
		      io->write ? "flash write" : "flash read" :
		      io->write ? "disk write" : "disk read", io->fail);
	else if (job->kind == JOB_CLEAN)
		model_trace(job->item.b.n * model_block_sectors(), 1, io->write ? "clean: disk write" :
		      "clean: flash read", io->fail);
	note_written(io);
	if (job->kind == JOB_CLEAN)
		clean_step(job, io);
	else if (job->kind == JOB_DISCARD)
		discard_done(job, !io->fail);
	else
		model_plan_step(job, io);
	io->used = false;
	if (set)
		model_check(set);
}

bool model_io_step(void)
{
	u32 i, at = test_below(MAX_IOS);

	for (i = 0; i < MAX_IOS; i++, at = (at + 1) % MAX_IOS) {
		struct io *io = &w->ios[at];
		u32 j;

		if (!io->used)
			continue;
		for (j = 0; io->left && j < io->nr; j++)
			if (!io->done[j] && test_chance(60))
				happen(io, j);
		if (!io->left && test_chance(70))
			io_end(io);
		return true;
	}
	return false;
}
