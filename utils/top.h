/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_TOP_H
#define FC_UTILS_TOP_H

#include "sample.h"

/**
 * struct top_row - a cache that is watched
 * @name: its name
 * @sample: the last look at it
 * @rates: what it has done since the one before
 */
struct top_row {
	char name[MAPPER_NAME_LEN];
	struct sample sample;
	struct rates rates;
};

/**
 * struct top - the watch
 * @names: of the caches, as the user gave them
 * @nr_names: number of them, 0 for all that run
 * @delay_ms: between two looks
 * @list: the caches now
 * @rows: one for each of @list
 */
struct top {
	char *const *names;
	int nr_names;
	unsigned int delay_ms;
	struct cache_list list;
	struct top_row *rows;
};

int __must_check top_look(struct top *t);
int __must_check top_screen(struct top *t);

#endif /* FC_UTILS_TOP_H */
