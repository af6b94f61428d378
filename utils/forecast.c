// SPDX-License-Identifier: GPL-2.0
/*
 * Hit ratios of a trace in caches of several sizes and policies.
 *
 * Each pair of size and policy is a job; as many run at once as there are processors.
 */
#include <pthread.h>
#include <unistd.h>
#include "device.h"
#include "forecast.h"
#include "progress.h"
#include "simulate.h"
#include "stop.h"
#include "tool.h"
#include "flashcache/uapi.h"

#define MAX_WORKERS	16
#define STEP		4096u	/* requests between two looks at the outside world */
#define STANDARD_SIZES	8u

/* What all workers share. */
struct work {
	struct forecast *f;
	pthread_mutex_t lock;
	unsigned int next;	/* under @lock, as the rest */
	unsigned int running;
	u64 done;
	const char *why;
};

const char *forecast_policy(unsigned int policy)
{
	static const char *const names[] = FC_POLICY_NAMES;

	return names[policy];
}

/** forecast_bytes() - how large a cache really is: whole sets */
u64 forecast_bytes(const struct forecast *f, unsigned int size)
{
	return f->cells[size][0].blocks * f->block_sectors * SECTOR_SIZE;
}

/** forecast_sizes() - sizes by halves, from the working set downwards */
void forecast_sizes(struct forecast *f)
{
	unsigned int i;
	u64 size = f->set.distinct;

	f->nr_sizes = 1;
	while (f->nr_sizes < STANDARD_SIZES && size >= 2 * FC_ASSOC_DEFAULT) {
		size /= 2;
		f->nr_sizes++;
	}
	for (i = 0; i < f->nr_sizes; i++, size *= 2)
		f->sizes[i] = size;
	/* Not a block too few by the divisions. */
	f->sizes[f->nr_sizes - 1] = f->set.distinct;
}

static void run_job(struct work *w, unsigned int job)
{
	struct forecast *f = w->f;
	unsigned int size = job / FORECAST_POLICIES, policy = job % FORECAST_POLICIES;
	struct forecast_cell *cell = &f->cells[size][policy];
	const struct simulate_want want = {
		.blocks = f->sizes[size], .policy = (u8)policy, .block_sectors = f->block_sectors,
	};
	const struct trace_request *r = f->trace->at;
	struct simulate s;
	u64 i, left;

	if (!simulate_begin(&s, &want))
		for (left = f->trace->nr; left && !s.why && !stop_asked();) {
			u64 nr = left < STEP ? left : STEP;

			for (i = 0; i < nr; i++, r++)
				simulate_request(&s, r->write, r->sector, r->nr);
			left -= nr;
			pthread_mutex_lock(&w->lock);
			w->done += nr;
			pthread_mutex_unlock(&w->lock);
		}
	*cell = (struct forecast_cell){ s.core.geo.nr_slots, s.hits, s.read_hits };
	if (s.why) {
		pthread_mutex_lock(&w->lock);
		w->why = s.why;
		pthread_mutex_unlock(&w->lock);
	}
	simulate_end(&s);
}

static void *worker(void *arg)
{
	struct work *w = arg;
	unsigned int job, jobs = w->f->nr_sizes * FORECAST_POLICIES;

	for (;;) {
		pthread_mutex_lock(&w->lock);
		job = w->next;
		if (job < jobs && !w->why && !stop_asked())
			w->next++;
		else
			job = jobs;
		w->running -= job == jobs;
		pthread_mutex_unlock(&w->lock);
		if (job == jobs)
			return NULL;
		run_job(w, job);
	}
}

/* Return: false when all workers are done. */
static bool look(struct work *w, u64 *done)
{
	bool running;

	pthread_mutex_lock(&w->lock);
	*done = w->done;
	running = w->running;
	pthread_mutex_unlock(&w->lock);
	return running;
}

static void watch(struct work *w)
{
	struct progress p;
	u64 done;

	progress_begin(&p, "simulating",
		       w->f->trace->nr * w->f->nr_sizes * FORECAST_POLICIES, 0);
	while (look(w, &done)) {
		progress_at(&p, done);
		if (stop_sleep(20))
			break;
	}
	progress_end(&p);
}

/**
 * forecast_run() - simulate all sizes and policies
 * @f: with @trace, @block_sectors and @sizes
 */
int forecast_run(struct forecast *f)
{
	struct work w = { .f = f, .lock = PTHREAD_MUTEX_INITIALIZER };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[MAX_WORKERS];
	int nr = 0, want = cpus < 1 ? 1 : cpus > MAX_WORKERS ? MAX_WORKERS : (int)cpus;

	w.running = (unsigned int)want;
	while (nr < want && !pthread_create(&threads[nr], NULL, worker, &w))
		nr++;
	pthread_mutex_lock(&w.lock);
	w.running -= (unsigned int)(want - nr);
	pthread_mutex_unlock(&w.lock);
	if (!nr)
		return fail("cannot start a thread");
	watch(&w);
	while (nr)
		pthread_join(threads[--nr], NULL);
	if (stop_asked())
		return fail("stopped");
	return w.why ? fail("%s", w.why) : 0;
}

static unsigned int best_policy(const struct forecast *f, unsigned int size)
{
	unsigned int policy, best = FC_POLICY_S3FIFO;

	/* The standard is left only for half a point. */
	for (policy = 0; policy < FORECAST_POLICIES; policy++)
		if (f->cells[size][policy].hits > f->cells[size][best].hits +
		    (best == FC_POLICY_S3FIFO ? f->set.accesses / 200 : 0))
			best = policy;
	return best;
}

/**
 * forecast_choose() - the smallest size that has nine tenths of what the largest has
 * @f: after forecast_run()
 * @choice: filled
 */
void forecast_choose(const struct forecast *f, struct forecast_choice *choice)
{
	unsigned int last = f->nr_sizes - 1, i;
	u64 most = f->cells[last][best_policy(f, last)].hits;

	for (i = 0; i < last; i++)
		if (f->cells[i][best_policy(f, i)].hits * 10 >= most * 9)
			break;
	choice->size = i;
	choice->policy = best_policy(f, i);
	/* One block in twenty that hits is not worth a drive. */
	choice->useful = most * 20 >= f->set.accesses;
}
