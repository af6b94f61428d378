// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of whole flash images, loaded by the module's own code.
 *
 * Input: a genuine image (scene.c), a table line, what to do with checksums, then changes: a block,
 * a place in it, and bytes. Where checksums stay as they are, the changes are damage: then the load
 * is refused, or gives what was there. Where they are mended, the image is crafted: then the load
 * is refused, or gives a state without contradictions, which can be stopped and loaded again. A
 * refused load writes nothing. The tool must count the dirty blocks that the module finds. Where
 * power is to fail (power.c), the image stays as it is.
 */
#include "counted.h"
#include "fixture.h"
#include "power.h"
#include "scene.h"

#define MAX_CHANGES	24
#define MAX_SLOTS	SCENE_SLOTS

#define CRAFTED		0x01	/* checksums are mended */
#define OTHER_DISK	0x02	/* the disk was written without the cache */
#define POWER		0x04	/* power fails, during the load or in the life that follows */

static union fuzz_block flash[SCENE_BLOCKS], before_load[SCENE_BLOCKS];
static bool touched[SCENE_BLOCKS];
static u8 disk[FCD_PRINT_SECTORS << SECTOR_SHIFT];

/* --- changes ---------------------------------------------------------------------------------- */

/* The ring's most used blocks and the rest are alike likely to be chosen. */
static void change(const struct scene *s, struct fuzz_in *in)
{
	u8 how = fuzz_u8(in), len = 1 + (how >> 4), i;
	u32 block = fuzz_u8(in) % s->nr_blocks;
	u16 at = fuzz_u16(in) % FCD_BLOCK_SIZE;

	touched[block] = true;
	switch (how & 3) {
	case 0:
		flash[block] = flash[at % s->nr_blocks];
		break;
	case 1:
		memset(flash[block].bytes + at / 512 * 512, how & 4 ? 0xff : 0, 512);
		break;
	case 2:
		for (i = 0; i < len && at < FCD_BLOCK_SIZE; i++, at++)
			flash[block].bytes[at] ^= fuzz_u8(in);
		break;
	default:
		for (i = 0; i < len && at < FCD_BLOCK_SIZE; i++, at++)
			flash[block].bytes[at] = fuzz_u8(in);
		break;
	}
}

/* The sum of the table blocks that a superblock would count. */
static u64 table_sum(const struct fc_super *sb, u64 most_gen)
{
	const struct fc_geo *geo = &sb->geo;
	u64 sum = 0, index, gen, best;
	u32 crc, best_crc, copy;

	for (index = 0; index < geo->table_blocks; index++) {
		best = 0;
		best_crc = 0;
		for (copy = 0; copy < 2; copy++) {
			u64 at = fc_geo_table_sector(geo, copy, index) / FCD_BLOCK_SECTORS;

			if (fc_table_open(sb, &flash[at], index, &gen, &crc) != FC_FOUND_GOOD ||
			    gen > most_gen || gen < best)
				continue;
			best = gen;
			best_crc = crc;
		}
		sum += best_crc;
	}
	return sum;
}

static void mend(const struct scene *s)
{
	u32 i;

	for (i = 2; i < s->nr_blocks; i++)
		if (touched[i])
			fuzz_seal(s->sb.seed, &flash[i]);
	for (i = 0; i < 2; i++) {
		struct fcd_super *raw = &flash[i].super;

		raw->table_sum = cpu_to_le64(table_sum(&s->sb, le64_to_cpu(raw->table_gen)));
		fuzz_seal(0, &flash[i]);
	}
}

/* --- the load --------------------------------------------------------------------------------- */

/* Lines other than 0 contradict the image in one way or another, or leave things out. */
static const char *choose_line(const struct scene *s, u8 which, sector_t *len)
{
	static const char * const lines[] = {
		"a b name 1 1", "a b name 1", "a b name 2 1", "a b name 3", "a b name 1 2",
		"a b name 1 3", "a b name 1 1 8", "a b name 1 1 0 0 512", "a b name 1 1 0 6144",
		"a b name 1 1 0 0 0 128", "a b name 1 1", "a b name 1 1", "a b name 1",
		"a b name 1 1", "a b name 1 1", "a b name 1 1 32 0 256",
	};

	fuzz_devs[0] = (struct fuzz_dev){ s->disk_sectors, disk, sizeof(disk), 0 };
	fuzz_devs[1] = (struct fuzz_dev){ s->flash_sectors, flash->bytes,
					       sizeof(flash), 0 };
	which %= ARRAY_SIZE(lines);
	if (which == 10)
		fuzz_devs[0].sectors += 1000;
	if (which == 11)
		fuzz_devs[0].sectors = 1ull << 50;
	if (which == 12)
		fuzz_devs[0].sectors -= 8;
	if (which == 13)
		fuzz_devs[1].sectors -= 8;
	if (which == 14)
		fuzz_devs[1].sectors = 1 << 20;
	*len = fuzz_devs[0].sectors;
	return lines[which];
}

