/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Starting a cache that exists.
 *
 * The SSD says everything: which disk, which name, which mode. The disk is found by its identity,
 * since its path may have changed; a wrong disk would be overwritten with another's blocks.
 */
#ifndef FC_UTILS_START_H
#define FC_UTILS_START_H

#include "env.h"

/**
 * struct start - what to start, and how
 * @ssd_path: the SSD's path; or NULL, when @uuid says which cache
 * @uuid: of the cache, or NULL
 * @name: of the mapped device; NULL: that of the SSD
 * @disk_path: the disk; NULL: find it
 * @wait: seconds to wait for SSD and disk to turn up; with @uuid only
 * @ssd_wins: keep dirty blocks even if others have written the disk
 * @verbose: print the table line to stderr
 */
struct start {
	const char *ssd_path;
	const char *uuid;
	const char *name;
	const char *disk_path;
	unsigned int wait;
	bool ssd_wins;
	bool verbose;
};

int __must_check start_cache(const struct start *how);
bool start_is_running(const char *uuid, char *name, size_t len);

#endif /* FC_UTILS_START_H */
