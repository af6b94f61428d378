/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_HUMAN_H
#define FC_UTILS_HUMAN_H

#include "env.h"

/* Room for any text that the functions of human.c make. */
#define HUMAN_LEN	32
typedef char human_text[HUMAN_LEN];

const char *human_bytes(human_text text, u64 bytes);
const char *human_count(human_text text, u64 count);
const char *human_percent(human_text text, u64 part, u64 whole);
const char *human_seconds(human_text text, u64 seconds);

#endif /* FC_UTILS_HUMAN_H */
