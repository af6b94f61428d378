// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache advise: what would a cache do for this load?
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "columns.h"
#include "device.h"
#include "forecast.h"
#include "human.h"
#include "json.h"
#include "number.h"
#include "progress.h"
#include "stop.h"
#include "tint.h"
#include "tool.h"
#include "flashcache/uapi.h"

static const char usage[] =
	"Usage: flashcache advise [-s SIZE]... [-b SIZE] [-D MAJOR,MINOR] [--plot FILE.svg]\n"
	"                         [--json] [-q] TRACE\n";

static const char help[] =
	"\n"
	"Replays a trace of block I/O in simulated caches and tells how many blocks would hit,\n"
	"by cache size and policy. The caches decide by the kernel module's own code. Nothing\n"
	"needs root, and nothing is written but the plot.\n"
	"\n"
	"  TRACE          a file, perhaps compressed by xz, or - for standard input:\n"
	"                   blkparse's output (of blktrace)\n"
	"                   a log of fio (write_iolog=, versions 2 and 3)\n"
	"                   lines time_us,op,offset,length; op is r or w; bytes\n"
	"  -s SIZE        a size of cache to try, may be given several times (default: from\n"
	"                 the working set downwards by halves)\n"
	"  -b SIZE        cache block, 4k to 64k (default 4k)\n"
	"  -D MAJOR,MINOR the device in blkparse's output (default: the first one)\n"
	"      --plot FILE.svg  draw it, too\n"
	"  -j, --json     for machines; flashcache(8) describes it\n"
	"  -q, --quiet    no progress bar\n"
	"  -h, --help     this help\n"
	"\n"
	"A SIZE is a number with k, m, g or t, or a number of 512-byte sectors.\n"
	"\n"
	"Example: record an hour of a disk's life, then ask\n"
	"  blktrace -d /dev/sdb -a queue -w 3600 -o - | blkparse -i - | xz >sdb.xz\n"
	"  flashcache advise --plot sdb.svg sdb.xz\n"
	"\n"
	"Everything counts as cold at the beginning, so the longer the trace, the better.\n";

struct advise {
	bool json;
	const char *plot;
	const char *device;
	const char *path;
	u64 sizes[FORECAST_SIZES];	/* wanted, in sectors */
	unsigned int nr_sizes;
	struct trace trace;
	struct forecast forecast;
};

static int add_size(struct advise *a, const char *text)
{
	u64 *size = &a->sizes[a->nr_sizes];

	if (a->nr_sizes == FORECAST_SIZES)
		return fail("-s: at most %u sizes", FORECAST_SIZES);
	if (number_parse_sectors(text, size) || !*size)
		return fail("-s %s: not a size: give a number with k, m, g or t", text);
	a->nr_sizes++;
	return 0;
}

static int set_block(struct advise *a, const char *text)
{
	u64 block;

	if (number_parse_sectors(text, &block) || block < FC_BLOCK_MIN || block > FC_BLOCK_MAX ||
	    block & (block - 1))
		return fail("-b %s: not a block size: a power of two from 4k to 64k", text);
	a->forecast.block_sectors = (u32)block;
	return 0;
}

static int set_plot(struct advise *a, const char *path)
{
	size_t len = strlen(path);

	if (len < 5 || strcmp(path + len - 4, ".svg"))
		return fail("--plot %s: only SVG can be drawn: name it FILE.svg", path);
	a->plot = path;
	return 0;
}

static int set_option(struct advise *a, int option)
{
	switch (option) {
	case 's':
		return add_size(a, optarg);
	case 'b':
		return set_block(a, optarg);
	case 'p':
		return set_plot(a, optarg);
	case 'D':
		a->device = optarg;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case 'q':
		progress_quiet();
		return 0;
	default:
		return -1;	/* getopt has said why */
	}
}

/* Return: -1 to go on, else an exit status. */
static int parse(struct advise *a, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "size", required_argument, NULL, 's' }, { "block", required_argument, NULL, 'b' },
		{ "plot", required_argument, NULL, 'p' }, { "json", no_argument, NULL, 'j' },
		{ "device", required_argument, NULL, 'D' }, { "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "s:b:D:jqh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (set_option(a, option))
			return usage_error(usage, NULL);
	}
	if (argc - optind != 1)
		return usage_error(usage, "name one trace, or - for standard input");
	a->path = argv[optind];
	return -1;
}

