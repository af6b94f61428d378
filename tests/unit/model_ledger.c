// SPDX-License-Identifier: GPL-2.0
/*
 * Checkpoints, commits, power cuts and restarts.
 */
#include "model.h"

/* ---- checkpoints ----------------------------------------------------------------------------- */

/*
 * Checkpoints: the table is copied while the cache works, from sets that are stale; it counts, and
 * the log before its beginning does not, when both devices are flushed and the superblock is
 * written.
 */
static void checkpoint_begin(void)
{
	w->ckpt_slot = 0;
	w->ckpt_tail = w->nr_log;
}

static void checkpoint_slot(u32 slot)
{
	struct fc_set *set = fc_core_set(w->core, slot / w->core->geo.assoc);
	u16 way = (u16)(slot % w->core->geo.assoc);

	if (!way) {
		w->ckpt_stale = set->stale;
		set->stale = 0;
	}
	if (w->ckpt_stale)
		fc_ledger_snapshot(set, way, &w->next_table[slot]);
	else
		w->next_table[slot] = w->table[slot];
}

static void note_durable(void)
{
	u32 i;

	for (i = 0; i < w->core->geo.nr_slots; i++)
		w->durable[i] = (struct fc_record){ .slot = { i }, .block = w->table[i].block,
						    .dirty = w->table[i].dirty };
	for (i = 0; i < w->nr_log; i++)
		w->durable[w->log[i].slot.n] = w->log[i];
}

static void checkpoint_end(void)
{
	u32 i;

	model_flush_device(true);
	model_flush_device(false);
	memcpy(w->table, w->next_table, w->core->geo.nr_slots * sizeof(*w->table));
	w->nr_log -= w->ckpt_tail;
	memmove(w->log, w->log + w->ckpt_tail, w->nr_log * sizeof(*w->log));
	w->ckpt_slot = NO_SLOT;
	note_durable();
	for (i = 0; i < w->core->geo.nr_sets; i++)
		model_check(fc_core_set(w->core, i));
}

/* Never between the gathering of records and the news that they are durable. */
void model_checkpoint_step(u32 slots)
{
	CHECK(!w->committing);
	if (w->ckpt_slot == NO_SLOT)
		checkpoint_begin();
	while (slots-- && w->ckpt_slot < w->core->geo.nr_slots)
		checkpoint_slot(w->ckpt_slot++);
	if (w->ckpt_slot == w->core->geo.nr_slots)
		checkpoint_end();
}

static void checkpoint_whole(void)
{
	w->ckpt_slot = NO_SLOT;
	model_checkpoint_step(~0u);
}

/* ---- commits --------------------------------------------------------------------------------- */

static bool gather(enum fc_pend kind, struct fc_gather *to)
{
	bool left = false;
	u32 i;

	for (i = 0; i < w->core->geo.nr_sets; i++)
		left |= fc_ledger_gather(w->core, fc_core_set(w->core, i), kind, to);
	return left;
}

/*
 * Records that take units back want a flush of the disk. They need not be written while the disk
 * took nothing but what the cleaner wrote and a record covers: what the flash has is as new.
 */
void model_commit_begin(bool all, bool removals)
{
	struct fc_gather to = { .recs = w->recs };
	bool left;
	u32 i;

	if (w->nr_log + MAX_RECS * 64 > MAX_LOG) {
		model_checkpoint_step(~0u);
		model_checkpoint_step(~0u);
	}
	to.max = all ? MAX_RECS * 64 : 1 + test_below(MAX_RECS);
	left = gather(FC_PEND_ADD, &to);
	w->flush_disk = w->disk_wrote;
	w->disk_wrote = false;
	if (w->flush_disk || removals)
		left |= gather(FC_PEND_DEL, &to);
	/* What did not fit must not be forgotten when the next commit looks. */
	w->disk_wrote = left && w->flush_disk;
	w->flush_disk |= to.removes;
	w->nr_recs = to.nr;
	w->commit_all = !left;
	w->committing = true;
	w->commit_start = w->now;
	for (i = 0; i < w->core->geo.nr_sets; i++)
		model_check(fc_core_set(w->core, i));
}

static struct fc_set *set_of_rec(const struct fc_record *rec)
{
	return fc_core_set(w->core, (u32)(rec->slot.n / w->core->geo.assoc));
}

/* All that ended before the commit began is durable now: whoever waits for that ends. */
static void flushed(void)
{
	u32 i;

	w->flushed = w->commit_start;
	for (i = 0; i < MAX_OPS; i++) {
		struct op *op = &w->ops[i];

		if (op->state == OP_BUSY && op->fua && op->must_commit && op->done == op->nr &&
		    op->ready < w->commit_start)
			model_op_end(op);
	}
}

