/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: A target's life in the fuzzers of table line and messages.
 */
#ifndef FC_FUZZ_SPLIT_H
#define FC_FUZZ_SPLIT_H

#include "cache.h"
#include "fuzz.h"
#include "kernel.h"

#define SPLIT_LINE	2048
#define SPLIT_WORDS	64

/*
 * Takes a line apart as device-mapper does: blanks part the words, a backslash makes the next
 * character part of its word. Writes over @line. Return: number of words.
 */
int split_words(char *line, char **words, int max);

/* A target made from words, NULL when they were refused; @why is set then. */
struct dm_target *split_make(int argc, char **argv, sector_t len, const char **why);
void split_free(struct dm_target *ti);

/* Each setting is in its range. */
void split_check_tune(const struct fc_tunables *tune);

/* What `dmsetup table` prints behind the target's name. */
void split_print(struct dm_target *ti, char line[SPLIT_LINE]);

#endif /* FC_FUZZ_SPLIT_H */
