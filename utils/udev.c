// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache udev: what udev's rule asks about each block device that turns up.
 *
 * Prints KEY=value lines if the device holds a cache, or is the disk of one that is listed in
 * /etc/flashcachetab. It is quick and changes nothing: what takes time is left to systemd.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uuid/uuid.h>
#include "busy.h"
#include "identity.h"
#include "store.h"
#include "sysfs.h"
#include "tab.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache udev DEVICE\n";

static const char help[] =
	"\n"
	"For udev's rule: does DEVICE hold a cache, or belong to one of /etc/flashcachetab?\n"
	"Prints lines for udev's environment; nothing if it does not.\n"
	"\n"
	"  -h, --help   this help\n";

static bool is_mapped(dev_t dev, const char *uuid_prefix)
{
	char uuid[MAPPER_UUID_LEN];

	return !sysfs_read(dev, "dm/uuid", uuid, sizeof(uuid)) &&
	       !strncmp(uuid, uuid_prefix, strlen(uuid_prefix));
}

static void print_ssd(dev_t dev, const struct fc_super *super)
{
	char uuid[UUID_TEXT_LEN], name[MAPPER_NAME_LEN];
	struct tab_line line;

	uuid_unparse_lower(super->uuid, uuid);
	printf("FLASHCACHE_ROLE=ssd\nFLASHCACHE_UUID=%s\n", uuid);
	if (!busy_cache_name(dev, name, sizeof(name)) && tab_find(uuid, &line) && !line.noauto)
		printf("FLASHCACHE_LOAD=1\n");
}

/* A map that somebody makes under the cache's name: it goes past the cache. */
static bool is_impostor(dev_t dev, const struct tab_line *line)
{
	char name[MAPPER_NAME_LEN];

	return !sysfs_read(dev, "dm/name", name, sizeof(name)) && !strcmp(name, line->name) &&
	       !mapper_is_cache(name);
}

/* A file system's UUID is that of the cache's own device, too, and of whatever else is above it. */
static bool is_disk(dev_t dev, const struct tab_line *line)
{
	return line->disk_id[0] && identity_matches(dev, line->disk_id) &&
	       (strncmp(line->disk_id, "UUID=", 5) || !is_mapped(dev, ""));
}

static bool print_disk(const struct tab_line *line, void *arg)
{
	const dev_t *dev = arg;

	if (!is_disk(*dev, line) && !is_impostor(*dev, line))
		return false;
	printf("FLASHCACHE_ROLE=disk\nFLASHCACHE_UUID=%s\n", line->uuid);
	if (!line->noauto)
		printf("FLASHCACHE_LOAD=1\n");
	return true;
}

static int describe(dev_t dev, int fd)
{
	struct device d = { .role = "device", .fd = fd, .dev = dev, .sectors = ~0ull >> 1 };
	struct store store;

	if (is_mapped(dev, MAPPER_UUID_PREFIX))
		return 0;
	if (!store_peek(&d, &store) && store.kind == STORE_CACHE) {
		print_ssd(dev, &store.super);
		return 0;
	}
	identity_of_event(dev);
	return tab_each(print_disk, &dev);
}

static int describe_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), ret;
	struct stat st;

	if (fd < 0)
		return fail("%s: %m", path);
	if (fstat(fd, &st) || !S_ISBLK(st.st_mode))
		ret = fail("%s is not a block device", path);
	else
		ret = describe(st.st_rdev, fd);
	close(fd);
	return ret;
}

int udev_main(int argc, char **argv)
{
	int ret = parse_one_word(argc, argv, usage, help, "name one device");

	if (ret >= 0)
		return ret;
	return describe_path(argv[optind]) ? 1 : 0;
}
