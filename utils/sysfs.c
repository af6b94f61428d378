// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel tells about block devices under /sys.
 *
 * Devices are named by number, since paths and names change. A device that vanishes meanwhile looks
 * like one that never had the attribute.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "sysfs.h"

static int read_text(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = read(fd, buf, len - 1);
	close(fd);
	if (got < 0)
		return -1;
	while (got && (buf[got - 1] == '\n' || buf[got - 1] == ' '))
		got--;
	buf[got] = '\0';
	return 0;
}

static void device_dir(dev_t dev, char *path, size_t len)
{
	snprintf(path, len, "/sys/dev/block/%u:%u", major(dev), minor(dev));
}

/**
 * sysfs_read() - read an attribute of a block device
 * @dev: the device
 * @attr: path below the device's directory, such as "device/wwid"
 * @buf: result without blanks and newlines at its end
 * @len: size of @buf
 *
 * Return: 0, or -1 if there is no such attribute; says nothing.
 */
int sysfs_read(dev_t dev, const char *attr, char *buf, size_t len)
{
	char dir[64], path[512];

	device_dir(dev, dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/%s", dir, attr);
	return read_text(path, buf, len);
}

/** sysfs_sectors() - size of a block device in sectors; 0 if it is gone. Says nothing. */
u64 sysfs_sectors(dev_t dev)
{
	char text[32];

	return sysfs_read(dev, "size", text, sizeof(text)) ? 0 : strtoull(text, NULL, 10);
}

static int read_devno(const char *path, dev_t *dev)
{
	unsigned int major_nr, minor_nr;
	char text[64];

	if (read_text(path, text, sizeof(text)) ||
	    sscanf(text, "%u:%u", &major_nr, &minor_nr) != 2)
		return -1;
	*dev = makedev(major_nr, minor_nr);
	return 0;
}

/**
 * sysfs_parent() - find the whole device of a partition
 * @dev: perhaps a partition
 * @parent: its whole device
 *
 * Return: 0, or -1 if @dev is no partition.
 */
int sysfs_parent(dev_t dev, dev_t *parent)
{
	char dir[64], path[128], unused[32];

	if (sysfs_read(dev, "partition", unused, sizeof(unused)))
		return -1;
	device_dir(dev, dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/../dev", dir);
	return read_devno(path, parent);
}

/**
 * sysfs_name() - the kernel's name of a device, such as "sda1" or "dm-3"
 * @dev: the device
 * @buf: result
 * @len: size of @buf
 */
int sysfs_name(dev_t dev, char *buf, size_t len)
{
	char dir[64], target[512], *base;
	ssize_t got;

	device_dir(dev, dir, sizeof(dir));
	got = readlink(dir, target, sizeof(target) - 1);
	if (got < 0)
		return -1;
	target[got] = '\0';
	base = strrchr(target, '/');
	snprintf(buf, len, "%s", base ? base + 1 : target);
	return 0;
}

/**
 * sysfs_announce() - have udev look at a device again
 * @dev: the device
 *
 * Without udev, or without the right to do so, nothing happens.
 */
void sysfs_announce(dev_t dev)
{
	static const char word[] = "change";
	char dir[64], path[128];
	int fd;

	device_dir(dev, dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/uevent", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, word, sizeof(word) - 1) < 0)
		errno = 0;	/* whoever turns up next is looked at anyway */
	close(fd);
}

/* Visits the devices whose directories lie in @dir and have the file @mark. */
static bool each_in(const char *dir, const char *mark, sysfs_visit_fn visit, void *arg)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;
	char path[1024];
	bool done = false;
	dev_t dev;

	if (!entries)
		return false;
	while (!done && (entry = readdir(entries))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", dir, entry->d_name, mark);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s/dev", dir, entry->d_name);
		if (!read_devno(path, &dev))
			done = visit(dev, arg);
	}
	closedir(entries);
	return done;
}

/**
 * sysfs_each_partition() - visit the partitions of a device
 * @dev: whole device
 * @visit: returns true to stop
 * @arg: for @visit
 *
 * Return: true if a visit returned true. The other sysfs_each_* functions are alike.
 */
bool sysfs_each_partition(dev_t dev, sysfs_visit_fn visit, void *arg)
{
	char dir[64];

	device_dir(dev, dir, sizeof(dir));
	return each_in(dir, "partition", visit, arg);
}

/** sysfs_each_holder() - visit the devices that are built upon a device */
bool sysfs_each_holder(dev_t dev, sysfs_visit_fn visit, void *arg)
{
	char dir[64], path[128];

	device_dir(dev, dir, sizeof(dir));
	snprintf(path, sizeof(path), "%s/holders", dir);
	return each_in(path, "dev", visit, arg);
}

/** sysfs_each_device() - visit all block devices */
bool sysfs_each_device(sysfs_visit_fn visit, void *arg)
{
	return each_in("/sys/class/block", "dev", visit, arg);
}
