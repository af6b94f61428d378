// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache grow: cover a disk that has grown, while the cache is in use.
 *
 * The same table, but longer. What the cache covers is written to the SSD when the new table is
 * loaded, before the first request: after a power cut it covers the old size or the new one.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "cache.h"
#include "geometry.h"
#include "stop.h"
#include "swap.h"
#include "sysfs.h"
#include "tool.h"
#include "flashcache/uapi.h"

static const char usage[] =
	"Usage: flashcache grow CACHEDEV\n";

static const char help[] =
	"\n"
	"Makes a cache cover all of its disk after that has grown, while it is in use. Then\n"
	"grow what is on it: xfs_growfs, resize2fs, pvresize.\n"
	"\n"
	"  -h, --help   this help\n"
	"\n"
	"A disk that shrinks loses data: make what is on it smaller first, and never smaller\n"
	"than the cache covers.\n";

#define ALIGN	8u	/* sectors: whatever size the device's own are */

/* What the module would refuse, too, but only when the device is suspended already. */
static int check(const struct cache *c, u64 now)
{
	u64 block = cache_number(c, "block_sectors");
	u64 unit = block > FC_UNITS ? block / FC_UNITS : 1;

	if (c->info.suspended)
		return fail("%s is suspended: resume it first (dmsetup resume %s)", c->name,
			    c->name);
	if (now < c->sectors)
		return fail("disk %s is smaller (%llu sectors) than %s covers (%llu): make it as "
			    "large as it was, or data is lost", c->disk.path,
			    (unsigned long long)now, c->name, (unsigned long long)c->sectors);
	if (now - c->sectors >= ALIGN && c->sectors % unit)
		return fail("%s covers %llu sectors, no multiple of a unit (%llu), and cannot "
			    "grow: detach it and attach it anew", c->name,
			    (unsigned long long)c->sectors, (unsigned long long)unit);
	if (block && (now - 1) / block >> FC_BLOCK_BITS)
		return fail("disk %s is too large for blocks of %llu sectors: create the cache "
			    "anew with larger ones", c->disk.path, (unsigned long long)block);
	return 0;
}

static int grow(struct cache *c)
{
	u64 now = sysfs_sectors(c->disk.dev), wanted = now / ALIGN * ALIGN, before;
	struct swap s = {
		.name = c->name, .sectors = wanted, .target = FC_TARGET_NAME,
	};
	char *params;
	int ret;

	if (check(c, now))
		return -1;
	if (wanted <= c->sectors) {
		printf("%s covers all of %s: nothing to do\n", c->name, c->disk.path);
		return 0;
	}
	params = mapper_get_line(c->name, MAPPER_TABLE, &before);
	if (!params)
		return fail("cache %s is gone", c->name);
	stop_ignore();
	s.params = params;
	ret = swap_table(&s);
	free(params);
	if (!ret)
		printf("%s covers %llu sectors now instead of %llu: grow what is on it\n",
		       c->name, (unsigned long long)wanted, (unsigned long long)before);
	return ret;
}

int grow_main(int argc, char **argv)
{
	int ret = parse_one_word(argc, argv, usage, help, "name one cache");

	return ret >= 0 ? ret : cache_do(argv[optind], grow);
}
