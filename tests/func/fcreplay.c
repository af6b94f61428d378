// SPDX-License-Identifier: GPL-2.0
/*
 * fcreplay: send a block trace to a device as fast as it goes, and check what is read.
 *
 * Requests start in the order of the trace. One that touches sectors in use by an earlier one (of
 * which one writes) waits for it, and so do all later ones; so what a read must find is what the
 * trace wrote before it.
 */
#include <errno.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "options.h"
#include "ranges.h"
#include "shadow.h"
#include "stamp.h"
#include "trace.h"

struct options {
	const char *path;
	const char *save;
	uint64_t depth;
	uint64_t limit;
};

struct job {
	const struct request *request;
	unsigned int slot;
	uint32_t gen;
	void *buf;
};

struct replay {
	const struct device *dev;
	struct shadow shadow;
	struct ranges ranges;
	struct io_uring ring;
	unsigned int depth;
	unsigned int nr_idle;
	struct job *jobs;
	struct job **idle;
	uint64_t reads, writes;
	uint64_t bad_sectors;
	int error;
};

static const char usage[] =
"usage: fcreplay [OPTION...] DEVICE < TRACE\n"
"\n"
"Sends the requests of TRACE (csv: time_us,r|w,offset,length in bytes) to DEVICE in their order,\n"
"as fast as it goes; writes stamped sectors, checks every read against them, and all at the end.\n"
"\n"
"  --depth N           requests in flight                             [32]\n"
"  --limit N           only the first N requests\n"
"  --save-state FILE   keep what was written, for fcx verify --state FILE\n"
"\n"
"Exit: 0 all is well, 1 cannot run, 2 wrong data was read, 3 an I/O error.\n";

static void parse_options(struct options *o, char **argv)
{
	const struct option_rule rules[] = {
		{ "--depth", OPTION_NUMBER, &o->depth, 1, 4096 },
		{ "--limit", OPTION_NUMBER, &o->limit, 0, 0 },
		{ "--save-state", OPTION_TEXT, &o->save, 0, 0 },
		{ NULL, OPTION_FLAG, NULL, 0, 0 }
	};

	*o = (struct options){ .depth = 32, .limit = UINT64_MAX };
	options_parse(rules, usage, argv, &o->path, 1);
}

static void check_fit(const struct trace *trace, const struct device *dev)
{
	size_t i;

	if (trace->end > dev->sectors)
		die(EXIT_USAGE, "the trace needs %" PRIu64 " sectors, %s has %" PRIu64, trace->end,
		    dev->path, dev->sectors);
	for (i = 0; i < trace->nr; i++) {
		if (trace->requests[i].sector % dev->unit || trace->requests[i].nr % dev->unit)
			die(EXIT_USAGE, "request %zu is no multiple of the logical block of %s", i,
			    dev->path);
	}
}

static void start_replay(struct replay *rp, const struct device *dev, const struct trace *trace,
			 unsigned int depth)
{
	unsigned int i;
	int ret;

	*rp = (struct replay){ .dev = dev, .depth = depth };
	shadow_create(&rp->shadow, mix64(time(NULL) ^ mix64(getpid())), 0, trace->end);
	ranges_init(&rp->ranges, depth, 0);
	rp->jobs = calloc(depth, sizeof(*rp->jobs));
	rp->idle = calloc(depth, sizeof(*rp->idle));
	if (!rp->jobs || !rp->idle)
		die(EXIT_USAGE, "no memory for %u requests", depth);
	for (i = 0; i < depth; i++) {
		rp->jobs[i].slot = i;
		rp->jobs[i].buf = alloc_pages((size_t)trace->longest << SECTOR_SHIFT);
		rp->idle[rp->nr_idle++] = &rp->jobs[i];
	}
	ret = io_uring_queue_init(depth, &rp->ring, 0);
	if (ret)
		die(EXIT_USAGE, "cannot make an io_uring: %s", strerror(-ret));
}

static void end_replay(struct replay *rp)
{
	unsigned int i;

	io_uring_queue_exit(&rp->ring);
	for (i = 0; i < rp->depth; i++)
		free(rp->jobs[i].buf);
	free(rp->jobs);
	free(rp->idle);
	ranges_exit(&rp->ranges);
	shadow_free(&rp->shadow);
}

static void submit(struct replay *rp, struct job *job)
{
	const struct request *r = job->request;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&rp->ring);
	int ret;

	if (r->write) {
		job->gen = shadow_take_gen(&rp->shadow);
		stamp_write(job->buf, rp->shadow.tag, r->sector, r->nr, job->gen);
		shadow_write_issued(&rp->shadow, r->sector, r->nr, job->gen);
		io_uring_prep_write(sqe, rp->dev->fd, job->buf, r->nr << SECTOR_SHIFT,
				    r->sector << SECTOR_SHIFT);
	} else {
		io_uring_prep_read(sqe, rp->dev->fd, job->buf, r->nr << SECTOR_SHIFT,
				   r->sector << SECTOR_SHIFT);
	}
	io_uring_sqe_set_data(sqe, job);
	ret = io_uring_submit(&rp->ring);
	if (ret != 1)
		die(EXIT_USAGE, "the ring takes no request: %s", strerror(-ret));
}

