// SPDX-License-Identifier: GPL-2.0
/*
 * fcfault: a fixed workload on a cache over two legs of dm-powercut ("pdisk" and "pssd"), again and
 * again; each time another I/O of one of them fails.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "fault.h"
#include "options.h"

static const char usage[] =
"usage: fcfault [OPTION...] MODE       writeback, writethrough or writearound\n"
"\n"
"  --forever        it fails from the k-th I/O on until the end of the workload, not once\n"
"  --stride N       every N-th k only                                        [1]\n"
"  --first N        beginning with this one, or an earlier if there are fewer [1]\n"
"  --leg NAME       pdisk or pssd only                                       [both]\n"
"  --kind NAME      read, write, flush or discard only                       [all]\n"
"  --k N            this k only\n"
"  --blame-nobody   every I/O error counts as wrong: must find some\n"
"  --expect-wrong   expects data that was not written: must find some\n"
"\n"
"Exit: 0 all is well, 1 cannot run, 2 a rule was broken.\n";

struct options {
	const char *mode, *leg, *kind;
	uint64_t stride, first, k;
	int forever, blame_nobody, expect_wrong;
};

/* What all lives together did. */
struct total {
	unsigned int lives;
	unsigned int struck;
	unsigned int errors;
	unsigned int wrong;
};

/* --- the workload ----------------------------------------------------------------------------- */

/* Cluster c of the disk: 16 blocks. */
#define CLUSTER(c)	((c) * 16 * BLOCK_SECTORS)

/* Writes whole and in part, over nothing, over clean and over dirty blocks. */
static void writes(struct life *l)
{
	life_write(l, CLUSTER(0), 32, 0);
	life_write(l, CLUSTER(1) + 3, 1, 0);
	life_write(l, 64, 16, 0);
	life_write(l, 66, 4, 0);
	life_flush(l);
	life_write(l, 64, 8, 1);
	life_write(l, CLUSTER(2), 8, 1);
	life_write(l, CLUSTER(2) + 5, 9, 1);
	life_write(l, 2, 5, 0);
}

/* Hits, blocks that are cached in part, misses, and writes over what they brought. */
static void reads(struct life *l)
{
	life_read(l, CLUSTER(0), 32);
	life_read(l, 64, 16);
	life_read(l, CLUSTER(1), 8);
	life_read(l, CLUSTER(2), 16);
	life_read(l, CLUSTER(3), 40);
	life_read(l, CLUSTER(3) + 1, 20);
	life_write(l, CLUSTER(3) + 8, 10, 0);
	life_read(l, CLUSTER(3), 40);
	life_expect(l, "fills");
	life_expect(l, "read_hits");
	life_flush(l);
}

static void cleaning(struct life *l)
{
	life_clean(l);
	if (l->mode == 1)
		life_expect(l, "cleanings");
	life_flush(l);
	life_read(l, CLUSTER(0), 32);
	life_write(l, 64, 8, 0);
	life_flush(l);
}

/* Over dirty, clean and uncached blocks; in part at both ends. */
static void discards(struct life *l)
{
	life_discard(l, CLUSTER(0) + 4, 80);
	life_read(l, CLUSTER(0), 96);
	life_write(l, CLUSTER(0) + 16, 8, 0);
	life_discard(l, CLUSTER(4), 16);
	life_flush(l);
}

/* More than the cache holds: blocks must go, dirty ones be cleaned first. */
static void replacement(struct life *l)
{
	uint32_t c;

	for (c = 8; c < 28; c++) {
		if (c % 5 < 2)
			life_write(l, CLUSTER(c), 128, 0);
		else
			life_read(l, CLUSTER(c), 128);
	}
	/* Beside the cache: that brought nothing in yet. */
	for (c = 8; c < 28 && l->mode == 3; c++) {
		if (c % 5 < 2)
			life_read(l, CLUSTER(c), 128);
	}
	life_read(l, CLUSTER(8), 128);
	life_read(l, CLUSTER(27), 64);
	life_flush(l);
	life_read(l, CLUSTER(0), 32);
	life_expect(l, "replacements");
}

/* To write-through and back while blocks are dirty. */
static void modes(struct life *l)
{
	life_write(l, CLUSTER(5), 16, 0);
	life_mode(l, "writethrough");
	life_write(l, CLUSTER(5) + 4, 8, 0);
	life_write(l, CLUSTER(27), 8, 0);
	life_flush(l);
	life_mode(l, "writearound");
	life_write(l, CLUSTER(5), 4, 1);
	life_mode(l, l->mode_name);
	life_write(l, CLUSTER(5) + 10, 4, 0);
}

/* So many commits that the log is half full: a checkpoint under way. */
static void checkpoint(struct life *l)
{
	uint32_t i;

	if (l->mode != 1)
		return;
	for (i = 0; i < 34; i++) {
		life_write(l, CLUSTER(6) + i * BLOCK_SECTORS, 1, 0);
		life_flush(l);
	}
	life_expect(l, "checkpoints");
}

static void restarts(struct life *l)
{
	life_write(l, CLUSTER(7), 24, 0);
	life_suspend(l);
	life_read(l, CLUSTER(7), 24);
	life_write(l, CLUSTER(7), 4, 1);
	life_remove(l, 1);
	life_create(l, 1);
	life_read(l, CLUSTER(7), 32);
	life_write(l, CLUSTER(7) + 2, 2, 0);
	life_write(l, CLUSTER(28), 8, 0);
	life_flush(l);
	life_write(l, CLUSTER(28), 2, 0);
	life_crash(l);
	life_write(l, CLUSTER(28) + 4, 8, 0);
	life_read(l, CLUSTER(27), 128);
	life_flush(l);
	life_write(l, CLUSTER(28) + 1, 2, 0);
}

