// SPDX-License-Identifier: GPL-2.0
/*
 * What may be read from each sector.
 */
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"
#include "kernel/kernel.h"

#define FOREVER	(~0ull)
#define ANY	STAMP_DISCARDED	/* version of a discard: may read as whatever was there before */

/* A write of a sector. */
struct past {
	u32 version;
	bool failed;
	bool fua;
	u64 start;
	u64 end;
};

/**
 * struct sector - what may be read
 * @past: writes that may still be seen
 * @nr: length of @past
 * @room: room in it
 * @active: writes in flight
 * @changed: when one began or ended last
 * @pruned: @changed when @past was pruned last
 * @pruned_for: and the flush that counted then
 * @settled: @value was read, and nobody has written since
 * @value: see @settled
 */
struct sector {
	struct past *past;
	u32 nr;
	u32 room;
	u32 active;
	u64 changed;
	u64 pruned;
	u64 pruned_for;
	bool settled;
	u32 value;
};

u32 judge_sole[MAX_SECTORS];

static struct sector sectors[MAX_SECTORS];
static u32 *owners;		/* of each version: its sector */
static u32 nr_owners, room_owners;
static u64 now;
static u64 flushed;		/* all that ended before this is durable */
static u64 oldest;		/* no request in flight is older */

/** judge_reset() - all sectors are zeros and have always been so */
void judge_reset(u32 nr)
{
	u32 i;

	now = 1;
	flushed = 1;
	oldest = 1;
	nr_owners = 1;
	for (i = 0; i < nr; i++) {
		sectors[i].changed = 0;
		judge_restart(i, 0);
	}
}

u64 judge_now(void)
{
	return ++now;
}

/** judge_versions() - numbers for a write */
u32 judge_versions(u32 sector, u32 nr)
{
	u32 first = nr_owners;

	while (nr_owners + nr > room_owners) {
		room_owners = room_owners ? 2 * room_owners : 1u << 16;
		owners = realloc(owners, room_owners * sizeof(*owners));
		if (!owners)
			abort();
	}
	while (nr--)
		owners[nr_owners++] = sector++;
	return first;
}

/** judge_oldest() - no request in flight began before this */
void judge_oldest(u64 start)
{
	oldest = start;
}

/** judge_flushed() - a FLUSH that began then has succeeded */
void judge_flushed(u64 start)
{
	if (start > flushed)
		flushed = start;
}

/*
 * Is write @a certainly overwritten for whoever looks from time @from on? After a power cut a later
 * write with FUA counts as well.
 */
static bool overwritten(const struct sector *s, const struct past *a, u64 from, bool cut)
{
	u32 i;

	for (i = 0; i < s->nr; i++) {
		const struct past *b = &s->past[i];

		if (!b->failed && b->start > a->end &&
		    (b->end < from || (cut && b->fua && b->end != FOREVER)))
			return true;
	}
	return false;
}

static void note_sole(u32 sector)
{
	const struct sector *s = &sectors[sector];
	bool sole = s->nr == 1 && !s->past[0].failed && s->past[0].version != ANY;

	judge_sole[sector] = sole ? s->past[0].version : STAMP_NEVER;
}

/* Forgets what neither a request in flight nor a power cut can show any more. */
static void prune(u32 sector)
{
	struct sector *s = &sectors[sector];
	u32 i = 0;

	while (i < s->nr) {
		if (overwritten(s, &s->past[i], oldest, false) &&
		    overwritten(s, &s->past[i], flushed, true))
			s->past[i] = s->past[--s->nr];
		else
			i++;
	}
	s->pruned = s->changed;
	s->pruned_for = flushed;
	note_sole(sector);
}

static void add(struct sector *s, const struct past *p)
{
	if (s->nr == s->room) {
		s->room = s->room ? 2 * s->room : 4;
		s->past = realloc(s->past, s->room * sizeof(*s->past));
		if (!s->past)
			abort();
	}
	s->past[s->nr++] = *p;
}

/**
 * judge_started() - a write is on its way
 * @sector: first sector
 * @nr: sectors
 * @version: of the first sector; 0 of a discard
 * @fua: it is durable when it ends
 * @start: now
 */
