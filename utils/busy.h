/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_BUSY_H
#define FC_UTILS_BUSY_H

#include <sys/types.h>
#include "env.h"

bool busy_reason(dev_t dev, char *why, size_t len);
bool busy_cache_name(dev_t dev, char *name, size_t len);

#endif /* FC_UTILS_BUSY_H */
