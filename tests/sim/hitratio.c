// SPDX-License-Identifier: GPL-2.0
/*
 * hitratio: run a trace through the core's own desk and count what it finds in the cache.
 *
 *   hitratio --trace FILE|- --blocks N [--policy fifo|lru|s3fifo] [--assoc A] [--cluster C]
 *	      [--block-sectors S]
 *
 * The trace has lines `time_us,op,offset,length` (bytes; op r or w), perhaps below a line of names.
 * Each block that a request touches is one access; it hits when the cache holds all sectors of it that
 * the request wants to read, or the block that it wants to write. Every plan ends at once and well, nothing passes
 * by the cache, and nothing stays dirty (write-through).
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "desk.h"
#include "flashcache/uapi.h"

#define SECTOR_SHIFT	9
#define DISK_SECTORS	((sector_t)1 << FC_BLOCK_BITS)

struct options {
	const char *trace;
	u64 blocks;
	u8 policy;
	u32 assoc;
	u32 cluster;
	u32 block_sectors;
};

struct counts {
	u64 accesses;
	u64 hits;
	u64 no_room;
};

static _Noreturn void fail(const char *what, const char *detail)
{
	fprintf(stderr, "hitratio: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
	exit(2);
}

static u64 number(const char *word, const char *name)
{
	char *end;
	u64 n;

	errno = 0;
	n = strtoull(word, &end, 10);
	if (errno || end == word || *end || *word == '-')
		fail("not a number", name);
	return n;
}

static u8 policy_of(const char *word)
{
	static const char *const names[] = FC_POLICY_NAMES;
	u8 i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(word, names[i]))
			return i;
	fail("no such policy", word);
}

static void parse(struct options *opt, int argc, char **argv)
{
	static const struct option words[] = {
		{ "trace", required_argument, NULL, 't' },
		{ "blocks", required_argument, NULL, 'n' },
		{ "policy", required_argument, NULL, 'p' },
		{ "assoc", required_argument, NULL, 'a' },
		{ "cluster", required_argument, NULL, 'c' },
		{ "block-sectors", required_argument, NULL, 'b' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", words, NULL)) != -1) {
		switch (c) {
		case 't':
			opt->trace = optarg;
			break;
		case 'n':
			opt->blocks = number(optarg, "--blocks");
			break;
		case 'p':
			opt->policy = policy_of(optarg);
			break;
		case 'a':
			opt->assoc = (u32)number(optarg, "--assoc");
			break;
		case 'c':
			opt->cluster = (u32)number(optarg, "--cluster");
			break;
		case 'b':
			opt->block_sectors = (u32)number(optarg, "--block-sectors");
			break;
		default:
			exit(2);
		}
	}
	if (!opt->trace || !opt->blocks || optind != argc)
		fail("usage", "hitratio --trace FILE|- --blocks N [--policy P] [--assoc A]"
		     " [--cluster BLOCKS] [--block-sectors S]");
}

/* A geometry of exactly the wanted number of slots, or the nearest number of whole sets. */
static void make_core(struct fc_core *core, const struct options *opt)
{
	struct fc_geo_want want = {
		.block_sectors = opt->block_sectors,
		.assoc = opt->assoc,
		.cluster_sectors = (u64)opt->cluster * (opt->block_sectors ?
							opt->block_sectors : FC_BLOCK_DEFAULT),
		.flash_sectors = (sector_t)1 << 40,
		.disk_sectors = DISK_SECTORS,
	};
	const char *why;
	u32 i;

	if (fc_geo_init(&core->geo, &want, &why))
		fail(why, NULL);
	core->geo.nr_sets = (u32)((opt->blocks + core->geo.assoc / 2) / core->geo.assoc);
	if (!core->geo.nr_sets)
		core->geo.nr_sets = 1;
	core->geo.nr_slots = (u64)core->geo.nr_sets * core->geo.assoc;
	core->mode = FC_MODE_WRITETHROUGH;
	core->policy = opt->policy;
	core->dirty_limit = (u16)core->geo.assoc;
	core->stride = fc_set_bytes(core->geo.assoc);
	core->sets = calloc(core->geo.nr_sets, core->stride);
	if (!core->sets)
		fail("out of memory", NULL);
	for (i = 0; i < core->geo.nr_sets; i++)
		fc_set_init(core, fc_core_set(core, i));
}

static void count_no_room(struct counts *n, const struct fc_plan *plan)
{
	n->no_room += !!(plan->flags & FC_PLAN_NO_ROOM);
}

