// SPDX-License-Identifier: GPL-2.0
/* Writing the journal of a run, and replaying it after a crash. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "journal.h"
#include "stamp.h"

#define BUFFER_RECORDS	128

enum record_kind {
	J_RUN,			/* sector: its tag */
	J_SPAN,			/* sector, nr: what it runs on */
	J_WRITE, J_WRITE_FUA, J_DISCARD,		/* id: the generation */
	J_WRITE_DONE,
	J_FLUSH, J_FLUSH_DONE,				/* id: the number of the flush */
};

struct record {
	uint32_t check;		/* of all that follows: the last record may be half written */
	uint32_t kind;
	uint32_t id;
	uint32_t nr;
	uint64_t sector;
};

struct journal {
	pthread_mutex_t lock;
	int fd;
	uint32_t next_flush;
	unsigned int pending;	/* records not yet written out */
	struct record buffer[BUFFER_RECORDS];
};

static uint32_t check_of(const struct record *r)
{
	return mix64(r->sector ^ mix64(r->id ^ mix64(((uint64_t)r->kind << 32) | r->nr)));
}

static void write_out(struct journal *j)
{
	size_t bytes = j->pending * sizeof(struct record);

	if (write(j->fd, j->buffer, bytes) != (ssize_t)bytes)
		die(EXIT_USAGE, "cannot write the journal: %s", strerror(errno));
	j->pending = 0;
}

/* Locked by the caller. urgent: durable before this returns. */
static void append(struct journal *j, enum record_kind kind, uint32_t id, uint64_t sector,
		   uint32_t nr, int urgent)
{
	struct record *r = &j->buffer[j->pending++];

	*r = (struct record){ .kind = kind, .id = id, .nr = nr, .sector = sector };
	r->check = check_of(r);
	if (urgent || j->pending == BUFFER_RECORDS)
		write_out(j);
}

static void append_locked(struct journal *j, enum record_kind kind, uint32_t id, uint64_t sector,
			  uint32_t nr, int urgent)
{
	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	append(j, kind, id, sector, nr, urgent);
	pthread_mutex_unlock(&j->lock);
}

struct journal *journal_open(const char *path, const struct shadow *sh)
{
	struct journal *j = calloc(1, sizeof(*j));

	if (!j)
		die(EXIT_USAGE, "no memory for the journal");
	pthread_mutex_init(&j->lock, NULL);
	j->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_SYNC, 0644);
	if (j->fd < 0)
		die(EXIT_USAGE, "cannot open the journal %s: %s", path, strerror(errno));
	append_locked(j, J_RUN, 0, sh->tag, 0, 0);
	append_locked(j, J_SPAN, 0, sh->first, sh->count, 1);
	return j;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	write_out(j);
	close(j->fd);
	free(j);
}

void journal_write_issued(struct journal *j, uint32_t gen, uint64_t sector, uint32_t nr, int fua)
{
	append_locked(j, fua ? J_WRITE_FUA : J_WRITE, gen, sector, nr, 1);
}

void journal_write_done(struct journal *j, uint32_t gen)
{
	append_locked(j, J_WRITE_DONE, gen, 0, 0, 0);
}

void journal_discarded(struct journal *j, uint32_t gen, uint64_t sector, uint32_t nr)
{
	append_locked(j, J_DISCARD, gen, sector, nr, 1);
}

uint32_t journal_flush_issued(struct journal *j)
{
	uint32_t flush;

	if (!j)
		return 0;
	pthread_mutex_lock(&j->lock);
	flush = j->next_flush++;
	append(j, J_FLUSH, flush, 0, 0, 0);
	pthread_mutex_unlock(&j->lock);
	return flush;
}

void journal_flush_done(struct journal *j, uint32_t flush)
{
	append_locked(j, J_FLUSH_DONE, flush, 0, 0, 1);
}

/* Replay: what is remembered of each write (by generation), each flush, and each sector. */
struct replay {
	struct shadow *sh;
	uint32_t base;			/* the first generation of the run */
	struct record *writes;		/* [gen - base] */
	uint32_t *done;			/* generations in order of completion */
	size_t nr_done;
	size_t nr_flushed;		/* so many of these are durable */
	size_t *flush_covers;		/* [flush]: nr_done when it was issued */
	uint32_t *discard;		/* [sector]: generation of the last discard */
};

