// SPDX-License-Identifier: GPL-2.0
/*
 * Work queues, with the kernel's promises: an item never runs twice at a time, an ordered queue
 * runs one item after the other, all else may begin in any order.
 */
#include <stdlib.h>

#include "kernel.h"

struct workqueue_struct {
	const char *name;
	bool ordered;
};

struct workqueue_struct *sim_alloc_workqueue(const char *name, bool ordered)
{
	struct workqueue_struct *wq = sim_alloc(sizeof(*wq), true);

	wq->name = name;
	wq->ordered = ordered;
	return wq;
}

/* --- what is queued and what runs ------------------------------------------------------------- */

static bool work_runs(const struct work_struct *work)
{
	u32 i;

	for (i = 0; i < mach->nr_tasks; i++)
		if (mach->tasks[i]->work == work)
			return true;
	return false;
}

/* The first item of an ordered queue, when none of it runs. */
static bool is_its_turn(const struct item *item)
{
	u32 i;

	for (i = 0; i < mach->nr_tasks; i++)
		if (mach->tasks[i]->wq == item->wq)
			return false;
	for (i = 0; &mach->items[i] != item; i++)
		if (mach->items[i].wq == item->wq)
			return false;
	return true;
}

/**
 * work_startable() - which queued items may begin?
 * @which: their indices
 * @max: room in @which
 */
u32 work_startable(u32 *which, u32 max)
{
	u32 i, nr = 0;

	for (i = 0; i < mach->nr_items && nr < max; i++) {
		const struct item *item = &mach->items[i];

		if (work_runs(item->work) || (item->wq->ordered && !is_its_turn(item)))
			continue;
		which[nr++] = i;
	}
	return nr;
}

static void drop_item(u32 index)
{
	memmove(&mach->items[index], &mach->items[index + 1],
		(--mach->nr_items - index) * sizeof(struct item));
}

static void run_work(void *arg)
{
	struct work_struct *work = arg;
	u64 seq = task->seq;

	/* The item may free itself: nothing of it is looked at afterwards. */
	work->func(work);
	task->work = NULL;
	task->wq = NULL;
	(void)seq;
	sim_wake(&mach->items);
}

void work_start(u32 index)
{
	struct item item = mach->items[index];
	struct task *t;

	drop_item(index);
	item.work->pending = false;
	task_start(run_work, item.work);
	t = mach->tasks[mach->nr_tasks - 1];
	t->work = item.work;
	t->wq = item.wq;
	t->seq = item.seq;
}

static void enqueue(struct workqueue_struct *wq, struct work_struct *work)
{
	if (mach->nr_items == MAX_ITEMS) {
		sim_fail("too much work queued");
		return;
	}
	mach->items[mach->nr_items++] = (struct item){ work, wq, ++mach->seqs };
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	if (work->pending || work->cancelling)
		return false;
	work->pending = true;
	enqueue(wq, work);
	return true;
}

/* --- timers ----------------------------------------------------------------------------------- */

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	if (work->work.pending || work->work.cancelling)
		return false;
	if (!delay)
		return queue_work(wq, &work->work);
	work->work.pending = true;
	work->wq = wq;
	work->expires = jiffies + delay;
	if (mach->nr_timers == MAX_TIMERS)
		sim_fail("too many timers");
	else
		mach->timers[mach->nr_timers++] = work;
	return true;
}

void work_timer_fired(u32 timer)
{
	struct delayed_work *work = mach->timers[timer];

	mach->timers[timer] = mach->timers[--mach->nr_timers];
	enqueue(work->wq, &work->work);
}

/* Takes it out of the queue or off its timer; true when it was there. */
static bool dequeue(struct work_struct *work)
{
	u32 i;

	if (!work->pending)
		return false;
	work->pending = false;
	for (i = 0; i < mach->nr_items; i++) {
		if (mach->items[i].work == work) {
			drop_item(i);
			return true;
		}
	}
	for (i = 0; i < mach->nr_timers; i++) {
		if (&mach->timers[i]->work == work) {
			mach->timers[i] = mach->timers[--mach->nr_timers];
			return true;
		}
	}
	sim_fail("pending work is nowhere");
	return false;
}

/* --- waiting for it --------------------------------------------------------------------------- */

static void wait_while_running(const struct work_struct *work)
{
	if (task->work == work)
		sim_fail("work waits for itself");
	while (work_runs(work))
		sim_sleep_on(&mach->items);
}

bool cancel_work_sync(struct work_struct *work)
{
	bool was;

	work->cancelling++;
	was = dequeue(work);
	sim_preempt();
	wait_while_running(work);
	work->cancelling--;
	return was;
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return cancel_work_sync(&work->work);
}

bool cancel_delayed_work(struct delayed_work *work)
{
	return dequeue(&work->work);
}

bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay)
{
	bool was = dequeue(&work->work);

	queue_delayed_work(wq, work, delay);
	return was;
}

static bool on_timer(const struct work_struct *work)
{
	u32 i;

	for (i = 0; i < mach->nr_timers; i++)
		if (&mach->timers[i]->work == work)
			return true;
	return false;
}

/* Waits for what is queued or runs now; who queues it again is not waited for. */
static void wait_until_done(const struct work_struct *work, const struct workqueue_struct *wq)
{
	u64 last = mach->seqs;
	u32 i;

again:
	for (i = 0; i < mach->nr_items; i++)
		if (mach->items[i].seq <= last &&
		    (mach->items[i].work == work || mach->items[i].wq == wq))
			break;
	if (i == mach->nr_items) {
		for (i = 0; i < mach->nr_tasks; i++)
			if (mach->tasks[i]->work && mach->tasks[i]->seq <= last &&
			    (mach->tasks[i]->work == work || mach->tasks[i]->wq == wq))
				break;
		if (i == mach->nr_tasks)
			return;
	}
	sim_sleep_on(&mach->items);
	goto again;
}

bool flush_work(struct work_struct *work)
{
	bool was = work->pending || work_runs(work);

	if (task->work == work)
		sim_fail("work waits for itself");
	if (!on_timer(work))
		wait_until_done(work, (void *)-1);
	return was;
}

bool flush_delayed_work(struct delayed_work *work)
{
	if (on_timer(&work->work) && dequeue(&work->work))
		queue_work(work->wq, &work->work);
	return flush_work(&work->work);
}

void flush_workqueue(struct workqueue_struct *wq)
{
	if (task->wq == wq)
		sim_fail("work waits for its own queue");
	wait_until_done((void *)-1, wq);
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	u32 i;

	/* Work may queue more work. The module's own queue outlives all machines. */
	for (i = 0; mach && i < mach->nr_items; i++)
		if (mach->items[i].wq == wq)
			i = 0, flush_workqueue(wq);
	if (mach)
		flush_workqueue(wq);
	for (i = 0; mach && i < mach->nr_timers; i++)
		if (mach->timers[i]->wq == wq)
			sim_fail("a timer outlives its queue");
	sim_free(wq);
}

unsigned int work_busy(struct work_struct *work)
{
	return work->pending | work_runs(work) << 1;
}
