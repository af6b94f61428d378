// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache detach: take a cache away while its device is in use.
 *
 * The mapped device stays, and becomes a linear map onto the disk. In between it is suspended: the
 * cache is stopped in order then, and made to be forgotten before the first request may reach the
 * disk. So at no moment, and after no power cut, is there a cache that knows less than its disk.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "dirty.h"
#include "progress.h"
#include "stop.h"
#include "store.h"
#include "swap.h"
#include "sweep.h"
#include "sysfs.h"
#include "tab.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache detach [-q] CACHEDEV\n";

static const char help[] =
	"\n"
	"Takes a cache away while its device is in use, say by a mounted file system. Dirty\n"
	"blocks are written to the disk first; then /dev/mapper/CACHEDEV is a plain map of\n"
	"the disk, and the ssd is free and holds no cache any more. From the next boot on\n"
	"the disk is used by itself: /etc/fstab must not name /dev/mapper/CACHEDEV then.\n"
	"Ctrl-C while it writes: the cache goes on running.\n"
	"\n"
	"  -q, --quiet  no progress bar\n"
	"  -h, --help   this help\n"
	"\n"
	"To stop a cache and keep its content, unmount and use 'flashcache unload'.\n";

/* Return: -1 to go on, else an exit status. */
static int parse(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "quiet", no_argument, NULL, 'q' }, { "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "qh", long_options, NULL)) != -1) {
		switch (option) {
		case 'q':
			progress_quiet();
			break;
		case 'h':
			printf("%s%s", usage, help);
			return 0;
		default:
			return usage_error(usage, NULL);
		}
	}
	return argc - optind == 1 ? -1 : usage_error(usage, "name one cache");
}

/* Nothing becomes dirty any more, and what is gets clean. Return: 0, -1, or an exit status. */
static int clean(struct cache *c)
{
	switch (sweep(c)) {
	case SWEEP_CLEAN:
		return 0;
	case SWEEP_STOPPED:
		fail("stopped: %s goes on running, %" PRIu64 " blocks are dirty", c->name,
		     cache_number(c, "dirty"));
		return EXIT_STOPPED;
	case SWEEP_CHASED:
		return fail("%s does not become clean: the kernel's log may say why", c->name);
	case SWEEP_FAILED:
		break;
	}
	return fail("%s goes on running", c->name);
}

/* The suspended cache's superblocks; its device is still held, so it is not opened for us alone. */
static int forget_cache(void *arg)
{
	const struct cache *c = arg;
	struct device d = { .role = "SSD", .path = c->ssd.path, .dev = c->ssd.dev,
			    .sectors = ~0ull >> 1 };
	struct store store;
	u64 dirty;
	int ret;

	d.fd = open(c->ssd.path, O_RDWR | O_CLOEXEC);
	if (d.fd < 0)
		return fail("cannot open %s: %m", c->ssd.path);
	device_drop_cached(&d);
	if (store_read(&d, &store) || store.kind != STORE_CACHE ||
	    store.super.state != FCD_STATE_ORDERLY)
		ret = fail("%s could not be stopped in order: the kernel's log says why", c->name);
	else if (dirty_blocks_on(&d, &dirty))
		ret = -1;
	else if (dirty)
		ret = fail("%" PRIu64 " blocks became dirty meanwhile: try again", dirty);
	else
		ret = store_wipe(&d);
	close(d.fd);
	return ret;
}

static int swap(struct cache *c)
{
	char params[64];
	const struct swap s = {
		.name = c->name, .sectors = c->sectors, .target = "linear", .params = params,
		.step = forget_cache, .arg = c,
	};

	snprintf(params, sizeof(params), "%u:%u 0", major(c->disk.dev), minor(c->disk.dev));
	return swap_table(&s);
}

static void forget_line(const struct cache *c)
{
	const char *uuid = mapper_cache_uuid(&c->info);

	if (uuid)
		tab_forget(uuid);
	sysfs_announce(c->ssd.dev);
	sysfs_announce(c->disk.dev);
}

/* Return: 0, -1, or an exit status. */
static int detach(struct cache *c)
{
	char back[64];
	int ret;

	if (c->info.suspended)
		return fail("%s is suspended, it cannot be cleaned: resume it first (dmsetup "
			    "resume %s)", c->name, c->name);
	snprintf(back, sizeof(back), "cache_mode %s", cache_text(c, "mode"));
	if (mapper_send(c->name, "cache_mode writethrough"))
		return fail("%s does not take another mode: the kernel's log says why", c->name);
	ret = clean(c);
	if (!ret) {
		stop_ignore();
		ret = swap(c);
	}
	if (ret) {
		if (mapper_send(c->name, back))
			note("%s stays in write-through mode", c->name);
		return ret;
	}
	forget_line(c);
	printf("%s is a plain map of %s now, and %s is free\n", c->name, c->disk.path,
	       c->ssd.path);
	return 0;
}

int detach_main(int argc, char **argv)
{
	int ret = parse(argc, argv);

	return ret >= 0 ? ret : cache_do(argv[optind], detach);
}
