// SPDX-License-Identifier: GPL-2.0
/* Opening, reading and discarding the device under test. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "stamp.h"

const char *program;

void die(int code, const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(code);
}

static void measure_block_device(struct device *dev)
{
	uint64_t bytes;
	int block;

	if (ioctl(dev->fd, BLKGETSIZE64, &bytes) || ioctl(dev->fd, BLKSSZGET, &block))
		die(EXIT_USAGE, "%s: cannot ask for its size: %s", dev->path, strerror(errno));
	dev->sectors = bytes >> SECTOR_SHIFT;
	dev->unit = block >> SECTOR_SHIFT;
}

void device_open(struct device *dev, const char *path)
{
	struct stat st;

	dev->path = path;
	dev->fd = open(path, O_RDWR | O_DIRECT);
	if (dev->fd < 0 && errno == EINVAL)
		dev->fd = open(path, O_RDWR);
	if (dev->fd < 0 || fstat(dev->fd, &st))
		die(EXIT_USAGE, "%s: %s", path, strerror(errno));

	dev->is_block = S_ISBLK(st.st_mode);
	if (dev->is_block) {
		measure_block_device(dev);
		return;
	}
	if (!S_ISREG(st.st_mode))
		die(EXIT_USAGE, "%s: neither a block device nor a file", path);
	dev->sectors = st.st_size >> SECTOR_SHIFT;
	dev->unit = 1;
}

int device_read(const struct device *dev, uint64_t sector, uint32_t nr, void *buf)
{
	size_t bytes = (size_t)nr << SECTOR_SHIFT;
	ssize_t got = pread(dev->fd, buf, bytes, sector << SECTOR_SHIFT);

	if (got < 0)
		return -errno;
	return (size_t)got == bytes ? 0 : -EIO;
}

int device_discard(const struct device *dev, uint64_t sector, uint64_t nr)
{
	uint64_t range[2] = { sector << SECTOR_SHIFT, nr << SECTOR_SHIFT };
	int ret;

	if (dev->is_block)
		ret = ioctl(dev->fd, BLKDISCARD, range);
	else
		ret = fallocate(dev->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, range[0],
				range[1]);
	return ret ? -errno : 0;
}

void *alloc_pages(size_t bytes)
{
	void *p;

	if (posix_memalign(&p, 4096, bytes))
		die(EXIT_USAGE, "no memory for %zu bytes", bytes);
	memset(p, 0, bytes);
	return p;
}

uint64_t bytes_to_sectors(const char *what, uint64_t bytes, const struct device *dev)
{
	if (bytes % (dev->unit * SECTOR_SIZE))
		die(EXIT_USAGE, "%s: %llu is not a multiple of the logical block size %u", what,
		    (unsigned long long)bytes, dev->unit * SECTOR_SIZE);
	return bytes >> SECTOR_SHIFT;
}
