/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_SYSFS_H
#define FC_UTILS_SYSFS_H

#include <sys/types.h>
#include "env.h"

int __must_check sysfs_read(dev_t dev, const char *attr, char *buf, size_t len);
u64 sysfs_sectors(dev_t dev);
int __must_check sysfs_parent(dev_t dev, dev_t *parent);
int __must_check sysfs_name(dev_t dev, char *buf, size_t len);

void sysfs_announce(dev_t dev);

typedef bool (*sysfs_visit_fn)(dev_t dev, void *arg);
bool sysfs_each_partition(dev_t dev, sysfs_visit_fn visit, void *arg);
bool sysfs_each_holder(dev_t dev, sysfs_visit_fn visit, void *arg);
bool sysfs_each_device(sysfs_visit_fn visit, void *arg);

#endif /* FC_UTILS_SYSFS_H */
