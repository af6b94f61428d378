// SPDX-License-Identifier: GPL-2.0
/*
 * Cleaning a running cache and watching it.
 */
#include <inttypes.h>
#include "progress.h"
#include "stop.h"
#include "sweep.h"
#include "tool.h"

#define LOOK_PERIOD	100u	/* milliseconds */
#define PATIENCE	600u	/* looks without anything getting better: a minute */
#define TOO_MANY_ERRORS	8u	/* in a row, as for the module */

/**
 * struct watch - what was seen of a cleaning under way
 * @first: dirty blocks at the beginning
 * @cleanings: counter at the beginning
 * @errors: failed writes to the disk when it last got better
 * @best: cleanings when it last got better
 * @idle: looks since then
 */
struct watch {
	u64 first;
	u64 cleanings;
	u64 errors;
	u64 best;
	unsigned int idle;
};

static void begin(struct watch *w, const struct cache *c)
{
	w->first = cache_number(c, "dirty");
	w->cleanings = cache_number(c, "cleanings");
	w->errors = cache_number(c, "disk_write_errors");
	w->best = w->cleanings;
	w->idle = 0;
}

/* Return: false when there is no hope any more. */
static bool look(struct watch *w, const struct cache *c)
{
	u64 cleanings = cache_number(c, "cleanings");
	u64 errors = cache_number(c, "disk_write_errors");

	if (cleanings != w->best) {
		w->best = cleanings;
		w->errors = errors;
		w->idle = 0;
		return true;
	}
	if (errors >= w->errors + TOO_MANY_ERRORS) {
		fail("the disk of %s refuses writes: %" PRIu64 " blocks stay dirty, safe on the "
		     "ssd; the kernel's log says more", c->name, cache_number(c, "dirty"));
		return false;
	}
	if (++w->idle < PATIENCE)
		return true;
	fail("cleaning of %s does not get on: %" PRIu64 " blocks are dirty; the kernel's log may "
	     "say why", c->name, cache_number(c, "dirty"));
	return false;
}

static enum sweep_result wait_clean(struct cache *c, struct watch *w, struct progress *p)
{
	u64 dirty;

	for (;;) {
		if (cache_refresh(c))
			return SWEEP_FAILED;
		dirty = cache_number(c, "dirty");
		if (!dirty)
			return SWEEP_CLEAN;
		/* The counter can have been set to zero by somebody meanwhile. */
		if (cache_number(c, "cleanings") > w->cleanings + 2 * w->first)
			return SWEEP_CHASED;
		if (!look(w, c))
			return SWEEP_FAILED;
		progress_at(p, dirty < w->first ? w->first - dirty : 0);
		if (stop_sleep(LOOK_PERIOD))
			return SWEEP_STOPPED;
	}
}

/**
 * sweep() - have everything cleaned and wait for it
 * @c: running cache
 *
 * Ctrl-C, or a failure, ends the cleaning too; what is dirty then stays so.
 */
enum sweep_result sweep(struct cache *c)
{
	enum sweep_result result;
	struct progress p;
	struct watch w;
	int error;

	begin(&w, c);
	if (!w.first)
		return SWEEP_CLEAN;
	stop_catch();
	progress_begin(&p, "cleaning", w.first, cache_block_bytes(c));
	error = mapper_send(c->name, "do_sync 1");
	if (error) {
		fail("cannot clean %s: %s", c->name, strerror(error));
		return SWEEP_FAILED;
	}
	result = wait_clean(c, &w, &p);
	progress_end(&p);
	if (result != SWEEP_CLEAN && mapper_send(c->name, "stop_sync 1"))
		note("cleaning of %s goes on", c->name);
	return result;
}
