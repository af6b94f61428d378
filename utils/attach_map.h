/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The map that a cache is put under, and what of it becomes the cache's disk.
 *
 * A single linear piece from the beginning of a device: that device. Anything else: a mapped device
 * NAME-origin, which has the old table.
 */
#ifndef FC_UTILS_ATTACH_MAP_H
#define FC_UTILS_ATTACH_MAP_H

#include "mapper.h"

#define ATTACH_UUID_PREFIX	"FCORIGIN-"	/* of NAME-origin; then the cache's UUID */

/**
 * struct attach_map - a mapped device that is to become a cache
 * @may_move: NAME-origin may be made
 * @name: its name; not owned
 * @info: what device-mapper says of it
 * @map: its table
 * @origin: name of the device that got that table, or ""
 * @origin_uuid: its UUID
 * @disk: what the cache is to be in front of
 * @disk_path: its node
 */
struct attach_map {
	bool may_move;
	const char *name;
	struct mapper_info info;
	struct mapper_map map;
	char origin[MAPPER_NAME_LEN];
	char origin_uuid[MAPPER_UUID_LEN];
	dev_t disk;
	char disk_path[256];
};

int __must_check attach_map_read(struct attach_map *m, const char *name);
int __must_check attach_map_check(struct attach_map *m);
int __must_check attach_map_disk(struct attach_map *m, const char *uuid);
void attach_map_undo(struct attach_map *m);
void attach_map_free(struct attach_map *m);

#endif /* FC_UTILS_ATTACH_MAP_H */
