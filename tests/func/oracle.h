/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oracle: what each sector may hold, when requests come one at a time and some of them fail.
 *
 *   a write that succeeded	from now on this and nothing else
 *   a write that failed		before or after, sector by sector, until somebody looks
 *   a discard			anything that this sector ever held, or zeros, until somebody looks
 *   a read			what was found stays
 *   a cut			what a flush, or FUA, made durable, or something written since
 */
#ifndef FC_TEST_ORACLE_H
#define FC_TEST_ORACLE_H

#include <stdint.h>

#define ORACLE_GENS 8

/* Generations; 0 is the zeros of the beginning. @any: all that the sector ever held. */
struct gen_set {
	uint8_t nr;
	uint8_t any;
	uint32_t gens[ORACLE_GENS];
};

struct oracle_sector {
	struct gen_set now;	/* what may be read */
	struct gen_set kept;	/* what may be there after a cut */
};

struct oracle {
	uint64_t tag;
	uint32_t sectors;
	uint32_t next_gen;
	struct oracle_sector *at;
};

void oracle_begin(struct oracle *o, uint64_t tag, uint32_t sectors);

/* The device held zeros, and a write of generation gen came back: well, or with an error. */
void oracle_wrote(struct oracle *o, uint32_t sector, uint32_t nr, uint32_t gen, int ok, int fua);
void oracle_discarded(struct oracle *o, uint32_t sector, uint32_t nr);
void oracle_flushed(struct oracle *o);

/* Power went, or the cache could not be stopped in order. */
void oracle_cut(struct oracle *o);

/*
 * Judges sectors that were read. Returns how many are wrong; the first one is described in why.
 * settled: what is found now survives cuts as well.
 */
uint32_t oracle_read(struct oracle *o, uint32_t sector, uint32_t nr, const void *buf, int settled,
		     char *why, uint32_t why_bytes);

#endif
