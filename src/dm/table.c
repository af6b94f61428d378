// SPDX-License-Identifier: GPL-2.0
/*
 * The table line, read and printed.
 *
 *	disk ssd name mode [persist [block [size [assoc [disk_assoc [write_only [md_block
 *	[nr_words key value ...]]]]]]]]
 *
 * The first eleven are those of the original; sizes are sectors, 0 stands for the standard.
 */
#include <linux/ctype.h>
#include <linux/uuid.h>

#include "dm/dm.h"

#define MIN_ARGS	4
#define POSITIONS	11	/* of the original */
#define OLD_POSITIONS	10	/* of version 3, which had no write_only */

static int fail(struct dm_target *ti, const char *why)
{
	ti->error = (char *)why;
	return -EINVAL;
}

/* A backslash can bring a blank into a word; printed, it would part the word in two. */
static bool one_word(const char *text)
{
	for (; *text; text++)
		if (isspace(*text) || *text == '\\')
			return false;
	return true;
}

static int parse_name(struct dm_target *ti, const char *name, struct fc_config *cfg)
{
	if (!one_word(name))
		return fail(ti, "Virtual device name lookup failed: has a blank or a backslash");
	if (strscpy(cfg->name, name, sizeof(cfg->name)) < 0)
		return fail(ti, "Virtual device name lookup failed: longer than 127 characters");
	return 0;
}

static int parse_mode(struct dm_target *ti, const char *arg, struct fc_config *cfg)
{
	if (kstrtou8(arg, 10, &cfg->mode) || cfg->mode < FC_MODE_WRITEBACK ||
	    cfg->mode > FC_MODE_WRITEAROUND)
		return fail(ti, "Invalid cache mode: 1 writeback, 2 writethrough, 3 writearound");
	return 0;
}

static int parse_persist(struct dm_target *ti, const char *arg, struct fc_config *cfg)
{
	if (kstrtou8(arg, 10, &cfg->persist) || cfg->persist < FC_PERSIST_LOAD ||
	    cfg->persist > FC_PERSIST_FORCE)
		return fail(ti, "Invalid cache persistence: 1 load, 2 create, 3 force create");
	return 0;
}

static int parse_sizes(struct dm_target *ti, unsigned int argc, char **argv,
		       struct fc_config *cfg)
{
	static const char * const why[] = {
		"Invalid block size: not a number", "Invalid cache size: not a number",
		"Invalid cache associativity: not a number",
		"Invalid disk associativity: not a number",
	};
	u64 *to[] = { &cfg->want.block_sectors, &cfg->want.cache_sectors, &cfg->want.assoc,
		      &cfg->want.cluster_sectors };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(to) && i < argc; i++)
		if (kstrtou64(argv[i], 10, to[i]))
			return fail(ti, why[i]);
	return 0;
}

static int parse_write_only(struct dm_target *ti, const char *arg)
{
	u32 n;

	if (kstrtou32(arg, 10, &n) || n)
		return fail(ti, "Invalid Write Cache setting: must be 0, write-only is not supported");
	return 0;
}

/* Metadata blocks are always 4 KiB; the position is kept for the sake of old lines. */
static int parse_md_block(struct dm_target *ti, const char *arg)
{
	u32 n;

	if (kstrtou32(arg, 10, &n) || n > 128 || (n & (n - 1)))
		return fail(ti, "Invalid metadata block size: a power of two up to 128 sectors");
	return 0;
}

static int parse_uuid(const char *value, struct fc_config *cfg)
{
	uuid_t uuid;

	if (uuid_parse(value, &uuid))
		return -EINVAL;
	memcpy(cfg->uuid, uuid.b, sizeof(cfg->uuid));
	return 0;
}

static int parse_option(struct dm_target *ti, const char *key, const char *value,
			struct fc_config *cfg)
{
	int which = fc_tunable_find(key);

	if (!strcmp(key, "policy")) {
		int policy = fc_policy_find(value);

		if (policy < 0)
			return fail(ti, "Invalid policy: fifo, lru or s3fifo");
		cfg->tune.reclaim_policy = policy;
		__set_bit(FC_TUNED_reclaim_policy, &cfg->tuned);
		return 0;
	}
	if (which >= 0) {
		if (!fc_tunable_set(&cfg->tune, which, value))
			return fail(ti, "Invalid value of an option: not a number, or out of range");
		__set_bit(which, &cfg->tuned);
		return 0;
	}
	if (!strcmp(key, "uuid"))
		return parse_uuid(value, cfg) ? fail(ti, "Invalid uuid") : 0;
	if (!strcmp(key, "disk_id"))
		return strscpy(cfg->disk_id, value, sizeof(cfg->disk_id)) < 0 ?
			fail(ti, "Invalid disk_id: longer than 255 characters") : 0;
	if (!strcmp(key, "ssd_wins"))
		return kstrtou8(value, 10, &cfg->ssd_wins) || cfg->ssd_wins > 1 ?
			fail(ti, "Invalid ssd_wins: 0 or 1") : 0;
	return fail(ti, "Unknown option: see the user guide for the list");
}

