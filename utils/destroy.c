// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache_destroy: forget the cache on an SSD.
 */
#include <getopt.h>
#include <stdio.h>
#include <uuid/uuid.h>
#include "dirty.h"
#include "identity.h"
#include "store.h"
#include "sysfs.h"
#include "tab.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache_destroy [-f] ssd\n";

static const char help[] =
	"\n"
	"Makes the SSD forget that it holds a cache, so that it can be used for something\n"
	"else. The cache must not be running: stop it first with 'dmsetup remove CACHEDEV'.\n"
	"\n"
	"  -f          even if blocks are lost that are newer on the SSD than on the disk\n"
	"              (dirty blocks). Without -f such a cache is left as it is: load it and\n"
	"              remove it with fast_remove off, which writes them to the disk.\n"
	"  -h          this help\n";

struct destroy {
	bool force;
	const char *path;
	struct device ssd;
	struct store store;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct destroy *d, int argc, char **argv)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option;

	while ((option = getopt_long(argc, argv, "fh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (option != 'f')
			return usage_error(usage, NULL);
		d->force = true;
	}
	if (argc - optind != 1)
		return usage_error(usage, "name one ssd");
	d->path = argv[optind];
	return -1;
}

static int check_store(const struct destroy *d)
{
	switch (d->store.kind) {
	case STORE_CACHE:
		return 0;
	case STORE_DAMAGED:
	case STORE_NEWER:
		if (d->force)
			return 0;
		return fail("No valid Flashcache found on %s: %s: -f wipes it", d->path,
			    d->store.why);
	case STORE_ORIGINAL:
		return fail("No valid Flashcache found on %s: %s: use the original's "
			    "flashcache_destroy", d->path, d->store.why);
	case STORE_NONE:
		break;
	}
	return fail("No valid Flashcache found on %s: nothing to destroy", d->path);
}

/* Three lines, the first of which scripts look for. */
static int refuse_dirty(const struct destroy *d, const char *count)
{
	fprintf(stderr, "DIRTY BLOCKS EXIST ON %s: %s\n", d->path, count);
	fprintf(stderr, "They are newer than the disk: destroying the cache would lose data.\n");
	fprintf(stderr, "Load it (flashcache_load %s) and 'dmsetup remove' it to write them to the "
		"disk, or use -f to lose them.\n", d->path);
	return -1;
}

static int check_dirty(const struct destroy *d)
{
	char count[64];
	u64 dirty;

	if (d->force || d->store.kind != STORE_CACHE)
		return 0;
	if (dirty_blocks_on(&d->ssd, &dirty)) {
		fail("dirty blocks of the cache on %s cannot be counted", d->path);
		return refuse_dirty(d, "number unknown");
	}
	if (!dirty)
		return 0;
	snprintf(count, sizeof(count), "%llu blocks", (unsigned long long)dirty);
	return refuse_dirty(d, count);
}

/* The disk is a disk like any other from now on. */
static void forget(const struct destroy *d)
{
	struct identity_search search = {
		.id = d->store.super.disk_id, .not_this = d->ssd.dev,
	};
	char uuid[UUID_TEXT_LEN];

	uuid_unparse_lower(d->store.super.uuid, uuid);
	tab_forget(uuid);
	sysfs_announce(d->ssd.dev);
	if (!search.id[0])
		return;
	identity_search(&search);
	if (search.found == 1)
		sysfs_announce(search.dev);
}

static int destroy(struct destroy *d)
{
	if (device_open(&d->ssd, "SSD", d->path) || device_open_for_write(&d->ssd) ||
	    store_read(&d->ssd, &d->store) || check_store(d) || check_dirty(d))
		return -1;
	printf("Destroying Flashcache found on %s\n", d->path);
	if (store_wipe(&d->ssd))
		return -1;
	if (d->store.kind == STORE_CACHE)
		forget(d);
	return 0;
}

int destroy_main(int argc, char **argv)
{
	struct destroy d = { .ssd.fd = -1 };
	int ret = parse(&d, argc, argv);

	if (ret >= 0)
		return ret;
	ret = destroy(&d);
	device_close(&d.ssd);
	return ret ? 1 : 0;
}