static struct dm_target *make_target(const struct scene *s, u8 line)
{
	char words[SPLIT_LINE], *argv[SPLIT_WORDS + 1];
	const char *why;
	sector_t len;

	strcpy(words, choose_line(s, line, &len));
	return split_make(split_words(words, argv, SPLIT_WORDS), argv, len, &why);
}

/* The tool reads the ledger by itself: what the module refuses it must not call clean. */
static void check_count(struct fc_cache *c, bool loaded)
{
	u64 dirty;
	int r = counted_dirty(before_load, sizeof(before_load), fuzz_devs[1].sectors, &dirty);

	if (loaded) {
		CHECK_EQ(r, 0);
		CHECK_EQ(dirty, fc_cache_dirty(c));
	} else if (strstr(fuzz_error, "cannot load: the table ") ||
		   strstr(fuzz_error, "cannot load: the log ")) {
		CHECK_EQ(r, -1);
	}
}

static void check_refused(struct fc_cache *c, unsigned int errors)
{
	CHECK_EQ(fuzz_errors, errors + 1);
	CHECK(strlen(fuzz_error) > 10);
	CHECK(!fuzz_devs[0].writes && !fuzz_devs[1].writes);
	CHECK(!memcmp(flash, before_load, sizeof(flash)));
	CHECK(!c->loaded && !c->core.sets);
	check_count(c, false);
}

/* --- what was loaded -------------------------------------------------------------------------- */

static bool last_commit_hit(const struct scene *s)
{
	u64 seq;

	for (seq = s->last_first; seq < s->last_end; seq++)
		if (touched[fc_geo_log_sector(&s->sb.geo, seq) / FCD_BLOCK_SECTORS])
			return true;
	return false;
}

/*
 * Damage, however much: all that was dirty, and nothing else; clean content only where it was. The
 * last commit may be missing when it was hit: it then looks like one that was never finished. With
 * several log blocks hit it may be several.
 */
static void check_undamaged(const struct scene *s, struct fc_cache *c, bool other_disk)
{
	static struct fc_entry found[MAX_SLOTS];
	u64 nr = c->core.geo.nr_slots, i, hit = 0;

	for (i = 2; i < 2 + s->sb.geo.log_blocks; i++)
		hit += touched[i];
	scene_snapshot(c, found);
	if (!scene_same_dirty(found, s->now, nr) && hit < 2)
		CHECK(hit && last_commit_hit(s) && scene_same_dirty(found, s->before, nr));
	for (i = 0; i < nr; i++) {
		u16 clean = found[i].valid & ~found[i].dirty;

		if (!clean)
			continue;
		CHECK(s->orderly && !other_disk);
		CHECK(found[i].block.n == s->now[i].block.n && !(clean & ~s->now[i].valid));
	}
}

/* What was loaded can be put to rest and comes back as it was. */
static void check_again(struct dm_target *ti)
{
	static struct fc_entry once[MAX_SLOTS], twice[MAX_SLOTS];
	struct fc_cache *c = ti->private;

	scene_snapshot(c, once);
	fuzz_target->postsuspend(ti);
	CHECK(!c->loaded);
	if (fuzz_target->preresume(ti))
		test_fail(__FILE__, __LINE__, "cannot be loaded again: %s", fuzz_error);
	scene_snapshot(c, twice);
	CHECK(!memcmp(once, twice, c->core.geo.nr_slots * sizeof(*once)));
}

static void check_loaded(const struct scene *s, struct dm_target *ti, u8 how, u8 line)
{
	struct fc_cache *c = ti->private;
	u32 i;

	CHECK(c->core.geo.nr_slots <= MAX_SLOTS);
	split_check_tune(&c->tune);
	for (i = 0; i < c->core.geo.nr_sets; i++)
		fc_check_idle(&c->core, fc_core_set(&c->core, i));
	if (line % 16 == 0) {
		check_count(c, true);
		if (!(how & CRAFTED))
			check_undamaged(s, c, how & OTHER_DISK);
	}
	check_again(ti);
}

void fuzz_one(struct fuzz_in *in)
{
	const struct scene *s = scene_get(fuzz_u8(in));
	u8 line = fuzz_u8(in), how = fuzz_u8(in);
	unsigned int errors = fuzz_errors;
	struct dm_target *ti;
	sector_t len;
	int i;

	memset(touched, 0, sizeof(touched));
	memset(flash, 0, sizeof(flash));
	memcpy(flash, s->flash, s->nr_blocks * sizeof(*flash));
	for (i = 0; i < MAX_CHANGES && in->left && !(how & POWER); i++)
		change(s, in);
	if (how & POWER) {
		disk[0] = 0;
		choose_line(s, 0, &len);
		power_one(s, line, in);
		return;
	}
	if (how & CRAFTED)
		mend(s);
	disk[0] = !!(how & OTHER_DISK);
	memcpy(before_load, flash, sizeof(flash));
	ti = make_target(s, line);
	if (!ti)
		return;
	if (fuzz_target->preresume(ti))
		check_refused(ti->private, errors);
	else
		check_loaded(s, ti, how, line);
	split_free(ti);
}
