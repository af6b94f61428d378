// SPDX-License-Identifier: GPL-2.0
/*
 * Checkpoints: the table is brought up to date, so that the log's tail can move.
 *
 * The table is written while the cache works, each block into the copy that does not count. None of
 * it has a meaning before the superblock names its generation; in front of that one write the disk
 * is flushed (R2) and, by PREFLUSH, the flash (R1). What changes behind a snapshot is in the log
 * behind the new tail.
 */
#include <linux/bitmap.h>

#include "cache.h"

/**
 * fc_ckpt_begin() - begin a checkpoint
 * @c: cache
 *
 * All records before the log's present end are in memory's state, which the checkpoint will copy.
 *
 * Context: the ledger's worker.
 */
void fc_ckpt_begin(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;

	m->ckpt.next = 0;
	m->ckpt.tail = m->next_seq;
	m->ckpt.gen = m->sb.table_gen + 1;
	m->ckpt.set = ~0u;
}

/*
 * Was the set stale when this checkpoint came to it? From then on changes count for the next one.
 */
static bool was_stale(struct fc_cache *c, u32 index)
{
	struct fc_ckpt *k = &c->meta.ckpt;
	struct fc_set *set;
	unsigned long flags;

	if (index == k->set)
		return k->stale;
	set = fc_core_set(&c->core, index);
	fc_set_lock(set, &flags);
	k->stale = set->stale;
	set->stale = 0;
	fc_set_unlock(set, flags);
	k->set = index;
	return k->stale;
}

static u64 slots_end(const struct fc_geo *geo, u64 index)
{
	return min_t(u64, (index + 1) * FCD_TABLE_ENTRIES, geo->nr_slots);
}

/* A table block lies in at most two sets, since a set has more slots than a block has entries. */
static bool block_stale(struct fc_cache *c, u64 index)
{
	const struct fc_geo *geo = &c->core.geo;
	struct fc_slotno first = { index * FCD_TABLE_ENTRIES };
	struct fc_slotno last = { slots_end(geo, index) - 1 };
	bool stale = was_stale(c, fc_geo_slot_set(geo, first));

	return was_stale(c, fc_geo_slot_set(geo, last)) || stale;
}

static void snapshot_block(struct fc_cache *c, u64 index, void *block)
{
	const struct fc_geo *geo = &c->core.geo;
	struct fc_slotno slot = { index * FCD_TABLE_ENTRIES };
	u32 i = 0;

	memset(block, 0, FCD_BLOCK_SIZE);
	while (slot.n < slots_end(geo, index)) {
		struct fc_set *set = fc_core_set(&c->core, fc_geo_slot_set(geo, slot));
		u16 way = fc_geo_slot_way(geo, slot);
		unsigned long flags;

		fc_set_lock(set, &flags);
		for (; way < geo->assoc && slot.n < slots_end(geo, index); way++, slot.n++, i++) {
			struct fc_entry entry;

			fc_ledger_snapshot(set, way, &entry);
			fc_table_put(block, i, &entry);
		}
		fc_set_unlock(set, flags);
	}
}

/* Seals a block and counts it as the one of its number that will be valid. */
static void seal_block(struct fc_cache *c, u64 index, void *block)
{
	struct fc_meta *m = &c->meta;
	u32 crc = fc_table_seal(&m->sb, block, index, m->ckpt.gen);

	m->sb.table_sum += (u64)crc - m->crc[index];
	m->crc[index] = crc;
	change_bit(index, m->newest);
}

static int write_run(struct fc_cache *c, u64 first, u32 nr, unsigned int copy)
{
	if (!nr)
		return 0;
	fc_count_by(c, table_blocks, nr);
	return fc_meta_write(c, 0, fc_geo_table_sector(&c->core.geo, copy, first), c->meta.buf, nr);
}

/* Writes the next run of stale blocks that lie side by side in the same copy. */
static int write_some(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	struct fc_ckpt *k = &m->ckpt;
	unsigned int copy = 0;
	u64 first = 0;
	u32 nr = 0;

	for (; k->next < m->sb.geo.table_blocks && nr < FC_META_BUF_BLOCKS; k->next++) {
		unsigned int to = !test_bit(k->next, m->newest);
		void *block = (char *)m->buf + nr * FCD_BLOCK_SIZE;

		if (nr && to != copy)
			break;
		cond_resched();
		if (!block_stale(c, k->next)) {
			if (!nr)
				continue;
			/* It is not asked about again: a stale flag may be asked for only once. */
			k->next++;
			break;
		}
		if (!nr)
			first = k->next;
		copy = to;
		snapshot_block(c, k->next, block);
		seal_block(c, k->next, block);
		nr++;
	}
	return write_run(c, first, nr, copy);
}

/* All blocks are written: give them their meaning. */
static int conclude(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	int r = fc_submit_flush(c, FC_DISK_DEV);

	if (r)
		return r;
	m->sb.tail_seq = m->ckpt.tail;
	m->sb.table_gen = m->ckpt.gen;
	r = fc_super_write(c);
	m->ckpt.next = FC_META_IDLE;
	fc_count(c, checkpoints);
	return r;
}

/**
 * fc_ckpt_step() - go on with the checkpoint
 * @c: cache
 *
 * Writes at most FC_META_BUF_BLOCKS blocks, so that commits do not wait for long.
 *
 * Context: the ledger's worker. Return: 0 or -EIO; @ckpt.next is FC_META_IDLE when it is complete.
 */
int fc_ckpt_step(struct fc_cache *c)
{
	if (c->meta.ckpt.next < c->meta.sb.geo.table_blocks)
		return write_some(c);
	return conclude(c);
}

/**
 * fc_ckpt_finish() - go on with the checkpoint to its end
 * @c: cache
 *
 * Context: the ledger's worker, or fc_meta_stop(). Return: 0 or -EIO.
 */
int fc_ckpt_finish(struct fc_cache *c)
{
	int r = 0;

	while (!r && c->meta.ckpt.next != FC_META_IDLE)
		r = fc_ckpt_step(c);
	return r;
}
