// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the SSD and the disk of a cache that does not run.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <uuid/uuid.h>
#include "busy.h"
#include "identity.h"
#include "locate.h"
#include "mapper.h"
#include "sysfs.h"
#include "tool.h"

/**
 * locate_peek() - look whether a device holds a cache that does not run
 * @dev: the device
 * @path: filled with its node
 * @store: filled
 *
 * It is not opened for oneself alone: somebody may just be using it, and nothing is changed.
 *
 * Return: true if it does.
 */
bool locate_peek(dev_t dev, char path[LOCATE_PATH_LEN], struct store *store)
{
	struct device d = { .role = "SSD", .dev = dev, .sectors = ~0ull >> 1 };
	char name[MAPPER_NAME_LEN];
	bool found;

	if (identity_node(dev, path, LOCATE_PATH_LEN) || busy_cache_name(dev, name, sizeof(name)))
		return false;
	d.path = path;
	d.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (d.fd < 0)
		return false;
	found = !store_peek(&d, store) && store->kind == STORE_CACHE;
	close(d.fd);
	return found;
}

static bool visit_device(dev_t dev, void *arg)
{
	struct locate *l = arg;
	size_t len = strlen(l->names);
	char path[LOCATE_PATH_LEN], uuid[UUID_TEXT_LEN];
	struct store store;

	if (!locate_peek(dev, path, &store))
		return false;
	uuid_unparse_lower(store.super.uuid, uuid);
	if (strcmp(uuid, l->uuid))
		return false;
	if (!l->found++) {
		l->dev = dev;
		l->store = store;
		strcpy(l->path, path);
	}
	snprintf(l->names + len, sizeof(l->names) - len, "%s%s", len ? " " : "", path);
	return false;
}

/**
 * locate_search() - look at all block devices for a cache
 * @l: its @uuid is sought; the rest is filled
 */
void locate_search(struct locate *l)
{
	l->found = 0;
	l->names[0] = '\0';
	sysfs_each_device(visit_device, l);
}

/**
 * locate_disk() - find the disk of a cache by its identity
 * @super: superblock of the cache
 * @ssd: where that is
 * @command: what the user has to type, but for the disk, if it is not found
 * @path: filled with its node
 */
int locate_disk(const struct fc_super *super, const struct device *ssd, const char *command,
		char path[LOCATE_PATH_LEN])
{
	struct identity_search search = {
		.id = super->disk_id,
		.min_sectors = super->geo.disk_sectors,
		.not_this = ssd->dev,
	};

	if (!search.id[0])
		return fail("the cache on %s does not know its disk: name it: %s DISK", ssd->path,
			    command);
	identity_search(&search);
	if (!search.found)
		return fail("no disk found with %s and at least %" PRIu64 " sectors: connect it, "
			    "or name it: %s DISK", search.id, search.min_sectors, command);
	if (search.found > 1)
		return fail("%u disks found with %s (%s): name the right one: %s DISK",
			    search.found, search.id, search.names, command);
	if (identity_node(search.dev, path, LOCATE_PATH_LEN))
		return fail("the disk is %s, which has no node under /dev: name the disk",
			    search.names);
	return 0;
}

/**
 * locate_parse() - read UUID=...
 * @word: what the user typed
 * @uuid: filled with the UUID in lower case
 *
 * Return: 1; 0 if @word does not begin with UUID=; -1 if what follows is no UUID.
 */
int locate_parse(const char *word, char uuid[UUID_TEXT_LEN])
{
	uuid_t bytes;

	if (strncmp(word, LOCATE_PREFIX, strlen(LOCATE_PREFIX)))
		return 0;
	if (uuid_parse(word + strlen(LOCATE_PREFIX), bytes))
		return fail("%s is no UUID: 'flashcache list --all --json' shows them", word);
	uuid_unparse_lower(bytes, uuid);
	return 1;
}