void judge_started(u32 sector, u32 nr, u32 version, bool fua, u64 start)
{
	u32 i;

	for (i = sector; i < sector + nr; i++) {
		struct sector *s = &sectors[i];

		if (s->nr >= 8)
			prune(i);
		add(s, &(struct past){ version ? version + (i - sector) : ANY, false, fua, start,
				       FOREVER });
		s->active++;
		s->changed = start;
		s->settled = false;
		note_sole(i);
	}
}

/** judge_ended() - and has ended; what failed may be there or not */
void judge_ended(u32 sector, u32 nr, u32 version, u64 start, bool failed)
{
	u64 end = judge_now();
	u32 i, j;

	for (i = sector; i < sector + nr; i++) {
		struct sector *s = &sectors[i];
		u32 mine = version ? version + (i - sector) : ANY;

		for (j = 0; j < s->nr; j++) {
			struct past *p = &s->past[j];

			if (p->version != mine || p->start != start)
				continue;
			p->end = end;
			p->failed = failed;
		}
		s->active--;
		s->changed = end;
	}
}

/* Anything that was ever written to this sector. */
static bool any_version(u32 sector, u32 value)
{
	return !value || value == STAMP_DISCARDED || (value < nr_owners && owners[value] == sector);
}

static bool allowed(u32 sector, u32 value, u64 from, bool cut)
{
	const struct sector *s = &sectors[sector];
	u32 i;

	for (i = 0; i < s->nr; i++) {
		const struct past *p = &s->past[i];

		if (p->version != value && !(p->version == ANY && any_version(sector, value)))
			continue;
		if (!overwritten(s, p, from, cut))
			return true;
	}
	return false;
}

/** judge_certain() - is there nothing vague about it: no write in flight, failed, or discard? */
bool judge_certain(u32 sector)
{
	struct sector *s = &sectors[sector];
	u32 i;

	if (s->active)
		return false;
	for (i = 0; i < s->nr; i++)
		if (s->past[i].failed || s->past[i].version == ANY)
			return false;
	return true;
}

/**
 * judge_read() - may a read that began at @start give this?
 *
 * What nobody writes does not change: two reads in a row must agree.
 */
bool judge_read(u32 sector, u32 value, u64 start)
{
	struct sector *s = &sectors[sector];

	if (!allowed(sector, value, start, false))
		return false;
	if (s->active || s->changed >= start || !judge_certain(sector))
		return true;
	if (s->settled && s->value != value)
		return false;
	s->settled = true;
	s->value = value;
	return true;
}

/** judge_cut() - may the sector read so after a power cut now? */
bool judge_cut(u32 sector, u32 value)
{
	const struct sector *s = &sectors[sector];

	if (value == judge_sole[sector])
		return true;
	if (s->pruned != s->changed || s->pruned_for != flushed)
		prune(sector);
	return allowed(sector, value, flushed, true);
}

/** judge_explain() - print what would have been right */
void judge_explain(u32 sector, u32 value, bool cut)
{
	const struct sector *s = &sectors[sector];
	u32 i;

	if (value >= STAMP_DISCARDED)
		printf("# it reads %s\n", value == STAMP_DISCARDED ? "as discarded" :
		       value == STAMP_BROKEN ? "as a mixture" : "as nothing at all");
	else if (value && (value >= nr_owners || owners[value] != sector))
		printf("# version %u was written to sector %d\n", value,
		       value < nr_owners ? (int)owners[value] : -1);
	printf("# time %llu, last flush began at %llu; writes that may count:\n", now, flushed);
	for (i = 0; i < s->nr; i++) {
		const struct past *p = &s->past[i];

		printf("#   %s%u%s from %llu to %s%llu%s%s\n",
		       p->version == ANY ? "discard " : "version ", p->version,
		       p->fua ? " FUA" : "", p->start, p->end == FOREVER ? "(in flight) " : "",
		       p->end, p->failed ? ", failed" : "",
		       overwritten(s, p, flushed, cut) ? ", overwritten" : "");
	}
	if (!cut && s->settled)
		printf("#   version %u was read before\n", s->value);
}

void judge_restart(u32 sector, u32 value)
{
	struct sector *s = &sectors[sector];

	s->nr = 0;
	add(s, &(struct past){ .version = value });
	s->active = 0;
	s->settled = false;
	s->changed = now;
	s->pruned = 0;
	/* What a discard left there counts as written. */
	if (value == ANY)
		s->past[0].version = ANY;
	note_sole(sector);
}
