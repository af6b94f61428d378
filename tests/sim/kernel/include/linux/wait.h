/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locks, waiting, time. Each of them is a place where the scheduler may let somebody else go on.
 */
#ifndef SIM_LINUX_WAIT_H
#define SIM_LINUX_WAIT_H

#include <linux/kernel.h>

/* Where a task gives way: perhaps, for others that are ready; or until it is woken. */
void sim_preempt(void);
void sim_sleep_on(const void *what);
void sim_wake(const void *what);
void sim_lock_taken(bool *held);
void sim_lock_freed(bool *held);

typedef struct { bool held; } spinlock_t;
typedef spinlock_t raw_spinlock_t;

#define DEFINE_SPINLOCK(name)	spinlock_t name = { false }
#define spin_lock_init(l)	((l)->held = false)
#define spin_lock(l)		sim_lock_taken(&(l)->held)
#define spin_unlock(l)		sim_lock_freed(&(l)->held)
#define spin_lock_irq(l)	spin_lock(l)
#define spin_unlock_irq(l)	spin_unlock(l)
#define spin_lock_bh(l)		spin_lock(l)
#define spin_unlock_bh(l)	spin_unlock(l)
#define spin_lock_irqsave(l, flags) do { (flags) = 0; spin_lock(l); } while (0)
#define spin_unlock_irqrestore(l, flags) do { (void)(flags); spin_unlock(l); } while (0)

static inline bool spin_trylock(spinlock_t *l)
{
	if (l->held)
		return false;
	spin_lock(l);
	return true;
}

#define cond_resched()		sim_preempt()
#define might_sleep()		sim_preempt()
#define local_irq_save(flags)	((flags) = 0)
#define local_irq_restore(flags) ((void)(flags))
#define preempt_disable()	barrier()
#define preempt_enable()	barrier()

/* Who reads under RCU may be interrupted, but not for longer than synchronize_rcu() waits. */
void rcu_read_lock(void);
void rcu_read_unlock(void);
void synchronize_rcu(void);

#define in_interrupt()		false

struct mutex {
	bool held;
};

#define DEFINE_MUTEX(name)	struct mutex name = { false }
#define mutex_init(m)		((m)->held = false)
#define mutex_destroy(m)	((void)(m))

static inline void mutex_lock(struct mutex *m)
{
	while (m->held)
		sim_sleep_on(m);
	m->held = true;
}

static inline void mutex_unlock(struct mutex *m)
{
	m->held = false;
	sim_wake(m);
	sim_preempt();
}

typedef struct { spinlock_t lock; } wait_queue_head_t;

#define init_waitqueue_head(q)	spin_lock_init(&(q)->lock)
#define wake_up(q)		sim_wake(q)
#define wake_up_all(q)		sim_wake(q)
#define wake_up_all_locked(q)	sim_wake(q)
#define wait_event(q, cond) \
	do { while (!(cond)) sim_sleep_on(&(q)); } while (0)
#define wait_event_lock_irq(q, cond, l) \
	do { \
		while (!(cond)) { \
			spin_unlock_irq(&(l)); \
			if (!(cond)) \
				sim_sleep_on(&(q)); \
			spin_lock_irq(&(l)); \
		} \
	} while (0)

struct completion {
	bool done;
};

#define init_completion(c)	((c)->done = false)
#define DECLARE_COMPLETION_ONSTACK(name) struct completion name = { false }
#define complete(c)		do { (c)->done = true; sim_wake(c); } while (0)
#define wait_for_completion(c)	do { while (!(c)->done) sim_sleep_on(c); } while (0)
#define wait_for_completion_io(c) wait_for_completion(c)

/* Time stands still while anything can be done without it, or passes when the seed says so. */
#define HZ	100
extern unsigned long jiffies;
long sim_sleep_for(unsigned long ticks);
#define schedule_timeout_killable(t)	sim_sleep_for(t)
#define schedule_timeout_uninterruptible(t) sim_sleep_for(t)
#define msleep(ms)			((void)sim_sleep_for(DIV_ROUND_UP((ms) * HZ, 1000)))
#define msecs_to_jiffies(ms)		DIV_ROUND_UP((unsigned long)(ms) * HZ, 1000)
#define time_after(a, b)		((long)((b) - (a)) < 0)
#define time_before(a, b)		time_after(b, a)
u64 ktime_get_ns(void);
#define local_clock()			ktime_get_ns()

struct task_struct {
	int pid;
	int tgid;
};

#define PID_MAX_LIMIT			(4 * 1024 * 1024)
#define current				(&(struct task_struct){ 1, 1 })
#define fatal_signal_pending(t)		((void)(t), false)
#define memalloc_noio_save()		0u
#define memalloc_noio_restore(flags)	((void)(flags))

#endif /* SIM_LINUX_WAIT_H */
