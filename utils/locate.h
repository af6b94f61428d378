/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Which device holds a cache, and which one is its disk?
 */
#ifndef FC_UTILS_LOCATE_H
#define FC_UTILS_LOCATE_H

#include <sys/types.h>
#include "store.h"
#include "table.h"

#define LOCATE_PATH_LEN		256
#define LOCATE_PREFIX		"UUID="

/**
 * struct locate - a search
 * @uuid: of the cache, as text in lower case
 * @found: how many devices hold it
 * @dev: the first of them
 * @path: its node
 * @names: all of them, for messages
 * @store: what is on the first of them
 */
struct locate {
	const char *uuid;
	unsigned int found;
	dev_t dev;
	char path[LOCATE_PATH_LEN];
	char names[256];
	struct store store;
};

bool locate_peek(dev_t dev, char path[LOCATE_PATH_LEN], struct store *store);
void locate_search(struct locate *l);
int __must_check locate_disk(const struct fc_super *super, const struct device *ssd,
			     const char *command, char path[LOCATE_PATH_LEN]);
int __must_check locate_parse(const char *word, char uuid[UUID_TEXT_LEN]);

#endif /* FC_UTILS_LOCATE_H */
