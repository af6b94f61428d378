// SPDX-License-Identifier: GPL-2.0
/*
 * Running caches for Prometheus: the text format, as node_exporter's textfile collector reads it.
 *
 * All samples of one metric must stand together, so each metric goes over all caches.
 */
#include <inttypes.h>
#include "device.h"
#include "number.h"
#include "report.h"

/* In a label, these three characters need a backslash. */
static void print_label(FILE *to, const char *key, const char *value)
{
	fprintf(to, "%s=\"", key);
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", to);
			continue;
		}
		if (*value == '"' || *value == '\\')
			fputc('\\', to);
		fputc(*value, to);
	}
	fputc('"', to);
}

static void print_head(FILE *to, const char *metric, const char *type, const char *help)
{
	fprintf(to, "# HELP flashcache_%s %s\n# TYPE flashcache_%s %s\n", metric, help, metric,
		type);
}

static void print_sample(FILE *to, const char *metric, const struct cache *c, u64 value)
{
	fprintf(to, "flashcache_%s{", metric);
	print_label(to, "cache", c->name);
	fprintf(to, "} %" PRIu64 "\n", value);
}

static void print_info(FILE *to, const struct cache_list *list)
{
	size_t i;

	print_head(to, "info", "gauge", "What the cache is; always 1.");
	for (i = 0; i < list->nr; i++) {
		const struct cache *c = &list->at[i];

		fprintf(to, "flashcache_info{");
		print_label(to, "cache", c->name);
		fputc(',', to);
		print_label(to, "mode", cache_text(c, "mode"));
		fputc(',', to);
		print_label(to, "policy", cache_text(c, "policy"));
		fputc(',', to);
		print_label(to, "ssd", c->ssd.path);
		fputc(',', to);
		print_label(to, "disk", c->disk.path);
		fprintf(to, "} 1\n");
	}
}

/* 0 is well, more is worse; a word of a newer kernel module is the worst. */
static u64 health_number(const struct cache *c)
{
	static const char *const names[] = { "ok", "degraded", "failed" };
	u64 i;

	for (i = 0; i < 3; i++)
		if (!strcmp(cache_text(c, "health"), names[i]))
			return i;
	return 3;
}

static void print_health(FILE *to, const struct cache_list *list)
{
	size_t i;

	print_head(to, "health", "gauge", "0 ok, 1 degraded, 2 failed.");
	for (i = 0; i < list->nr; i++)
		print_sample(to, "health", &list->at[i], health_number(&list->at[i]));
}

static void print_gauges(FILE *to, const struct cache_list *list)
{
	static const struct {
		const char *word;
		const char *metric;
		const char *help;
		u64 unit;
	} gauges[] = {
		{ "block_sectors", "block_bytes", "Size of a cache block.", SECTOR_SIZE },
		{ "blocks", "blocks", "Blocks that the cache can hold.", 1 },
		{ "cached", "cached_blocks", "Blocks that it holds.", 1 },
		{ "dirty", "dirty_blocks", "Blocks that are newer on flash than on disk.", 1 },
		{ "memory_bytes", "memory_bytes", "Memory for sets and ledger.", 1 },
	};
	size_t g, i;

	for (g = 0; g < sizeof(gauges) / sizeof(gauges[0]); g++) {
		print_head(to, gauges[g].metric, "gauge", gauges[g].help);
		for (i = 0; i < list->nr; i++)
			print_sample(to, gauges[g].metric, &list->at[i],
				     cache_number(&list->at[i], gauges[g].word) * gauges[g].unit);
	}
}

/* All caches come from one module and have the same words: those of the first one. */
static void print_counters(FILE *to, const struct cache_list *list)
{
	const struct words *words = &list->at[0].status;
	size_t w, i;

	for (w = 0; w < words->nr; w++) {
		char key[64], metric[80], help[128];
		const char *value;
		u64 unused;

		if (!report_is_counter(words->at[w], &value) || number_parse(value, &unused))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)(value - words->at[w] - 1), words->at[w]);
		snprintf(metric, sizeof(metric), "%s_total", key);
		snprintf(help, sizeof(help), "Counter %s of the status line, see flashcache(7).",
			 key);
		print_head(to, metric, "counter", help);
		for (i = 0; i < list->nr; i++)
			print_sample(to, metric, &list->at[i], cache_number(&list->at[i], key));
	}
}

/**
 * report_prometheus() - print all metrics
 * @to: where to
 * @list: caches
 */
void report_prometheus(FILE *to, const struct cache_list *list)
{
	print_head(to, "caches", "gauge", "Number of caches that run.");
	fprintf(to, "flashcache_caches %zu\n", list->nr);
	if (!list->nr)
		return;
	print_info(to, list);
	print_health(to, list);
	print_gauges(to, list);
	print_counters(to, list);
}
