// SPDX-License-Identifier: GPL-2.0
/* Sets of generations for each sector. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "oracle.h"
#include "stamp.h"

static void only(struct gen_set *set, uint32_t gen)
{
	set->nr = 1;
	set->any = 0;
	set->gens[0] = gen;
}

static int has(const struct gen_set *set, uint32_t gen)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (set->gens[i] == gen)
			return 1;
	}
	return set->any;
}

static void add(struct gen_set *set, uint32_t gen)
{
	if (has(set, gen) && !set->any)
		return;
	if (set->nr == ORACLE_GENS)
		die(EXIT_USAGE, "a sector is written too often without a flush");
	set->gens[set->nr++] = gen;
}

void oracle_begin(struct oracle *o, uint64_t tag, uint32_t sectors)
{
	uint32_t i;

	if (o->sectors != sectors) {
		free(o->at);
		o->at = calloc(sectors, sizeof(*o->at));
		if (!o->at)
			die(EXIT_USAGE, "no memory for the oracle");
	}
	o->tag = tag;
	o->sectors = sectors;
	o->next_gen = 1;
	for (i = 0; i < sectors; i++) {
		only(&o->at[i].now, 0);
		only(&o->at[i].kept, 0);
	}
}

void oracle_wrote(struct oracle *o, uint32_t sector, uint32_t nr, uint32_t gen, int ok, int fua)
{
	struct oracle_sector *s = &o->at[sector];

	for (; nr--; s++) {
		if (ok)
			only(&s->now, gen);
		else
			add(&s->now, gen);
		if (ok && fua)
			only(&s->kept, gen);
		else
			add(&s->kept, gen);
	}
}

void oracle_discarded(struct oracle *o, uint32_t sector, uint32_t nr)
{
	struct oracle_sector *s = &o->at[sector];

	for (; nr--; s++) {
		s->now = (struct gen_set){ .any = 1 };
		s->kept = s->now;
	}
}

void oracle_flushed(struct oracle *o)
{
	uint32_t i;

	for (i = 0; i < o->sectors; i++)
		o->at[i].kept = o->at[i].now;
}

void oracle_cut(struct oracle *o)
{
	uint32_t i;

	for (i = 0; i < o->sectors; i++)
		o->at[i].now = o->at[i].kept;
}

static void describe(const struct gen_set *set, uint32_t sector, const struct stamp *found,
		     char *why, uint32_t bytes)
{
	static const char *const kinds[] = {
		[STAMP_GOOD] = "generation", [STAMP_MISPLACED] = "misplaced, generation",
		[STAMP_TORN] = "torn, generation", [STAMP_FOREIGN] = "of another run, generation",
		[STAMP_ZERO] = "zeros", [STAMP_NONE] = "no stamp",
	};
	int at, i;

	at = snprintf(why, bytes, "sector %u: found %s %u, expected", sector, kinds[found->kind],
		      found->gen);
	for (i = 0; i < set->nr && (uint32_t)at + 12 < bytes; i++)
		at += snprintf(why + at, bytes - at, " %u", set->gens[i]);
}

uint32_t oracle_read(struct oracle *o, uint32_t sector, uint32_t nr, const void *buf, int settled,
		     char *why, uint32_t why_bytes)
{
	uint32_t i, bad = 0;

	for (i = 0; i < nr; i++) {
		struct oracle_sector *s = &o->at[sector + i];
		struct stamp found = stamp_read((const char *)buf + (size_t)i * SECTOR_SIZE, o->tag,
						sector + i);
		uint32_t gen = found.kind == STAMP_GOOD ? found.gen : 0;

		if ((found.kind != STAMP_GOOD && found.kind != STAMP_ZERO) || !has(&s->now, gen)) {
			if (!bad++)
				describe(&s->now, sector + i, &found, why, why_bytes);
			continue;
		}
		only(&s->now, gen);
		if (settled)
			only(&s->kept, gen);
	}
	return bad;
}
