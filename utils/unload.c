// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache unload: stop a running cache.
 *
 * Unlike a plain `dmsetup remove` it cleans before it removes, so that it can show how far it is, be
 * stopped on the way, and refuse to remove what could not be cleaned.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include "busy.h"
#include "progress.h"
#include "settings.h"
#include "stop.h"
#include "sweep.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache unload [--fast] [-q] CACHEDEV\n"
	"       flashcache unload --shutdown\n";

static const char help[] =
	"\n"
	"Stops a running cache. Dirty blocks are written to the disk first, so that the disk\n"
	"can be used by itself; the ssd keeps what it holds for the next 'flashcache load'.\n"
	"Ctrl-C while it writes: the cache goes on running. If the disk refuses writes, so\n"
	"does the cache.\n"
	"\n"
	"      --fast   leave dirty blocks on the ssd, which is quick. Do not use the disk by\n"
	"               itself then: it is out of date until the cache is loaded again\n"
	"      --shutdown\n"
	"               all caches, quickly; one that is still in use is told to leave its\n"
	"               dirty blocks on the ssd when it is removed later\n"
	"  -q, --quiet  no progress bar\n"
	"  -h, --help   this help\n"
	"\n"
	"Example:\n"
	"  umount /data && flashcache unload fast\n";

struct unload {
	bool fast;
	bool shutdown;
	struct cache cache;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct unload *u, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "fast", no_argument, NULL, 'f' }, { "shutdown", no_argument, NULL, 's' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "qh", long_options, NULL)) != -1) {
		switch (option) {
		case 'f':
			u->fast = true;
			break;
		case 's':
			u->shutdown = true;
			break;
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
	if (u->shutdown)
		return argc == optind ? -1 : usage_error(usage, "--shutdown takes no name");
	return argc - optind == 1 ? -1 : usage_error(usage, "name one cache");
}

static int check(const struct unload *u)
{
	const struct cache *c = &u->cache;
	char why[1024];

	if (busy_reason(c->info.dev, why, sizeof(why)))
		return fail("%s is %s: unmount or stop that first", c->name, why);
	if (c->info.open_count)
		return fail("%s is in use (%u times open): stop what uses it first (lsof and fuser "
			    "may tell)", c->name, c->info.open_count);
	if (c->info.suspended && !u->fast)
		return fail("%s is suspended, it cannot be cleaned: resume it first (dmsetup "
			    "resume %s)", c->name, c->name);
	return 0;
}

/* Return: 0, -1, or an exit status. */
static int clean(struct unload *u)
{
	struct cache *c = &u->cache;

	switch (sweep(c)) {
	case SWEEP_CLEAN:
		return 0;
	case SWEEP_CHASED:
		return fail("somebody writes to %s: stop that first", c->name);
	case SWEEP_STOPPED:
		fail("stopped: %s goes on running, %" PRIu64 " blocks are dirty", c->name,
		     cache_number(c, "dirty"));
		return EXIT_STOPPED;
	case SWEEP_FAILED:
		break;
	}
	return fail("%s goes on running; 'unload --fast' leaves its dirty blocks on the ssd",
		    c->name);
}

/* Return: 0 or a positive errno. */
static int remove_fast(const struct cache *c)
{
	char before[24];
	int error;

	snprintf(before, sizeof(before), "0");
	setting_value(c, "fast_remove", before);
	error = mapper_send(c->name, "fast_remove 1");
	if (!error)
		error = mapper_remove(c->name);
	if (error && !strcmp(before, "0") && mapper_send(c->name, "fast_remove 0"))
		note("%s keeps fast_remove=1", c->name);
	return error;
}

static int unload(struct unload *u)
{
	const struct cache *c = &u->cache;
	u64 dirty;
	int ret, error;

	if (check(u))
		return -1;
	ret = u->fast ? 0 : clean(u);
	if (ret)
		return ret;
	dirty = u->fast ? cache_number(c, "dirty") : 0;
	stop_ignore();
	error = u->fast ? remove_fast(c) : mapper_remove(c->name);
	if (error)
		return fail("cannot remove %s: %s%s", c->name, strerror(error),
			    error == EBUSY ? ": stop what uses it first" : "");
	if (dirty)
		printf("%s stopped; %" PRIu64 " dirty blocks stay on %s: do not use %s by itself\n",
		       c->name, dirty, c->ssd.path, c->disk.path);
	else
		printf("%s stopped; nothing is dirty, %s is up to date\n", c->name, c->disk.path);
	return 0;
}

/*
 * Nothing may hold up a shutdown: what cannot be stopped now will be by systemd, when its file
 * systems are unmounted at last.
 */
static int unload_all(void)
{
	struct cache_list list;
	int ret, bad = 0, error;
	size_t i;

	ret = cache_get_list(&list, NULL, 0);
	for (i = 0; !ret && i < list.nr; i++) {
		const struct cache *c = &list.at[i];

		error = mapper_send(c->name, "fast_remove 1");
		if (error)
			bad = fail("cannot reach %s: %s", c->name, strerror(error));
		else if (c->info.open_count || mapper_remove(c->name))
			note("%s is in use: it will be stopped later", c->name);
	}
	cache_free_list(&list);
	return ret || bad ? -1 : 0;
}

int unload_main(int argc, char **argv)
{
	struct unload u = { .fast = false };
	char value[24];
	int ret = parse(&u, argc, argv);

	if (ret >= 0)
		return ret;
	if (u.shutdown)
		return unload_all() ? 1 : 0;
	ret = cache_get(&u.cache, argv[optind]);
	if (!ret && setting_value(&u.cache, "fast_remove", value) && !strcmp(value, "1"))
		u.fast = true;
	if (!ret)
		ret = unload(&u);
	cache_free(&u.cache);
	return ret < 0 ? 1 : ret;
}
