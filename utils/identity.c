// SPDX-License-Identifier: GPL-2.0
/*
 * Finding a disk by what it is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "identity.h"
#include "signature.h"
#include "sysfs.h"

#define VALUE_LEN	512

/* Where a value comes from; each returns false if the device has none. */
typedef bool (*value_fn)(dev_t dev, const char *attr, char *value);

static bool from_sysfs(dev_t dev, const char *attr, char *value)
{
	return !sysfs_read(dev, attr, value, VALUE_LEN) && value[0];
}

/* The device that udev handles just now, and asks us about. */
static dev_t event_dev;

/**
 * identity_of_event() - what udev knows of a device is in the environment, and not yet in its files
 * @dev: the device of udev's present event
 */
void identity_of_event(dev_t dev)
{
	event_dev = dev;
}

static bool from_event(const char *key, char *value)
{
	const char *word = getenv(key);

	if (!word || !word[0])
		return false;
	snprintf(value, VALUE_LEN, "%s", word);
	return true;
}

/*
 * udev keeps what it knows about a device in lines "E:KEY=value". Partitions are left out: they
 * inherit what udev knows of the whole.
 */
static bool from_udev(dev_t dev, const char *key, char *value)
{
	char path[64], line[VALUE_LEN], unused[16];
	size_t len = strlen(key);
	bool found = false;
	FILE *file;

	if (!sysfs_read(dev, "partition", unused, sizeof(unused)))
		return false;
	if (event_dev && dev == event_dev)
		return from_event(key, value);
	snprintf(path, sizeof(path), "/run/udev/data/b%u:%u", major(dev), minor(dev));
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strncmp(line, "E:", 2) && !strncmp(line + 2, key, len) &&
			line[2 + len] == '=' && line[3 + len];
	}
	if (found)
		snprintf(value, VALUE_LEN, "%s", line + 3 + len);
	fclose(file);
	return found;
}

static bool from_blkid(dev_t dev, char *value, bool (*read)(int fd, char *uuid, size_t len))
{
	char path[256];
	bool found;
	int fd;

	if (identity_node(dev, path, sizeof(path)))
		return false;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = read(fd, value, VALUE_LEN);
	close(fd);
	return found;
}

static bool from_partition_table(dev_t dev, const char *attr, char *value)
{
	dev_t parent;

	(void)attr;
	return !sysfs_parent(dev, &parent) && from_blkid(dev, value, signature_partition_uuid);
}

/* A partition of a disk without UUIDs in its table: the disk's value and the number. */
static bool from_parent(dev_t dev, const char *attr, char *value)
{
	char number[16];
	dev_t parent;
	size_t len;

	if (sysfs_read(dev, "partition", number, sizeof(number)) || sysfs_parent(dev, &parent) ||
	    !from_sysfs(parent, attr, value))
		return false;
	len = strlen(value);
	snprintf(value + len, VALUE_LEN - len, "-part%s", number);
	return true;
}

static bool from_file_system(dev_t dev, const char *attr, char *value)
{
	(void)attr;
	return from_blkid(dev, value, signature_fs_uuid);
}

/* The first that a device has, and no other device has, is its identity. Keys are stored: keep. */
static const struct source {
	const char *key;
	value_fn get;
	const char *attr;
} sources[] = {
	{ "DM_UUID", from_sysfs, "dm/uuid" },		/* LVM, multipath, crypt */
	{ "MD_UUID", from_sysfs, "md/uuid" },
	{ "MD_UUID", from_udev, "MD_UUID" },
	{ "PARTUUID", from_partition_table, NULL },
	{ "WWID", from_sysfs, "wwid" },			/* NVMe */
	{ "WWID", from_sysfs, "device/wwid" },		/* SCSI, SATA */
	{ "ID_SERIAL", from_udev, "ID_SERIAL" },
	{ "SERIAL", from_sysfs, "serial" },		/* virtio */
	{ "SERIAL", from_sysfs, "device/serial" },
	{ "CID", from_sysfs, "device/cid" },		/* MMC */
	{ "PART_WWID", from_parent, "wwid" },
	{ "PART_WWID", from_parent, "device/wwid" },
	{ "PART_SERIAL", from_parent, "serial" },
	{ "LOOP_FILE", from_sysfs, "loop/backing_file" },
	{ "UUID", from_file_system, NULL },
};

