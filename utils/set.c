// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache set: change settings of a running cache.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "settings.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache set CACHEDEV SETTING=VALUE...\n";

static const char help[] =
	"\n"
	"Changes settings of a running cache; they count at once. Either all of them are\n"
	"changed or none. The cache remembers them when it is stopped in order, except those\n"
	"that flashcache(7) marks.\n"
	"\n"
	"  -h, --help  this help\n"
	"\n"
	"Settings:\n"
	"  cache_mode           writeback, writethrough or writearound\n";

static const char help_orders[] =
	"Orders:\n"
	"  zero_stats=1         set all counters to 0\n"
	"  do_sync=1            begin to clean everything ('flashcache flush' also waits)\n"
	"  stop_sync=1          stop that\n"
	"\n"
	"Examples:\n"
	"  flashcache set fast dirty_thresh_pct=40 skip_seq_thresh_kb=1m\n"
	"  flashcache set fast cache_mode=writethrough\n";

static void print_help(void)
{
	size_t i;

	printf("%s%s", usage, help);
	for (i = 0; i < nr_settings; i++)
		printf("  %-20s %s\n  %-20s (%" PRIu64 " to %" PRIu64 ", standard %" PRIu64 ")\n",
		       settings[i].name, setting_text(settings[i].name), "", settings[i].least,
		       settings[i].most, settings[i].standard);
	printf("%s", help_orders);
}

/* Return: -1 to go on, else an exit status. */
static int parse(int argc, char **argv)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option = getopt_long(argc, argv, "h", long_options, NULL);

	if (option == 'h') {
		print_help();
		return 0;
	}
	if (option != -1)
		return usage_error(usage, NULL);
	if (argc - optind < 2)
		return usage_error(usage, "name a cache and what to set");
	return -1;
}

static int send_change(const struct cache *c, const char *name, const char *value)
{
	char message[64];

	snprintf(message, sizeof(message), "%s %s", name, value);
	return mapper_send(c->name, message);
}

/* As it was before; orders cannot be taken back and need not be. */
static void take_back(const struct cache *c, const struct change *changes, int nr)
{
	char old[24], message[64];
	struct change back;

	while (nr--) {
		if (!setting_value(c, changes[nr].name, old))
			continue;
		snprintf(message, sizeof(message), "%s=%s", changes[nr].name, old);
		if (!change_parse(&back, message))
			send_change(c, back.name, back.value);
	}
}

static int set_all(const struct cache *c, const struct change *changes, int nr)
{
	int i, error;

	for (i = 0; i < nr; i++) {
		error = send_change(c, changes[i].name, changes[i].value);
		if (!error)
			continue;
		take_back(c, changes, i);
		return fail("the kernel refuses %s=%s (%s): nothing is changed; its log may say why",
			    changes[i].name, changes[i].value, strerror(error));
	}
	return 0;
}

static int set(const char *name, char *const *words, int nr)
{
	struct change *changes = calloc((size_t)nr, sizeof(*changes));
	struct cache cache = { .sectors = 0 };
	int i, ret = 0;

	if (!changes)
		return fail("not enough memory");
	for (i = 0; i < nr && !ret; i++)
		ret = change_parse(&changes[i], words[i]);
	if (!ret)
		ret = cache_get(&cache, name);
	if (!ret)
		ret = set_all(&cache, changes, nr);
	cache_free(&cache);
	free(changes);
	return ret;
}

int set_main(int argc, char **argv)
{
	int ret = parse(argc, argv);

	if (ret >= 0)
		return ret;
	return set(argv[optind], argv + optind + 1, argc - optind - 1) ? 1 : 0;
}