/* Returns what the legs saw until the faults were healed. */
static struct tally live(struct life *l)
{
	struct tally until;

	life_begin(l);
	life_create(l, 3);
	writes(l);
	reads(l);
	cleaning(l);
	discards(l);
	replacement(l);
	modes(l);
	checkpoint(l);
	restarts(l);
	life_end(l, &until);
	return until;
}

/* --- all lives -------------------------------------------------------------------------------- */

static void add_up(struct total *t, const struct life *l)
{
	t->lives++;
	t->struck += life_struck(l);
	t->errors += l->errors;
	t->wrong += l->wrong;
}

static uint64_t first_k(const struct options *o, uint64_t most)
{
	if (o->k)
		return o->k;
	return 1 + (o->first - 1) % (o->stride < most ? o->stride : most);
}

/* Every k of a kind of I/O of a leg, in turn with an orderly end and with a cut. */
static void fail_each(struct life *l, const struct options *o, uint64_t most, struct total *all)
{
	struct total t = { 0 };
	uint64_t k = first_k(o, most);

	for (; k <= most; k += o->stride) {
		l->k = k;
		l->cut = (k / o->stride + o->first) % 2;
		live(l);
		add_up(&t, l);
		if (o->k)
			break;
	}
	printf("fcfault: %s, %s %s: %u of %" PRIu64 " failed in turn%s, %u struck, %u I/O errors\n",
	       o->mode, leg_names[l->leg], kind_names[l->kind], t.lives, most,
	       o->forever ? " for good" : "", t.struck, t.errors);
	all->lives += t.lives;
	all->struck += t.struck;
	all->errors += t.errors;
	all->wrong += t.wrong;
}

/* Without any fault nothing may fail; tells how many I/Os of each kind there are. */
static struct tally clean_life(struct life *l, int cut, struct total *all)
{
	struct tally t;
	unsigned int leg, kind;

	l->k = 0;
	l->cut = cut;
	t = live(l);
	if (l->errors)
		l->wrong++;
	add_up(all, l);
	for (leg = 0; leg < NR_LEGS; leg++) {
		for (kind = 0; kind < NR_KINDS; kind++)
			t.seen[leg][kind] -= l->start.seen[leg][kind];
	}
	return t;
}

static int wanted(const char *name, const char *only)
{
	return !only || !strcmp(name, only);
}

static void run(struct life *l, const struct options *o, struct total *all)
{
	struct tally most;
	unsigned int leg, kind;

	clean_life(l, 1, all);
	most = clean_life(l, 0, all);
	for (leg = 0; leg < NR_LEGS; leg++) {
		for (kind = 0; kind < NR_KINDS; kind++) {
			if (!most.seen[leg][kind] || !wanted(leg_names[leg], o->leg) ||
			    !wanted(kind_names[kind], o->kind))
				continue;
			l->leg = leg;
			l->kind = kind;
			fail_each(l, o, most.seen[leg][kind], all);
		}
	}
}

static int mode_number(const char *mode)
{
	static const char *const names[] = { "", "writeback", "writethrough", "writearound" };
	int i;

	for (i = 1; i < 4; i++) {
		if (!strcmp(names[i], mode))
			return i;
	}
	die(EXIT_USAGE, "no mode '%s'", mode);
}

static void parse_options(struct options *o, char **argv)
{
	const struct option_rule rules[] = {
		{ "--forever", OPTION_FLAG, &o->forever, 0, 0 },
		{ "--stride", OPTION_NUMBER, &o->stride, 1, 1000000 },
		{ "--first", OPTION_NUMBER, &o->first, 1, 1000000 },
		{ "--leg", OPTION_TEXT, &o->leg, 0, 0 },
		{ "--kind", OPTION_TEXT, &o->kind, 0, 0 },
		{ "--k", OPTION_NUMBER, &o->k, 1, 1000000 },
		{ "--blame-nobody", OPTION_FLAG, &o->blame_nobody, 0, 0 },
		{ "--expect-wrong", OPTION_FLAG, &o->expect_wrong, 0, 0 },
		{ NULL, OPTION_FLAG, NULL, 0, 0 }
	};

	*o = (struct options){ .stride = 1, .first = 1 };
	options_parse(rules, usage, argv, &o->mode, 1);
}

int main(int argc, char **argv)
{
	struct total all = { 0 };
	struct options o;
	struct life l;

	program = "fcfault";
	setvbuf(stdout, NULL, _IOLBF, 0);
	parse_options(&o, argv);
	memset(&l, 0, sizeof(l));
	l.mode = mode_number(o.mode);
	l.mode_name = o.mode;
	l.forever = o.forever;
	l.blame_nobody = o.blame_nobody;
	l.expect_wrong = o.expect_wrong;
	watch_start(&l);
	run(&l, &o, &all);
	printf("fcfault: %s: %u lives, %u struck, %u I/O errors, %u wrong\n", o.mode, all.lives,
	       all.struck, all.errors, all.wrong);
	return all.wrong ? EXIT_MISMATCH : EXIT_OK;
}
