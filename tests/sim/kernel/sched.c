// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks, each on a stack of its own, and who goes on.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_SIZE	(256u << 10)
#else
#define STACK_SIZE	(64u << 10)
#endif
#define GUARD_SIZE	4096u

unsigned long jiffies;
struct mach *mach;
struct task *task;

static struct mach machs[MACH_DEPTH];
static struct task *free_tasks;
static void *home;	/* stack pointer of the simulator itself */
static bool unwinding;

/* --- switching -------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* Saves what a call must keep, changes stacks, and goes on there. No system call. */
void sim_switch(void **from, void *to);
__asm__(".text\n.globl sim_switch\n.type sim_switch,@function\n"
	"sim_switch:\n"
	"\tpush %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"
	"\tmov %rsp, (%rdi)\n"
	"\tmov %rsi, %rsp\n"
	"\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbx\n\tpop %rbp\n"
	"\tret\n"
	".size sim_switch, .-sim_switch\n");

static void prepare_stack(struct task *t, void (*entry)(void))
{
	u64 *sp = (u64 *)(t->stack + STACK_SIZE);

	*--sp = 0;	/* as if called from nowhere: keeps the alignment of a call */
	*--sp = (u64)(uintptr_t)entry;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	t->sp = sp;
}
#else
#include <ucontext.h>

static void sim_switch(void **from, void *to)
{
	ucontext_t here;

	/* Alive for as long as somebody may come back to it. */
	/* cppcheck-suppress autoVariables */
	*from = &here;
	swapcontext(&here, to);
}

static void prepare_stack(struct task *t, void (*entry)(void))
{
	static ucontext_t contexts[MACH_DEPTH * MAX_TASKS];
	static u32 used;
	ucontext_t *c = t->fake ? t->fake : &contexts[used++ % ARRAY_SIZE(contexts)];

	getcontext(c);
	c->uc_stack.ss_sp = t->stack;
	c->uc_stack.ss_size = STACK_SIZE;
	makecontext(c, entry, 0);
	t->sp = c;
}
#endif

#ifdef __SANITIZE_ADDRESS__
static const void *home_stack;
static size_t home_size;

static void switch_to_task(struct task *t)
{
	void *fake;

	__sanitizer_start_switch_fiber(&fake, t->stack, STACK_SIZE);
	sim_switch(&home, t->sp);
	__sanitizer_finish_switch_fiber(fake, NULL, NULL);
}

static void switch_home(bool over)
{
	struct task *t = task;

	__sanitizer_start_switch_fiber(over ? NULL : &t->fake, home_stack, home_size);
	sim_switch(&t->sp, home);
	__sanitizer_finish_switch_fiber(t->fake, &home_stack, &home_size);
}

static void arrived(void)
{
	__sanitizer_finish_switch_fiber(NULL, &home_stack, &home_size);
}

static void forget_stack(struct task *t)
{
	__asan_unpoison_memory_region(t->stack, STACK_SIZE);
}
#else
static void switch_to_task(struct task *t)
{
	sim_switch(&home, t->sp);
}

static void switch_home(bool over)
{
	(void)over;
	sim_switch(&task->sp, home);
}

static void arrived(void)
{
}

static void forget_stack(struct task *t)
{
	(void)t;
}
#endif

/* --- tasks ------------------------------------------------------------------------------------ */

static void task_main(void)
{
	arrived();
	task->fn(task->arg);
	if (task->locks)
		sim_fail("a task ends with a spinlock held");
	task->state = TASK_OVER;
	switch_home(true);
}

static struct task *new_task(void)
{
	struct task *t = free_tasks;
	u8 *at;

	if (t) {
		free_tasks = t->next;
		return t;
	}
	t = calloc(1, sizeof(*t));
	at = mmap(NULL, STACK_SIZE + GUARD_SIZE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!t || at == MAP_FAILED || mprotect(at, GUARD_SIZE, PROT_NONE))
		abort();
	t->stack = at + GUARD_SIZE;
	return t;
}

