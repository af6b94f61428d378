/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_WORDS_H
#define FC_UTILS_WORDS_H

#include "env.h"

/**
 * struct words - a line from the kernel, taken apart at its blanks
 * @text: copy of the line, cut into words
 * @at: the words
 * @nr: number of them
 */
struct words {
	char *text;
	char **at;
	size_t nr;
};

int __must_check words_split(struct words *w, const char *line);
void words_free(struct words *w);
const char *words_value(const struct words *w, const char *key);
u64 words_number(const struct words *w, const char *key);

#endif /* FC_UTILS_WORDS_H */
