// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache status: how running caches are.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "device.h"
#include "human.h"
#include "report.h"
#include "settings.h"
#include "tint.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache status [--json | --prometheus [-o FILE]] [CACHEDEV...]\n";

static const char help[] =
	"\n"
	"Tells how caches are: health, what they hold, how often reads and writes hit.\n"
	"Without a name it tells about all that run.\n"
	"\n"
	"  -j, --json        all that is known, for machines; flashcache(8) describes it\n"
	"      --prometheus  metrics for node_exporter's textfile collector\n"
	"  -o FILE           write to FILE, which is replaced as a whole\n"
	"  -h, --help        this help\n"
	"\n"
	"Examples:\n"
	"  flashcache status fast\n"
	"  flashcache status --json fast | jq '.caches[0].read_hit_ratio'\n"
	"  flashcache status --prometheus -o /var/lib/node_exporter/flashcache.prom\n"
	"\n"
	"Counters count from the load on; 'flashcache set fast zero_stats=1' sets them to 0.\n";

enum form { FORM_TEXT, FORM_JSON, FORM_PROMETHEUS };

struct status {
	enum form form;
	const char *file;
	struct cache_list list;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct status *s, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' }, { "prometheus", no_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "jo:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'j':
			s->form = FORM_JSON;
			break;
		case 'p':
			s->form = FORM_PROMETHEUS;
			break;
		case 'o':
			s->file = optarg;
			break;
		case 'h':
			printf("%s%s", usage, help);
			return 0;
		default:
			return usage_error(usage, NULL);
		}
	}
	if (s->file && s->form != FORM_PROMETHEUS)
		return usage_error(usage, "-o goes with --prometheus: redirect the output instead");
	return -1;
}

static void print_device(const char *what, const struct cache_leg *leg, u64 bytes)
{
	human_text size;

	printf("  %-9s %s, %s\n", what, leg->path, human_bytes(size, bytes));
}

static void print_content(const struct cache *c)
{
	u64 block = cache_block_bytes(c), blocks = cache_number(c, "blocks");
	u64 cached = cache_number(c, "cached"), dirty = cache_number(c, "dirty");
	human_text size, share;

	printf("  %-9s %s, %s of the cache\n", "cached", human_bytes(size, cached * block),
	       human_percent(share, cached, blocks));
	printf("  %-9s %s%s, %s of the cache%s\n", "dirty", dirty ? tint(TINT_WARN) : "",
	       human_bytes(size, dirty * block), human_percent(share, dirty, blocks),
	       dirty ? tint(TINT_NONE) : "");
	printf("  %-9s %s\n", "memory", human_bytes(size, cache_number(c, "memory_bytes")));
}

static void print_hits(const struct cache *c, const char *what, const char *hits,
		       const char *blocks, const char *requests)
{
	human_text share, count, nr;

	printf("  %-9s %s of %s blocks hit, %s requests\n", what,
	       human_percent(share, cache_number(c, hits), cache_number(c, blocks)),
	       human_count(count, cache_number(c, blocks)),
	       human_count(nr, cache_number(c, requests)));
}

static void print_traffic(const struct cache *c)
{
	human_text a, b, d, e;

	print_hits(c, "reads", "read_hit_blocks", "read_blocks", "reads");
	print_hits(c, "writes", "write_hit_blocks", "write_blocks", "writes");
	printf("  %-9s ssd %s reads, %s writes; disk %s reads, %s writes\n", "i/o",
	       human_count(a, cache_number(c, "ssd_reads")),
	       human_count(b, cache_number(c, "ssd_writes")),
	       human_count(d, cache_number(c, "disk_reads")),
	       human_count(e, cache_number(c, "disk_writes")));
	printf("  %-9s %s blocks cleaned, in %s writes\n", "cleaning",
	       human_count(a, cache_number(c, "cleanings")),
	       human_count(b, cache_number(c, "clean_writes")));
}

