// SPDX-License-Identifier: GPL-2.0
/* The shadow of a span: bookkeeping, judgement of what was read, state files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "shadow.h"
#include "stamp.h"

#define STATE_MAGIC	0x3165746174736366u	/* "fcstate1" */
#define MAX_COMPLAINTS	32

/* Reads may look at these words while a writer changes them. */
#define load(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

void shadow_create(struct shadow *sh, uint64_t tag, uint64_t first, uint64_t count)
{
	*sh = (struct shadow){ .tag = tag, .first = first, .count = count, .next_gen = 1 };
	sh->at = calloc(count, sizeof(*sh->at));
	if (!sh->at)
		die(EXIT_USAGE, "no memory for the shadow of %" PRIu64 " sectors", count);
}

void shadow_free(struct shadow *sh)
{
	free(sh->at);
	sh->at = NULL;
}

static struct shadow_sector *sector_of(const struct shadow *sh, uint64_t sector)
{
	return &sh->at[sector - sh->first];
}

uint32_t shadow_take_gen(struct shadow *sh)
{
	uint32_t gen = __atomic_fetch_add(&sh->next_gen, 1, __ATOMIC_RELAXED);

	if (gen == UINT32_MAX)
		die(EXIT_USAGE, "generation numbers are used up");
	return gen;
}

void shadow_write_issued(struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t gen)
{
	struct shadow_sector *s = sector_of(sh, sector);

	/* From now on an undefined sector may hold this as well as what was read before. */
	for (; nr--; s++) {
		store(&s->newest, gen);
		store(&s->sum, 0);
	}
}

void shadow_write_done(struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t gen)
{
	struct shadow_sector *s = sector_of(sh, sector);

	for (; nr--; s++) {
		store(&s->oldest, gen);
		s->sum = 0;
	}
}

void shadow_discarded(struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t gen)
{
	struct shadow_sector *s = sector_of(sh, sector);

	for (; nr--; s++)
		*s = (struct shadow_sector){ .newest = gen };
}

void shadow_note_oldest(const struct shadow *sh, uint64_t sector, uint32_t nr, uint32_t *oldest)
{
	const struct shadow_sector *s = sector_of(sh, sector);

	for (; nr--; s++)
		*oldest++ = load(&s->oldest);
}

/* A complaint covers consecutive sectors that are wrong in the same way. */
struct complaint {
	const char *why;		/* NULL: nothing to complain about */
	uint64_t first;
	uint64_t last;
	uint32_t oldest;
	uint32_t newest;
	struct stamp found;
};

static void print_expected(const struct complaint *c)
{
	if (!c->oldest)
		printf("expected what it held before, or a generation up to %u; ", c->newest);
	else if (c->oldest == c->newest)
		printf("expected generation %u; ", c->newest);
	else
		printf("expected generation %u to %u; ", c->oldest, c->newest);
}

static void print_found(const struct stamp *found)
{
	if (found->kind > STAMP_TORN)
		return;
	printf(" of generation %u", found->gen);
	if (found->kind == STAMP_MISPLACED)
		printf(" that belongs to sector %" PRIu64, found->sector);
}

static void complain(const struct complaint *c)
{
	static unsigned int printed;

	if (!c->why)
		return;
	flockfile(stdout);
	if (printed++ < MAX_COMPLAINTS) {
		printf("%s: mismatch in sectors %" PRIu64 "-%" PRIu64 ": ", program, c->first,
		       c->last);
		print_expected(c);
		printf("found %s", c->why);
		print_found(&c->found);
		putchar('\n');
	}
	if (printed == MAX_COMPLAINTS)
		printf("%s: more mismatches follow and are not printed\n", program);
	funlockfile(stdout);
}

