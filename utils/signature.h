/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_SIGNATURE_H
#define FC_UTILS_SIGNATURE_H

#include "device.h"

int __must_check signature_find(const struct device *d, char *what, size_t len);
int __must_check signature_wipe(const struct device *d);

/* Values that libblkid reads from a device; false if there is none. */
bool signature_fs_uuid(int fd, char *uuid, size_t len);
bool signature_partition_uuid(int fd, char *uuid, size_t len);

#endif /* FC_UTILS_SIGNATURE_H */
