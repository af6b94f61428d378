// SPDX-License-Identifier: GPL-2.0
/*
 * A cache that does not run, read from its device.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "human.h"
#include "image.h"
#include "store.h"
#include "tool.h"

/** image_problem() - note something that is wrong with an image */
void image_problem(struct image *image, const char *fmt, ...)
{
	char unused[1], *to = unused;
	size_t len = sizeof(unused);
	va_list args;

	if (image->nr_problems < IMAGE_PROBLEMS) {
		to = image->problems[image->nr_problems];
		len = sizeof(image->problems[0]);
	}
	image->nr_problems++;
	va_start(args, fmt);
	vsnprintf(to, len, fmt, args);
	va_end(args);
}

static int fail_kind(const struct device *ssd, const struct store *store)
{
	if (store->kind == STORE_NONE)
		return fail("no cache found on %s: 'flashcache list --all' looks for caches",
			    ssd->path);
	return fail("no cache that can be read on %s: %s", ssd->path, store->why);
}

/**
 * image_open() - find the superblocks
 * @image: filled; image_free() on it is always allowed afterwards
 * @ssd: open; must stay so
 *
 * Return: 0, or -1 if there is no superblock that counts.
 */
int image_open(struct image *image, const struct device *ssd)
{
	struct store store;
	union {
		struct fcd_super super;
		u8 bytes[FCD_BLOCK_SIZE];
	} raw;
	unsigned int i;

	memset(image, 0, sizeof(*image));
	image->ssd = ssd;
	if (store_read(ssd, &store))
		return -1;
	if (store.kind != STORE_CACHE)
		return fail_kind(ssd, &store);
	for (i = 0; i < FCD_SUPER_COPIES; i++) {
		if (device_read(ssd, (u64)i * FCD_BLOCK_SIZE, raw.bytes, sizeof(raw)))
			return -1;
		image->copies[i].found = fc_super_decode(&image->copies[i].super, &raw.super);
	}
	image->super = store.super;
	image->orderly = store.super.state == FCD_STATE_ORDERLY;
	if (ssd->sectors < image->super.geo.flash_sectors)
		return fail("SSD %s has %" PRIu64 " sectors, the cache on it needs %" PRIu64 ": it "
			    "is a part or a copy that is too short", ssd->path, ssd->sectors,
			    image->super.geo.flash_sectors);
	return 0;
}

/**
 * image_empty() - no slot holds anything, and no copy of a table block was chosen
 * @image: image; its sets are put together when everything is loaded
 */
void image_empty(struct image *image)
{
	struct fc_core *core = &image->core;

	memset(core->sets, 0, core->geo.nr_sets * core->stride);
	memset(image->newest, 0, BITS_TO_LONGS(core->geo.table_blocks) * sizeof(long));
}

static int make_core(struct image *image)
{
	struct fc_core *core = &image->core;
	human_text need;

	core->geo = image->super.geo;
	core->mode = (u8)image->super.mode;
	core->policy = (u8)image->super.policy;
	core->stride = fc_set_bytes(core->geo.assoc);
	core->sets = calloc(core->geo.nr_sets, core->stride);
	image->newest = calloc(BITS_TO_LONGS(core->geo.table_blocks), sizeof(long));
	if (!core->sets || !image->newest)
		return fail("not enough memory: %s are needed for this cache",
			    human_bytes(need, fc_geo_memory(&core->geo)));
	image_empty(image);
	return 0;
}

static void settle(struct image *image)
{
	u64 bad = 0;
	u32 i;

	for (i = 0; i < image->core.geo.nr_sets; i++)
		bad += !fc_ledger_settle(&image->core, fc_core_set(&image->core, i));
	if (bad)
		image_problem(image, "two slots claim the same block, in %" PRIu64 " sets", bad);
}

static void count(struct image *image)
{
	const struct fc_geo *geo = &image->core.geo;
	u64 slot;

	for (slot = 0; slot < geo->nr_slots; slot++) {
		const struct fc_slot *s = image_slot(image, slot);

		image->cached += !!s->valid;
		image->dirty += !!s->dirty;
		image->dirty_sectors += (u64)hweight16(s->dirty) << geo->unit_shift;
	}
}

/**
 * image_load() - read table and log
 * @image: from image_open()
 *
 * Return: 0 when they were read, sound or not (see @nr_problems); -1 when that was not possible.
 */
int image_load(struct image *image)
{
	if (make_core(image) || image_table_load(image))
		return -1;
	image->log.next_seq = image->super.tail_seq;
	if (!image->orderly && image_log_load(image))
		return -1;
	settle(image);
	count(image);
	return 0;
}

void image_free(struct image *image)
{
	free(image->core.sets);
	free(image->newest);
	image->core.sets = NULL;
	image->newest = NULL;
}
