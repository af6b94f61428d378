// SPDX-License-Identifier: GPL-2.0
/*
 * Counting the dirty blocks of a cache that is not running.
 */
#include "dirty.h"
#include "image.h"
#include "tool.h"

/**
 * dirty_blocks_on() - count the blocks that are newer on the SSD than on the disk
 * @ssd: open
 * @dirty: result
 *
 * Return: 0, or -1 if the ledger cannot be read or contradicts itself.
 */
int dirty_blocks_on(const struct device *ssd, u64 *dirty)
{
	struct image image;
	int ret;

	ret = image_open(&image, ssd) || image_load(&image) ? -1 : 0;
	if (!ret && image.nr_problems)
		ret = fail("SSD %s: %s", ssd->path, image.problems[0]);
	*dirty = image.dirty;
	image_free(&image);
	return ret;
}
