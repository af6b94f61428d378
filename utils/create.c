// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache_create: put an SSD in front of a disk.
 *
 * Everything is checked before anything is written. The cache itself is made by the kernel; the
 * tool writes only when it is forced to erase what was on the SSD.
 */
#include <getopt.h>
#include <stdio.h>
#include <sys/sysinfo.h>
#include <uuid/uuid.h>
#include "dirty.h"
#include "geometry.h"
#include "identity.h"
#include "mapper.h"
#include "number.h"
#include "signature.h"
#include "store.h"
#include "tab.h"
#include "table.h"
#include "tool.h"
#include "flashcache/uapi.h"

#define MD_BLOCK_DEFAULT	8u
#define MD_BLOCK_MAX		128u

static const char usage[] =
	"Usage: flashcache_create [-v] [-f] -p back|thru|around [-b block_size]\n"
	"                         [-m md_block_size] [-s cache_size] [-a associativity]\n"
	"                         [-d disk_associativity] cachedev ssd disk\n";

static const char help[] =
	"\n"
	"Puts SSD in front of DISK. The result is the block device /dev/mapper/CACHEDEV,\n"
	"as large as the disk: use it instead of the disk. What is on the disk stays;\n"
	"what is on the SSD is lost.\n"
	"\n"
	"  -p back     write-back: a write is done when it is on the SSD, the disk gets it\n"
	"              later. Fastest. Never use the disk by itself while the cache holds\n"
	"              dirty blocks.\n"
	"  -p thru     write-through (or through): a write goes to the disk and to the SSD\n"
	"  -p around   write-around: a write goes to the disk only, reads fill the cache\n"
	"  -s SIZE     part of the SSD to use (default: all of it)\n"
	"  -b SIZE     cache block, 4k to 64k, a power of two (default 4k)\n"
	"  -a N        blocks in a set, 256 to 8192, a power of two (default 512)\n"
	"  -d SIZE     consecutive piece of the disk that shares a set (default 16 blocks)\n"
	"  -m SIZE     metadata block; accepted for old scripts, without effect\n"
	"  -w          write-only cache: not supported by this version\n"
	"  -f          overwrite what is on the SSD, answer yes to all questions\n"
	"  -v          print the device-mapper table to stderr\n"
	"  -h          this help\n"
	"\n"
	"A SIZE is a number of 512-byte sectors, or a number with k, m, g or t behind it.\n"
	"\n"
	"Example: a write-back cache on /dev/nvme0n1 for the file system on /dev/sdb\n"
	"  umount /data\n"
	"  flashcache_create -p back fast /dev/nvme0n1 /dev/sdb\n"
	"  mount /dev/mapper/fast /data\n"
	"\n"
	"Stop it:     dmsetup remove fast         (first writes dirty blocks to the disk)\n"
	"Start it:    flashcache_load /dev/nvme0n1\n"
	"Give it up:  flashcache_destroy /dev/nvme0n1\n";

struct create {
	bool verbose;
	bool force;
	unsigned int mode;
	u64 block;
	u64 md_block;
	u64 size;
	u64 assoc;
	u64 cluster;
	const char *name;
	const char *ssd_path;
	const char *disk_path;
	struct device ssd;
	struct device disk;
};

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

static int parse_option(struct create *c, int option, const char *text)
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

