/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_CACHE_H
#define FC_UTILS_CACHE_H

#include "mapper.h"
#include "words.h"

#define CACHE_PATH_LEN	128

/**
 * struct cache_leg - one of a running cache's two devices
 * @dev: its number
 * @path: its node, or "major:minor" if it has none
 */
struct cache_leg {
	dev_t dev;
	char path[CACHE_PATH_LEN];
};

/**
 * struct cache - a running cache, as the kernel describes it
 * @name: of the mapped device
 * @info: the mapped device
 * @sectors: its length
 * @status: words of the status line
 * @table: words of the table line behind the target's name
 * @ssd: cache device
 * @disk: disk
 */
struct cache {
	char name[MAPPER_NAME_LEN];
	struct mapper_info info;
	u64 sectors;
	struct words status;
	struct words table;
	struct cache_leg ssd;
	struct cache_leg disk;
};

/**
 * struct cache_list - several of them
 * @at: the caches
 * @nr: number of them
 */
struct cache_list {
	struct cache *at;
	size_t nr;
};

int __must_check cache_get(struct cache *c, const char *name);
int cache_do(const char *name, int (*act)(struct cache *c));
void cache_name_of(const char *word, char name[MAPPER_NAME_LEN]);
int __must_check cache_refresh(struct cache *c);
void cache_free(struct cache *c);
int __must_check cache_get_list(struct cache_list *list, char *const *names, int nr);
void cache_free_list(struct cache_list *list);

const char *cache_text(const struct cache *c, const char *key);
u64 cache_number(const struct cache *c, const char *key);
u64 cache_block_bytes(const struct cache *c);

#endif /* FC_UTILS_CACHE_H */
