// SPDX-License-Identifier: GPL-2.0
/*
 * Loading: superblock, the table that it names, the log behind it.
 */
#include "cache.h"

#define DM_MSG_PREFIX "flashcache"

/* A block of the table, from either copy; @remains: the other is of an unfinished checkpoint. */
struct found_block {
	const void *data;
	u64 gen;
	u32 crc;
	unsigned int copy;
	bool remains;
};

/*
 * The copy that counts is the newest of no later generation than the superblock's. A later one
 * belongs to a checkpoint that was never completed.
 */
static bool choose(struct fc_cache *c, u64 index, const void *copies[2], struct found_block *best)
{
	const struct fc_super *sb = &c->meta.sb;
	unsigned int copy;

	memset(best, 0, sizeof(*best));
	for (copy = 0; copy < 2; copy++) {
		u64 gen;
		u32 crc;

		if (fc_table_open(sb, copies[copy], index, &gen, &crc) != FC_FOUND_GOOD)
			continue;
		if (gen > sb->table_gen) {
			best->remains = true;
			continue;
		}
		if (best->data && gen < best->gen)
			continue;
		best->data = copies[copy];
		best->gen = gen;
		best->crc = crc;
		best->copy = copy;
	}
	return best->data;
}

static const char *load_block(struct fc_cache *c, u64 index, const struct found_block *b,
			      bool clean_counts)
{
	struct fc_meta *m = &c->meta;

	m->crc[index] = b->crc;
	if (b->copy)
		__set_bit(index, m->newest);
	return fc_ledger_load_block(&c->core, b->data, index, clean_counts);
}

/*
 * The next checkpoint has the generation of the unfinished one: it must write over what that left
 * behind, which it does where the set is stale.
 */
static void mark_stale(struct fc_cache *c, u64 index)
{
	const struct fc_geo *geo = &c->core.geo;
	struct fc_slotno first = { index * FCD_TABLE_ENTRIES };
	struct fc_slotno last = { min_t(u64, first.n + FCD_TABLE_ENTRIES, geo->nr_slots) - 1 };

	fc_core_set(&c->core, fc_geo_slot_set(geo, first))->stale = 1;
	fc_core_set(&c->core, fc_geo_slot_set(geo, last))->stale = 1;
}

/* Two batches of table blocks, both copies of each, share @buf: one is read, one is loaded. */
#define BATCH_BLOCKS	(FC_META_BUF_BLOCKS / 4)

/**
 * struct batch - table blocks that are read at once
 * @buf: one copy of each, then the other
 * @first: number of the first
 * @nr: how many; 0 when nothing was begun
 * @reads: of each copy
 */
struct batch {
	char *buf;
	u64 first;
	u32 nr;
	struct fc_read_ahead reads[2];
};

static void begin_batch(struct fc_cache *c, struct batch *b, u64 first)
{
	const struct fc_geo *geo = &c->meta.sb.geo;
	u32 copy;

	b->first = first;
	b->nr = min_t(u64, geo->table_blocks - first, BATCH_BLOCKS);
	for (copy = 0; copy < 2 && b->nr; copy++)
		fc_submit_read_ahead(c, fc_geo_table_sector(geo, copy, first),
				     b->buf + copy * BATCH_BLOCKS * FCD_BLOCK_SIZE,
				     b->nr * FCD_BLOCK_SECTORS, &b->reads[copy]);
}

static int wait_batch(struct fc_cache *c, struct batch *b)
{
	int r = 0, copy;

	for (copy = 0; copy < 2 && b->nr; copy++)
		if (fc_submit_read_wait(c, &b->reads[copy]))
			r = -EIO;
	return r;
}

static const char *load_batch(struct fc_cache *c, const struct batch *b, bool clean_counts,
			      u64 *sum)
{
	const char *why = NULL;
	u32 i;

	for (i = 0; i < b->nr && !why; i++) {
		const void *copies[2] = { b->buf + i * FCD_BLOCK_SIZE,
					  b->buf + (BATCH_BLOCKS + i) * FCD_BLOCK_SIZE };
		struct found_block best;

		if (!choose(c, b->first + i, copies, &best))
			return "the table is damaged";
		if (best.remains)
			mark_stale(c, b->first + i);
		*sum += best.crc;
		why = load_block(c, b->first + i, &best, clean_counts);
	}
	return why;
}

