// SPDX-License-Identifier: GPL-2.0
/*
 * Commits: records into the log, and the flushes that give them their meaning.
 *
 * Order, with the rules of docs/crash-consistency.md:
 *
 *	gather records			they name only data that has reached the flash
 *	flush the disk, if needed	R2: before a record can say that dirty data is clean now
 *	write all log blocks but one	without meaning as long as the last is missing
 *	write the last, PREFLUSH|FUA	R1: data and records become durable together
 *	free the slots			R3: only now may they hold other blocks
 */
#include "io/request.h"

/*
 * Gathers from the sets of a list until it is empty or there is no room; true in the latter case.
 */
static bool gather_list(struct fc_cache *c, enum fc_pend kind, struct fc_gather *to)
{
	enum fc_list list = (enum fc_list)kind;
	unsigned long flags;
	struct fc_set *set;
	bool more;

	while ((set = fc_meta_unlist(c, list))) {
		fc_set_lock(set, &flags);
		more = fc_ledger_gather(&c->core, set, kind, to);
		fc_set_unlock(set, flags);
		if (more) {
			fc_meta_list(c, set, list);
			return true;
		}
	}
	return false;
}

static void settle_slots(struct fc_cache *c, const struct fc_gather *from)
{
	unsigned long flags;
	u32 i;

	for (i = 0; i < from->nr; i++) {
		const struct fc_record *rec = &from->recs[i];
		struct fc_set *set;
		bool wake;

		set = fc_core_set(&c->core, fc_geo_slot_set(&c->core.geo, rec->slot));
		fc_set_lock(set, &flags);
		wake = fc_ledger_committed(&c->core, set, rec);
		fc_set_unlock(set, flags);
		if (wake)
			fc_wait_wake(c, set);
	}
}

static void undo(struct fc_cache *c, const struct fc_gather *from)
{
	unsigned long flags;
	u32 i;

	for (i = 0; i < from->nr; i++) {
		const struct fc_record *rec = &from->recs[i];
		unsigned int done = 0;
		struct fc_set *set;

		set = fc_core_set(&c->core, fc_geo_slot_set(&c->core.geo, rec->slot));
		fc_set_lock(set, &flags);
		fc_ledger_undo(&c->core, set, rec, &done);
		fc_wait_unlock(c, set, flags, done);
	}
}

/* The log must have room; if a checkpoint is needed for that, it is needed now. */
static int make_room(struct fc_cache *c, u64 blocks)
{
	struct fc_meta *m = &c->meta;

	if (m->next_seq + blocks - m->sb.tail_seq <= m->sb.geo.log_blocks)
		return 0;
	if (m->ckpt.next == FC_META_IDLE)
		fc_ckpt_begin(c);
	return fc_ckpt_finish(c);
}

static void *fill_block(struct fc_cache *c, const struct fc_gather *from, u64 first, u64 index,
			bool last)
{
	struct fc_meta *m = &c->meta;
	void *block = (char *)m->buf + index * FCD_BLOCK_SIZE;
	u32 rec = (u32)(index * FCD_LOG_RECS);
	u32 nr = min_t(u32, from->nr - rec, FCD_LOG_RECS), i;

	memset(block, 0, FCD_BLOCK_SIZE);
	for (i = 0; i < nr; i++)
		fc_log_put(block, i, &from->recs[rec + i]);
	fc_log_seal(&m->sb, block, first + index, first, nr, last);
	return block;
}

static int write_block(struct fc_cache *c, void *block, u64 seq, fc_opf_t flags)
{
	fc_count(c, log_blocks);
	return fc_meta_write(c, flags,
			     fc_geo_log_sector(&c->core.geo, seq), block, 1);
}

static int write_records(struct fc_cache *c, const struct fc_gather *from)
{
	struct fc_meta *m = &c->meta;
	u64 blocks = DIV_ROUND_UP(from->nr, FCD_LOG_RECS), i;
	u64 first = m->next_seq;
	int r = 0;

	for (i = 0; i < blocks && !r; i++) {
		bool last = i == blocks - 1;
		void *block = fill_block(c, from, first, i, last);

		r = write_block(c, block, first + i, last ? REQ_PREFLUSH | REQ_FUA : 0);
	}
	if (r)
		return r;
	m->next_seq += blocks;
	fc_count(c, log_commits);
	return 0;
}

/**
 * struct fc_round - what a commit is to do, over all its groups
 * @flush: make durable all that has completed
 * @removals: record removals
 * @more: another group is needed
 * @written: a group was written, and the flash flushed with it
 */
struct fc_round {
	bool flush;
	bool removals;
	bool more;
	bool written;
};

/*
 * Gathers a group. Whether the disk must be flushed is asked behind the gathering of what is dirty:
 * a block that the cleaner took back before, that did not see any more, and its data may be in the
 * disk's cache only.
 */
static bool gather_group(struct fc_cache *c, struct fc_round *round, struct fc_gather *to)
{
	bool disk;

	round->more = gather_list(c, FC_PEND_ADD, to);
	disk = round->flush && READ_ONCE(c->disk_unflushed);
	if (disk) {
		/* Cleared before the flush: what completes later sets it again. */
		WRITE_ONCE(c->disk_unflushed, false);
		round->removals = true;
	}
	if (!round->more && round->removals)
		round->more = gather_list(c, FC_PEND_DEL, to);
	return disk;
}

/* One group of records, as many as fit into the buffer. */
static int commit_group(struct fc_cache *c, struct fc_round *round)
{
	struct fc_meta *m = &c->meta;
	struct fc_gather to = { .recs = m->recs, .max = FC_META_RECS };
	int r = make_room(c, FC_META_RECS / FCD_LOG_RECS);
	bool disk;

	if (r)
		return r;
	disk = gather_group(c, round, &to);
	if (disk || to.removes)
		r = fc_submit_flush(c, FC_DISK_DEV);
	if (!r && to.nr) {
		r = write_records(c, &to);
		round->written = true;
	}
	if (!r) {
		settle_slots(c, &to);
		return 0;
	}
	if (disk)
		WRITE_ONCE(c->disk_unflushed, true);
	undo(c, &to);
	return r;
}

/**
 * fc_commit() - record what is pending
 * @c: cache
 * @flush: make durable all that has completed, on both devices
 * @removals: record removals too, although that takes a flush of the disk
 *
 * Sends nothing to a device that has nothing new to make durable.
 *
 * Context: the ledger's worker, or with it at rest. Return: 0 or -EIO.
 */
int fc_commit(struct fc_cache *c, bool flush, bool removals)
{
	struct fc_round round = { .flush = flush, .removals = removals, .more = true };
	struct fc_meta *m = &c->meta;
	bool ssd = false;
	int r = 0;

	if (m->failed)
		return -EIO;
	if (flush)
		ssd = fc_meta_take_unflushed(c);
	while (round.more && !r)
		r = commit_group(c, &round);
	if (!r && ssd && !round.written)
		r = fc_submit_flush(c, FC_SSD_DEV);
	if (r && ssd)
		WRITE_ONCE(c->ssd_unflushed, true);
	return r;
}
