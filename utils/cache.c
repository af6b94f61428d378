// SPDX-License-Identifier: GPL-2.0
/*
 * Running caches, as the kernel describes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "cache.h"
#include "device.h"
#include "identity.h"
#include "sysfs.h"
#include "tool.h"
#include "flashcache/uapi.h"

#define TABLE_DISK	0
#define TABLE_SSD	1

/* The kernel prints numbers; somebody's own table line may have had a path. */
static void find_leg(struct cache_leg *leg, const struct words *table, size_t at)
{
	const char *word = at < table->nr ? table->at[at] : "?";
	unsigned int major_nr, minor_nr;
	struct stat st;

	snprintf(leg->path, sizeof(leg->path), "%s", word);
	if (sscanf(word, "%u:%u", &major_nr, &minor_nr) == 2)
		leg->dev = makedev(major_nr, minor_nr);
	else if (!stat(word, &st) && S_ISBLK(st.st_mode))
		leg->dev = st.st_rdev;
	if (leg->dev && identity_node(leg->dev, leg->path, sizeof(leg->path)))
		snprintf(leg->path, sizeof(leg->path), "%s", word);
}

/* Return: 1 if it is a cache, 0 if not, -1 on errors. */
static int read_cache(struct cache *c, const char *name)
{
	char *table = NULL, *status = NULL;
	int ret = 0;

	memset(c, 0, sizeof(*c));
	snprintf(c->name, sizeof(c->name), "%s", name);
	if (mapper_get_info(name, &c->info))
		return -1;
	if (c->info.exists) {
		table = mapper_get_line(name, MAPPER_TABLE, &c->sectors);
		status = mapper_get_line(name, MAPPER_STATUS, &c->sectors);
	}
	if (table && status)
		ret = words_split(&c->table, table) || words_split(&c->status, status) ? -1 : 1;
	free(table);
	free(status);
	if (ret > 0) {
		find_leg(&c->disk, &c->table, TABLE_DISK);
		find_leg(&c->ssd, &c->table, TABLE_SSD);
	}
	return ret;
}

/**
 * cache_name_of() - the name of a mapped device, for which a path of it may stand
 * @word: as the user gave it
 * @name: result
 */
void cache_name_of(const char *word, char name[MAPPER_NAME_LEN])
{
	struct stat st;

	if (strchr(word, '/') && !stat(word, &st) && S_ISBLK(st.st_mode) &&
	    !sysfs_read(st.st_rdev, "dm/name", name, MAPPER_NAME_LEN))
		return;
	if (!strncmp(word, "/dev/mapper/", strlen("/dev/mapper/")))
		word += strlen("/dev/mapper/");
	snprintf(name, MAPPER_NAME_LEN, "%s", word);
}

/**
 * cache_get() - ask the kernel about a running cache
 * @c: filled; cache_free() on it is always allowed afterwards
 * @name: its name, or a path of its device
 */
int cache_get(struct cache *c, const char *name)
{
	char real[MAPPER_NAME_LEN];
	int ret;

	memset(c, 0, sizeof(*c));
	if (mapper_check_kernel())
		return -1;
	cache_name_of(name, real);
	if (mapper_check_name(real))
		return -1;
	ret = read_cache(c, real);
	if (!ret)
		return fail("%s %s: 'flashcache list' shows the caches that run",
			    c->info.exists ? "no cache, but another mapped device:" :
			    "no cache of this name runs:", name);
	return ret < 0 ? -1 : 0;
}

/**
 * cache_do() - all of a command about one running cache
 * @name: its name, or a path of its device
 * @act: what is done; returns 0, -1 after it was said why, or an exit status
 *
 * Return: exit status.
 */
int cache_do(const char *name, int (*act)(struct cache *c))
{
	struct cache c;
	int ret = cache_get(&c, name);

	if (!ret)
		ret = act(&c);
	cache_free(&c);
	return ret < 0 ? 1 : ret;
}

/** cache_refresh() - read the status line of a running cache again */
int cache_refresh(struct cache *c)
{
	char *status = mapper_get_line(c->name, MAPPER_STATUS, &c->sectors);
	int ret;

	if (!status)
		return fail("cache %s is gone", c->name);
	words_free(&c->status);
	ret = words_split(&c->status, status);
	free(status);
	return ret;
}

void cache_free(struct cache *c)
{
	words_free(&c->status);
	words_free(&c->table);
}

static struct cache *grow(struct cache_list *list)
{
	struct cache *at = realloc(list->at, (list->nr + 1) * sizeof(*at));

	if (!at)
		return NULL;
	list->at = at;
	memset(&at[list->nr], 0, sizeof(*at));
	return &at[list->nr++];
}

static int visit_device(const char *name, void *arg)
{
	struct cache_list *list = arg;
	struct cache *c = grow(list);
	int ret;

	if (!c)
		return fail("not enough memory");
	ret = read_cache(c, name);
	if (ret <= 0) {
		cache_free(c);
		list->nr--;
	}
	return ret < 0 ? -1 : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int get_named(struct cache_list *list, char *const *names, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		struct cache *c = grow(list);

		if (!c)
			return fail("not enough memory");
		if (cache_get(c, names[i]))
			return -1;
	}
	return 0;
}

/**
 * cache_get_list() - ask the kernel about several running caches
 * @list: filled; cache_free_list() on it is always allowed afterwards
 * @names: their names
 * @nr: number of @names; 0: all that run, by name
 */
int cache_get_list(struct cache_list *list, char *const *names, int nr)
{
	memset(list, 0, sizeof(*list));
	if (nr)
		return get_named(list, names, nr);
	if (mapper_check_kernel() || mapper_each(visit_device, list))
		return -1;
	if (list->nr)
		qsort(list->at, list->nr, sizeof(*list->at), by_name);
	return 0;
}

void cache_free_list(struct cache_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		cache_free(&list->at[i]);
	free(list->at);
	memset(list, 0, sizeof(*list));
}

/** cache_text() - a word of the status line, "?" if it has none of that key */
const char *cache_text(const struct cache *c, const char *key)
{
	const char *value = words_value(&c->status, key);

	return value ? value : "?";
}

/** cache_number() - a number of the status line, 0 if it has none of that key */
u64 cache_number(const struct cache *c, const char *key)
{
	return words_number(&c->status, key);
}

u64 cache_block_bytes(const struct cache *c)
{
	return cache_number(c, "block_sectors") * SECTOR_SIZE;
}