void model_commit_end(void)
{
	bool ok = w->draining || !test_chance(w->error_pct);
	bool durable = ok || test_chance(50);
	u32 i;

	model_flush_device(true);
	if (w->flush_disk)
		model_flush_device(false);
	w->disk_wrote |= !ok;
	for (i = 0; i < w->nr_recs; i++) {
		const struct fc_record *rec = &w->recs[i];
		struct fc_set *set = set_of_rec(rec);
		unsigned int done = 0;

		if (durable) {
			w->durable[rec->slot.n] = *rec;
			w->log[w->nr_log++] = *rec;
		}
		if (!ok)
			fc_ledger_undo(w->core, set, rec, &done);
		else if (fc_ledger_committed(w->core, set, rec))
			done = FC_DONE_WAKE;
		model_obey(set, done);
	}
	w->committing = false;
	w->commits += ok;
	for (i = 0; i < w->core->geo.nr_sets; i++)
		model_check(fc_core_set(w->core, i));
	if (ok && w->commit_all)
		flushed();
}

/* ---- a power cut ----------------------------------------------------------------------------- */

static void cut_device(u32 *now, const u32 *stable, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (now[i] != stable[i] && test_chance(50))
			now[i] = stable[i];
}

/* A load: the table, then the log. Clean units count after an orderly stop only. */
static void reload(bool orderly)
{
	struct fc_core *old = w->core;
	u32 i;

	w->core = fix_core(&w->fix);
	w->core->mode = old->mode;
	w->core->policy = old->policy;
	fix_free(old);
	for (i = 0; i < w->core->geo.nr_slots; i++)
		if (w->table[i].valid)
			fc_ledger_load(w->core, (struct fc_slotno){ i }, &w->table[i], orderly);
	for (i = 0; i < w->nr_log; i++)
		fc_ledger_replay(w->core, &w->log[i]);
	w->ckpt_slot = NO_SLOT;
	for (i = 0; i < w->core->geo.nr_sets; i++) {
		CHECK(fc_ledger_settle(w->core, fc_core_set(w->core, i)));
		fc_check_idle(w->core, fc_core_set(w->core, i));
		model_check(fc_core_set(w->core, i));
	}
}

u32 model_value_of(u32 sector)
{
	u32 bs = model_block_sectors();
	u16 way = fix_find(w->core, sector / bs);
	struct fc_set *set = fix_set(w->core, sector);
	u32 unit = sector % bs >> w->core->geo.unit_shift;

	if (way != FC_NIL && fc_set_slot(set, way)->valid >> unit & 1)
		return w->flash[model_flash_addr(set, way, sector % bs)];
	return w->disk[sector];
}

/* After it, what a sector reads is what it is; all older and other versions are history. */
void model_cut(void)
{
	u32 i;

	w->cuts++;
	cut_device(w->disk, w->disk_stable, w->nr_disk);
	cut_device(w->flash, w->flash_stable, w->nr_flash);
	memcpy(w->disk_stable, w->disk, w->nr_disk * sizeof(u32));
	memcpy(w->flash_stable, w->flash, w->nr_flash * sizeof(u32));
	memset(w->ops, 0, sizeof(w->ops));
	memset(w->jobs, 0, sizeof(w->jobs));
	memset(w->ios, 0, sizeof(w->ios));
	w->nr_items = 0;
	w->committing = false;
	w->disk_wrote = false;
	reload(false);
	for (i = 0; i < w->nr_disk; i++) {
		struct sector *s = &w->sectors[i];

		model_judge(i, model_value_of(i), w->flushed, true, "after a power cut, a read");
		s->active = 0;
		s->discarding = 0;
		s->vague = 0;
		s->changed = w->now;
		s->writes[0] = (struct write){ .version = model_value_of(i), .end = w->now };
		s->nr = 1;
		s->settled = true;
		s->value = model_value_of(i);
	}
	w->now++;
	w->flushed = w->now;
}

/* A stop in order and a load: what was in the cache is there again, clean or dirty. */
void model_restart(void)
{
	u32 i, before = 0, after = 0;

	w->draining = true;
	model_commit_begin(true, false);
	model_commit_end();
	w->draining = false;
	checkpoint_whole();
	for (i = 0; i < w->core->geo.nr_slots; i++)
		before += !!fc_set_slot(fc_core_set(w->core, i / w->core->geo.assoc),
					(u16)(i % w->core->geo.assoc))->valid;
	reload(true);
	for (i = 0; i < w->core->geo.nr_slots; i++)
		after += !!fc_set_slot(fc_core_set(w->core, i / w->core->geo.assoc),
				       (u16)(i % w->core->geo.assoc))->valid;
	CHECK_EQ(after, before);
}
