// SPDX-License-Identifier: GPL-2.0
/*
 * Threads, each with a ring of its own. A thread keeps its ring full: it takes the next operation,
 * finds it a range that is not in use, submits it, and checks it when it completes.
 */
#include <errno.h>
#include <inttypes.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "exercise.h"
#include "ranges.h"
#include "stamp.h"

#define PAGE_BYTES	4096u
#define RANGE_TRIES	16
#define DISCARD_STRETCH	4	/* discards are longer than reads and writes */

const char *const op_names[NR_OPS] = {
	[OP_READ] = "read", [OP_WRITE] = "write", [OP_FUA] = "fua", [OP_FLUSH] = "flush",
	[OP_DISCARD] = "discard", [OP_STREAM] = "stream",
};

struct load {
	struct exercise *ex;
	struct ranges ranges;
	struct timespec end;
	uint64_t tickets;		/* operations taken so far */
	int stop;
};

struct job {
	struct worker *worker;
	unsigned int slot;		/* in the ranges */
	enum op asked;			/* what the mix asked for */
	enum op op;			/* the same, but for a stream: read or write */
	uint64_t sector;
	uint32_t nr;
	uint32_t gen;			/* of a write; the number of a flush */
	void *pages;
	void *buf;			/* somewhere in the first of these pages */
	uint32_t *oldest;
};

struct stream {
	enum op op;
	uint64_t next;
	uint32_t nr;			/* sectors an operation */
	unsigned int left;		/* operations to go */
};

struct worker {
	struct load *load;
	pthread_t thread;
	struct io_uring ring;
	uint64_t random;
	struct stream stream;
	struct job *jobs;
	struct job **idle;
	unsigned int nr_idle;
	uint64_t done[NR_OPS];
	uint64_t sectors;
};

static uint64_t next_random(struct worker *w)
{
	return mix64(w->random++);
}

static uint64_t random_below(struct worker *w, uint64_t limit)
{
	return next_random(w) % limit;
}

