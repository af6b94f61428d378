// SPDX-License-Identifier: GPL-2.0
/*
 * Who uses a block device.
 *
 * Only for the words: what decides is the exclusive open, which every user in the kernel takes part
 * in. What is found here tells the administrator whom to stop.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "busy.h"
#include "mapper.h"
#include "sysfs.h"

struct finding {
	char *why;
	size_t len;
};

static bool path_is_device(const char *path, dev_t dev)
{
	struct stat st;

	return path[0] == '/' && !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev;
}

/*
 * A line is "id parent major:minor root mountpoint options [fields] - type source superoptions".
 * Some file systems (btrfs) have a number of their own, then only the source names the device.
 */
static bool mount_line_matches(const char *line, dev_t dev, char *where)
{
	unsigned int major_nr, minor_nr;
	const char *tail = strstr(line, " - ");
	char source[512];

	if (sscanf(line, "%*d %*d %u:%u %*s %511s", &major_nr, &minor_nr, where) != 3)
		return false;
	if (makedev(major_nr, minor_nr) == dev)
		return true;
	return tail && sscanf(tail, " - %*s %511s", source) == 1 && path_is_device(source, dev);
}

static bool mounted_on(dev_t dev, char *where)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	bool found = false;
	char line[4096];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = mount_line_matches(line, dev, where);
	fclose(file);
	return found;
}

static bool is_swap(dev_t dev)
{
	FILE *file = fopen("/proc/swaps", "re");
	char line[1024], path[512];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%511s", path) == 1 && path_is_device(path, dev);
	fclose(file);
	return found;
}

static bool describe_holder(dev_t dev, void *arg)
{
	struct finding *finding = arg;
	char name[128], mapped[128];

	if (sysfs_name(dev, name, sizeof(name)))
		return false;
	if (sysfs_read(dev, "dm/name", mapped, sizeof(mapped)))
		snprintf(finding->why, finding->len, "in use by %s", name);
	else
		snprintf(finding->why, finding->len, "in use by the mapped device %s", mapped);
	return true;
}

static bool device_is_busy(dev_t dev, char *why, size_t len)
{
	struct finding finding = { why, len };
	char where[512];

	if (mounted_on(dev, where)) {
		snprintf(why, len, "mounted on %s", where);
		return true;
	}
	if (is_swap(dev)) {
		snprintf(why, len, "in use as swap space");
		return true;
	}
	return sysfs_each_holder(dev, describe_holder, &finding);
}

static bool partition_is_busy(dev_t dev, void *arg)
{
	struct finding *finding = arg;
	char name[128], why[1024];

	if (!device_is_busy(dev, why, sizeof(why)))
		return false;
	if (sysfs_name(dev, name, sizeof(name)))
		snprintf(name, sizeof(name), "%u:%u", major(dev), minor(dev));
	snprintf(finding->why, finding->len, "in use: its partition %s is %s", name, why);
	return true;
}

/**
 * busy_reason() - find out what uses a device or a partition of it
 * @dev: the device
 * @why: filled with a text that completes "/dev/x is "
 * @len: size of @why
 *
 * Return: false if nothing was found; the device may be in use all the same.
 */
bool busy_reason(dev_t dev, char *why, size_t len)
{
	struct finding finding = { why, len };

	return device_is_busy(dev, why, len) ||
	       sysfs_each_partition(dev, partition_is_busy, &finding);
}

static bool holder_is_cache(dev_t dev, void *arg)
{
	struct finding *finding = arg;
	char uuid[160], name[MAPPER_NAME_LEN];

	if (sysfs_read(dev, "dm/uuid", uuid, sizeof(uuid)) ||
	    strncmp(uuid, MAPPER_UUID_PREFIX, strlen(MAPPER_UUID_PREFIX)) ||
	    sysfs_read(dev, "dm/name", name, sizeof(name)))
		return false;
	/* What was detached is a plain map, and has its UUID still. */
	if (!mapper_is_cache(name))
		return false;
	snprintf(finding->why, finding->len, "%s", name);
	return true;
}

/**
 * busy_cache_name() - find the running cache that a device belongs to
 * @dev: the device
 * @name: filled with the cache's name
 * @len: size of @name
 *
 * Return: false if it belongs to none.
 */
bool busy_cache_name(dev_t dev, char *name, size_t len)
{
	struct finding finding = { name, len };

	return sysfs_each_holder(dev, holder_is_cache, &finding);
}
