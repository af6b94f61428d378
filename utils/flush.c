// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache flush: write the dirty blocks of a running cache to its disk.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include "human.h"
#include "progress.h"
#include "stop.h"
#include "sweep.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache flush [-q] CACHEDEV...\n";

static const char help[] =
	"\n"
	"Writes the dirty blocks of a running cache to its disk and waits until that is\n"
	"done. The cache can be used meanwhile, and keeps what it holds. Ctrl-C stops it;\n"
	"what is dirty then stays so.\n"
	"\n"
	"  -q, --quiet  no progress bar\n"
	"  -h, --help   this help\n"
	"\n"
	"It ends when all blocks that were dirty have been written, even if users have made\n"
	"others dirty. For a disk that is up to date, stop the users first.\n";

/* Return: -1 to go on, else an exit status. */
static int parse(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "quiet", no_argument, NULL, 'q' }, { "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "qh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (option != 'q')
			return usage_error(usage, NULL);
		progress_quiet();
	}
	return argc == optind ? usage_error(usage, "name a cache") : -1;
}

static int flush(struct cache *c)
{
	u64 first = cache_number(c, "dirty");
	human_text size;

	if (c->info.suspended)
		return fail("%s is suspended: resume it first (dmsetup resume %s)", c->name,
			    c->name);
	switch (sweep(c)) {
	case SWEEP_CLEAN:
		printf("%s: %s written, nothing is dirty\n", c->name,
		       human_bytes(size, first * cache_block_bytes(c)));
		return 0;
	case SWEEP_CHASED:
		printf("%s: written; its users made others dirty meanwhile: %" PRIu64 " blocks\n",
		       c->name, cache_number(c, "dirty"));
		return 0;
	case SWEEP_STOPPED:
		fail("stopped: %" PRIu64 " blocks of %s are still dirty", cache_number(c, "dirty"),
		     c->name);
		return EXIT_STOPPED;
	case SWEEP_FAILED:
		break;
	}
	return -1;
}

int flush_main(int argc, char **argv)
{
	int ret = parse(argc, argv), status = 0;
	struct cache_list list;
	size_t i;

	if (ret >= 0)
		return ret;
	ret = cache_get_list(&list, argv + optind, argc - optind);
	for (i = 0; !ret && i < list.nr && status != EXIT_STOPPED; i++) {
		int one = flush(&list.at[i]);

		if (one)
			status = one < 0 ? 1 : one;
	}
	cache_free_list(&list);
	return ret ? 1 : status;
}