static int by_size(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void choose_sizes(struct advise *a)
{
	struct forecast *f = &a->forecast;
	unsigned int i;

	if (!a->nr_sizes) {
		forecast_sizes(f);
		return;
	}
	qsort(a->sizes, a->nr_sizes, sizeof(a->sizes[0]), by_size);
	for (i = 0; i < a->nr_sizes; i++)
		f->sizes[i] = a->sizes[i] / f->block_sectors;
	f->nr_sizes = a->nr_sizes;
}

static int run(struct advise *a)
{
	struct forecast *f = &a->forecast;

	if (trace_read(&a->trace, a->path, a->device))
		return -1;
	if (a->trace.others)
		note("%" PRIu64 " events of other devices than %s are left out (-D chooses)",
		     a->trace.others, a->trace.device);
	f->trace = &a->trace;
	if (workset_count(&f->set, f->trace, f->block_sectors))
		return -1;
	choose_sizes(a);
	return forecast_run(f);
}

/* --- the result ------------------------------------------------------------------------------- */

static void print_head(const struct advise *a)
{
	const struct forecast *f = &a->forecast;
	human_text nr, reads, set, most;

	printf("%s: %s\n", a->trace.path, a->trace.format);
	printf("  requests      %s, %s of the blocks they touch by reads\n",
	       human_count(nr, a->trace.nr), human_percent(reads, f->set.reads, f->set.accesses));
	printf("  working set   %s\n",
	       human_bytes(set, f->set.distinct * f->block_sectors * SECTOR_SIZE));
	printf("  at most       %s can hit: each block is touched a first time\n\n",
	       human_percent(most, f->set.accesses - f->set.distinct, f->set.accesses));
}

static void print_table(const struct advise *a)
{
	const struct forecast *f = &a->forecast;
	struct columns table = { .align = "rrrrr" };
	unsigned int i, policy;
	human_text text;

	columns_add(&table, "CACHE");
	columns_add(&table, "OF WORKING SET");
	for (policy = 0; policy < FORECAST_POLICIES; policy++)
		columns_add(&table, "%s", forecast_policy(policy));
	for (i = 0; i < f->nr_sizes; i++) {
		columns_add(&table, "%s", human_bytes(text, forecast_bytes(f, i)));
		columns_add(&table, "%s", human_percent(text, f->cells[i][0].blocks,
							f->set.distinct));
		for (policy = 0; policy < FORECAST_POLICIES; policy++)
			columns_add(&table, "%s", human_percent(text, f->cells[i][policy].hits,
								f->set.accesses));
	}
	columns_print(&table, stdout);
}

static void print_choice(const struct forecast *f)
{
	struct forecast_choice c;
	human_text size, hits;

	forecast_choose(f, &c);
	if (!c.useful) {
		printf("\n%sA cache would not help%s: little is touched twice.\n", tint(TINT_WARN),
		       tint(TINT_NONE));
		return;
	}
	printf("\n%sAbout %s with %s%s: %s of the blocks hit", tint(TINT_GOOD),
	       human_bytes(size, forecast_bytes(f, c.size)), forecast_policy(c.policy),
	       tint(TINT_NONE),
	       human_percent(hits, f->cells[c.size][c.policy].hits, f->set.accesses));
	printf(c.size + 1 < f->nr_sizes ? "; more brings little more.\n" :
	       "; a smaller one would lose much.\n");
}

static void add_policies(struct json_object *to, const struct forecast *f, unsigned int size)
{
	unsigned int policy;

	for (policy = 0; policy < FORECAST_POLICIES; policy++) {
		const struct forecast_cell *cell = &f->cells[size][policy];
		struct json_object *child = json_child(to, forecast_policy(policy));

		json_ratio(child, "hit_ratio", cell->hits, f->set.accesses);
		json_ratio(child, "read_hit_ratio", cell->read_hits, f->set.reads);
	}
}

static int print_json(const struct advise *a)
{
	const struct forecast *f = &a->forecast;
	struct json_object *report = json_report(), *list, *item;
	struct forecast_choice c;
	unsigned int i;

	forecast_choose(f, &c);
	json_text(report, "trace", a->trace.path);
	json_text(report, "format", a->trace.format);
	json_number(report, "requests", a->trace.nr);
	json_number(report, "block_bytes", (u64)f->block_sectors * SECTOR_SIZE);
	json_number(report, "block_accesses", f->set.accesses);
	json_number(report, "block_reads", f->set.reads);
	json_number(report, "working_set_bytes", f->set.distinct * f->block_sectors * SECTOR_SIZE);
	list = json_list(report, "caches");
	for (i = 0; i < f->nr_sizes; i++) {
		item = json_item(list);
		json_number(item, "cache_bytes", forecast_bytes(f, i));
		add_policies(item, f, i);
	}
	item = json_child(report, "recommended");
	json_flag(item, "useful", c.useful);
	json_number(item, "cache_bytes", forecast_bytes(f, c.size));
	json_text(item, "policy", forecast_policy(c.policy));
	return json_print(report);
}

static int tell(const struct advise *a)
{
	if (a->plot && plot_write(&a->forecast, a->plot))
		return -1;
	if (a->json)
		return print_json(a);
	print_head(a);
	print_table(a);
	print_choice(&a->forecast);
	return fflush(stdout) ? fail("cannot write: %s", strerror(errno)) : 0;
}

int advise_main(int argc, char **argv)
{
	struct advise a = { .forecast.block_sectors = FC_BLOCK_DEFAULT };
	int ret = parse(&a, argc, argv);

	if (ret >= 0)
		return ret;
	stop_catch();
	ret = run(&a);
	if (!ret)
		ret = tell(&a);
	trace_free(&a.trace);
	if (stop_asked())
		return EXIT_STOPPED;
	return ret ? 1 : 0;
}