static const char *load_table(struct fc_cache *c, bool clean_counts)
{
	struct fc_meta *m = &c->meta;
	struct batch batches[2] = {
		{ .buf = m->buf },
		{ .buf = (char *)m->buf + 2 * BATCH_BLOCKS * FCD_BLOCK_SIZE },
	};
	struct batch *now = &batches[0], *ahead = &batches[1];
	const char *why = NULL;
	u64 sum = 0;

	begin_batch(c, now, 0);
	while (now->nr && !why) {
		begin_batch(c, ahead, now->first + now->nr);
		why = wait_batch(c, now) ? "the table cannot be read" :
					   load_batch(c, now, clean_counts, &sum);
		swap(now, ahead);
		cond_resched();
	}
	wait_batch(c, now);
	if (!why && sum != m->sb.table_sum)
		why = "the table is not the one that the superblock names";
	return why;
}

/* Applies all records of a commit whose last block is there; they lie in @buf. */
static const char *replay(struct fc_cache *c, const char *blocks, const u32 *nr, u32 count)
{
	struct fc_record rec;
	u32 i, j;

	for (i = 0; i < count; i++) {
		for (j = 0; j < nr[i]; j++) {
			if (!fc_log_get(&c->meta.sb, blocks + i * FCD_BLOCK_SIZE, j, &rec))
				return "the log has an impossible record";
			fc_ledger_replay(&c->core, &rec);
		}
	}
	return NULL;
}

/*
 * Reads the commit that begins at next_seq. Return: its blocks, 0 when it is not there or not
 * whole, or a negative error.
 */
static int read_commit(struct fc_cache *c, u32 *nr)
{
	struct fc_meta *m = &c->meta;
	u64 first = m->next_seq;
	u32 i;

	for (i = 0; i < FC_META_RECS / FCD_LOG_RECS; i++) {
		char *block = (char *)m->buf + i * FCD_BLOCK_SIZE;
		bool last;

		if (fc_submit_sync(c, FC_SSD_DEV, REQ_OP_READ,
				   fc_geo_log_sector(&m->sb.geo, first + i), block,
				   FCD_BLOCK_SECTORS))
			return -EIO;
		switch (fc_log_open(&m->sb, block, first + i, first, &nr[i], &last)) {
		case FC_FOUND_GOOD:
			break;
		case FC_FOUND_NEWER:
			return -EUCLEAN;
		default:
			return 0;
		}
		if (last)
			return i + 1;
	}
	return 0;
}

/*
 * Behind the last whole commit there may be pieces of one that a crash cut short, but nothing of a
 * later one: commits are written one after the other. A later one means that a block between is
 * damaged.
 */
static const char *look_behind(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	const struct fc_geo *geo = &m->sb.geo;
	u64 at = 0;

	while (at < geo->log_blocks) {
		u32 nr = min_t(u64, geo->log_blocks - at, FC_META_BUF_BLOCKS), i;

		if (fc_submit_sync(c, FC_SSD_DEV, REQ_OP_READ, fc_geo_log_sector(geo, at), m->buf,
				   nr * FCD_BLOCK_SECTORS))
			return "the log cannot be read";
		for (i = 0; i < nr; i++) {
			u64 first;

			if (fc_log_peek(&m->sb, m->buf + i * FCD_BLOCK_SIZE, &first) &&
			    first > m->next_seq)
				return "the log is damaged";
		}
		at += nr;
		cond_resched();
	}
	return NULL;
}

static const char *replay_log(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	u32 nr[FC_META_RECS / FCD_LOG_RECS];
	const char *why = NULL;
	int blocks;

	while (!why && m->next_seq - m->sb.tail_seq < m->sb.geo.log_blocks) {
		blocks = read_commit(c, nr);
		if (blocks == -EUCLEAN)
			return "the log is newer than the superblock, which must be damaged";
		if (blocks < 0)
			return "the log cannot be read";
		if (!blocks)
			break;
		why = replay(c, m->buf, nr, blocks);
		m->next_seq += blocks;
		cond_resched();
	}
	return why ? why : look_behind(c);
}

