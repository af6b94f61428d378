/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The simulator's kernel, from the inside.
 *
 * A machine is all that a power cut ends: tasks, queued work, timers, memory, I/O in flight. There
 * may be several, one inside the other: while one stands still, another one is booted from an image
 * of its devices to see what a cut at this moment would have left. Everything is one thread; the
 * seed decides who goes on.
 */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include <linux/device-mapper.h>
#include <linux/workqueue.h>

#include "disk.h"
#include "rng.h"

#define MACH_DEPTH	4
#define MAX_TASKS	2048
#define MAX_ITEMS	2048
#define MAX_TIMERS	32
#define MAX_IOS		4096

enum task_state { TASK_READY, TASK_ASLEEP, TASK_OVER };

/**
 * struct task - somebody who runs: a call into the module, a work item, the end of an I/O
 * @sp: its stack pointer while it does not run
 * @stack: lowest address of its stack
 * @fake: the sanitizer's shadow of it
 * @next: next free one
 * @fn: what it does, with @arg
 * @arg: see @fn
 * @state: enum task_state
 * @on: what it sleeps on
 * @wake_at: time at which it is woken anyhow, with @timed
 * @timed: see @wake_at
 * @locks: spinlocks that it holds
 * @held_until: it does not go on before this step of the machine, unless nothing else can
 * @work: work item that it runs, of queue @wq, the @seq-th that was queued
 * @wq: see @work
 * @seq: see @work
 */
struct task {
	void *sp;
	u8 *stack;
	void *fake;
	struct task *next;
	void (*fn)(void *arg);
	void *arg;
	u8 state;
	bool timed;
	const void *on;
	unsigned long wake_at;
	u32 locks;
	u64 held_until;
	const struct work_struct *work;
	const struct workqueue_struct *wq;
	u64 seq;
};

struct item {
	struct work_struct *work;
	struct workqueue_struct *wq;
	u64 seq;
};

/**
 * struct mach - a machine
 * @rng: decides who goes on
 * @clock: its jiffies while it does not run
 * @depth: 0 for the one that lives, more for those that are booted from its images
 * @instant: metadata I/O takes no time, and nobody is preempted
 * @steps: taken so far
 * @events: numbers what the devices do, to tell before from after
 * @preempt: one in so many places where a task could give way it does; 0 = never
 * @hold: one in so many tasks that give way, and I/Os that are sent, is held back for long; 0 = none
 * @no_memory_pct: allocations that may fail do so this often
 * @dead: a violation was found in it, it must not go on
 * @tasks: all that are not over
 * @items: work that is queued, in order
 * @seqs: items queued so far
 * @timers: delayed work whose time has not come
 * @ios: I/O in flight
 * @over: I/Os that have ended, while who waits for them has not gone on
 * @legs: its devices
 * @heap: its memory, see mem.c
 * @live: allocations that were not freed
 * @rcu_readers: tasks that read under RCU
 */
struct mach {
	struct rng rng;
	unsigned long clock;
	u32 depth;
	bool instant;
	u64 steps;
	u64 events;
	u32 preempt;
	u32 hold;
	u32 no_memory_pct;
	bool dead;
	struct task *tasks[MAX_TASKS];
	u32 nr_tasks;
	struct item items[MAX_ITEMS];
	u32 nr_items;
	u64 seqs;
	struct delayed_work *timers[MAX_TIMERS];
	u32 nr_timers;
	struct io *ios[MAX_IOS];
	u32 nr_ios;
	struct io *over;
	struct leg legs[2];
	struct heap *heap;
	u64 live;
	u32 rcu_readers;
};

/* The machine that runs, and its task; NULL in the simulator itself. */
extern struct mach *mach;
extern struct task *task;

/* sched.c */
struct mach *mach_enter(u64 seed);
void mach_leave(void);
void mach_power_off(void);
void task_start(void (*fn)(void *arg), void *arg);
bool mach_step(void);
u64 mach_hold(void);
bool mach_time_passes(void);

/* work.c */
u32 work_startable(u32 *which, u32 max);
void work_start(u32 item);
void work_timer_fired(u32 timer);

/* mem.c */
void heap_enter(struct mach *m);
void heap_reset(struct mach *m);

/* block.c */
void block_end_bio(struct bio *bio, blk_status_t status);

/* lib.c */
extern bool kernel_traces;
void kernel_messages(bool shown);
const char *kernel_last_error(void);

/* Where the simulator reports that something is wrong; does not return to a task. */
__printf(1, 2) void sim_fail(const char *fmt, ...);
void sim_unwind(void);

/* An I/O has failed; its end has not been told yet. */
void sim_io_failed(const struct leg *leg, struct failed *f);

#endif /* SIM_KERNEL_H */
