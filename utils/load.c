// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache_load: start caches that exist on SSDs.
 */
#include <getopt.h>
#include <stdio.h>
#include "locate.h"
#include "number.h"
#include "start.h"
#include "tab.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache_load [-v] [--ssd-wins] [--wait SECONDS] SSD|UUID=... [cachedev [disk]]\n"
	"       flashcache_load --all [--wait SECONDS]\n";

static const char help[] =
	"\n"
	"Starts the cache that is on SSD; the result is the block device\n"
	"/dev/mapper/CACHEDEV.\n"
	"\n"
	"  SSD         the device given to flashcache_create; or UUID=... of the cache, as\n"
	"              'flashcache list --all --json' shows it, wherever it is\n"
	"  cachedev    another name than the one it was created with\n"
	"  disk        the disk, in case it cannot be found by itself. Make sure that it is\n"
	"              the right one: blocks that the cache holds will be written to it.\n"
	"  -a, --all   all caches of /etc/flashcachetab that are not marked noauto\n"
	"  -w, --wait SECONDS\n"
	"              wait so long for SSD and disk to turn up\n"
	"      --ssd-wins\n"
	"              if the disk was written without its cache: keep the blocks that are\n"
	"              newer in the cache, over what was written. (To keep what is on the\n"
	"              disk: flashcache_destroy -f SSD, and create the cache anew.)\n"
	"  -v          print the device-mapper table to stderr\n"
	"  -h, --help  this help\n"
	"\n"
	"The disk is searched among all block devices by an identity stored on the SSD (a\n"
	"WWID, a serial number, a UUID), never by a path, which may belong to another disk\n"
	"today.\n";

#define WAIT_MAX	86400u

struct load {
	bool all;
	struct start how;
	char uuid[UUID_TEXT_LEN];
	unsigned int asked;
	bool bad;
};

static int parse_wait(struct load *l, const char *text)
{
	u64 seconds;

	if (number_parse(text, &seconds) || seconds > WAIT_MAX)
		return usage_error(usage, "--wait %s: a number of seconds up to %u", text,
				   WAIT_MAX);
	l->how.wait = (unsigned int)seconds;
	return -1;
}

static int parse_words(struct load *l, int nr, char **words)
{
	int is_uuid;

	if (l->all)
		return nr ? usage_error(usage, "--all takes no names") : -1;
	if (nr < 1 || nr > 3)
		return usage_error(usage, "name the ssd, and at most a cachedev and a disk");
	is_uuid = locate_parse(words[0], l->uuid);
	if (is_uuid < 0)
		return 1;
	if (!is_uuid && l->how.wait)
		return usage_error(usage, "--wait works with UUID=... and --all only");
	if (is_uuid)
		l->how.uuid = l->uuid;
	else
		l->how.ssd_path = words[0];
	l->how.name = nr > 1 ? words[1] : NULL;
	l->how.disk_path = nr > 2 ? words[2] : NULL;
	return -1;
}

/* Return: -1 to go on, else an exit status. */
static int parse(struct load *l, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "all", no_argument, NULL, 'a' }, { "wait", required_argument, NULL, 'w' },
		{ "ssd-wins", no_argument, NULL, 's' }, { "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option, ret;

	while ((option = getopt_long(argc, argv, "avw:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'a':
			l->all = true;
			break;
		case 's':
			l->how.ssd_wins = true;
			break;
		case 'v':
			l->how.verbose = true;
			break;
		case 'w':
			ret = parse_wait(l, optarg);
			if (ret >= 0)
				return ret;
			break;
		case 'h':
			printf("%s%s", usage, help);
			return 0;
		default:
			return usage_error(usage, NULL);
		}
	}
	return parse_words(l, argc - optind, argv + optind);
}

/* Two ways lead here at boot: whoever comes second finds that nothing is left to do. */
static int load_one(const struct start *how)
{
	char name[MAPPER_NAME_LEN];

	if (how->uuid && start_is_running(how->uuid, name, sizeof(name))) {
		printf("cache UUID=%s runs already: %s\n", how->uuid, name);
		return 0;
	}
	return start_cache(how);
}

static bool load_line(const struct tab_line *line, void *arg)
{
	struct load *l = arg;
	struct start how = l->how;

	if (line->noauto)
		return false;
	l->asked++;
	how.uuid = line->uuid;
	how.name = line->name;
	if (load_one(&how))
		l->bad = true;
	return false;
}

static int load_all(struct load *l)
{
	if (tab_each(load_line, l))
		return -1;
	if (!l->asked)
		printf("no cache of %s comes up by itself\n", tab_path());
	return l->bad ? -1 : 0;
}

int load_main(int argc, char **argv)
{
	struct load l = { .all = false };
	int ret = parse(&l, argc, argv);

	if (ret >= 0)
		return ret;
	ret = l.all ? load_all(&l) : load_one(&l.how);
	return ret ? 1 : 0;
}
