/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The journal: a record, on storage that survives the machine under test, of what was asked of the
 * device and what it promised. After a crash it tells which generations each sector may hold.
 *
 * Order: a write is recorded before it is submitted, and durably; its completion, and that of a
 * flush, after it was seen, and not before the next durable record. So the journal may know of less
 * than was promised, never of less than was submitted.
 */
#ifndef FC_TEST_JOURNAL_H
#define FC_TEST_JOURNAL_H

#include <stdint.h>

#include "shadow.h"

struct journal;

/* A journal that is NULL records nothing. */
struct journal *journal_open(const char *path, const struct shadow *sh);
void journal_close(struct journal *j);

void journal_write_issued(struct journal *j, uint32_t gen, uint64_t sector, uint32_t nr, int fua);
void journal_write_done(struct journal *j, uint32_t gen);
void journal_discarded(struct journal *j, uint32_t gen, uint64_t sector, uint32_t nr);

/* Everything that was recorded as done before flush_issued() is durable after flush_done(). */
uint32_t journal_flush_issued(struct journal *j);
void journal_flush_done(struct journal *j, uint32_t flush);

/* Turn the shadow of before the journalled run into what may be found after the crash. */
void journal_replay(const char *path, struct shadow *sh);

/* The empty shadow with which the journalled run began, where no state was saved before it. */
void journal_create_shadow(const char *path, struct shadow *sh);

#endif
