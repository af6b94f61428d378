// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a cache that does not run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "image.h"
#include "progress.h"
#include "stop.h"
#include "tool.h"

#define CHUNK_BLOCKS	256u	/* table blocks read at once, of each copy */

/* A copy of a table block that counts, if there is one. */
struct found {
	const u8 *data;
	u64 gen;
	u32 crc;
	unsigned int copy;
};

/* What the device does not give is left to the other copy. */
static void read_copy(struct image *image, unsigned int copy, u64 first, u8 *buf, u64 blocks)
{
	u64 at = fc_geo_table_sector(&image->super.geo, copy, first) * SECTOR_SIZE, i;

	if (device_try_read(image->ssd, at, buf, blocks * FCD_BLOCK_SIZE))
		return;
	for (i = 0; i < blocks; i++) {
		if (device_try_read(image->ssd, at + i * FCD_BLOCK_SIZE, buf + i * FCD_BLOCK_SIZE,
				    FCD_BLOCK_SIZE))
			continue;
		memset(buf + i * FCD_BLOCK_SIZE, 0, FCD_BLOCK_SIZE);
		image->table.unreadable++;
	}
}

/*
 * A copy with a wrong CRC that says to be of this place and newer than the other: either it is the
 * one that counted, now damaged, or it was left behind by a former cache (whose CRCs have another
 * seed) and means nothing. Only the sum over the whole table tells which.
 */
static bool seems_newer(const struct image *image, const u8 *copy, u64 index, u64 than)
{
	const struct fcd_table_head *head = (const void *)copy;
	u64 gen = le64_to_cpu(head->gen);

	return le64_to_cpu(head->index) == index && gen > than && gen <= image->super.table_gen;
}

static void choose(struct image *image, u64 index, const u8 *const copies[2], struct found *best,
		   bool strict)
{
	bool remains = false, good[2];
	unsigned int copy;
	u64 gen;
	u32 crc;

	memset(best, 0, sizeof(*best));
	for (copy = 0; copy < 2; copy++) {
		good[copy] = fc_table_open(&image->super, copies[copy], index, &gen, &crc) ==
			     FC_FOUND_GOOD;
		if (good[copy] && gen > image->super.table_gen)
			remains = true;
		else if (good[copy] && (!best->data || gen >= best->gen))
			*best = (struct found){ copies[copy], gen, crc, copy };
	}
	for (copy = 0; copy < 2 && strict; copy++)
		if (!good[copy] && seems_newer(image, copies[copy], index, best->gen))
			best->data = NULL;
	image->table.remains += remains;
}

static void take_entries(struct image *image, u64 index, const u8 *block)
{
	u64 slot = index * FCD_TABLE_ENTRIES;
	struct fc_entry entry;
	u32 i;

	/* Also those behind the last slot: there an entry is impossible. */
	for (i = 0; i < FCD_TABLE_ENTRIES; i++, slot++) {
		if (!fc_table_get(&image->super, block, i, &entry))
			image->table.impossible++;
		else if (entry.valid)
			fc_ledger_load(&image->core, (struct fc_slotno){ slot }, &entry,
				       image->orderly);
	}
}

static void take_chunk(struct image *image, u8 *buf, u64 first, u64 blocks, u64 *sum, bool strict)
{
	u8 *second = buf + CHUNK_BLOCKS * FCD_BLOCK_SIZE;
	struct found best;
	u64 i;

	read_copy(image, 0, first, buf, blocks);
	read_copy(image, 1, first, second, blocks);
	for (i = 0; i < blocks; i++) {
		const u8 *const copies[2] = {
			buf + i * FCD_BLOCK_SIZE, second + i * FCD_BLOCK_SIZE
		};

		choose(image, first + i, copies, &best, strict);
		if (!best.data) {
			image->table.lost++;
			continue;
		}
		*sum += best.crc;
		if (best.copy)
			__set_bit((unsigned int)((first + i) % BITS_PER_LONG),
				  &image->newest[(first + i) / BITS_PER_LONG]);
		take_entries(image, first + i, best.data);
	}
}

static void judge(struct image *image)
{
	struct image_table *t = &image->table;

	if (t->lost)
		image_problem(image, "the table is damaged: %" PRIu64 " of its %" PRIu64 " blocks "
			      "have no copy that counts", t->lost, image->super.geo.table_blocks);
	if (t->impossible)
		image_problem(image, "the table has %" PRIu64 " impossible entries", t->impossible);
	if (t->sum_differs)
		image_problem(image, "the table is not the one that the superblock names");
}

/*
 * Reads all of the table into empty sets. @strict: where a copy seems_newer() than the best one,
 * that one is not taken.
 */
static int load_pass(struct image *image, u8 *buf, bool strict)
{
	u64 blocks = image->super.geo.table_blocks, first, nr, sum = 0;
	struct progress p;
	bool stopped = false;

	memset(&image->table, 0, sizeof(image->table));
	progress_begin(&p, "reading the table", blocks, 2 * FCD_BLOCK_SIZE);
	for (first = 0; first < blocks && !stopped; first += nr) {
		nr = blocks - first < CHUNK_BLOCKS ? blocks - first : CHUNK_BLOCKS;
		take_chunk(image, buf, first, nr, &sum, strict);
		progress_at(&p, first + nr);
		stopped = stop_asked();
	}
	progress_end(&p);
	image->table.sum_differs = !image->table.lost && sum != image->super.table_sum;
	return stopped ? fail("stopped") : 0;
}

/**
 * image_table_load() - read the table into the sets
 * @image: image with empty sets
 *
 * Return: 0 whatever is wrong with it; -1 when memory is short or the user has stopped it.
 */
int image_table_load(struct image *image)
{
	u8 *buf = malloc(2 * CHUNK_BLOCKS * FCD_BLOCK_SIZE);
	int ret;

	if (!buf)
		return fail("not enough memory");
	ret = load_pass(image, buf, false);
	if (!ret && (image->table.sum_differs || image->table.lost)) {
		image_empty(image);
		ret = load_pass(image, buf, true);
	}
	free(buf);
	judge(image);
	return ret;
}