static void fail(struct load *load, int error)
{
	int none = 0;

	if (error)
		__atomic_compare_exchange_n(&load->ex->error, &none, error, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	__atomic_store_n(&load->stop, 1, __ATOMIC_RELAXED);
}

/* May one more operation start? */
static int take_ticket(struct load *load)
{
	const struct exercise *ex = load->ex;
	struct timespec now;
	uint64_t ticket;

	if (__atomic_load_n(&load->stop, __ATOMIC_RELAXED))
		return 0;
	ticket = __atomic_fetch_add(&load->tickets, 1, __ATOMIC_RELAXED);
	if (ex->ops && ticket >= ex->ops)
		return 0;
	if (ex->tell && ticket == ex->tell)
		printf("%s: %" PRIu64 " operations begun\n", program, ticket);
	if (!ex->seconds)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < load->end.tv_sec ||
	       (now.tv_sec == load->end.tv_sec && now.tv_nsec < load->end.tv_nsec);
}

static enum op pick_op(struct worker *w)
{
	const unsigned int *mix = w->load->ex->mix;
	unsigned int total = 0, op, drawn;

	for (op = 0; op < NR_OPS; op++)
		total += mix[op];
	drawn = random_below(w, total);
	for (op = 0; drawn >= mix[op]; op++)
		drawn -= mix[op];
	return op;
}

/* Half of the operations are made of whole pages, the others of as little as the device allows. */
static uint32_t pick_unit(struct worker *w, uint32_t max)
{
	uint32_t align = w->load->ex->align, page = PAGE_BYTES / SECTOR_SIZE;

	return page % align == 0 && page <= max && random_below(w, 2) ? page : align;
}

/* As many operations of each order of magnitude. */
static uint32_t pick_length(struct worker *w, uint32_t unit, uint32_t max)
{
	uint32_t units = max / unit, bits = 0, nr;

	while (units >> (bits + 1))
		bits++;
	nr = 1u << random_below(w, bits + 1);
	nr += random_below(w, nr);
	return (nr < units ? nr : units) * unit;
}

static uint64_t pick_sector(struct worker *w, uint32_t unit, uint32_t nr)
{
	const struct exercise *ex = w->load->ex;
	uint64_t span = ex->shadow->count;

	if (random_below(w, 100) < ex->hot_ops)
		span = span * ex->hot_span / 100;
	if (span < nr)
		span = ex->shadow->count;
	return ex->shadow->first + random_below(w, (span - nr) / unit + 1) * unit;
}

static void pick_range(struct worker *w, struct job *job)
{
	const struct exercise *ex = w->load->ex;
	uint64_t max = ex->max * (job->op == OP_DISCARD ? DISCARD_STRETCH : 1);
	uint32_t unit;

	if (max > ex->shadow->count)
		max = ex->shadow->count;
	unit = pick_unit(w, max);
	job->nr = pick_length(w, unit, max);
	job->sector = pick_sector(w, unit, job->nr);
}

static void start_stream(struct worker *w)
{
	uint32_t max = w->load->ex->max, unit = pick_unit(w, max);
	struct stream *s = &w->stream;

	s->op = random_below(w, 2) ? OP_READ : OP_WRITE;
	s->nr = pick_length(w, unit, max);
	s->left = 4 + random_below(w, 60);
	s->next = pick_sector(w, unit, s->nr);
}

static void continue_stream(struct worker *w, struct job *job)
{
	struct stream *s = &w->stream;
	const struct shadow *sh = w->load->ex->shadow;

	if (!s->left || s->next + s->nr > sh->first + sh->count)
		start_stream(w);
	job->op = s->op;
	job->sector = s->next;
	job->nr = s->nr;
	s->next += s->nr;
	s->left--;
}

static enum range_use use_of(enum op op)
{
	if (op == OP_READ)
		return RANGE_READ;
	return op == OP_DISCARD ? RANGE_DISCARD : RANGE_WRITE;
}

/* Returns whether the job has something to do that is in nobody's way. */
static int plan(struct worker *w, struct job *job)
{
	int tries;

	for (tries = 0; tries < RANGE_TRIES; tries++) {
		job->asked = job->op = pick_op(w);
		if (job->op == OP_FLUSH)
			return 1;
		if (job->op == OP_STREAM)
			continue_stream(w, job);
		else
			pick_range(w, job);
		if (range_try(&w->load->ranges, job->slot, use_of(job->op), job->sector, job->nr))
			return 1;
	}
	return 0;
}

/* Data need not start at a page: a logical block is as good. */
static void place_buffer(struct worker *w, struct job *job)
{
	unsigned int unit = w->load->ex->dev->unit * SECTOR_SIZE;
	unsigned int places = unit < PAGE_BYTES ? PAGE_BYTES / unit : 1;

	job->buf = (char *)job->pages + random_below(w, places) * unit;
}

static void prepare_read(struct worker *w, struct job *job, struct io_uring_sqe *sqe)
{
	const struct exercise *ex = w->load->ex;

	if (ex->overlap_reads)
		shadow_note_oldest(ex->shadow, job->sector, job->nr, job->oldest);
	io_uring_prep_read(sqe, ex->dev->fd, job->buf, job->nr << SECTOR_SHIFT,
			   job->sector << SECTOR_SHIFT);
}

static void prepare_write(struct worker *w, struct job *job, struct io_uring_sqe *sqe)
{
	const struct exercise *ex = w->load->ex;
	int fua = job->op == OP_FUA;

	job->gen = shadow_take_gen(ex->shadow);
	stamp_write(job->buf, ex->shadow->tag, job->sector, job->nr, job->gen);
	shadow_write_issued(ex->shadow, job->sector, job->nr, job->gen);
	journal_write_issued(ex->journal, job->gen, job->sector, job->nr, fua);
	io_uring_prep_write(sqe, ex->dev->fd, job->buf, job->nr << SECTOR_SHIFT,
			    job->sector << SECTOR_SHIFT);
	sqe->rw_flags = fua ? RWF_DSYNC : 0;
}

static void prepare_flush(struct worker *w, struct job *job, struct io_uring_sqe *sqe)
{
	job->gen = journal_flush_issued(w->load->ex->journal);
	io_uring_prep_fsync(sqe, w->load->ex->dev->fd, IORING_FSYNC_DATASYNC);
}

static void report_error(const struct job *job, int error)
{
	if (job->op == OP_FLUSH)
		printf("%s: flush failed: %s\n", program, strerror(-error));
	else
		printf("%s: %s of sectors %" PRIu64 "-%" PRIu64 " failed: %s\n", program,
		       op_names[job->op], job->sector, job->sector + job->nr - 1, strerror(-error));
	fail(job->worker->load, error);
}

static void check_read(struct worker *w, struct job *job)
{
	struct exercise *ex = w->load->ex;
	uint64_t bad = shadow_check(ex->shadow, job->sector, job->nr, job->buf,
				    ex->overlap_reads ? job->oldest : NULL);

	if (!bad)
		return;
	__atomic_fetch_add(&ex->bad_sectors, bad, __ATOMIC_RELAXED);
	fail(w->load, 0);
}

static void finish_good(struct worker *w, struct job *job)
{
	const struct exercise *ex = w->load->ex;

	if (job->op == OP_READ) {
		check_read(w, job);
	} else if (job->op == OP_FLUSH) {
		journal_flush_done(ex->journal, job->gen);
	} else if (job->op != OP_DISCARD) {
		shadow_write_done(ex->shadow, job->sector, job->nr, job->gen);
		journal_write_done(ex->journal, job->gen);
	}
	w->done[job->asked]++;
	if (job->op != OP_FLUSH && job->op != OP_DISCARD)
		w->sectors += job->nr;
}

static void finish(struct worker *w, struct job *job, int result)
{
	int moves_data = job->op != OP_FLUSH && job->op != OP_DISCARD;

	if (result >= 0 && moves_data && (uint32_t)result != job->nr << SECTOR_SHIFT)
		result = -EIO;
	if (result < 0)
		report_error(job, result);
	else
		finish_good(w, job);
	if (job->op != OP_FLUSH)
		range_release(&w->load->ranges, job->slot);
	w->idle[w->nr_idle++] = job;
}

/* There is no asynchronous discard; the other operations of this thread go on meanwhile. */
static void discard(struct worker *w, struct job *job)
{
	const struct exercise *ex = w->load->ex;

	job->gen = shadow_take_gen(ex->shadow);
	journal_discarded(ex->journal, job->gen, job->sector, job->nr);
	shadow_discarded(ex->shadow, job->sector, job->nr, job->gen);
	finish(w, job, device_discard(ex->dev, job->sector, job->nr));
}

static void submit(struct worker *w, struct job *job)
{
	struct io_uring_sqe *sqe;
	int ret;

	if (job->op == OP_DISCARD) {
		discard(w, job);
		return;
	}
	place_buffer(w, job);
	sqe = io_uring_get_sqe(&w->ring);
	if (job->op == OP_READ)
		prepare_read(w, job, sqe);
	else if (job->op == OP_FLUSH)
		prepare_flush(w, job, sqe);
	else
		prepare_write(w, job, sqe);
	io_uring_sqe_set_data(sqe, job);
	if (w->load->ex->no_nowait)
		io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	ret = io_uring_submit(&w->ring);
	if (ret != 1)
		die(EXIT_USAGE, "the ring takes no operation: %s", strerror(-ret));
}

static void fill_ring(struct worker *w)
{
	struct job *job;

	while (w->nr_idle && take_ticket(w->load)) {
		job = w->idle[--w->nr_idle];
		if (plan(w, job)) {
			submit(w, job);
			continue;
		}
		w->idle[w->nr_idle++] = job;
		return;
	}
}

static void reap(struct worker *w)
{
	struct io_uring_cqe *cqe;
	struct job *job;
	int ret, result;

	do {
		ret = io_uring_wait_cqe(&w->ring, &cqe);
	} while (ret == -EINTR);
	if (ret)
		die(EXIT_USAGE, "cannot wait for completions: %s", strerror(-ret));
	job = io_uring_cqe_get_data(cqe);
	result = cqe->res;
	io_uring_cqe_seen(&w->ring, cqe);
	finish(w, job, result);
}

static int is_over(struct load *load)
{
	const struct exercise *ex = load->ex;
	struct timespec now;

	if (__atomic_load_n(&load->stop, __ATOMIC_RELAXED))
		return 1;
	if (ex->ops && __atomic_load_n(&load->tickets, __ATOMIC_RELAXED) >= ex->ops)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ex->seconds && now.tv_sec >= load->end.tv_sec;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int depth = w->load->ex->depth;

	while (!is_over(w->load) || w->nr_idle < depth) {
		fill_ring(w);
		if (w->nr_idle < depth)
			reap(w);
	}
	return NULL;
}

static void start_worker(struct load *load, struct worker *w, unsigned int index)
{
	const struct exercise *ex = load->ex;
	unsigned int i;
	int ret;

	w->load = load;
	w->random = mix64(ex->seed ^ mix64(index));
	w->jobs = calloc(ex->depth, sizeof(*w->jobs));
	w->idle = calloc(ex->depth, sizeof(*w->idle));
	if (!w->jobs || !w->idle)
		die(EXIT_USAGE, "no memory for %u operations", ex->depth);
	for (i = 0; i < ex->depth; i++) {
		w->jobs[i] = (struct job){ .worker = w, .slot = index * ex->depth + i };
		w->jobs[i].pages = alloc_pages(((size_t)ex->max << SECTOR_SHIFT) + PAGE_BYTES);
		w->jobs[i].oldest = alloc_pages(ex->max * sizeof(uint32_t));
		w->idle[w->nr_idle++] = &w->jobs[i];
	}
	ret = io_uring_queue_init(ex->depth, &w->ring, 0);
	if (ret)
		die(EXIT_USAGE, "cannot make an io_uring: %s", strerror(-ret));
	ret = pthread_create(&w->thread, NULL, work, w);
	if (ret)
		die(EXIT_USAGE, "cannot start a thread: %s", strerror(ret));
}

static void finish_worker(struct exercise *ex, struct worker *w)
{
	unsigned int i;

	pthread_join(w->thread, NULL);
	io_uring_queue_exit(&w->ring);
	for (i = 0; i < NR_OPS; i++)
		ex->done[i] += w->done[i];
	ex->bytes += w->sectors << SECTOR_SHIFT;
	for (i = 0; i < ex->depth; i++) {
		free(w->jobs[i].pages);
		free(w->jobs[i].oldest);
	}
	free(w->jobs);
	free(w->idle);
}

void exercise_run(struct exercise *ex)
{
	struct load load = { .ex = ex };
	struct worker *workers = calloc(ex->threads, sizeof(*workers));
	unsigned int i;

	if (!workers)
		die(EXIT_USAGE, "no memory for %u threads", ex->threads);
	clock_gettime(CLOCK_MONOTONIC, &load.end);
	load.end.tv_sec += ex->seconds;
	ranges_init(&load.ranges, ex->threads * ex->depth, ex->overlap_reads);
	for (i = 0; i < ex->threads; i++)
		start_worker(&load, &workers[i], i);
	for (i = 0; i < ex->threads; i++)
		finish_worker(ex, &workers[i]);
	ranges_exit(&load.ranges);
	free(workers);
}