static int parse_options(struct dm_target *ti, unsigned int argc, char **argv,
			 struct fc_config *cfg)
{
	unsigned int nr, i;
	int r = 0;

	if (kstrtouint(argv[0], 10, &nr) || nr != argc - 1)
		return fail(ti, "Invalid number of option words: must count all that follow it");
	if (nr % 2)
		return fail(ti, "Invalid number of option words: options are pairs of key and value");
	for (i = 1; i < argc && !r; i += 2)
		r = parse_option(ti, argv[i], argv[i + 1], cfg);
	return r;
}

/*
 * The rest behind disk_assoc. A line of exactly ten arguments is one of version 3: its tenth is the
 * metadata block.
 */
static int parse_tail(struct dm_target *ti, unsigned int argc, char **argv, struct fc_config *cfg)
{
	int r = 0;

	if (argc == OLD_POSITIONS) {
		u32 n;

		/* 0 and 1 can only be a write_only of version 4, cut off behind it. */
		if (!kstrtou32(argv[9], 10, &n) && n > 1)
			return parse_md_block(ti, argv[9]);
	}
	if (argc > 9)
		r = parse_write_only(ti, argv[9]);
	if (!r && argc > 10)
		r = parse_md_block(ti, argv[10]);
	if (!r && argc > POSITIONS)
		r = parse_options(ti, argc - POSITIONS, argv + POSITIONS, cfg);
	return r;
}

/**
 * fc_table_parse() - read a table line
 * @ti: target; @error is set on failure
 * @argc: number of arguments
 * @argv: arguments; the devices are not opened here
 * @cfg: filled
 *
 * Return: 0 or -EINVAL.
 */
int fc_table_parse(struct dm_target *ti, unsigned int argc, char **argv, struct fc_config *cfg)
{
	int r;

	memset(cfg, 0, sizeof(*cfg));
	fc_tunables_default(&cfg->tune);
	if (argc < MIN_ARGS)
		return fail(ti, "Need at least 4 arguments: disk, cache device, name, mode");
	strscpy(cfg->disk_base, kbasename(argv[0]), sizeof(cfg->disk_base));
	strscpy(cfg->ssd_base, kbasename(argv[1]), sizeof(cfg->ssd_base));
	r = parse_name(ti, argv[2], cfg);
	if (!r)
		r = parse_mode(ti, argv[3], cfg);
	if (!r && argc > 4)
		r = parse_persist(ti, argv[4], cfg);
	if (!r && argc > 5)
		r = parse_sizes(ti, argc - 5, argv + 5, cfg);
	return r ? r : parse_tail(ti, argc, argv, cfg);
}

/* Settings that differ from the standard, as options. */
static unsigned int print_options(struct fc_cache *c, char *result, unsigned int maxlen)
{
	struct fc_tunables standard;
	unsigned int i, sz = 0;

	fc_tunables_default(&standard);
	DMEMIT(" policy %s", fc_policy_name(c->tune.reclaim_policy));
	for (i = 0; i < FC_NR_TUNABLES; i++) {
		u32 value = *fc_tunable_at(&c->tune, i);

		if (i != FC_TUNED_reclaim_policy && value != *fc_tunable_at(&standard, i))
			DMEMIT(" %s %u", fc_tunable_name(i), value);
	}
	return sz;
}

static unsigned int count_options(struct fc_cache *c)
{
	struct fc_tunables standard;
	unsigned int i, nr = 1;

	fc_tunables_default(&standard);
	for (i = 0; i < FC_NR_TUNABLES; i++)
		if (i != FC_TUNED_reclaim_policy &&
		    *fc_tunable_at(&c->tune, i) != *fc_tunable_at(&standard, i))
			nr++;
	return nr * 2;
}

/**
 * fc_table_print() - print a line that loads back
 * @c: cache
 * @result: buffer
 * @maxlen: its size
 */
void fc_table_print(struct fc_cache *c, char *result, unsigned int maxlen)
{
	const struct fc_geo_want *want = &c->cfg.want;
	const struct fc_geo *geo = &c->core.geo;
	unsigned int sz = 0;

	DMEMIT("%s %s %s %u %u", c->disk->name, c->ssd->name, c->cfg.name, c->core.mode,
	       c->cfg.persist ? c->cfg.persist : FC_PERSIST_LOAD);
	if (geo->nr_slots)
		DMEMIT(" %u %llu %u %u", geo->block_sectors, (u64)want->cache_sectors, geo->assoc,
		       geo->block_sectors << geo->cluster_shift);
	else
		DMEMIT(" %llu %llu %llu %llu", want->block_sectors, want->cache_sectors,
		       want->assoc, want->cluster_sectors);
	DMEMIT(" 0 8 %u", count_options(c));
	print_options(c, result + sz, maxlen - sz);
}
