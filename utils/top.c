// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache top: what caches do right now.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "human.h"
#include "json.h"
#include "number.h"
#include "stop.h"
#include "tool.h"
#include "top.h"

#define HEAD_PERIOD	20u	/* lines between two titles */

static const char usage[] =
	"Usage: flashcache top [-d SECONDS] [-n COUNT] [-b] [--json] [CACHEDEV...]\n";

static const char help[] =
	"\n"
	"Shows what caches do: hits, dirty blocks, cleaning, and how fast the cache and both\n"
	"of its devices answer. On a terminal it is a screen that moves; q ends it, + and -\n"
	"change the delay. Otherwise it prints a line for each cache and look.\n"
	"\n"
	"  -d SECONDS  between two looks, 1 to 3600 (default 1)\n"
	"  -n COUNT    end after that many looks\n"
	"  -b          lines, even on a terminal\n"
	"  -j, --json  an object a line for each look; flashcache(8) describes it\n"
	"  -h, --help  this help\n"
	"\n"
	"The lines: blocks read and written in a second and how many of them hit, share of\n"
	"the cache that is dirty, data cleaned in a second, I/Os in a second and milliseconds\n"
	"each of them took, for the cache as its users see it, the ssd and the disk.\n";

struct options {
	bool lines;
	bool json;
	u64 delay;
	u64 count;
};

static int set_number(u64 *number, const char *option, const char *text, u64 most)
{
	if (!number_parse(text, number) && *number && *number <= most)
		return 0;
	return fail("%s %s: not a number from 1 to %" PRIu64, option, text, most);
}

static int set_option(struct options *o, int option)
{
	switch (option) {
	case 'd':
		return set_number(&o->delay, "-d", optarg, 3600);
	case 'n':
		return set_number(&o->count, "-n", optarg, 1ull << 32);
	case 'b':
		o->lines = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	default:
		return -1;	/* getopt has said why */
	}
}

/* Return: -1 to go on, else an exit status. */
static int parse(struct options *o, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' }, { "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "d:n:bjh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (set_option(o, option))
			return usage_error(usage, NULL);
	}
	return -1;
}

