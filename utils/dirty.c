// SPDX-License-Identifier: GPL-2.0
/*
 * Counting the dirty blocks of a cache that is not running.
 *
 * Reads the ledger as the module does when it loads the cache, but remembers one bit a slot only.
 */
#include <stdlib.h>
#include "dirty.h"
#include "tool.h"

#define CHUNK_BLOCKS	256u	/* table or log blocks read at once */
#define COMMIT_BLOCKS	32u	/* of a commit at most */

/**
 * struct count - a count in progress
 * @ssd: cache device
 * @super: its superblock
 * @dirty: a bit for each slot
 * @sum: of the CRCs of the table blocks that count
 * @buf: room for a chunk of each copy of the table; for one log block
 */
struct count {
	const struct device *ssd;
	const struct fc_super *super;
	unsigned long *dirty;
	u64 sum;
	u8 *buf;
};

static int fail_damaged(const struct count *c, const char *what)
{
	return fail("SSD %s: the %s of the cache is damaged", c->ssd->path, what);
}

static int read_blocks(const struct count *c, sector_t sector, void *buf, u64 blocks)
{
	return device_read(c->ssd, sector * SECTOR_SIZE, buf, blocks * FCD_BLOCK_SIZE);
}

static void mark(struct count *c, u64 slot, bool dirty)
{
	unsigned long bit = 1ul << slot % BITS_PER_LONG;

	if (dirty)
		c->dirty[slot / BITS_PER_LONG] |= bit;
	else
		c->dirty[slot / BITS_PER_LONG] &= ~bit;
}

static int take_table_block(struct count *c, const u8 *block, u64 index)
{
	u64 slot = index * FCD_TABLE_ENTRIES;
	struct fc_entry entry;
	u32 i;

	for (i = 0; i < FCD_TABLE_ENTRIES; i++, slot++) {
		if (!fc_table_get(c->super, block, i, &entry))
			return fail_damaged(c, "table");
		if (entry.dirty)
			mark(c, slot, true);
	}
	return 0;
}

/* The newer of the copies that the last checkpoint covers counts. */
static int take_newest(struct count *c, const u8 *copies[2], u64 index)
{
	const u8 *best = NULL;
	u64 gen, best_gen = 0;
	u32 crc, best_crc = 0;
	int i;

	for (i = 0; i < 2; i++) {
		if (fc_table_open(c->super, copies[i], index, &gen, &crc) != FC_FOUND_GOOD ||
		    gen > c->super->table_gen || gen < best_gen)
			continue;
		best = copies[i];
		best_gen = gen;
		best_crc = crc;
	}
	if (!best)
		return fail_damaged(c, "table");
	c->sum += best_crc;
	return take_table_block(c, best, index);
}

static int take_chunk(struct count *c, u64 first, u64 blocks)
{
	const struct fc_geo *geo = &c->super->geo;
	u8 *second = c->buf + CHUNK_BLOCKS * FCD_BLOCK_SIZE;
	u64 i;

	if (read_blocks(c, fc_geo_table_sector(geo, 0, first), c->buf, blocks) ||
	    read_blocks(c, fc_geo_table_sector(geo, 1, first), second, blocks))
		return -1;
	for (i = 0; i < blocks; i++) {
		const u8 *copies[2] = { c->buf + i * FCD_BLOCK_SIZE, second + i * FCD_BLOCK_SIZE };

		if (take_newest(c, copies, first + i))
			return -1;
	}
	return 0;
}

static int take_table(struct count *c)
{
	u64 blocks = c->super->geo.table_blocks, first, nr;

	for (first = 0; first < blocks; first += nr) {
		nr = blocks - first < CHUNK_BLOCKS ? blocks - first : CHUNK_BLOCKS;
		if (take_chunk(c, first, nr))
			return -1;
	}
	return c->sum == c->super->table_sum ? 0 : fail_damaged(c, "table");
}

static int take_log_block(struct count *c, u32 nr)
{
	struct fc_record rec;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!fc_log_get(c->super, c->buf, i, &rec))
			return fail_damaged(c, "log");
		mark(c, rec.slot.n, rec.dirty);
	}
	return 0;
}

