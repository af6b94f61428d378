// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the SSD of a cache that does not run.
 */
#include <fcntl.h>
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
	char path[LOCATE_PATH_LEN], uuid[37];
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
 * locate_parse() - read UUID=...
 * @word: what the user typed
 * @uuid: filled with the UUID in lower case
 *
 * Return: 1; 0 if @word does not begin with UUID=; -1 if what follows is no UUID.
 */
int locate_parse(const char *word, char uuid[37])
{
	uuid_t bytes;

	if (strncmp(word, LOCATE_PREFIX, strlen(LOCATE_PREFIX)))
		return 0;
	if (uuid_parse(word + strlen(LOCATE_PREFIX), bytes))
		return fail("%s is no UUID: 'flashcache list --all --json' shows them", word);
	uuid_unparse_lower(bytes, uuid);
	return 1;
}