static void free_task(struct task *t)
{
	forget_stack(t);
	t->next = free_tasks;
	free_tasks = t;
}

/**
 * task_start() - somebody begins to run; the scheduler says when
 * @fn: function
 * @arg: its argument
 */
void task_start(void (*fn)(void *arg), void *arg)
{
	struct task *t;

	if (mach->nr_tasks == MAX_TASKS) {
		sim_fail("too many tasks");
		return;
	}
	t = new_task();
	prepare_stack(t, task_main);
	t->fn = fn;
	t->arg = arg;
	t->state = TASK_READY;
	t->timed = false;
	t->on = NULL;
	t->locks = 0;
	t->held_until = 0;
	t->work = NULL;
	t->wq = NULL;
	mach->tasks[mach->nr_tasks++] = t;
}

static void run_task(u32 index)
{
	struct task *t = mach->tasks[index];

	task = t;
	switch_to_task(t);
	task = NULL;
	if (unwinding) {
		unwinding = false;
		return;
	}
	if (t->state != TASK_OVER)
		return;
	/* Others may have come meanwhile, but nobody left. */
	mach->tasks[index] = mach->tasks[--mach->nr_tasks];
	free_task(t);
}

/** sim_unwind() - leave a task for good after a violation; its machine is dead */
void sim_unwind(void)
{
	mach->dead = true;
	if (!task)
		return;
	unwinding = true;
	switch_home(false);
}

/* --- giving way ------------------------------------------------------------------------------- */

static void check_may_sleep(void)
{
	if (!task)
		sim_fail("the simulator itself wants to sleep");
	else if (task->locks)
		sim_fail("sleeps with a spinlock held");
}

void sim_preempt(void)
{
	if (!mach->preempt || !task || task->locks || mach->dead)
		return;
	if (!rng_one_in(&mach->rng, mach->preempt))
		return;
	task->held_until = mach_hold();
	switch_home(false);
}

void sim_sleep_on(const void *what)
{
	check_may_sleep();
	task->on = what;
	task->state = TASK_ASLEEP;
	switch_home(false);
}

void sim_wake(const void *what)
{
	u32 i;

	for (i = 0; i < mach->nr_tasks; i++) {
		struct task *t = mach->tasks[i];

		if (t->state == TASK_ASLEEP && t->on == what)
			t->state = TASK_READY;
	}
}

long sim_sleep_for(unsigned long ticks)
{
	check_may_sleep();
	task->timed = true;
	task->wake_at = jiffies + ticks;
	sim_sleep_on(NULL);
	task->timed = false;
	return 0;
}

void sim_lock_taken(bool *held)
{
	sim_preempt();
	if (*held)
		sim_fail("takes a spinlock that is held");
	*held = true;
	if (task)
		task->locks++;
}

void sim_lock_freed(bool *held)
{
	if (!*held)
		sim_fail("gives back a spinlock that is not held");
	*held = false;
	if (task)
		task->locks--;
	sim_preempt();
}

void rcu_read_lock(void)
{
	mach->rcu_readers++;
	sim_preempt();
}

void rcu_read_unlock(void)
{
	if (!--mach->rcu_readers)
		sim_wake(&mach->rcu_readers);
	sim_preempt();
}

void synchronize_rcu(void)
{
	check_may_sleep();
	while (mach->rcu_readers)
		sim_sleep_on(&mach->rcu_readers);
}

/* --- who goes on ------------------------------------------------------------------------------ */