#define NR_SOURCES (sizeof(sources) / sizeof(sources[0]))

/* KEY=value without blanks and what else could not stand in a table line; cut off where it must. */
static void compose(char id[IDENTITY_LEN], const char *key, const char *value)
{
	char *c;

	snprintf(id, IDENTITY_LEN, "%s=%.*s", key, (int)(IDENTITY_LEN - strlen(key) - 2), value);
	for (c = id; *c; c++)
		if (*c <= ' ' || *c > '~' || *c == '\\')
			*c = '_';
}

static bool has_identity(dev_t dev, const struct source *source, char id[IDENTITY_LEN])
{
	char value[VALUE_LEN];

	if (!source->get(dev, source->attr, value))
		return false;
	compose(id, source->key, value);
	return true;
}

/**
 * identity_matches() - true if an identity is a device's own
 * @dev: the device
 * @id: identity of any disk, perhaps made by another version of the tool
 */
bool identity_matches(dev_t dev, const char *id)
{
	char own[IDENTITY_LEN];
	size_t i, len;

	for (i = 0; i < NR_SOURCES; i++) {
		len = strlen(sources[i].key);
		if (!strncmp(id, sources[i].key, len) && id[len] == '=' &&
		    has_identity(dev, &sources[i], own) && !strcmp(own, id))
			return true;
	}
	return false;
}

static bool visit_device(dev_t dev, void *arg)
{
	struct identity_search *search = arg;
	u64 sectors = sysfs_sectors(dev);
	size_t len = strlen(search->names);
	char name[64];

	if (dev == search->not_this || !sectors || sectors < search->min_sectors ||
	    !identity_matches(dev, search->id))
		return false;
	if (!search->found++)
		search->dev = dev;
	if (!sysfs_name(dev, name, sizeof(name)))
		snprintf(search->names + len, sizeof(search->names) - len, "%s%s",
			 len ? " " : "", name);
	return false;
}

/**
 * identity_search() - look at all block devices for those of an identity
 * @search: what is sought; the rest is filled
 */
void identity_search(struct identity_search *search)
{
	search->found = 0;
	search->names[0] = '\0';
	sysfs_each_device(visit_device, search);
}

/**
 * identity_get() - find a string by which a disk is known again
 * @dev: the disk
 * @id: result
 *
 * Return: false if the device has nothing that no other device here has too.
 */
bool identity_get(dev_t dev, char id[IDENTITY_LEN])
{
	struct identity_search search = { .id = id };
	size_t i;

	for (i = 0; i < NR_SOURCES; i++) {
		if (!has_identity(dev, &sources[i], id))
			continue;
		identity_search(&search);
		if (search.found == 1)
			return true;
	}
	id[0] = '\0';
	return false;
}

static bool is_node_of(const char *path, dev_t dev)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev;
}

/**
 * identity_node() - path of a device's node
 * @dev: the device
 * @path: result
 * @len: size of @path
 *
 * Return: 0, or -1 if there is no node; says nothing.
 */
int identity_node(dev_t dev, char *path, size_t len)
{
	char name[128], *c;

	if (!sysfs_read(dev, "dm/name", name, sizeof(name))) {
		snprintf(path, len, "/dev/mapper/%s", name);
		if (is_node_of(path, dev))
			return 0;
	}
	if (sysfs_name(dev, name, sizeof(name)))
		return -1;
	for (c = name; *c; c++)
		if (*c == '!')		/* how sysfs writes a slash */
			*c = '/';
	snprintf(path, len, "/dev/%s", name);
	return is_node_of(path, dev) ? 0 : -1;
}