static void finish(struct replay *rp, struct job *job, int result)
{
	const struct request *r = job->request;

	if (result >= 0 && (uint32_t)result != r->nr << SECTOR_SHIFT)
		result = -EIO;
	if (result < 0) {
		rp->error = result;
		printf("%s: %s of sectors %" PRIu64 "-%" PRIu64 " failed: %s\n", program,
		       r->write ? "write" : "read", r->sector, r->sector + r->nr - 1,
		       strerror(-result));
	} else if (r->write) {
		shadow_write_done(&rp->shadow, r->sector, r->nr, job->gen);
		rp->writes++;
	} else {
		rp->bad_sectors += shadow_check(&rp->shadow, r->sector, r->nr, job->buf, NULL);
		rp->reads++;
	}
	range_release(&rp->ranges, job->slot);
	rp->idle[rp->nr_idle++] = job;
}

static void reap(struct replay *rp)
{
	struct io_uring_cqe *cqe;
	int ret;

	do {
		ret = io_uring_wait_cqe(&rp->ring, &cqe);
	} while (ret == -EINTR);
	if (ret)
		die(EXIT_USAGE, "cannot wait for completions: %s", strerror(-ret));
	finish(rp, io_uring_cqe_get_data(cqe), cqe->res);
	io_uring_cqe_seen(&rp->ring, cqe);
}

static void start(struct replay *rp, const struct request *r)
{
	enum range_use use = r->write ? RANGE_WRITE : RANGE_READ;
	struct job *job;

	while (!rp->nr_idle)
		reap(rp);
	job = rp->idle[--rp->nr_idle];
	job->request = r;
	while (!range_try(&rp->ranges, job->slot, use, r->sector, r->nr))
		reap(rp);
	submit(rp, job);
}

static void replay(struct replay *rp, const struct trace *trace)
{
	size_t i;

	for (i = 0; i < trace->nr && !rp->error && !rp->bad_sectors; i++)
		start(rp, &trace->requests[i]);
	while (rp->nr_idle < rp->depth)
		reap(rp);
	printf("%s: %" PRIu64 " reads, %" PRIu64 " writes\n", program, rp->reads, rp->writes);
}

/* How many sectors from this one on were written, at most limit. */
static uint32_t written_run(const struct shadow *sh, uint64_t sector, uint32_t limit)
{
	uint32_t nr = 0;

	while (nr < limit && sector + nr < sh->count && sh->at[sector + nr].oldest)
		nr++;
	return nr;
}

/* Read again all that the trace wrote. Returns the number of those sectors. */
static uint64_t verify(struct replay *rp, uint32_t longest)
{
	struct shadow *sh = &rp->shadow;
	uint64_t sector = 0, total = 0;
	uint32_t nr;
	int ret;

	for (; sector < sh->count && !rp->error; sector += nr ? nr : 1) {
		nr = written_run(sh, sector, longest);
		if (!nr)
			continue;
		ret = device_read(rp->dev, sector, nr, rp->jobs[0].buf);
		if (ret)
			die(EXIT_IO, "read of sectors %" PRIu64 "-%" PRIu64 " failed: %s", sector,
			    sector + nr - 1, strerror(-ret));
		rp->bad_sectors += shadow_check(sh, sector, nr, rp->jobs[0].buf, NULL);
		total += nr;
	}
	return total;
}

int main(int argc, char **argv)
{
	struct options o;
	struct device dev;
	struct trace trace;
	struct replay rp;
	uint64_t written;

	program = "fcreplay";
	setvbuf(stdout, NULL, _IOLBF, 0);
	parse_options(&o, argv);
	device_open(&dev, o.path);
	trace_read(&trace, stdin, o.limit);
	check_fit(&trace, &dev);
	start_replay(&rp, &dev, &trace, o.depth);
	replay(&rp, &trace);
	if (o.save && !rp.error)
		shadow_save(&rp.shadow, o.save);
	written = verify(&rp, trace.longest);
	if (!rp.error && !rp.bad_sectors)
		printf("%s: all %" PRIu64 " written sectors are right\n", program, written);
	end_replay(&rp);
	trace_free(&trace);
	if (rp.bad_sectors)
		return EXIT_MISMATCH;
	return rp.error ? EXIT_IO : EXIT_OK;
}
