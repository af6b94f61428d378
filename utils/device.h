/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_DEVICE_H
#define FC_UTILS_DEVICE_H

#include <sys/types.h>
#include "env.h"

#define SECTOR_SIZE	512u

/**
 * struct device - an open block device
 * @role: "SSD" or "disk", for messages
 * @path: as the user typed it, or found by the tool; not owned
 * @fd: -1 when closed
 * @dev: its number
 * @sectors: size in 512-byte sectors
 * @sector_size: logical, in bytes
 * @read_only: writes are refused by the kernel
 * @file: it is a plain file, an image of a device
 */
struct device {
	const char *role;
	const char *path;
	int fd;
	dev_t dev;
	u64 sectors;
	unsigned int sector_size;
	bool read_only;
	bool file;
};

int __must_check device_open_image(struct device *d, const char *role, const char *path);
void device_drop_cached(const struct device *d);
int __must_check device_open(struct device *d, const char *role, const char *path);
int __must_check device_open_for_write(struct device *d);
void device_close(struct device *d);
bool device_same(const struct device *d, const char *path);
int __must_check device_read(const struct device *d, u64 offset, void *buf, size_t len);
int __must_check device_write(const struct device *d, u64 offset, const void *buf, size_t len);
bool device_try_read(const struct device *d, u64 offset, void *buf, size_t len);

#endif /* FC_UTILS_DEVICE_H */
