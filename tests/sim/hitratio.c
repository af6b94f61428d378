// SPDX-License-Identifier: GPL-2.0
/*
 * hitratio: run a trace through the core's own desk (utils/simulate.c), count what it finds in the
 * cache.
 *
 *   hitratio --trace FILE|- --blocks N [--policy fifo|lru|s3fifo] [--assoc A] [--cluster C]
 *	      [--block-sectors S]
 *
 * The trace has lines `time_us,op,offset,length` (bytes; op r or w), perhaps below a line of names.
 * Each block that a request touches is one access; it hits when the cache holds all sectors of it
 * that the request wants to read, or the block that it wants to write.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "simulate.h"
#include "flashcache/uapi.h"

#define SECTOR_SHIFT	9

struct options {
	const char *trace;
	struct simulate_want want;
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
			opt->want.blocks = number(optarg, "--blocks");
			break;
		case 'p':
			opt->want.policy = policy_of(optarg);
			break;
		case 'a':
			opt->want.assoc = (u32)number(optarg, "--assoc");
			break;
		case 'c':
			opt->want.cluster = (u32)number(optarg, "--cluster");
			break;
		case 'b':
			opt->want.block_sectors = (u32)number(optarg, "--block-sectors");
			break;
		default:
			exit(2);
		}
	}
	if (!opt->trace || !opt->want.blocks || optind != argc)
		fail("usage", "hitratio --trace FILE|- --blocks N [--policy P] [--assoc A]"
		     " [--cluster BLOCKS] [--block-sectors S]");
}

/* Returns false when the line is none of a trace. */
static bool parse_line(const char *line, char *op, u64 *offset, u64 *length)
{
	return sscanf(line, "%*[^,],%c,%" SCNu64 ",%" SCNu64, op, offset, length) == 3 &&
	       (*op == 'r' || *op == 'w') && *length && *offset + *length > *offset;
}

static void replay(struct simulate *s, FILE *in)
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
		if (end > SIMULATE_DISK)
			fail("offset too large", line);
		simulate_request(s, op == 'w', offset >> SECTOR_SHIFT,
				 end - (offset >> SECTOR_SHIFT));
		if (s->why)
			fail(s->why, NULL);
	}
	if (ferror(in))
		fail("cannot read the trace", NULL);
	if (!s->accesses)
		fail("the trace is empty", NULL);
}

int main(int argc, char **argv)
{
	struct options opt = { .want.policy = FC_POLICY_S3FIFO };
	struct simulate s;
	FILE *in = stdin;

	parse(&opt, argc, argv);
	if (simulate_begin(&s, &opt.want))
		fail(s.why, NULL);
	if (strcmp(opt.trace, "-"))
		in = fopen(opt.trace, "r");
	if (!in)
		fail("cannot open", opt.trace);
	replay(&s, in);
	printf("slots: %" PRIu64 "\nbytes_per_slot: %.2f\naccesses: %" PRIu64 "\nhits: %" PRIu64
	       "\nno_room: %" PRIu64 "\nhit_ratio: %.2f\n", s.core.geo.nr_slots,
	       (double)s.core.stride / s.core.geo.assoc, s.accesses, s.hits, s.no_room,
	       100.0 * (double)s.hits / (double)s.accesses);
	simulate_end(&s);
	return 0;
}
