// SPDX-License-Identifier: GPL-2.0
/*
 * Power that fails while the ledger is written, in the fuzzer of images.
 *
 * Input: a seed, and the write at which it fails, for each life. A genuine image is loaded, or
 * overwritten by a new cache; blocks are written, committed, checkpointed; the cache is stopped.
 * The power fails somewhere on the way. What the next life loads must be what was last committed,
 * or what was being committed. Of an overwritten cache nothing may come back but all of it.
 */
#include "fixture.h"
#include "power.h"

#define COMMITS	4
#define LIVES	3

static struct fc_entry committed[SCENE_SLOTS], coming[SCENE_SLOTS], found[SCENE_SLOTS];

static struct dm_target *make(const char *line, sector_t len)
{
	char words[64], *argv[SPLIT_WORDS + 1];
	const char *why;
	struct dm_target *ti;

	strcpy(words, line);
	ti = split_make(split_words(words, argv, SPLIT_WORDS), argv, len, &why);
	CHECK(ti);
	return ti;
}

/* Return: false when power has failed. */
static bool live(struct dm_target *ti)
{
	struct fc_cache *c = ti->private;
	u64 bytes = c->core.geo.nr_slots * sizeof(*coming);
	int i;

	for (i = 0; i < COMMITS; i++) {
		/* Many at once make commits of several blocks. */
		scene_work(c, test_chance(50) ? 400 : 1 + test_below(40));
		scene_snapshot(c, coming);
		if (fc_commit(c, true, true))
			return false;
		memcpy(committed, coming, bytes);
		if (!test_chance(40))
			continue;
		if (c->meta.ckpt.next == FC_META_IDLE)
			fc_ckpt_begin(c);
		if (test_chance(50) ? fc_ckpt_step(c) : fc_ckpt_finish(c))
			return false;
	}
	fuzz_target->postsuspend(ti);
	return !c->loaded;
}

/* What was loaded must be one of two states; from now on it is what it is. */
static void check_state(struct fc_cache *c)
{
	u64 nr = c->core.geo.nr_slots;

	scene_snapshot(c, found);
	CHECK(scene_same_dirty(found, committed, nr) || scene_same_dirty(found, coming, nr));
	memcpy(committed, found, sizeof(found));
	memcpy(coming, found, sizeof(found));
}

/* A life of a cache that is there, until power fails or the cache is stopped. */
static void one_life(const struct scene *s, u32 writes)
{
	struct dm_target *ti = make("a b name 1 1", s->disk_sectors);

	fuzz_power(writes, test_random());
	if (!fuzz_target->preresume(ti)) {
		check_state(ti->private);
		CHECK(live(ti) || fuzz_power_failed());
	} else if (!fuzz_power_failed()) {
		test_fail(__FILE__, __LINE__, "not loaded: %s", fuzz_error);
	}
	split_free(ti);
	fuzz_power(0, 0);
}

/* A cache that was being overwritten is all there, or nothing of it is. */
static void check_created(const struct scene *s)
{
	struct dm_target *ti = make("a b name 1 1", s->disk_sectors);
	struct fc_cache *c = ti->private;

	if (fuzz_target->preresume(ti)) {
		CHECK(strstr(fuzz_error, "no flashcache found") ||
		      strstr(fuzz_error, "both superblocks are damaged"));
	} else {
		scene_snapshot(c, found);
		CHECK((!fc_cache_dirty(c) && !fc_cache_cached(c)) ||
		      (c->core.geo.nr_slots == s->sb.geo.nr_slots &&
		       scene_same_dirty(found, s->now, s->sb.geo.nr_slots)));
	}
	split_free(ti);
}

static void create_over(const struct scene *s, u32 writes)
{
	struct dm_target *ti = make("a b name 1 3 0 0 256", s->disk_sectors);

	fuzz_power(writes, test_random());
	CHECK(!fuzz_target->preresume(ti) || fuzz_power_failed());
	split_free(ti);
	fuzz_power(0, 0);
	check_created(s);
}

void power_one(const struct scene *s, u8 line, struct fuzz_in *in)
{
	u32 lives;

	memset(committed, 0, sizeof(committed));
	memcpy(committed, s->now, s->sb.geo.nr_slots * sizeof(*committed));
	memcpy(coming, committed, sizeof(coming));
	test_seed(1000 + fuzz_u8(in));
	if (line & 1) {
		create_over(s, 1 + fuzz_u8(in));
		return;
	}
	for (lives = 0; lives < LIVES; lives++)
		one_life(s, in->left ? 1 + fuzz_u8(in) : 0);
}