/* Return: 1 with the block in the buffer, 0 if the log ends before it, -1 on errors. */
static int open_log_block(struct count *c, u64 seq, u64 first, u32 *nr, bool *last)
{
	if (read_blocks(c, fc_geo_log_sector(&c->super->geo, seq), c->buf, 1))
		return -1;
	switch (fc_log_open(c->super, c->buf, seq, first, nr, last)) {
	case FC_FOUND_GOOD:
		return 1;
	case FC_FOUND_NOTHING:
		return 0;
	default:
		return fail_damaged(c, "log");
	}
}

/* Return: number of blocks of the commit at @first, 0 if it is not complete, -1 on errors. */
static int measure_commit(struct count *c, u64 first)
{
	bool last = false;
	u64 blocks = 0;
	u32 nr;

	while (!last && blocks < COMMIT_BLOCKS) {
		int got = open_log_block(c, first + blocks, first, &nr, &last);

		if (got <= 0)
			return got;
		blocks++;
	}
	return last ? (int)blocks : 0;
}

static int take_commit(struct count *c, u64 first, u64 blocks)
{
	bool last;
	u64 i;
	u32 nr;

	for (i = 0; i < blocks; i++) {
		int got = open_log_block(c, first + i, first, &nr, &last);

		if (got < 0 || (got && take_log_block(c, nr)))
			return -1;
		if (!got)
			return fail_damaged(c, "log");
	}
	return 0;
}

/* A block of a commit behind the log's end @seq: one in between is damaged. */
static int look_behind(struct count *c, u64 seq)
{
	const struct fc_geo *geo = &c->super->geo;
	u64 at, nr, i, first;

	for (at = 0; at < geo->log_blocks; at += nr) {
		nr = geo->log_blocks - at < CHUNK_BLOCKS ? geo->log_blocks - at : CHUNK_BLOCKS;
		if (read_blocks(c, fc_geo_log_sector(geo, at), c->buf, nr))
			return -1;
		for (i = 0; i < nr; i++)
			if (fc_log_peek(c->super, c->buf + i * FCD_BLOCK_SIZE, &first) && first > seq)
				return fail_damaged(c, "log");
	}
	return 0;
}

/* After an orderly stop the table has everything. */
static int take_log(struct count *c)
{
	u64 seq = c->super->tail_seq, end = seq + c->super->geo.log_blocks;
	int blocks = 0;

	if (c->super->state == FCD_STATE_ORDERLY)
		return 0;
	while (seq < end && (blocks = measure_commit(c, seq)) > 0) {
		if (take_commit(c, seq, (u64)blocks))
			return -1;
		seq += (u64)blocks;
	}
	return blocks < 0 ? -1 : look_behind(c, seq);
}

static u64 count_bits(const struct count *c, u64 words)
{
	u64 i, bits = 0;

	for (i = 0; i < words; i++)
		bits += (u64)__builtin_popcountl(c->dirty[i]);
	return bits;
}

/**
 * dirty_blocks_on() - count the blocks that are newer on the SSD than on the disk
 * @ssd: open
 * @super: its superblock
 * @dirty: result
 *
 * Return: 0, or -1 if the ledger cannot be read or contradicts itself.
 */
int dirty_blocks_on(const struct device *ssd, const struct fc_super *super, u64 *dirty)
{
	u64 words = BITS_TO_LONGS(super->geo.nr_slots);
	struct count c = {
		.ssd = ssd,
		.super = super,
		.dirty = calloc(words, sizeof(unsigned long)),
		.buf = malloc(2 * CHUNK_BLOCKS * FCD_BLOCK_SIZE),
	};
	int ret = -1;

	if (!c.dirty || !c.buf)
		fail("not enough memory");
	else if (!take_table(&c) && !take_log(&c))
		ret = 0;
	if (!ret)
		*dirty = count_bits(&c, words);
	free(c.dirty);
	free(c.buf);
	return ret;
}
