// SPDX-License-Identifier: GPL-2.0
/*
 * A cache that is to be made: its options, and all that is looked at before anything is written.
 */
#include <stdio.h>
#include <sys/sysinfo.h>
#include "dirty.h"
#include "geometry.h"
#include "newcache.h"
#include "number.h"
#include "signature.h"
#include "store.h"
#include "tool.h"
#include "flashcache/uapi.h"

/* --- options ---------------------------------------------------------------------------------- */

static int parse_mode(const char *word, unsigned int *mode)
{
	if (!strcmp(word, "back"))
		*mode = FC_MODE_WRITEBACK;
	else if (!strcmp(word, "thru") || !strcmp(word, "through"))
		*mode = FC_MODE_WRITETHROUGH;
	else if (!strcmp(word, "around"))
		*mode = FC_MODE_WRITEAROUND;
	else
		return fail("-p %s: no such mode: choose back, thru or around", word);
	return 0;
}

static int parse_size(char option, const char *text, u64 *sectors)
{
	if (!number_parse_sectors(text, sectors))
		return 0;
	return fail("-%c %s: not a size: give a number of sectors, or a number with k, m, g or t",
		    option, text);
}

/**
 * newcache_option() - take an option that says how the cache is to be
 * @c: filled
 * @option: its letter
 * @text: what follows it
 *
 * Return: 0, or -1 after it was said why not.
 */
int newcache_option(struct newcache *c, int option, const char *text)
{
	switch (option) {
	case 'p':
		return parse_mode(text, &c->mode);
	case 's':
		return parse_size('s', text, &c->size);
	case 'b':
		return parse_size('b', text, &c->block);
	case 'm':
		return parse_size('m', text, &c->md_block);
	case 'd':
		return parse_size('d', text, &c->cluster);
	case 'a':
		if (!number_parse(text, &c->assoc))
			return 0;
		return fail("-a %s: not a number", text);
	case 'w':
		return fail("-w: this version has no write-only caches: leave it out");
	case 'f':
		c->force = true;
		return 0;
	case 'v':
		c->verbose = true;
		return 0;
	default:
		return -1;	/* getopt has said why */
	}
}

/* --- checks ----------------------------------------------------------------------------------- */

/* The larger of both sector sizes becomes that of the cache. */
static int check_sector_sizes(const struct newcache *c)
{
	unsigned int ssd = c->ssd.sector_size, disk = c->disk.sector_size;

	if (ssd > FCD_BLOCK_SIZE || disk > FCD_BLOCK_SIZE)
		return fail("%s has sectors larger than %u bytes: cannot be used",
			    ssd > disk ? c->ssd_path : c->disk_path, FCD_BLOCK_SIZE);
	if (ssd > disk && !c->force)
		return fail("SSD %s has sectors of %u bytes, disk %s of %u: a file system that is "
			    "on the disk may not mount through the cache: reformat the SSD to "
			    "%u-byte sectors, or use -f", c->ssd_path, ssd, c->disk_path, disk,
			    disk);
	if (c->disk.sectors % (ssd / SECTOR_SIZE))
		return fail("the size of disk %s is no multiple of the SSD's sectors (%u bytes): "
			    "reformat the SSD to smaller sectors", c->disk_path, ssd);
	return 0;
}

static int fail_existing(const struct newcache *c)
{
	fail("Valid Flashcache already exists on %s", c->ssd_path);
	return fail("use flashcache_load %s to start it, or flashcache_destroy %s to give it up",
		    c->ssd_path, c->ssd_path);
}

/* Forced is forced, but the administrator is told what that costs. */
static void note_overwritten(const struct newcache *c, const struct store *store)
{
	u64 dirty;

	if (store->kind == STORE_NONE)
		return;
	if (store->kind != STORE_CACHE)
		note("SSD %s: %s; overwriting it as told", c->ssd_path, store->why);
	else if (!dirty_blocks_on(&c->ssd, &dirty))
		note("SSD %s: overwriting a cache with %llu dirty blocks as told", c->ssd_path,
		     (unsigned long long)dirty);
}