/* A write is durable, unless the sector was discarded since it was issued. */
static void make_durable(struct replay *rp, uint32_t gen)
{
	const struct record *w = &rp->writes[gen - rp->base];
	uint64_t i = w->sector - rp->sh->first, end = i + w->nr;

	for (; i < end; i++) {
		if (gen > rp->discard[i] && gen > rp->sh->at[i].oldest)
			rp->sh->at[i].oldest = gen;
	}
}

static void replay_write(struct replay *rp, const struct record *r)
{
	rp->writes[r->id - rp->base] = *r;
	shadow_write_issued(rp->sh, r->sector, r->nr, r->id);
}

static void replay_write_done(struct replay *rp, const struct record *r)
{
	rp->done[rp->nr_done++] = r->id;
	if (rp->writes[r->id - rp->base].kind == J_WRITE_FUA)
		make_durable(rp, r->id);
}

static void replay_discard(struct replay *rp, const struct record *r)
{
	uint32_t i;

	shadow_discarded(rp->sh, r->sector, r->nr, r->id);
	for (i = 0; i < r->nr; i++)
		rp->discard[r->sector - rp->sh->first + i] = r->id;
}

static void replay_flush_done(struct replay *rp, const struct record *r)
{
	while (rp->nr_flushed < rp->flush_covers[r->id])
		make_durable(rp, rp->done[rp->nr_flushed++]);
}

static void replay_record(struct replay *rp, const struct record *r)
{
	switch (r->kind) {
	case J_WRITE:
	case J_WRITE_FUA:
		replay_write(rp, r);
		break;
	case J_WRITE_DONE:
		replay_write_done(rp, r);
		break;
	case J_DISCARD:
		replay_discard(rp, r);
		break;
	case J_FLUSH:
		rp->flush_covers[r->id] = rp->nr_done;
		break;
	case J_FLUSH_DONE:
		replay_flush_done(rp, r);
		break;
	}
	if (r->kind <= J_DISCARD && r->id >= rp->sh->next_gen)
		rp->sh->next_gen = r->id + 1;
}

/* All whole records of the file. */
static struct record *read_records(const char *path, size_t *nr)
{
	FILE *file = fopen(path, "r");
	struct record *records;
	struct stat st;
	size_t whole;

	if (!file || fstat(fileno(file), &st))
		die(EXIT_USAGE, "cannot open the journal %s: %s", path, strerror(errno));
	records = calloc(st.st_size + 1, 1);
	if (!records)
		die(EXIT_USAGE, "no memory for the journal");
	whole = fread(records, sizeof(*records), st.st_size / sizeof(*records), file);
	fclose(file);
	*nr = 0;
	while (*nr < whole && records[*nr].check == check_of(&records[*nr]))
		++*nr;
	if (*nr < 2 || records[0].kind != J_RUN || records[1].kind != J_SPAN)
		die(EXIT_USAGE, "%s is not a journal", path);
	return records;
}

void journal_create_shadow(const char *path, struct shadow *sh)
{
	size_t nr;
	struct record *records = read_records(path, &nr);

	shadow_create(sh, records[0].sector, records[1].sector, records[1].nr);
	free(records);
}

/*
 * Generations are taken and recorded in different orders, and the last ones taken may not be
 * recorded.
 */
static size_t count_generations(const struct record *records, size_t nr, uint32_t base)
{
	uint32_t top = base;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (records[i].kind <= J_DISCARD && records[i].id > top)
			top = records[i].id;
	}
	return top - base + 1;
}

void journal_replay(const char *path, struct shadow *sh)
{
	size_t i, nr;
	struct record *records = read_records(path, &nr);
	size_t gens = count_generations(records, nr, sh->next_gen);
	struct replay rp = {
		.sh = sh, .base = sh->next_gen,
		.writes = calloc(gens, sizeof(*rp.writes)),
		.done = calloc(nr, sizeof(*rp.done)),
		.flush_covers = calloc(nr, sizeof(*rp.flush_covers)),
		.discard = calloc(sh->count, sizeof(*rp.discard)),
	};

	if (!rp.writes || !rp.done || !rp.flush_covers || !rp.discard)
		die(EXIT_USAGE, "no memory to replay the journal");
	if (records[0].sector != sh->tag)
		die(EXIT_USAGE, "%s and the state are of different runs", path);
	for (i = 2; i < nr; i++)
		replay_record(&rp, &records[i]);
	free(rp.discard);
	free(rp.flush_covers);
	free(rp.done);
	free(rp.writes);
	free(records);
}
