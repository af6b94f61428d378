/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_MAPPER_H
#define FC_UTILS_MAPPER_H

#include <sys/types.h>
#include "env.h"

#define MAPPER_UUID_PREFIX	"FLASHCACHE-"	/* of the mapped device; then the cache's UUID */
#define MAPPER_NAME_LEN		128		/* with the zero at its end */
#define MAPPER_UUID_LEN		129

/**
 * struct mapper_info - a mapped device
 * @exists: there is one of this name; otherwise the rest says nothing
 * @suspended: no I/O passes
 * @read_only: it refuses writes
 * @pending: another table is loaded, and not yet in force
 * @open_count: who has it open
 * @dev: its number
 * @uuid: its UUID, perhaps empty
 */
struct mapper_info {
	bool exists;
	bool suspended;
	bool read_only;
	bool pending;
	unsigned int open_count;
	dev_t dev;
	char uuid[MAPPER_UUID_LEN];
};

enum mapper_line { MAPPER_STATUS, MAPPER_TABLE };

/**
 * struct mapper_piece - a line of a table
 * @start: where it begins, in sectors
 * @sectors: its length
 * @type: name of the target
 * @params: what follows that
 */
struct mapper_piece {
	u64 start;
	u64 sectors;
	char type[17];
	char *params;
};

/**
 * struct mapper_map - a table
 * @at: its lines
 * @nr: number of them
 * @sectors: length of the device
 */
struct mapper_map {
	struct mapper_piece *at;
	size_t nr;
	u64 sectors;
};

/* Return: -1 to stop. */
typedef int (*mapper_visit_fn)(const char *name, void *arg);

int __must_check mapper_check_name(const char *name);
int __must_check mapper_check_kernel(void);
int __must_check mapper_check_target(void);
int __must_check mapper_check_free(const char *name);
int __must_check mapper_create(const char *name, const char *uuid, u64 sectors,
			       const char *params);
int __must_check mapper_each(mapper_visit_fn visit, void *arg);
int __must_check mapper_get_info(const char *name, struct mapper_info *info);
char *mapper_get_line(const char *name, enum mapper_line which, u64 *sectors);
bool mapper_is_cache(const char *name);
int __must_check mapper_send(const char *name, const char *message);
int __must_check mapper_remove(const char *name);
int __must_check mapper_load(const char *name, u64 sectors, const char *target,
			     const char *params);
int __must_check mapper_suspend(const char *name);
int __must_check mapper_resume(const char *name);
void mapper_drop_loaded(const char *name);
int __must_check mapper_read_map(const char *name, struct mapper_map *map);
void mapper_free_map(struct mapper_map *map);
int __must_check mapper_load_map(const char *name, const struct mapper_map *map);
int __must_check mapper_create_map(const char *name, const char *uuid,
				   const struct mapper_map *map);
int __must_check mapper_set_uuid(const char *name, const char *uuid);
const char *mapper_cache_uuid(const struct mapper_info *info);

#endif /* FC_UTILS_MAPPER_H */
