// SPDX-License-Identifier: GPL-2.0
/*
 * The log of a cache that does not run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "image.h"
#include "tool.h"

#define COMMIT_BLOCKS	32u	/* of a commit, at most: docs/format.md */
#define CHUNK_BLOCKS	256u

enum commit { COMMIT_WHOLE, COMMIT_NONE, COMMIT_NEWER, COMMIT_UNREADABLE };

struct reader {
	struct image *image;
	u8 *buf;
	u32 nr[COMMIT_BLOCKS];
	u32 blocks;		/* of the commit that was read last, whole or not */
};

static enum commit read_commit(struct reader *r)
{
	const struct fc_super *super = &r->image->super;
	u64 first = r->image->log.next_seq;
	bool last = false;

	for (r->blocks = 0; r->blocks < COMMIT_BLOCKS && !last; r->blocks++) {
		u8 *block = r->buf + r->blocks * FCD_BLOCK_SIZE;
		u64 seq = first + r->blocks;

		if (!device_try_read(r->image->ssd, fc_geo_log_sector(&super->geo, seq) *
				     SECTOR_SIZE, block, FCD_BLOCK_SIZE))
			return COMMIT_UNREADABLE;
		switch (fc_log_open(super, block, seq, first, &r->nr[r->blocks], &last)) {
		case FC_FOUND_GOOD:
			break;
		case FC_FOUND_NEWER:
			return COMMIT_NEWER;
		default:
			return COMMIT_NONE;
		}
	}
	return last ? COMMIT_WHOLE : COMMIT_NONE;
}

static void replay(struct reader *r)
{
	struct image_log *log = &r->image->log;
	struct fc_record rec;
	u32 i, j;

	for (i = 0; i < r->blocks; i++)
		for (j = 0; j < r->nr[i]; j++) {
			log->records++;
			if (fc_log_get(&r->image->super, r->buf + i * FCD_BLOCK_SIZE, j, &rec))
				fc_ledger_replay(&r->image->core, &rec);
			else
				log->impossible++;
		}
	log->commits++;
	log->blocks += r->blocks;
	log->next_seq += r->blocks;
}

/* Nothing of a later commit may lie anywhere in the ring: a block between would be damaged. */
static void look_behind(struct reader *r)
{
	const struct fc_geo *geo = &r->image->super.geo;
	u64 at, i, nr, first, later = 0;

	for (at = 0; at < geo->log_blocks; at += nr) {
		nr = geo->log_blocks - at < CHUNK_BLOCKS ? geo->log_blocks - at : CHUNK_BLOCKS;
		if (!device_try_read(r->image->ssd, fc_geo_log_sector(geo, at) * SECTOR_SIZE,
				     r->buf, nr * FCD_BLOCK_SIZE)) {
			image_problem(r->image, "the log cannot be read");
			return;
		}
		for (i = 0; i < nr; i++)
			later += fc_log_peek(&r->image->super, r->buf + i * FCD_BLOCK_SIZE,
					     &first) && first > r->image->log.next_seq;
	}
	if (later)
		image_problem(r->image, "the log is damaged: %" PRIu64 " blocks lie behind its end",
			      later);
}

static void replay_all(struct reader *r)
{
	const struct fc_super *super = &r->image->super;
	struct image_log *log = &r->image->log;
	enum commit found = COMMIT_WHOLE;

	while (log->next_seq - super->tail_seq < super->geo.log_blocks) {
		found = read_commit(r);
		if (found != COMMIT_WHOLE)
			break;
		replay(r);
	}
	if (found == COMMIT_NONE)
		log->torn = r->blocks;
	if (found == COMMIT_UNREADABLE)
		image_problem(r->image, "the log cannot be read");
	else if (found == COMMIT_NEWER)
		image_problem(r->image, "the log is newer than the superblock, which must be "
			      "damaged");
	else
		look_behind(r);
	if (log->impossible)
		image_problem(r->image, "the log has %" PRIu64 " impossible records",
			      log->impossible);
}

/**
 * image_log_load() - replay the log over the sets
 * @image: image with the table loaded
 *
 * Return: 0 whatever is wrong with it, -1 when memory is short.
 */
int image_log_load(struct image *image)
{
	struct reader r = { .image = image, .buf = malloc(CHUNK_BLOCKS * FCD_BLOCK_SIZE) };

	if (!r.buf)
		return fail("not enough memory");
	replay_all(&r);
	free(r.buf);
	return 0;
}