static const char *settle(struct fc_cache *c)
{
	u32 i;

	for (i = 0; i < c->core.geo.nr_sets; i++) {
		if (!fc_ledger_settle(&c->core, fc_core_set(&c->core, i)))
			return FC_LEDGER_DOUBLE;
		cond_resched();
	}
	return NULL;
}

static int alloc_table_state(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	u64 blocks = m->sb.geo.table_blocks;

	vfree(m->crc);
	vfree(m->newest);
	m->crc = fc_vzalloc(blocks * sizeof(*m->crc));
	m->newest = fc_vzalloc(BITS_TO_LONGS(blocks) * sizeof(long));
	return m->crc && m->newest ? 0 : -ENOMEM;
}

/*
 * After a crash the log's records move into the table, and the log goes on a whole ring further,
 * where no remains of an unfinished commit can be taken for the future.
 *
 * If the power stayed on, the superblock that was found may be one whose writing had not ended, or
 * had failed: read from the flash's volatile cache, and gone with the next power cut. So it is made
 * durable before the table's copy is written over that the older superblock still needs.
 */
static int start_afresh(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	bool crashed = m->sb.state != FCD_STATE_ORDERLY;
	int r = fc_submit_flush(c, FC_SSD_DEV);

	if (r)
		return r;
	m->next_seq += m->sb.geo.log_blocks;
	m->sb.state = FCD_STATE_RUNNING;
	if (!crashed) {
		m->sb.tail_seq = m->next_seq;
		r = fc_super_write(c);
	} else {
		fc_ckpt_begin(c);
		r = fc_ckpt_finish(c);
	}
	/* Twice, so that damage to one copy does not bring "orderly" back. */
	return r ? r : fc_super_write(c);
}

/*
 * Was the disk written while the cache did not look? It tells by the beginning of the disk, which
 * every common file system changes when it is mounted for writing.
 */
static const char *check_disk(struct fc_cache *c, bool *changed)
{
	struct fc_meta *m = &c->meta;
	u32 print;

	*changed = false;
	if (m->sb.state != FCD_STATE_ORDERLY || !(m->sb.flags & FCD_SUPER_FINGERPRINT))
		return NULL;
	if (fc_super_print_disk(c, &print))
		return "the disk cannot be read";
	*changed = print != m->sb.disk_print;
	if (*changed)
		DMWARN("%s: the disk was written without its cache: clean blocks are dropped",
		       c->cfg.name);
	return NULL;
}

/*
 * Nobody but the owner can tell which is to be kept: what others wrote to the disk, or what the
 * cache never wrote to it.
 */
static const char *check_conflict(struct fc_cache *c)
{
	if (!fc_cache_dirty(c))
		return NULL;
	if (!c->cfg.ssd_wins)
		return "the disk was written without its cache, which holds newer data: choose one of them";
	DMWARN("%s: dirty blocks go over what was written to the disk, as told", c->cfg.name);
	return NULL;
}

static const char *load_all(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	bool orderly = m->sb.state == FCD_STATE_ORDERLY;
	bool changed, clean_counts;
	const char *why = check_disk(c, &changed);

	clean_counts = orderly && !changed;
	if (!why)
		why = load_table(c, clean_counts);
	if (!why && !orderly)
		why = replay_log(c);
	if (!why && !clean_counts)
		why = settle(c);
	if (!why && changed)
		why = check_conflict(c);
	return why;
}

/**
 * fc_load() - load the cache that struct fc_meta's @sb describes
 * @c: cache; its sets are empty, its geometry is that of @sb
 *
 * Ends with a durable superblock that says "running" (durability rule R4); nothing was written
 * before all that was read was found good.
 *
 * Context: process, sleeps. Return: 0, -ENOMEM, -EIO or -EINVAL.
 */
int fc_load(struct fc_cache *c)
{
	const char *why;
	int r = alloc_table_state(c);

	if (r)
		return r;
	c->meta.next_seq = c->meta.sb.tail_seq;
	c->meta.ckpt.next = FC_META_IDLE;
	why = load_all(c);
	if (why) {
		DMERR("%s: cannot load: %s", c->cfg.name, why);
		return -EINVAL;
	}
	return start_afresh(c);
}
