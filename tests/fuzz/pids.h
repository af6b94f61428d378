/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What the lists of processes should hold, for the fuzzer of messages.
 */
#ifndef FC_FUZZ_PIDS_H
#define FC_FUZZ_PIDS_H

#include "cache.h"

#define PIDS_LINE 2048

/* Nobody is in the lists. */
void pids_clear(void);

/* A message that was obeyed; @argc words. */
void pids_obey(int argc, char **argv);

/* What the gate shows and answers is what the messages have made of it. */
void pids_check(struct fc_cache *c);

#endif /* FC_FUZZ_PIDS_H */
