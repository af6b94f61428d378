/* SPDX-License-Identifier: GPL-2.0 */
/* Command lines: a table says what an option is and where its value goes. */
#ifndef FC_TEST_OPTIONS_H
#define FC_TEST_OPTIONS_H

#include <stdint.h>

enum option_kind {
	OPTION_FLAG,		/* to: int, becomes 1 */
	OPTION_TEXT,		/* to: const char * */
	OPTION_NUMBER,		/* to: uint64_t */
	OPTION_SIZE,		/* to: uint64_t; may have a suffix k, m, g or t */
};

/* A table ends with a NULL name. max 0: any number will do. */
struct option_rule {
	const char *name;
	enum option_kind kind;
	void *to;
	uint64_t min;
	uint64_t max;
};

/*
 * Options may stand before, between and behind the words, of which there must be just nr. --help
 * prints the usage text and exits; anything wrong is a message and exit 1.
 */
void options_parse(const struct option_rule *rules, const char *usage, char **argv,
		   const char **words, unsigned int nr);

uint64_t parse_number(const char *what, const char *text, uint64_t min, uint64_t max);

#endif
