// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache list: the caches that run, and those that lie on devices and do not run.
 */
#include <getopt.h>
#include <stdio.h>
#include <uuid/uuid.h>
#include "columns.h"
#include "human.h"
#include "locate.h"
#include "report.h"
#include "sysfs.h"
#include "tool.h"
#include "flashcache/uapi.h"

static const char usage[] =
	"Usage: flashcache list [--all] [--json]\n";

static const char help[] =
	"\n"
	"Lists the caches that run.\n"
	"\n"
	"  -a, --all   also those that lie on a device and do not run\n"
	"  -j, --json  for machines; flashcache(8) describes it\n"
	"  -h, --help  this help\n"
	"\n"
	"'flashcache status NAME' tells more about one. 'flashcache load SSD' starts one\n"
	"that does not run.\n";

struct list {
	bool all;
	bool json;
	struct cache_list running;
	struct columns table;
	struct json_object *stopped;
	size_t nr_stopped;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct list *l, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "all", no_argument, NULL, 'a' }, { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "ajh", long_options, NULL)) != -1) {
		switch (option) {
		case 'a':
			l->all = true;
			break;
		case 'j':
			l->json = true;
			break;
		case 'h':
			printf("%s%s", usage, help);
			return 0;
		default:
			return usage_error(usage, NULL);
		}
	}
	if (argc != optind)
		return usage_error(usage, "list takes no names: 'flashcache status %s' shows one",
				   argv[optind]);
	return -1;
}

static void add_head(struct list *l)
{
	static const char *const titles[] = {
		"NAME", "MODE", "HEALTH", "SIZE", "CACHED", "DIRTY", "READ HITS", "SSD", "DISK"
	};
	size_t i;

	l->table.align = "lllrrrrll";
	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		columns_add(&l->table, "%s", titles[i]);
}

static void add_running(struct list *l, const struct cache *c)
{
	u64 blocks = cache_number(c, "blocks");
	human_text size, cached, dirty, hits;

	columns_add(&l->table, "%s", c->name);
	columns_add(&l->table, "%s", cache_text(c, "mode"));
	columns_add(&l->table, "%s", c->info.suspended ? "suspended" : cache_text(c, "health"));
	columns_add(&l->table, "%s", human_bytes(size, blocks * cache_block_bytes(c)));
	columns_add(&l->table, "%s", human_percent(cached, cache_number(c, "cached"), blocks));
	columns_add(&l->table, "%s", human_percent(dirty, cache_number(c, "dirty"), blocks));
	columns_add(&l->table, "%s", human_percent(hits, cache_number(c, "read_hit_blocks"),
						   cache_number(c, "read_blocks")));
	columns_add(&l->table, "%s", c->ssd.path);
	columns_add(&l->table, "%s", c->disk.path);
}

static void add_stopped(struct list *l, const char *path, const struct fc_super *super)
{
	static const char *const modes[] = FC_MODE_NAMES;
	const struct fc_geo *geo = &super->geo;
	u64 bytes = (geo->nr_slots << geo->block_shift) * SECTOR_SIZE;
	bool orderly = super->state == FCD_STATE_ORDERLY;
	human_text size;

	columns_add(&l->table, "%s", super->name);
	columns_add(&l->table, "%s", modes[super->mode]);
	columns_add(&l->table, "%s", orderly ? "stopped" : "crashed");
	columns_add(&l->table, "%s", human_bytes(size, bytes));
	columns_add(&l->table, "-");
	columns_add(&l->table, "-");
	columns_add(&l->table, "-");
	columns_add(&l->table, "%s", path);
	columns_add(&l->table, "%s", super->disk_id[0] ? super->disk_id : "?");
	l->nr_stopped++;
}

static void report_stopped(struct list *l, const char *path, const struct fc_super *super)
{
	static const char *const modes[] = FC_MODE_NAMES;
	struct json_object *item = json_item(l->stopped);
	const struct fc_geo *geo = &super->geo;
	char uuid[UUID_TEXT_LEN];

	uuid_unparse_lower(super->uuid, uuid);
	json_text(item, "name", super->name);
	json_text(item, "uuid", uuid);
	json_text(item, "ssd", path);
	json_text(item, "disk_id", super->disk_id[0] ? super->disk_id : NULL);
	json_text(item, "state", super->state == FCD_STATE_ORDERLY ? "orderly" : "crashed");
	json_text(item, "mode", modes[super->mode]);
	json_number(item, "block_bytes", (u64)geo->block_sectors * SECTOR_SIZE);
	json_number(item, "blocks", geo->nr_slots);
}

static bool visit_device(dev_t dev, void *arg)
{
	struct list *l = arg;
	char path[LOCATE_PATH_LEN];
	struct store store;

	if (!locate_peek(dev, path, &store))
		return false;
	if (l->json)
		report_stopped(l, path, &store.super);
	else
		add_stopped(l, path, &store.super);
	return false;
}

static int print_table(struct list *l)
{
	size_t i;

	add_head(l);
	for (i = 0; i < l->running.nr; i++)
		add_running(l, &l->running.at[i]);
	if (l->all)
		sysfs_each_device(visit_device, l);
	if (!l->running.nr && !l->nr_stopped)
		note("no cache %s", l->all ? "found" : "runs ('--all' looks for others)");
	else
		columns_print(&l->table, stdout);
	return 0;
}

static int print_report(struct list *l)
{
	struct json_object *report = json_report();
	struct json_object *caches = json_list(report, "caches");
	size_t i;

	for (i = 0; i < l->running.nr; i++)
		report_json(json_item(caches), &l->running.at[i]);
	if (l->all) {
		l->stopped = json_list(report, "stopped");
		sysfs_each_device(visit_device, l);
	}
	return json_print(report);
}

int list_main(int argc, char **argv)
{
	struct list l = { .all = false };
	int ret = parse(&l, argc, argv);

	if (ret >= 0)
		return ret;
	ret = cache_get_list(&l.running, NULL, 0);
	if (!ret)
		ret = l.json ? print_report(&l) : print_table(&l);
	cache_free_list(&l.running);
	return ret ? 1 : 0;
}
