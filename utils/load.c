// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache_load: start a cache that exists on an SSD.
 *
 * The SSD says everything: which disk, which name, which mode. The disk is found by its identity,
 * since its path may have changed; a wrong disk would be overwritten with another's blocks.
 */
#include <getopt.h>
#include <stdio.h>
#include "identity.h"
#include "mapper.h"
#include "store.h"
#include "table.h"
#include "tool.h"
#include "flashcache/uapi.h"

static const char usage[] =
	"Usage: flashcache_load [-v] ssd [cachedev [disk]]\n";

static const char help[] =
	"\n"
	"Starts the cache that is on SSD; the result is the block device\n"
	"/dev/mapper/CACHEDEV.\n"
	"\n"
	"  ssd         the device given to flashcache_create\n"
	"  cachedev    another name than the one it was created with\n"
	"  disk        the disk, in case it cannot be found by itself. Make sure that it is\n"
	"              the right one: blocks that the cache holds will be written to it.\n"
	"  -v          print the device-mapper table to stderr\n"
	"  -h          this help\n"
	"\n"
	"The disk is searched among all block devices by an identity stored on the SSD (a\n"
	"WWID, a serial number, a UUID), never by a path, which may belong to another disk\n"
	"today.\n";

struct load {
	bool verbose;
	const char *ssd_path;
	const char *name;
	const char *disk_path;
	char found_path[256];
	struct device ssd;
	struct device disk;
	struct store store;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct load *l, int argc, char **argv)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option;

	while ((option = getopt_long(argc, argv, "vh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (option != 'v')
			return usage_error(usage, NULL);
		l->verbose = true;
	}
	if (argc - optind < 1 || argc - optind > 3)
		return usage_error(usage, "name the ssd, and at most a cachedev and a disk");
	l->ssd_path = argv[optind++];
	l->name = optind < argc ? argv[optind++] : NULL;
	l->disk_path = optind < argc ? argv[optind] : NULL;
	return -1;
}

static int check_store(const struct load *l)
{
	const struct store *s = &l->store;

	switch (s->kind) {
	case STORE_CACHE:
		break;
	case STORE_ORIGINAL:
		return fail("SSD %s: %s: load it with the original's module and let that clean it, "
			    "then create it anew here", l->ssd_path, s->why);
	case STORE_NEWER:
		return fail("SSD %s: %s: install a newer flashcache", l->ssd_path, s->why);
	case STORE_DAMAGED:
		return fail("SSD %s: %s: nothing can be loaded; blocks that were dirty are not on "
			    "the disk", l->ssd_path, s->why);
	case STORE_NONE:
		return fail("No valid Flashcache found on %s: flashcache_create makes one",
			    l->ssd_path);
	}
	if (l->ssd.sectors < s->super.geo.flash_sectors)
		return fail("SSD %s has %llu sectors, the cache on it needs %llu: it has been made "
			    "smaller, or is a copy", l->ssd_path,
			    (unsigned long long)l->ssd.sectors,
			    (unsigned long long)s->super.geo.flash_sectors);
	return 0;
}

static int find_disk(struct load *l)
{
	struct identity_search search = {
		.id = l->store.super.disk_id,
		.min_sectors = l->store.super.geo.disk_sectors,
		.not_this = l->ssd.dev,
	};

	if (!search.id[0])
		return fail("the cache on %s does not know its disk: name it: "
			    "flashcache_load %s %s DISK", l->ssd_path, l->ssd_path, l->name);
	identity_search(&search);
	if (!search.found)
		return fail("no disk found with %s and at least %llu sectors: connect it, or "
			    "name it: flashcache_load %s %s DISK", search.id,
			    (unsigned long long)search.min_sectors, l->ssd_path, l->name);
	if (search.found > 1)
		return fail("%u disks found with %s (%s): name the right one: "
			    "flashcache_load %s %s DISK", search.found, search.id, search.names,
			    l->ssd_path, l->name);
	if (identity_node(search.dev, l->found_path, sizeof(l->found_path)))
		return fail("the disk is %s, which has no node under /dev: name the disk",
			    search.names);
	l->disk_path = l->found_path;
	return 0;
}

static int open_disk(struct load *l)
{
	if (device_same(&l->ssd, l->disk_path))
		return fail("%s and %s are the same device: name the disk that was cached",
			    l->ssd_path, l->disk_path);
	if (device_open(&l->disk, "disk", l->disk_path))
		return -1;
	if (l->disk.sectors < l->store.super.geo.disk_sectors)
		return fail("disk %s has %llu sectors, the cached disk had %llu: not the same disk",
			    l->disk_path, (unsigned long long)l->disk.sectors,
			    (unsigned long long)l->store.super.geo.disk_sectors);
	if (l->store.super.disk_id[0] && !identity_matches(l->disk.dev, l->store.super.disk_id))
		note("warning: disk %s is not the one that was cached (%s); loading as told",
		     l->disk_path, l->store.super.disk_id);
	return 0;
}

static int check(struct load *l)
{
	if (device_open(&l->ssd, "SSD", l->ssd_path) || store_read(&l->ssd, &l->store) ||
	    check_store(l))
		return -1;
	if (!l->name)
		l->name = l->store.super.name;
	if (mapper_check_name(l->name))
		return -1;
	if (!l->disk_path && find_disk(l))
		return -1;
	if (open_disk(l) || mapper_check_target() || mapper_check_free(l->name))
		return -1;
	return 0;
}

/* What the superblock says is repeated: the line is then complete for the reader of -v. */
static void fill_table(const struct load *l, struct table *table)
{
	static const char *const policies[] = FC_POLICY_NAMES;
	const struct fc_super *super = &l->store.super;

	table->mode = super->mode;
	table->persist = FC_PERSIST_LOAD;
	table->block = super->geo.block_sectors;
	table->size = super->geo.flash_sectors;
	table->assoc = super->geo.assoc;
	table->cluster = (u64)super->geo.block_sectors << super->geo.cluster_shift;
	table->policy = policies[super->policy];
	memcpy(table->uuid, super->uuid, sizeof(table->uuid));
}

static int start(struct load *l)
{
	struct table table = { .disk = &l->disk, .ssd = &l->ssd, .name = l->name };

	fill_table(l, &table);
	if (!identity_get(l->disk.dev, table.disk_id))
		note("disk %s has nothing by which it could be known again: name it each time",
		     l->disk_path);
	device_close(&l->ssd);
	device_close(&l->disk);
	if (table_start(&table, l->store.super.geo.disk_sectors, l->verbose))
		return -1;
	printf("cachedev %s, ssd_devname %s, disk_devname %s cache mode %s\n",
	       l->name, l->ssd_path, l->disk_path, table_mode_title(table.mode));
	return 0;
}

int load_main(int argc, char **argv)
{
	struct load l = { .ssd.fd = -1, .disk.fd = -1 };
	int ret = parse(&l, argc, argv);

	if (ret >= 0)
		return ret;
	ret = check(&l) || start(&l);
	device_close(&l.ssd);
	device_close(&l.disk);
	return ret ? 1 : 0;
}
