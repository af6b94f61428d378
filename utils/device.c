// SPDX-License-Identifier: GPL-2.0
/*
 * Block devices, opened so that nobody else can use them.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "busy.h"
#include "device.h"
#include "sysfs.h"
#include "tool.h"

static int find_device(struct device *d)
{
	struct stat st;

	if (stat(d->path, &st))
		return fail("%s %s: %s: check the name, lsblk lists what is there",
			    d->role, d->path, strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return fail("%s %s is not a block device: name a disk, a partition or a volume",
			    d->role, d->path);
	d->dev = st.st_rdev;
	return 0;
}

static int fail_busy(const struct device *d)
{
	char why[1024], name[128];

	if (busy_cache_name(d->dev, name, sizeof(name)))
		return fail("%s %s is in use by the running cache %s: dmsetup remove %s stops it",
			    d->role, d->path, name, name);
	if (busy_reason(d->dev, why, sizeof(why)))
		return fail("%s %s is %s: unmount or stop that first", d->role, d->path, why);
	return fail("%s %s is in use: stop what uses it first (lsblk and lsof may tell)",
		    d->role, d->path);
}

static int open_file(struct device *d, int flags)
{
	struct stat st;

	d->fd = open(d->path, flags | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &st))
		return fail("%s %s: %s", d->role, d->path, strerror(errno));
	if (flock(d->fd, LOCK_EX | LOCK_NB))
		return fail("%s %s is in use by another flashcache command: wait for its end",
			    d->role, d->path);
	d->sectors = (u64)st.st_size / SECTOR_SIZE;
	d->sector_size = SECTOR_SIZE;
	d->read_only = access(d->path, W_OK);
	return d->sectors ? 0 : fail("%s %s is empty (size 0)", d->role, d->path);
}

static int open_exclusive(struct device *d, int flags)
{
	struct stat st;

	d->fd = open(d->path, flags | O_EXCL | O_CLOEXEC);
	if (d->fd < 0 && errno == EBUSY)
		return fail_busy(d);
	if (d->fd < 0)
		return fail("%s %s: %s", d->role, d->path, strerror(errno));
	if (!fstat(d->fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == d->dev)
		return 0;
	device_close(d);
	return fail("%s %s has just changed: try again", d->role, d->path);
}

/**
 * device_drop_cached() - have what is read next come from the medium
 * @d: open
 *
 * A running cache does not tell the page cache what it writes, and whoever has looked at the device
 * since it runs, udev say, has left there what was.
 */
void device_drop_cached(const struct device *d)
{
	ioctl(d->fd, BLKFLSBUF, 0);
}

static int get_limits(struct device *d)
{
	int read_only = 0, sector_size = 0;
	u64 bytes = 0;

	if (ioctl(d->fd, BLKGETSIZE64, &bytes) || ioctl(d->fd, BLKSSZGET, &sector_size) ||
	    ioctl(d->fd, BLKROGET, &read_only))
		return fail("%s %s: cannot get its size: %s", d->role, d->path, strerror(errno));
	d->sectors = bytes / SECTOR_SIZE;
	d->sector_size = (unsigned int)sector_size;
	d->read_only = read_only;
	if (!d->sectors)
		return fail("%s %s is empty (size 0)", d->role, d->path);
	device_drop_cached(d);
	return 0;
}

/**
 * device_open() - open a block device that nobody uses, for reading
 * @d: filled; device_close() on it is always allowed afterwards
 * @role: "SSD" or "disk"
 * @path: kept, not copied
 *
 * While it is open, nobody can mount it or build upon it. That includes a device-mapper table, so
 * close it before loading one.
 */
int device_open(struct device *d, const char *role, const char *path)
{
	char why[1024];

	*d = (struct device){ .role = role, .path = path, .fd = -1 };
	if (find_device(d))
		return -1;
	if (busy_reason(d->dev, why, sizeof(why)))
		return fail_busy(d);
	if (open_exclusive(d, O_RDONLY))
		return -1;
	return get_limits(d);
}

/**
 * device_open_image() - like device_open(), but it may also be a plain file
 * @d: filled
 * @role: "SSD" or "disk"
 * @path: kept, not copied
 */
int device_open_image(struct device *d, const char *role, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return device_open(d, role, path);
	*d = (struct device){ .role = role, .path = path, .fd = -1, .file = true };
	return open_file(d, O_RDONLY);
}

/**
 * device_open_for_write() - open again, for writing
 * @d: from device_open()
 */
int device_open_for_write(struct device *d)
{
	if (d->read_only)
		return fail("%s %s is read-only: make it writable (blockdev --setrw)",
			    d->role, d->path);
	device_close(d);
	return d->file ? open_file(d, O_RDWR) : open_exclusive(d, O_RDWR);
}

void device_close(struct device *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static dev_t whole(dev_t dev)
{
	dev_t parent;

	return sysfs_parent(dev, &parent) ? dev : parent;
}

/**
 * device_same() - true if a path is a device, a partition of it, or the disk that it is part of
 * @d: the device, open
 * @path: another, perhaps no device at all
 */
bool device_same(const struct device *d, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return false;
	return d->dev == st.st_rdev || whole(d->dev) == st.st_rdev || d->dev == whole(st.st_rdev);
}

/** device_try_read() - like device_read(), but says nothing; false when it fails */
bool device_try_read(const struct device *d, u64 offset, void *buf, size_t len)
{
	u8 *at = buf;

	while (len) {
		ssize_t got = pread(d->fd, at, len, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		offset += (u64)got;
		len -= (size_t)got;
	}
	return true;
}

/** device_read() - read @len bytes from byte @offset on, all or nothing */
int device_read(const struct device *d, u64 offset, void *buf, size_t len)
{
	errno = 0;
	if (device_try_read(d, offset, buf, len))
		return 0;
	return fail("%s %s: cannot read at byte %llu: %s", d->role, d->path,
		    (unsigned long long)offset, errno ? strerror(errno) : "end of device");
}

/** device_write() - write @len bytes from byte @offset on, to the medium */
int device_write(const struct device *d, u64 offset, const void *buf, size_t len)
{
	const u8 *at = buf;

	while (len) {
		ssize_t put = pwrite(d->fd, at, len, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			break;
		at += put;
		offset += (u64)put;
		len -= (size_t)put;
	}
	if (len || fsync(d->fd))
		return fail("%s %s: cannot write: %s", d->role, d->path, strerror(errno));
	return 0;
}
