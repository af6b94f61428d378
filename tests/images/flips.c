// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: random damage to genuine images.
 */
#include <stdio.h>

#include "images.h"

static u64 state;

static u32 below(u32 limit)
{
	state = mix64(state + 1);
	return (u32)((state >> 32) * limit >> 32);
}

static bool blank(const union block *block)
{
	return !block->bytes[0] && !memcmp(block->bytes, block->bytes + 1, sizeof(*block) - 1);
}

/* Blocks that hold something are hit more often than their share. */
static u32 choose_block(struct image *image)
{
	u32 block = below(META_BLOCKS), tries;

	for (tries = 0; tries < 8 && blank(image_block(image, block)); tries++)
		block = below(META_BLOCKS);
	return block;
}

static void damage(struct image *image, u32 block)
{
	u8 *bytes = image_block(image, block)->bytes;
	u32 sector = below(8) * SECTOR_SIZE, i, nr;

	switch (below(4)) {
	case 0:
		memset(bytes + sector, below(2) ? 0 : 0xff, SECTOR_SIZE);
		break;
	case 1:
		for (i = 0; i < SECTOR_SIZE; i++)
			bytes[sector + i] = (u8)below(256);
		break;
	default:
		/* Most of a block is at its front. */
		nr = 1 + below(3);
		for (i = 0; i < nr; i++)
			bytes[below(below(2) ? 256 : FCD_BLOCK_SIZE)] ^= 1u << below(8);
		break;
	}
}

/* What may come of it, by the log blocks that were hit. */
static struct expect expect_of(const struct image *genuine, struct image *image)
{
	struct expect expect = REFUSED("");
	u32 last = 0, others = 0;
	u64 seq;

	if (genuine != &crashed)
		return expect;
	for (seq = crashed.sb.tail_seq; seq < last_commit[1]; seq++) {
		if (!memcmp(image_log(image, seq), image_log(&crashed, seq), FCD_BLOCK_SIZE))
			continue;
		if (seq >= last_commit[0])
			last++;
		else
			others++;
	}
	if (last)
		expect.serve = others ? SERVE_OWN : SERVE_LAST;
	return expect;
}

void flips(u64 seed, u32 nr)
{
	static struct image image;
	u32 i, k, hits, bad = 0, nr_loaded = 0;
	bool loaded;

	for (i = 0; i < nr; i++) {
		const struct image *genuine = i & 1 ? &crashed : &orderly;
		struct expect expect;
		const char *wrong;

		state = mix64(seed + i);
		image_copy(&image, genuine);
		hits = below(4) ? 1 : 1 + below(4);
		for (k = 0; k < hits; k++)
			damage(&image, choose_block(&image));
		expect = expect_of(genuine, &image);
		wrong = judge_quietly(&image, &expect, &loaded);
		nr_loaded += loaded;
		if (!wrong)
			continue;
		bad++;
		printf("# damage %u: %s\n", i, wrong);
	}
	printf("# %u images with random damage: %u loaded, %u refused\n", nr, nr_loaded,
	       nr - nr_loaded);
	if (bad || (nr && (!nr_loaded || nr_loaded == nr)))
		printf("not ok - random damage\n");
	else
		printf("ok - random damage is harmless or noticed\n");
}
