// SPDX-License-Identifier: GPL-2.0
/*
 * Starting a cache that exists on an SSD.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <uuid/uuid.h>
#include "device.h"
#include "identity.h"
#include "locate.h"
#include "mapper.h"
#include "start.h"
#include "tab.h"
#include "table.h"
#include "tool.h"
#include "flashcache/uapi.h"

struct load {
	const struct start *how;
	const char *ssd_path;
	const char *name;
	const char *disk_path;
	char found_path[LOCATE_PATH_LEN];
	struct locate place;
	struct tab_line tab;
	struct device ssd;
	struct device disk;
	struct store store;
};

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
	char command[512];

	snprintf(command, sizeof(command), "flashcache_load %s %s", l->ssd_path, l->name);
	if (locate_disk(&l->store.super, &l->ssd, command, l->found_path))
		return -1;
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
	if (l->disk.sectors / 8 > l->store.super.geo.disk_sectors / 8)
		note("disk %s has grown: 'flashcache grow %s' makes the cache cover all of it",
		     l->disk_path, l->name);
	if (l->store.super.disk_id[0] && !identity_matches(l->disk.dev, l->store.super.disk_id))
		note("warning: disk %s is not the one that was cached (%s); loading as told",
		     l->disk_path, l->store.super.disk_id);
	return 0;
}

static int locate_ssd(struct load *l)
{
	l->ssd_path = l->how->ssd_path;
	if (l->ssd_path)
		return 0;
	l->place.uuid = l->how->uuid;
	locate_search(&l->place);
	if (!l->place.found)
		return fail("no device holds the cache UUID=%s: connect its SSD ('flashcache list "
			    "--all' shows what there is)", l->how->uuid);
	if (l->place.found > 1)
		return fail("%u devices hold the cache UUID=%s (%s), so one is a copy: name the "
			    "right one: flashcache_load SSD", l->place.found, l->how->uuid,
			    l->place.names);
	l->ssd_path = l->place.path;
	return 0;
}

static int check(struct load *l)
{
	char uuid[UUID_TEXT_LEN];

	if (locate_ssd(l))
		return -1;
	if (device_open(&l->ssd, "SSD", l->ssd_path) || store_read(&l->ssd, &l->store) ||
	    check_store(l))
		return -1;
	uuid_unparse_lower(l->store.super.uuid, uuid);
	if (!l->name)
		l->name = tab_find(uuid, &l->tab) ? l->tab.name : l->store.super.name;
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
	struct table table = {
		.disk = &l->disk, .ssd = &l->ssd, .name = l->name,
		.ssd_wins = l->how->ssd_wins,
	};

	fill_table(l, &table);
	if (!identity_get(l->disk.dev, table.disk_id))
		note("disk %s has nothing by which it could be known again: name it each time",
		     l->disk_path);
	device_close(&l->ssd);
	device_close(&l->disk);
	if (table_start(&table, l->store.super.geo.disk_sectors, l->how->verbose))
		return -1;
	tab_remember_started(&table, l->ssd.dev, l->disk.dev);
	printf("cachedev %s, ssd_devname %s, disk_devname %s cache mode %s\n",
	       l->name, l->ssd_path, l->disk_path, table_mode_title(table.mode));
	return 0;
}

/* --- waiting ---------------------------------------------------------------------------------- */

static bool all_there(const char *uuid)
{
	struct locate place = { .uuid = uuid };
	struct identity_search disk = { .id = place.store.super.disk_id };

	locate_search(&place);
	if (!place.found)
		return false;
	disk.min_sectors = place.store.super.geo.disk_sectors;
	disk.not_this = place.dev;
	if (disk.id[0])
		identity_search(&disk);
	return !disk.id[0] || disk.found;
}

/* At boot the disk may turn up long before its SSD, or behind it. */
static void wait_for_devices(const struct start *how)
{
	const struct timespec pause = { .tv_nsec = 250000000 };
	unsigned int left = how->wait * 4;

	while (left-- && !all_there(how->uuid))
		nanosleep(&pause, NULL);
}

/**
 * start_cache() - start a cache that exists
 * @how: which, and how
 */
int start_cache(const struct start *how)
{
	struct load l = {
		.how = how, .name = how->name, .disk_path = how->disk_path,
		.ssd.fd = -1, .disk.fd = -1,
	};
	int ret;

	if (how->uuid)
		wait_for_devices(how);
	ret = check(&l) || start(&l);
	device_close(&l.ssd);
	device_close(&l.disk);
	return ret ? -1 : 0;
}

struct sought {
	const char *uuid;
	char *name;
	size_t len;
};

/* Return: -1 to stop. */
static int match(const char *name, void *arg)
{
	struct sought *sought = arg;
	struct mapper_info info;
	const char *uuid;

	if (mapper_get_info(name, &info))
		return 0;
	uuid = mapper_cache_uuid(&info);
	if (!uuid || strcmp(uuid, sought->uuid))
		return 0;
	snprintf(sought->name, sought->len, "%s", name);
	return -1;
}

/**
 * start_is_running() - is a cache running?
 * @uuid: of the cache
 * @name: filled with the name of its mapped device
 * @len: size of @name
 */
bool start_is_running(const char *uuid, char *name, size_t len)
{
	struct sought sought = { uuid, name, len };

	name[0] = '\0';
	return mapper_each(match, &sought) && name[0];
}
