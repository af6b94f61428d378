/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_COLUMNS_H
#define FC_UTILS_COLUMNS_H

#include <stdio.h>
#include "env.h"

/**
 * struct columns - a table of text whose columns are as wide as they must be
 * @align: a letter for each column: l or r
 * @cells: texts, row by row; NULL where memory was short
 * @nr: number of cells
 * @room: how many @cells has room for
 */
struct columns {
	const char *align;
	char **cells;
	size_t nr;
	size_t room;
};

void columns_add(struct columns *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void columns_print(struct columns *c, FILE *to);

#endif /* FC_UTILS_COLUMNS_H */