static const struct top_row *find_row(const struct top_row *rows, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/**
 * top_look() - look at all caches
 * @t: watch; its @list and @rows are new afterwards
 */
int top_look(struct top *t)
{
	struct top_row *old = t->rows;
	size_t i, nr_old = t->list.nr;
	int ret;

	cache_free_list(&t->list);
	ret = cache_get_list(&t->list, t->names, t->nr_names);
	t->rows = ret ? NULL : calloc(t->list.nr + 1, sizeof(*t->rows));
	for (i = 0; t->rows && i < t->list.nr; i++) {
		const struct cache *c = &t->list.at[i];
		const struct top_row *before = find_row(old, nr_old, c->name);
		struct top_row *row = &t->rows[i];

		memcpy(row->name, c->name, sizeof(row->name));
		sample_take(&row->sample, c);
		sample_rates(&row->rates, c, before ? &before->sample : &row->sample,
			     &row->sample);
	}
	free(old);
	if (ret)
		return ret;
	return t->rows ? 0 : fail("not enough memory");
}

/* --- lines ------------------------------------------------------------------------------------ */

static void print_head(void)
{
	printf("%-8s %-12s %8s %6s %8s %6s %6s %9s  %7s %6s  %7s %6s  %7s %6s\n", "time", "cache",
	       "read/s", "hit %", "write/s", "hit %", "dirty%", "clean/s", "io/s", "ms", "ssd/s",
	       "ms", "disk/s", "ms");
}

static double share(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double leg_ms(const struct leg_rates *leg)
{
	double ios = leg->reads + leg->writes;

	return ios > 0 ? (leg->reads * leg->read_ms + leg->writes * leg->write_ms) / ios : 0;
}

static void print_row(const struct cache *c, const struct rates *r)
{
	time_t now = time(NULL);
	human_text clean;
	char clock[16];
	unsigned int i;
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	printf("%-8s %-12s %8.0f %6.1f %8.0f %6.1f %6.1f %9s", clock, c->name,
	       (double)r->counts[SAMPLE_READ_BLOCKS] / r->seconds,
	       share(r->counts[SAMPLE_READ_HITS], r->counts[SAMPLE_READ_BLOCKS]),
	       (double)r->counts[SAMPLE_WRITE_BLOCKS] / r->seconds,
	       share(r->counts[SAMPLE_WRITE_HITS], r->counts[SAMPLE_WRITE_BLOCKS]),
	       share(cache_number(c, "dirty"), cache_number(c, "blocks")),
	       human_bytes(clean, (u64)r->clean_bytes));
	for (i = 0; i < SAMPLE_LEGS; i++)
		printf("  %7.0f %6.2f", r->legs[i].reads + r->legs[i].writes, leg_ms(&r->legs[i]));
	printf("\n");
}

static void json_rate(struct json_object *to, const char *key, double rate)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3f", rate);
	json_object_object_add(to, key, json_object_new_double_s(rate, text));
}

static void add_leg(struct json_object *to, const char *key, const struct leg_rates *leg)
{
	struct json_object *child = json_child(to, key);

	json_rate(child, "reads_per_s", leg->reads);
	json_rate(child, "writes_per_s", leg->writes);
	json_rate(child, "read_bytes_per_s", leg->read_bytes);
	json_rate(child, "write_bytes_per_s", leg->write_bytes);
	json_rate(child, "read_ms", leg->read_ms);
	json_rate(child, "write_ms", leg->write_ms);
	json_rate(child, "busy_percent", leg->busy);
}

static void add_row(struct json_object *list, const struct cache *c, const struct rates *r)
{
	struct json_object *item = json_item(list);

	json_text(item, "name", c->name);
	json_text(item, "health", cache_text(c, "health"));
	json_rate(item, "seconds", r->seconds);
	json_number(item, "blocks", cache_number(c, "blocks"));
	json_number(item, "cached_blocks", cache_number(c, "cached"));
	json_number(item, "dirty_blocks", cache_number(c, "dirty"));
	json_number(item, "read_blocks", r->counts[SAMPLE_READ_BLOCKS]);
	json_number(item, "read_hit_blocks", r->counts[SAMPLE_READ_HITS]);
	json_number(item, "write_blocks", r->counts[SAMPLE_WRITE_BLOCKS]);
	json_number(item, "write_hit_blocks", r->counts[SAMPLE_WRITE_HITS]);
	json_number(item, "cleaned_blocks", r->counts[SAMPLE_CLEANINGS]);
	add_leg(item, "cache", &r->legs[SAMPLE_CACHE]);
	add_leg(item, "ssd", &r->legs[SAMPLE_SSD]);
	add_leg(item, "disk", &r->legs[SAMPLE_DISK]);
}

static void print_json(const struct top *t)
{
	struct json_object *report = json_report(), *list = json_list(report, "caches");
	size_t i;

	for (i = 0; i < t->list.nr; i++)
		add_row(list, &t->list.at[i], &t->rows[i].rates);
	puts(json_object_to_json_string_ext(report, JSON_C_TO_STRING_PLAIN |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(report);
}

static void print_lines(const struct top *t, u64 *printed)
{
	size_t i;

	for (i = 0; i < t->list.nr; i++) {
		if (!(*printed)++ || !(*printed % HEAD_PERIOD))
			print_head();
		print_row(&t->list.at[i], &t->rows[i].rates);
	}
}

static int watch(struct top *t, const struct options *o)
{
	u64 looks, printed = 0;

	if (top_look(t))
		return -1;
	if (!t->list.nr)
		return fail("no cache runs ('flashcache list --all' looks for others)");
	for (looks = 0; !o->count || looks < o->count; looks++) {
		if (stop_sleep(t->delay_ms))
			break;
		if (top_look(t))
			return -1;
		if (o->json)
			print_json(t);
		else
			print_lines(t, &printed);
		if (fflush(stdout))
			return fail("cannot write: %s", strerror(errno));
	}
	return 0;
}

int top_main(int argc, char **argv)
{
	struct options o = { .delay = 1 };
	struct top t = { .rows = NULL };
	int ret = parse(&o, argc, argv);

	if (ret >= 0)
		return ret;
	t.names = argv + optind;
	t.nr_names = argc - optind;
	t.delay_ms = (unsigned int)o.delay * 1000;
	stop_catch();
	if (o.lines || o.json || o.count || !isatty(STDOUT_FILENO))
		ret = watch(&t, &o);
	else
		ret = top_screen(&t);
	cache_free_list(&t.list);
	free(t.rows);
	return ret ? 1 : 0;
}
