// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the table line.
 *
 * Input: a byte for the devices' sizes, then the line behind the target's name, as text. A line is
 * refused with a reason and leaves nothing behind, or the cache that it makes has what it says, and
 * what `dmsetup table` prints makes the same cache again.
 */
#include <stdlib.h>

#include "dm/dm.h"
#include "split.h"

static void set_sizes(u8 how, sector_t *len)
{
	static const sector_t sizes[] = { 1, 4096, 6144, 98304, 1ull << 31, 1ull << 40, 1ull << 51,
					  ~0ull >> 9 };

	fuzz_devs[0].sectors = sizes[how & 7];
	fuzz_devs[1].sectors = sizes[how >> 3 & 7];
	*len = how & 0x40 ? sizes[how & 7] / 2 + 1 : sizes[how & 7];
	if ((how & 0xc0) == 0xc0)
		*len = sizes[how & 7] + 1;
}

/* Each number in its range, each string ended. */
static void check_config(const struct fc_cache *c)
{
	const struct fc_config *cfg = &c->cfg;

	CHECK(cfg->mode >= FC_MODE_WRITEBACK && cfg->mode <= FC_MODE_WRITEAROUND);
	CHECK(cfg->persist <= FC_PERSIST_FORCE);
	CHECK(strnlen(cfg->name, sizeof(cfg->name)) < sizeof(cfg->name));
	CHECK(strnlen(cfg->disk_id, sizeof(cfg->disk_id)) < sizeof(cfg->disk_id));
	CHECK(cfg->name[0] && !(cfg->tuned >> FC_NR_TUNABLES));
	split_check_tune(&cfg->tune);
	CHECK(c->core.mode == cfg->mode && !memcmp(&c->tune, &cfg->tune, sizeof(c->tune)));
}

static void check_same(const struct fc_cache *a, const struct fc_cache *b)
{
	CHECK_STR(b->cfg.name, a->cfg.name);
	CHECK_EQ(b->cfg.mode, a->cfg.mode);
	CHECK_EQ(b->cfg.persist, a->cfg.persist ? a->cfg.persist : FC_PERSIST_LOAD);
	CHECK_EQ(b->cfg.want.block_sectors, a->cfg.want.block_sectors);
	CHECK_EQ(b->cfg.want.cache_sectors, a->cfg.want.cache_sectors);
	CHECK_EQ(b->cfg.want.assoc, a->cfg.want.assoc);
	CHECK_EQ(b->cfg.want.cluster_sectors, a->cfg.want.cluster_sectors);
	CHECK(!memcmp(&b->tune, &a->tune, sizeof(a->tune)));
	CHECK(a->disk->bdev == b->disk->bdev && a->ssd->bdev == b->ssd->bdev);
}

/* The second print must be the first: a fixed point. */
static void check_round_trip(struct dm_target *ti, sector_t len)
{
	char line[SPLIT_LINE], again[SPLIT_LINE], words[SPLIT_LINE], *argv[SPLIT_WORDS + 1];
	const char *why = NULL;
	struct dm_target *second;

	split_print(ti, line);
	strcpy(words, line);
	/* The devices of one are closed before those of the other open. */
	fuzz_open_devices = 0;
	second = split_make(split_words(words, argv, SPLIT_WORDS), argv, len, &why);
	if (!second)
		test_fail(__FILE__, __LINE__, "\"%s\" is refused: %s", line, why);
	check_same(ti->private, second->private);
	split_print(second, again);
	CHECK_STR(again, line);
	split_free(second);
	fuzz_open_devices = 2;
}

/* A buffer of any size gets what fits into it, and a zero. */
static void check_short_buffer(struct dm_target *ti, u8 size)
{
	char line[SPLIT_LINE], *shorter = malloc(size + 1u);

	CHECK(shorter);
	split_print(ti, line);
	fuzz_target->status(ti, STATUSTYPE_TABLE, 0, shorter, size + 1u);
	CHECK(!strncmp(shorter, line, size) && strlen(shorter) <= size);
	fuzz_target->status(ti, STATUSTYPE_INFO, 0, shorter, size + 1u);
	CHECK(strlen(shorter) <= size);
	free(shorter);
}

void fuzz_one(struct fuzz_in *in)
{
	char line[SPLIT_LINE], *argv[SPLIT_WORDS + 1];
	u8 sizes = fuzz_u8(in);
	const char *why = NULL;
	struct dm_target *ti;
	sector_t len;

	set_sizes(sizes, &len);
	fuzz_bytes(in, line, sizeof(line));
	line[sizeof(line) - 1] = '\0';
	ti = split_make(split_words(line, argv, SPLIT_WORDS), argv, len, &why);
	CHECK(!fuzz_devs[0].writes && !fuzz_devs[1].writes);
	if (!ti)
		return;
	check_config(ti->private);
	check_round_trip(ti, len);
	check_short_buffer(ti, sizes);
	split_free(ti);
}
