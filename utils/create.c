// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache_create: put an SSD in front of a disk.
 *
 * Everything is checked before anything is written. The cache itself is made by the kernel; the
 * tool writes only when it is forced to erase what was on the SSD.
 */
#include <getopt.h>
#include <stdio.h>
#include <uuid/uuid.h>
#include "geometry.h"
#include "identity.h"
#include "mapper.h"
#include "newcache.h"
#include "tab.h"
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

/* Return: -1 to go on, else an exit status. */
static int parse(struct newcache *c, int argc, char **argv)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option;

	while ((option = getopt_long(argc, argv, "fs:b:d:m:va:p:wh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (newcache_option(c, option, optarg))
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
static int check_md_block(struct newcache *c)
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

static void print_plan(const struct newcache *c)
{
	printf("cachedev %s, ssd_devname %s, disk_devname %s cache mode %s\n",
	       c->name, c->ssd_path, c->disk_path, table_mode_title(c->mode));
	printf("block_size %llu, ", (unsigned long long)c->block);
	if (c->mode == FC_MODE_WRITEBACK)
		printf("md_block_size %llu, ", (unsigned long long)c->md_block);
	printf("cache_size %llu\n", (unsigned long long)c->size);
}

static int open_devices(struct newcache *c)
{
	if (newcache_open_ssd(c) || device_open(&c->disk, "disk", c->disk_path))
		return -1;
	if (c->disk.read_only)
		return fail("disk %s is read-only: make it writable (blockdev --setrw)",
			    c->disk_path);
	return 0;
}

static int check(struct newcache *c)
{
	if (open_devices(c) || newcache_check(c))
		return -1;
	return mapper_check_target() || mapper_check_free(c->name) ? -1 : 0;
}

static int start(struct newcache *c)
{
	struct table table;

	newcache_table(c, &table);
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
	struct newcache c = NEWCACHE_INIT;
	int ret = parse(&c, argc, argv);

	if (ret >= 0)
		return ret;
	if (mapper_check_name(c.name) || check_md_block(&c))
		return 1;
	print_plan(&c);
	ret = check(&c) || newcache_erase(&c) || start(&c);
	device_close(&c.ssd);
	device_close(&c.disk);
	return ret ? 1 : 0;
}
