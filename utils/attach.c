// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache attach: put an SSD under a mapped device that is in use. The mirror of detach.
 *
 * The mapped device stays; what it was a map of becomes the disk of a cache. In this order, so that
 * after a power cut at any point the device comes up as it was, or as a cache that knows all:
 *
 * 1. the cache is made on the SSD, empty, and stopped in order; nothing goes through it yet;
 * 2. it is listed in flashcachetab, durably: from now on it comes up at boot, still empty;
 * 3. the device is suspended, and resumed with the cache's table. Only now can a block become dirty.
 */
#include <fcntl.h>
#include <getopt.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <uuid/uuid.h>
#include "attach_map.h"
#include "cache.h"
#include "geometry.h"
#include "identity.h"
#include "locate.h"
#include "newcache.h"
#include "stop.h"
#include "store.h"
#include "swap.h"
#include "sysfs.h"
#include "tab.h"
#include "tool.h"
#include "flashcache/uapi.h"

static const char usage[] =
	"Usage: flashcache attach [-v] [-f] [--origin] -p back|thru|around [-b SIZE] [-s SIZE]\n"
	"                         [-a N] [-d SIZE] NAME SSD\n";

static const char help[] =
	"\n"
	"Puts SSD in front of the disk below /dev/mapper/NAME, while that device is in use,\n"
	"say by a mounted file system: the mirror of 'flashcache detach'. What is on NAME\n"
	"stays; what is on the SSD is lost. NAME must be a linear map; what LVM, cryptsetup\n"
	"or multipath look after is refused.\n"
	"\n"
	"From the next boot on the cache comes up as /dev/mapper/NAME by itself, and nobody\n"
	"else may make a map of that name.\n"
	"\n"
	"      --origin  NAME is a map of several pieces, or of a part of a disk: put it below\n"
	"                the cache as NAME-origin. You must see to it that it is made at boot\n"
	"                under that name and the UUID that is printed, instead of NAME\n"
	"  -p, -b, -s, -a, -d, -f, -v\n"
	"                as for 'flashcache create'\n"
	"  -h, --help    this help\n"
	"\n"
	"Example: the cache of /data is taken away, and another SSD put in\n"
	"  flashcache detach fast\n"
	"  flashcache attach -p back fast /dev/nvme1n1\n";

#define NEW_NAME	"-attach"	/* of the device that makes the cache, behind NAME */
#define NEW_UUID	MAPPER_UUID_PREFIX "new-"

struct attach {
	struct newcache new;
	struct attach_map map;
	struct table table;
	char name[MAPPER_NAME_LEN];
	char node[MAPPER_NAME_LEN + 16];
	char uuid[UUID_TEXT_LEN];
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct attach *a, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "origin", no_argument, NULL, 'o' }, { "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "fs:b:d:va:p:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (option == 'o')
			a->map.may_move = true;
		else if (newcache_option(&a->new, option, optarg))
			return usage_error(usage, NULL);
	}
	if (!a->new.mode)
		return usage_error(usage, "-p is missing: choose back, thru or around");
	if (argc - optind != 2)
		return usage_error(usage, "two names are needed: the mapped device and the ssd");
	cache_name_of(argv[optind], a->name);
	a->new.name = a->name;
	a->new.ssd_path = argv[optind + 1];
	return -1;
}

/* --- looking ---------------------------------------------------------------------------------- */

