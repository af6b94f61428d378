/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_DIRTY_H
#define FC_UTILS_DIRTY_H

#include "store.h"

int __must_check dirty_blocks_on(const struct device *ssd, u64 *dirty);

#endif /* FC_UTILS_DIRTY_H */
