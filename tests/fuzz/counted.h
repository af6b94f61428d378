/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_FUZZ_COUNTED_H
#define FC_FUZZ_COUNTED_H

#include "env.h"

/* The number of dirty blocks that flashcache_destroy finds on this flash; -1: it cannot tell. */
int counted_dirty(void *flash, size_t len, u64 sectors, u64 *dirty);

#endif /* FC_FUZZ_COUNTED_H */