/* Reads within one block; whatever is missing is fetched. Returns true when nothing was. */
static bool read_block(struct fc_core *core, struct fc_set *set, struct fc_ask ask,
		       struct counts *n)
{
	struct fc_plan plan;
	bool hit = true, elsewhere;

	while (ask.nr) {
		fc_desk_read(core, set, &ask, &plan);
		count_no_room(n, &plan);
		if (plan.verdict == FC_HIT)
			fc_desk_done_read(core, set, &plan, true, &elsewhere);
		else if (plan.verdict == FC_FILL)
			fc_desk_done_fill(core, set, &plan, true);
		else if (plan.verdict != FC_DISK)
			fail("unexpected verdict of a read", NULL);
		hit = hit && plan.verdict == FC_HIT;
		ask.sector += plan.nr;
		ask.nr -= plan.nr;
	}
	return hit;
}

/* Writes within one block. Returns true when the block was there. */
static bool write_block(struct fc_core *core, struct fc_set *set, const struct fc_ask *ask,
			struct counts *n)
{
	struct fc_plan plan;

	fc_desk_write(core, set, ask, &plan);
	count_no_room(n, &plan);
	if (plan.verdict == FC_BOTH)
		fc_desk_done_both(core, set, &plan, true);
	else if (plan.verdict == FC_AROUND)
		fc_desk_done_around(core, set, &plan);
	else
		fail("unexpected verdict of a write", NULL);
	if (plan.nr != ask->nr)
		fail("a write within a block was cut", NULL);
	return plan.verdict == FC_BOTH && !(plan.flags & FC_PLAN_NEW);
}

static void request(struct fc_core *core, bool write, sector_t sector, sector_t end,
		    struct counts *n)
{
	const struct fc_geo *geo = &core->geo;

	while (sector < end) {
		struct fc_oblock b = fc_geo_block(geo, sector);
		sector_t next = fc_geo_block_sector(geo, b) + geo->block_sectors;
		struct fc_ask ask = {
			.sector = sector,
			.nr = (u32)((next < end ? next : end) - sector),
			.hash = fc_geo_hash(geo, b),
			.admit = true,
		};
		struct fc_set *set = fc_core_set(core, fc_geo_set(geo, ask.hash));

		n->accesses++;
		n->hits += write ? write_block(core, set, &ask, n) :
				   read_block(core, set, ask, n);
		sector += ask.nr;
	}
}

/* Returns false when the line is none of a trace. */
static bool parse_line(const char *line, char *op, u64 *offset, u64 *length)
{
	return sscanf(line, "%*[^,],%c,%" SCNu64 ",%" SCNu64, op, offset, length) == 3 &&
	       (*op == 'r' || *op == 'w') && *length && *offset + *length > *offset;
}

static void replay(struct fc_core *core, FILE *in, struct counts *n)
{
	char line[256], op;
	u64 offset, length, nr = 0;

	while (fgets(line, sizeof(line), in)) {
		sector_t end;

		if (!nr++ && !strncmp(line, "time", 4))
			continue;
		if (!parse_line(line, &op, &offset, &length))
			fail("bad line in trace", line);
		end = (offset + length + (1u << SECTOR_SHIFT) - 1) >> SECTOR_SHIFT;
		if (end > DISK_SECTORS)
			fail("offset too large", line);
		request(core, op == 'w', offset >> SECTOR_SHIFT, end, n);
	}
	if (ferror(in))
		fail("cannot read the trace", NULL);
	if (!n->accesses)
		fail("the trace is empty", NULL);
}

int main(int argc, char **argv)
{
	struct options opt = { .policy = FC_POLICY_S3FIFO };
	struct fc_core core = { 0 };
	struct counts n = { 0 };
	FILE *in = stdin;

	parse(&opt, argc, argv);
	make_core(&core, &opt);
	if (strcmp(opt.trace, "-"))
		in = fopen(opt.trace, "r");
	if (!in)
		fail("cannot open", opt.trace);
	replay(&core, in, &n);
	printf("slots: %" PRIu64 "\nbytes_per_slot: %.2f\naccesses: %" PRIu64 "\nhits: %" PRIu64
	       "\nno_room: %" PRIu64 "\nhit_ratio: %.2f\n", core.geo.nr_slots,
	       (double)core.stride / core.geo.assoc, n.accesses, n.hits, n.no_room,
	       100.0 * (double)n.hits / (double)n.accesses);
	free(core.sets);
	return 0;
}
