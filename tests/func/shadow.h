/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shadow: for every sector of a span, which generations may be found in it.
 *
 * Each write takes the next generation number. While it is in flight a sector may hold the old or
 * the new one; then only the new one. A sector that was never written, or was discarded, is
 * undefined: it may hold anything old, but it must go on holding what was first read from it.
 */
#ifndef FC_TEST_SHADOW_H
#define FC_TEST_SHADOW_H

#include <stdint.h>

struct shadow_sector {
	uint32_t oldest;	/* the least generation that may be found; 0: undefined */
	uint32_t newest;	/* the greatest: the last one issued */
	uint32_t sum;		/* undefined, but read before: the sum of what was read; else 0 */
};

struct shadow {
	uint64_t tag;		/* names the run in its stamps */
	uint64_t first;		/* the span */
	uint64_t count;
	uint32_t next_gen;
	struct shadow_sector *at;
};

void shadow_create(struct shadow *sh, uint64_t tag, uint64_t first, uint64_t count);
void shadow_load(struct shadow *sh, const char *path);
void shadow_save(const struct shadow *sh, const char *path);
void shadow_free(struct shadow *sh);

/* The caller holds the range against all but overlapping reads. */
uint32_t shadow_take_gen(struct shadow *sh);
void shadow_write_issued(struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t gen);
void shadow_write_done(struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t gen);
void shadow_discarded(struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t gen);

/* Remember, before a read that may overlap writes, the least generations that it may find. */
void shadow_note_oldest(const struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t *oldest);

/*
 * Check what was read. oldest: as noted before an overlapping read, or NULL where nothing
 * overlapped; then the content of undefined sectors is remembered and compared too. Prints a line
 * for each run of wrong sectors; returns their number.
 */
uint64_t shadow_check(struct shadow *sh, uint64_t sector, uint32_t nr, const void *buf,
		      const uint32_t *oldest);

/* After a crash: from now on each sector holds what was just read, and nothing else. */
void shadow_settle(struct shadow *sh, uint64_t sector, uint32_t nr, const void *buf);

#endif