static void print_errors(const struct cache *c)
{
	u64 disk = cache_number(c, "disk_read_errors") + cache_number(c, "disk_write_errors");
	u64 ssd = cache_number(c, "ssd_read_errors") + cache_number(c, "ssd_write_errors");

	if (disk || ssd)
		printf("  %-9s %s%" PRIu64 " on the disk, %" PRIu64 " on the ssd%s\n", "errors",
		       tint(TINT_BAD), disk, ssd, tint(TINT_NONE));
}

static void print_settings(const struct cache *c)
{
	char value[24];
	size_t i;
	int nr = 0;

	for (i = 0; i < nr_settings; i++) {
		const char *name = settings[i].name;
		u64 number;

		setting_value(c, name, value);
		/* The policy is a word here, and has been told. */
		number = strtoull(value, NULL, 10);
		if (!strcmp(name, "reclaim_policy") || number == settings[i].standard)
			continue;
		printf("%s%s=%s", nr++ ? " " : "  settings  ", name, value);
	}
	if (nr)
		printf("\n");
}

static void print_cache(const struct cache *c)
{
	const char *health = cache_text(c, "health");
	human_text block;

	printf("%s%s%s: %s, %s, %s%s%s%s\n", tint(TINT_BOLD), c->name, tint(TINT_NONE),
	       cache_text(c, "mode"), cache_text(c, "policy"), tint(tint_of_health(health)), health,
	       tint(TINT_NONE), c->info.suspended ? ", suspended" : "");
	print_device("ssd", &c->ssd, cache_number(c, "blocks") * cache_block_bytes(c));
	print_device("disk", &c->disk, c->sectors * SECTOR_SIZE);
	printf("  %-9s %s, %" PRIu64 " of them\n", "blocks",
	       human_bytes(block, cache_block_bytes(c)), cache_number(c, "blocks"));
	print_content(c);
	print_traffic(c);
	print_errors(c);
	print_settings(c);
}

static int print_text(const struct cache_list *list)
{
	size_t i;

	if (!list->nr)
		note("no cache runs ('flashcache list --all' looks for others)");
	for (i = 0; i < list->nr; i++)
		print_cache(&list->at[i]);
	return 0;
}

static int print_json(const struct cache_list *list)
{
	struct json_object *report = json_report(), *caches = json_list(report, "caches");
	size_t i;

	for (i = 0; i < list->nr; i++)
		report_json(json_item(caches), &list->at[i]);
	return json_print(report);
}

static int finish_file(FILE *to, const char *temporary, const char *file)
{
	bool failed = fflush(to) || fchmod(fileno(to), 0644);

	if (fclose(to) || failed || rename(temporary, file)) {
		fail("cannot write %s: %s", file, strerror(errno));
		unlink(temporary);
		return -1;
	}
	return 0;
}

/* The collector may read at any time: the new file takes the old one's place at once. */
static int print_prometheus(const struct cache_list *list, const char *file)
{
	char *temporary;
	FILE *to;
	int ret, fd;

	if (!file) {
		report_prometheus(stdout, list);
		return fflush(stdout) ? fail("cannot write: %s", strerror(errno)) : 0;
	}
	if (asprintf(&temporary, "%s.XXXXXX", file) < 0)
		return fail("not enough memory");
	fd = mkstemp(temporary);
	to = fd < 0 ? NULL : fdopen(fd, "w");
	if (to) {
		report_prometheus(to, list);
		ret = finish_file(to, temporary, file);
	} else {
		ret = fail("cannot write beside %s: %s: choose a directory that exists", file,
			   strerror(errno));
	}
	free(temporary);
	return ret;
}

int status_main(int argc, char **argv)
{
	struct status s = { .form = FORM_TEXT };
	int ret = parse(&s, argc, argv);

	if (ret >= 0)
		return ret;
	ret = cache_get_list(&s.list, argv + optind, argc - optind);
	if (!ret && s.form == FORM_TEXT)
		ret = print_text(&s.list);
	else if (!ret && s.form == FORM_JSON)
		ret = print_json(&s.list);
	else if (!ret)
		ret = print_prometheus(&s.list, s.file);
	cache_free_list(&s.list);
	return ret ? 1 : 0;
}
