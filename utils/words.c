// SPDX-License-Identifier: GPL-2.0
/*
 * Status and table lines.
 */
#include <stdlib.h>
#include "number.h"
#include "tool.h"
#include "words.h"

/**
 * words_split() - take a line apart
 * @w: filled; words_free() on it is always allowed afterwards
 * @line: words with blanks between
 */
int words_split(struct words *w, const char *line)
{
	char *rest, *word;

	*w = (struct words){ .text = strdup(line) };
	if (w->text)
		w->at = calloc(strlen(line) / 2 + 1, sizeof(*w->at));
	if (!w->at) {
		words_free(w);
		return fail("not enough memory");
	}
	for (word = strtok_r(w->text, "\n ", &rest); word; word = strtok_r(NULL, "\n ", &rest))
		w->at[w->nr++] = word;
	return 0;
}

void words_free(struct words *w)
{
	free(w->text);
	free(w->at);
	*w = (struct words){ 0 };
}

/**
 * words_value() - what follows "key="
 * @w: words
 * @key: key
 *
 * Return: NULL when there is no such word.
 */
const char *words_value(const struct words *w, const char *key)
{
	size_t i, len = strlen(key);

	for (i = 0; i < w->nr; i++)
		if (!strncmp(w->at[i], key, len) && w->at[i][len] == '=')
			return w->at[i] + len + 1;
	return NULL;
}

/** words_number() - words_value() as a number, 0 when there is none */
u64 words_number(const struct words *w, const char *key)
{
	const char *value = words_value(w, key);
	u64 number;

	return value && !number_parse(value, &number) ? number : 0;
}