/* Return: -1 to go on, else an exit status. */
static int parse(struct create *c, int argc, char **argv)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option;

	while ((option = getopt_long(argc, argv, "fs:b:d:m:va:p:wh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (parse_option(c, option, optarg))
			return usage_error(usage, NULL);
	}
	if (!c->mode)
		return usage_error(usage, "-p is missing: choose back, thru or around");
	if (argc - optind != 3)
		return usage_error(usage, "three names are needed: cachedev, ssd and disk");
	c->name = argv[optind];
	c->ssd_path = argv[optind + 1];
	c->disk_path = argv[optind + 2];
	return -1;
}

/* The original ignores -m unless the mode is write-back, so do we. */
static int check_md_block(struct create *c)
{
	if (c->mode != FC_MODE_WRITEBACK) {
		c->md_block = 0;
		return 0;
	}
	if (!c->md_block)
		c->md_block = MD_BLOCK_DEFAULT;
	if (c->md_block > MD_BLOCK_MAX || c->md_block & (c->md_block - 1))
		return fail("Invalid metadata block size: must be a power of two up to %u sectors",
			    MD_BLOCK_MAX);
	return 0;
}

static void print_plan(const struct create *c)
{
	printf("cachedev %s, ssd_devname %s, disk_devname %s cache mode %s\n",
	       c->name, c->ssd_path, c->disk_path, table_mode_title(c->mode));
	printf("block_size %llu, ", (unsigned long long)c->block);
	if (c->mode == FC_MODE_WRITEBACK)
		printf("md_block_size %llu, ", (unsigned long long)c->md_block);
	printf("cache_size %llu\n", (unsigned long long)c->size);
}

static int open_devices(struct create *c)
{
	if (device_open(&c->ssd, "SSD", c->ssd_path))
		return -1;
	if (c->ssd.read_only)
		return fail("SSD %s is read-only: make it writable (blockdev --setrw)",
			    c->ssd_path);
	/* Before the open: a device and its partition exclude each other. */
	if (device_same(&c->ssd, c->disk_path))
		return fail("%s and %s are the same device: a disk cannot cache itself",
			    c->ssd_path, c->disk_path);
	if (device_open(&c->disk, "disk", c->disk_path))
		return -1;
	if (c->disk.read_only)
		return fail("disk %s is read-only: make it writable (blockdev --setrw)",
			    c->disk_path);
	return 0;
}

/* The larger of both sector sizes becomes that of the cache. */
static int check_sector_sizes(const struct create *c)
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

static int fail_existing(const struct create *c)
{
	fail("Valid Flashcache already exists on %s", c->ssd_path);
	return fail("use flashcache_load %s to start it, or flashcache_destroy %s to give it up",
		    c->ssd_path, c->ssd_path);
}

/* Forced is forced, but the administrator is told what that costs. */
static void note_overwritten(const struct create *c, const struct store *store)
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

static int check_contents(const struct create *c)
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

static int check_geometry(const struct create *c, struct fc_geo *geo)
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

static int check_memory(const struct create *c, const struct fc_geo *geo)
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

static int check_proportion(const struct create *c, const struct fc_geo *geo)
{
	if (geo->flash_sectors <= c->disk.sectors || c->force)
		return 0;
	if (ask("The cache on %s is larger than the disk %s.\nAre you sure you want to proceed?",
		c->ssd_path, c->disk_path))
		return 0;
	return refuse_creation();
}

static int check(struct create *c)
{
	struct fc_geo geo;

	if (open_devices(c) || check_sector_sizes(c) || check_contents(c) ||
	    check_geometry(c, &geo))
		return -1;
	if (check_memory(c, &geo) || check_proportion(c, &geo))
		return -1;
	return mapper_check_target() || mapper_check_free(c->name) ? -1 : 0;
}

/* What was on the SSD must not be found by others later, where the cache does not overwrite it. */
static int erase_old_contents(struct create *c)
{
	if (!c->force)
		return 0;
	if (device_open_for_write(&c->ssd) || signature_wipe(&c->ssd))
		return -1;
	return 0;
}

static int start(struct create *c)
{
	struct table table = {
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

	uuid_generate(table.uuid);
	if (!identity_get(c->disk.dev, table.disk_id))
		note("disk %s has nothing by which it could be known again: name it when you call "
		     "flashcache_load", c->disk_path);
	device_close(&c->ssd);
	device_close(&c->disk);
	if (table_start(&table, c->disk.sectors, c->verbose))
		return -1;
	tab_remember_started(&table, c->ssd.dev, c->disk.dev);
	return 0;
}

int create_main(int argc, char **argv)
{
	struct create c = {
		.block = FC_BLOCK_DEFAULT,
		.assoc = FC_ASSOC_DEFAULT,
		.ssd.fd = -1,
		.disk.fd = -1,
	};
	int ret = parse(&c, argc, argv);

	if (ret >= 0)
		return ret;
	if (mapper_check_name(c.name) || check_md_block(&c))
		return 1;
	print_plan(&c);
	ret = check(&c) || erase_old_contents(&c) || start(&c);
	device_close(&c.ssd);
	device_close(&c.disk);
	return ret ? 1 : 0;
}