/* Time jumps to the next moment at which something is due; false when nothing ever will be. */
bool mach_time_passes(void)
{
	unsigned long next = 0;
	bool any = false;
	u32 i;

	for (i = 0; i < mach->nr_timers; i++) {
		if (!any || time_before(mach->timers[i]->expires, next))
			next = mach->timers[i]->expires;
		any = true;
	}
	for (i = 0; i < mach->nr_tasks; i++) {
		const struct task *t = mach->tasks[i];

		if (t->state != TASK_ASLEEP || !t->timed)
			continue;
		if (!any || time_before(t->wake_at, next))
			next = t->wake_at;
		any = true;
	}
	if (!any)
		return false;
	if (time_after(next, jiffies))
		jiffies = next;
	for (i = mach->nr_timers; i--;)
		if (!time_after(mach->timers[i]->expires, jiffies))
			work_timer_fired(i);
	for (i = 0; i < mach->nr_tasks; i++)
		if (mach->tasks[i]->timed && !time_after(mach->tasks[i]->wake_at, jiffies))
			mach->tasks[i]->state = TASK_READY;
	return true;
}

/**
 * mach_hold() - until which step is somebody held back who begins to wait now?
 *
 * Most are not. Some are, for long, so that much can happen in what is a short moment elsewhere.
 */
u64 mach_hold(void)
{
	if (!mach->hold || !rng_one_in(&mach->rng, mach->hold))
		return 0;
	return mach->steps + rng_below(&mach->rng, 600);
}

/* Those who could go on: first ready tasks, then work that may begin, then I/Os. */
static u32 choices(u32 *which, u32 max, u32 *tasks, u32 *works, u64 now)
{
	u32 nr = 0, i;

	for (i = 0; i < mach->nr_tasks && nr < max; i++)
		if (mach->tasks[i]->state == TASK_READY && mach->tasks[i]->held_until <= now)
			which[nr++] = i;
	*tasks = nr;
	nr += work_startable(which + nr, min(max - nr, 64u));
	*works = nr;
	for (i = 0; i < mach->nr_ios && nr < max; i++)
		if (disk_io_held_until(mach->ios[i]) <= now)
			which[nr++] = i;
	return nr;
}

/**
 * mach_step() - let one thing happen: a task goes on, work begins, an I/O makes progress
 *
 * Return: false when there is nothing but time to pass.
 */
bool mach_step(void)
{
	u32 which[256], tasks, works, nr, pick;

	mach->steps++;
	nr = choices(which, ARRAY_SIZE(which), &tasks, &works, mach->steps);
	if (!nr)
		nr = choices(which, ARRAY_SIZE(which), &tasks, &works, ~0ull);
	if (!nr)
		return false;
	pick = nr == 1 ? 0 : rng_below(&mach->rng, nr);
	if (pick < tasks)
		run_task(which[pick]);
	else if (pick < works)
		work_start(which[pick]);
	else
		disk_io_step(which[pick]);
	return true;
}

/* --- machines --------------------------------------------------------------------------------- */

/**
 * mach_enter() - a machine is switched on, inside of the one that ran up to now
 * @seed: of its interleaving
 */
struct mach *mach_enter(u64 seed)
{
	u32 depth = mach ? mach->depth + 1 : 0;
	struct mach *m = &machs[depth];

	if (depth == MACH_DEPTH)
		abort();
	if (mach)
		mach->clock = jiffies;
	m->depth = depth;
	m->clock = 1000;
	rng_seed(&m->rng, seed);
	m->instant = false;
	m->preempt = 0;
	m->hold = 0;
	m->steps = 0;
	m->events = 0;
	m->no_memory_pct = 0;
	m->dead = false;
	m->seqs = 0;
	jiffies = m->clock;
	mach = m;
	heap_enter(m);
	return m;
}

/** mach_power_off() - all that the machine did and knew is gone; its devices are as they are */
void mach_power_off(void)
{
	u32 i;

	for (i = 0; i < mach->nr_tasks; i++)
		free_task(mach->tasks[i]);
	disk_forget();
	mach->nr_tasks = 0;
	mach->nr_items = 0;
	mach->nr_timers = 0;
	mach->rcu_readers = 0;
	heap_reset(mach);
}

/** mach_leave() - switch the machine off and go back to the one around it */
void mach_leave(void)
{
	mach_power_off();
	mach = mach->depth ? mach - 1 : NULL;
	if (mach)
		jiffies = mach->clock;
}