/* The device itself stands for the disk: it is as large and has the same sectors. In use, so not alone. */
static int open_disk(struct attach *a)
{
	struct device *d = &a->new.disk;
	int sector_size = 0;

	*d = (struct device){ .role = "disk", .path = a->node, .dev = a->map.info.dev };
	d->fd = open(a->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (d->fd < 0 || ioctl(d->fd, BLKSSZGET, &sector_size))
		return fail("cannot open %s: %m", a->node);
	d->sectors = a->map.map.sectors;
	d->sector_size = (unsigned int)sector_size;
	return 0;
}

/* A live device cannot get larger sectors: whoever is on it reckons with the old ones. */
static int check_sectors(const struct attach *a)
{
	const struct newcache *c = &a->new;

	if (c->ssd.sector_size <= c->disk.sector_size)
		return 0;
	return fail("SSD %s has sectors of %u bytes, %s has %u: a device in use cannot get larger "
		    "ones: reformat the SSD to %u-byte sectors", c->ssd_path, c->ssd.sector_size,
		    a->name, c->disk.sector_size, c->disk.sector_size);
}

static int check(struct attach *a)
{
	if (mapper_check_name(a->name) || mapper_check_target() ||
	    attach_map_read(&a->map, a->name) || attach_map_check(&a->map))
		return -1;
	snprintf(a->node, sizeof(a->node), "/dev/mapper/%s", a->name);
	a->new.disk_path = a->node;
	if (newcache_open_ssd(&a->new))
		return -1;
	return open_disk(a) || check_sectors(a) || newcache_check(&a->new) ? -1 : 0;
}

/* --- doing ------------------------------------------------------------------------------------ */

/* A device that was detached keeps its UUID, so the new cache gets that of the old one. */
static int choose_uuid(struct attach *a)
{
	const char *old = mapper_cache_uuid(&a->map.info);
	struct locate place = { .uuid = a->uuid };
	char dm_uuid[MAPPER_UUID_LEN];
	int error;

	if (old && !uuid_parse(old, a->table.uuid)) {
		uuid_unparse_lower(a->table.uuid, a->uuid);
		locate_search(&place);
		if (!place.found || device_same(&a->new.ssd, place.path))
			return 0;
		return fail("%s was the cache that is on %s: destroy that first (flashcache "
			    "destroy %s)", a->name, place.path, place.path);
	}
	uuid_generate(a->table.uuid);
	uuid_unparse_lower(a->table.uuid, a->uuid);
	snprintf(dm_uuid, sizeof(dm_uuid), "%s%s", MAPPER_UUID_PREFIX, a->uuid);
	error = mapper_set_uuid(a->name, dm_uuid);
	return error ? fail("%s does not take a UUID: %s", a->name, strerror(error)) : 0;
}

static void name_disk(struct attach *a)
{
	struct device *d = &a->new.disk;

	device_close(d);
	d->dev = a->map.disk;
	d->path = a->map.disk_path;
	if (!identity_get(d->dev, a->table.disk_id))
		note("disk %s has nothing by which it could be known again: name it when you call "
		     "flashcache load", d->path);
}

/* The kernel makes the cache, under a name that nobody knows, and lets nothing into it. */
static int make_cache(struct attach *a)
{
	char name[MAPPER_NAME_LEN + sizeof(NEW_NAME)], uuid[MAPPER_UUID_LEN];
	struct table table = a->table;
	char params[TABLE_LEN];
	int error;

	table.admit = "0";
	snprintf(name, sizeof(name), "%.*s%s", (int)(MAPPER_NAME_LEN - sizeof(NEW_NAME)), a->name,
		 NEW_NAME);
	snprintf(uuid, sizeof(uuid), "%s%s", NEW_UUID, a->uuid);
	table_params(&table, params);
	if (mapper_create(name, uuid, a->map.map.sectors, params))
		return -1;
	error = mapper_remove(name);
	return error ? fail("cannot remove %s: %s", name, strerror(error)) : 0;
}

static int put_under(struct attach *a)
{
	char params[TABLE_LEN];
	const struct swap s = {
		.name = a->name, .sectors = a->map.map.sectors, .target = FC_TARGET_NAME,
		.params = params,
	};

	a->table.persist = FC_PERSIST_LOAD;
	a->table.admit = "3";
	table_params(&a->table, params);
	if (a->new.verbose)
		table_show(s.sectors, params);
	return swap_table(&s);
}

/* Nothing has become dirty: the cache never had a request. */
static void undo(struct attach *a)
{
	struct device *ssd = &a->new.ssd;

	tab_forget(a->uuid);
	if (device_open(ssd, "SSD", a->new.ssd_path) || device_open_for_write(ssd) ||
	    store_wipe(ssd))
		note("what is on %s is of no use: wipefs -a %s", a->new.ssd_path, a->new.ssd_path);
	device_close(ssd);
	attach_map_undo(&a->map);
}

static void tell(const struct attach *a)
{
	printf("%s is cached by %s now, %s\n", a->name, a->new.ssd_path,
	       table_mode_title(a->new.mode));
	if (a->map.origin[0])
		printf("from now on make %s at boot, with UUID %s, as 'dmsetup table %s' prints it; "
		       "never make %s yourself\n", a->map.origin, a->map.origin_uuid,
		       a->map.origin, a->name);
	else
		printf("from the next boot on the cache comes up as %s by itself: never make %s "
		       "yourself\n", a->name, a->name);
}

static int attach(struct attach *a)
{
	if (check(a))
		return -1;
	newcache_table(&a->new, &a->table);
	if (choose_uuid(a))
		return -1;
	stop_ignore();
	if (newcache_erase(&a->new))
		return -1;
	device_close(&a->new.ssd);
	if (attach_map_disk(&a->map, a->uuid))
		return -1;
	name_disk(a);
	if (make_cache(a) || tab_remember(&a->table) || put_under(a)) {
		undo(a);
		return -1;
	}
	sysfs_announce(a->new.ssd.dev);
	sysfs_announce(a->map.disk);
	tell(a);
	return 0;
}

int attach_main(int argc, char **argv)
{
	struct attach a = { .new = NEWCACHE_INIT };
	int ret = parse(&a, argc, argv);

	if (ret >= 0)
		return ret;
	ret = attach(&a);
	device_close(&a.new.ssd);
	device_close(&a.new.disk);
	attach_map_free(&a.map);
	return ret ? 1 : 0;
}
