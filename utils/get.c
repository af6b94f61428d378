// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache get: settings of a running cache.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include "columns.h"
#include "json.h"
#include "settings.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache get [-v | --json] CACHEDEV [SETTING...]\n";

static const char help[] =
	"\n"
	"Prints settings of a running cache, as 'flashcache set' takes them. Of a single\n"
	"SETTING only the value is printed.\n"
	"\n"
	"  -v, --verbose  with range, standard value and meaning\n"
	"  -j, --json     for machines; flashcache(8) describes it\n"
	"  -h, --help     this help\n"
	"\n"
	"Example:\n"
	"  flashcache get fast dirty_thresh_pct\n";

struct get {
	bool verbose;
	bool json;
	struct cache cache;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct get *g, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "verbose", no_argument, NULL, 'v' }, { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "vjh", long_options, NULL)) != -1) {
		switch (option) {
		case 'v':
			g->verbose = true;
			break;
		case 'j':
			g->json = true;
			break;
		case 'h':
			printf("%s%s", usage, help);
			return 0;
		default:
			return usage_error(usage, NULL);
		}
	}
	if (argc == optind)
		return usage_error(usage, "name a cache");
	return -1;
}

static void add_row(struct columns *table, const struct cache *c, const struct setting *s)
{
	char value[24];

	columns_add(table, "%s=%s", s->name, setting_value(c, s->name, value));
	columns_add(table, "%" PRIu64 " to %" PRIu64, s->least, s->most);
	columns_add(table, "%" PRIu64, s->standard);
	columns_add(table, "%s", setting_text(s->name));
}

static int print_verbose(const struct cache *c)
{
	struct columns table = { .align = "llll" };
	char value[24];
	size_t i;

	columns_add(&table, "SETTING");
	columns_add(&table, "RANGE");
	columns_add(&table, "STANDARD");
	columns_add(&table, "MEANING");
	columns_add(&table, "cache_mode=%s", setting_value(c, "cache_mode", value));
	columns_add(&table, "-");
	columns_add(&table, "-");
	columns_add(&table, "writeback, writethrough or writearound");
	for (i = 0; i < nr_settings; i++)
		add_row(&table, c, &settings[i]);
	columns_print(&table, stdout);
	return 0;
}

static int check_names(const struct cache *c, char *const *names, int nr)
{
	char value[24];
	int i;

	for (i = 0; i < nr; i++)
		if (!setting_value(c, names[i], value))
			return fail("%s: no such setting: 'flashcache get %s' lists them", names[i],
				    c->name);
	return 0;
}

/* @to: NULL for text. */
static void give(struct json_object *to, const struct cache *c, const char *name, bool bare)
{
	char value[24];

	setting_value(c, name, value);
	if (to)
		json_word(to, name, value);
	else if (bare)
		printf("%s\n", value);
	else
		printf("%s=%s\n", name, value);
}

static int get(const struct get *g, char *const *names, int nr)
{
	struct json_object *report = NULL, *to = NULL;
	size_t i;
	int n;

	if (g->json) {
		report = json_report();
		json_text(report, "name", g->cache.name);
		to = json_child(report, "settings");
	}
	for (n = 0; n < nr; n++)
		give(to, &g->cache, names[n], nr == 1);
	if (!nr) {
		give(to, &g->cache, "cache_mode", false);
		for (i = 0; i < nr_settings; i++)
			give(to, &g->cache, settings[i].name, false);
	}
	return report ? json_print(report) : 0;
}

int get_main(int argc, char **argv)
{
	struct get g = { .verbose = false };
	int ret = parse(&g, argc, argv);

	if (ret >= 0)
		return ret;
	ret = cache_get(&g.cache, argv[optind]);
	if (!ret)
		ret = check_names(&g.cache, argv + optind + 1, argc - optind - 1);
	if (!ret && g.verbose && !g.json)
		ret = print_verbose(&g.cache);
	else if (!ret)
		ret = get(&g, argv + optind + 1, argc - optind - 1);
	cache_free(&g.cache);
	return ret ? 1 : 0;
}