static int check_contents(const struct newcache *c)
{
	struct store store;
	char what[128];
	int found;

	if (store_read(&c->ssd, &store))
		return -1;
	if (c->force) {
		note_overwritten(c, &store);
		return 0;
	}
	switch (store.kind) {
	case STORE_CACHE:
		return fail_existing(c);
	case STORE_ORIGINAL:
		fail("Valid Flashcache already exists on %s, made by the original flashcache",
		     c->ssd_path);
		return fail("let the original write its dirty blocks to the disk, then use -f");
	case STORE_DAMAGED:
	case STORE_NEWER:
		return fail("SSD %s: %s: -f overwrites it", c->ssd_path, store.why);
	case STORE_NONE:
		break;
	}
	found = signature_find(&c->ssd, what, sizeof(what));
	if (found > 0)
		return fail("SSD %s has %s on it, which would be lost: choose another device, or "
			    "erase it (wipefs -a) or use -f", c->ssd_path, what);
	return found;
}

static int check_geometry(const struct newcache *c, struct fc_geo *geo)
{
	const struct fc_geo_want want = {
		.block_sectors = c->block,
		.assoc = c->assoc,
		.cluster_sectors = c->cluster,
		.cache_sectors = c->size,
		.flash_sectors = c->ssd.sectors,
		.disk_sectors = c->disk.sectors,
	};
	const char *why;

	return fc_geo_init(geo, &want, &why) ? fail("%s", why) : 0;
}

static int refuse_creation(void)
{
	fprintf(stderr, "Exiting FlashCache creation\n");
	return -1;
}

static int check_memory(const struct newcache *c, const struct fc_geo *geo)
{
	u64 need = fc_geo_memory(geo), have;
	struct sysinfo info;

	if (sysinfo(&info))
		return fail("cannot find out how much memory there is: %s", strerror(errno));
	have = (u64)info.totalram * info.mem_unit;
	printf("Flashcache metadata will use %lluMB of your %lluMB main memory\n",
	       (unsigned long long)(need + (1 << 20) - 1) >> 20, (unsigned long long)have >> 20);
	if (need <= have / 4 || c->force)
		return 0;
	if (ask("This is more than a quarter of the main memory; larger blocks (-b) or a smaller "
		"cache (-s) need less.\nAre you sure you want to proceed?"))
		return 0;
	return refuse_creation();
}

static int check_proportion(const struct newcache *c, const struct fc_geo *geo)
{
	if (geo->flash_sectors <= c->disk.sectors || c->force)
		return 0;
	if (ask("The cache on %s is larger than the disk %s.\nAre you sure you want to proceed?",
		c->ssd_path, c->disk_path))
		return 0;
	return refuse_creation();
}

/**
 * newcache_check() - whether such a cache can and may be made of these devices
 * @c: with both devices open
 *
 * Prints how much memory it needs, and may ask.
 */
int newcache_check(struct newcache *c)
{
	struct fc_geo geo;

	if (check_sector_sizes(c) || check_contents(c) || check_geometry(c, &geo))
		return -1;
	return check_memory(c, &geo) || check_proportion(c, &geo) ? -1 : 0;
}

/**
 * newcache_open_ssd() - open the SSD, which must be writable, and another device than the disk
 * @c: with both paths
 *
 * Before the disk is opened: a device and its partition exclude each other.
 */
int newcache_open_ssd(struct newcache *c)
{
	if (device_open(&c->ssd, "SSD", c->ssd_path))
		return -1;
	if (c->ssd.read_only)
		return fail("SSD %s is read-only: make it writable (blockdev --setrw)",
			    c->ssd_path);
	if (device_same(&c->ssd, c->disk_path))
		return fail("%s and %s are the same device: a disk cannot cache itself",
			    c->ssd_path, c->disk_path);
	return 0;
}

/**
 * newcache_erase() - when forced, erase what is on the SSD
 * @c: with its SSD open
 *
 * It must not be found by others later, where the cache does not overwrite it.
 */
int newcache_erase(struct newcache *c)
{
	if (!c->force)
		return 0;
	if (device_open_for_write(&c->ssd) || signature_wipe(&c->ssd))
		return -1;
	return 0;
}

/** newcache_table() - the table that makes it; the devices may be closed, and keep their paths */
void newcache_table(const struct newcache *c, struct table *table)
{
	*table = (struct table){
		.disk = &c->disk,
		.ssd = &c->ssd,
		.name = c->name,
		.mode = c->mode,
		.persist = c->force ? FC_PERSIST_FORCE : FC_PERSIST_CREATE,
		.block = c->block,
		.size = c->size,
		.assoc = c->assoc,
		.cluster = c->cluster,
		.md_block = c->md_block,
		.policy = "s3fifo",
	};
}