/* An undefined sector keeps the content that was read first. */
static const char *judge_undefined(struct shadow_sector *s, const struct stamp *found)
{
	uint32_t before = 0;

	if (__atomic_compare_exchange_n(&s->sum, &before, found->sum, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return NULL;
	return before == found->sum ? NULL : "other content than in the read before";
}

/* What is wrong with the found sector, or NULL. */
static const char *judge(struct shadow_sector *s, const struct stamp *found, uint32_t oldest,
			 uint32_t newest, int remember)
{
	static const char *const names[] = {
		[STAMP_FOREIGN] = "a stamp of another run",
		[STAMP_ZERO] = "zeros",
		[STAMP_NONE] = "no stamp at all",
	};

	if (found->kind == STAMP_TORN)
		return "a torn sector, with the header";
	if (found->kind == STAMP_MISPLACED)
		return "a misplaced sector";
	if (found->kind == STAMP_GOOD && found->gen > newest)
		return "a sector";
	if (found->kind == STAMP_GOOD && found->gen < oldest)
		return "a stale sector";
	if (found->kind != STAMP_GOOD && oldest)
		return names[found->kind];
	return !oldest && remember ? judge_undefined(s, found) : NULL;
}

/* b is the next sector, wrong in the same way (of misplaced ones: moved by the same distance)? */
static int continues(const struct complaint *a, const struct complaint *b)
{
	return a->why && a->why == b->why && a->oldest == b->oldest && a->newest == b->newest &&
	       a->found.gen == b->found.gen &&
	       (a->found.kind != STAMP_MISPLACED ||
		a->found.sector - a->first == b->found.sector - b->first);
}

uint64_t shadow_check(struct shadow *sh, uint64_t sector, uint32_t nr, const void *buf,
		      const uint32_t *oldest)
{
	struct shadow_sector *s = sector_of(sh, sector);
	struct complaint open = { .why = NULL }, c;
	uint64_t bad = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		c.first = c.last = sector + i;
		c.oldest = oldest ? oldest[i] : s[i].oldest;
		c.newest = load(&s[i].newest);
		c.found = stamp_read((const char *)buf + (size_t)i * SECTOR_SIZE, sh->tag, c.first);
		c.why = judge(&s[i], &c.found, c.oldest, c.newest, !oldest);
		bad += !!c.why;
		if (continues(&open, &c)) {
			open.last = c.last;
			continue;
		}
		complain(&open);
		open = c;
	}
	complain(&open);
	return bad;
}

void shadow_settle(struct shadow *sh, uint64_t sector, uint32_t nr, const void *buf)
{
	struct shadow_sector *s = sector_of(sh, sector);
	struct stamp found;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		found = stamp_read((const char *)buf + (size_t)i * SECTOR_SIZE, sh->tag,
				   sector + i);
		if (found.kind == STAMP_GOOD)
			s[i] = (struct shadow_sector){ .oldest = found.gen, .newest = found.gen };
		else
			s[i] = (struct shadow_sector){ .newest = s[i].newest, .sum = found.sum };
	}
}

struct state_header {
	uint64_t magic;
	uint64_t tag;
	uint64_t first;
	uint64_t count;
	uint64_t next_gen;
};

/* Written beside and renamed, so that a state file is always whole. */
void shadow_save(const struct shadow *sh, const char *path)
{
	const struct state_header head = {
		.magic = STATE_MAGIC, .tag = sh->tag, .first = sh->first, .count = sh->count,
		.next_gen = sh->next_gen,
	};
	char tmp[4096];
	FILE *file;

	snprintf(tmp, sizeof(tmp), "%s.new", path);
	file = fopen(tmp, "w");
	if (!file || fwrite(&head, sizeof(head), 1, file) != 1 ||
	    fwrite(sh->at, sizeof(*sh->at), sh->count, file) != sh->count ||
	    fclose(file) || rename(tmp, path))
		die(EXIT_USAGE, "cannot write the state file %s: %s", path, strerror(errno));
}

void shadow_load(struct shadow *sh, const char *path)
{
	struct state_header head;
	FILE *file = fopen(path, "r");

	if (!file)
		die(EXIT_USAGE, "cannot open the state file %s: %s", path, strerror(errno));
	if (fread(&head, sizeof(head), 1, file) != 1 || head.magic != STATE_MAGIC)
		die(EXIT_USAGE, "%s is not a state file", path);
	shadow_create(sh, head.tag, head.first, head.count);
	sh->next_gen = head.next_gen;
	if (fread(sh->at, sizeof(*sh->at), sh->count, file) != sh->count)
		die(EXIT_USAGE, "the state file %s is cut off", path);
	fclose(file);
}
