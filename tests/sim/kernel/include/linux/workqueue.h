/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_WORKQUEUE_H
#define SIM_LINUX_WORKQUEUE_H

#include <linux/wait.h>

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

/* @cancelling: as in the kernel, it cannot be queued while somebody cancels it and waits. */
struct work_struct {
	work_func_t func;
	bool pending;
	u8 cancelling;
};

struct workqueue_struct;

struct delayed_work {
	struct work_struct work;
	struct workqueue_struct *wq;
	unsigned long expires;
};

#define INIT_WORK(w, f)		(*(w) = (struct work_struct){ .func = (f) })
#define INIT_DELAYED_WORK(w, f)	(*(w) = (struct delayed_work){ .work.func = (f) })

#define WQ_UNBOUND	1u
#define WQ_MEM_RECLAIM	2u
#define WQ_HIGHPRI	4u
#define WQ_SYSFS	8u

struct workqueue_struct *sim_alloc_workqueue(const char *name, bool ordered);
#define alloc_workqueue(name, flags, most)	sim_alloc_workqueue(name, false)
#define alloc_ordered_workqueue(name, flags)	sim_alloc_workqueue(name, true)
void destroy_workqueue(struct workqueue_struct *wq);
void flush_workqueue(struct workqueue_struct *wq);
#define drain_workqueue(wq)	flush_workqueue(wq)

bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
#define queue_work_on(cpu, wq, work) ((void)(cpu), queue_work(wq, work))
bool flush_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
unsigned int work_busy(struct work_struct *work);
#define work_pending(w)		((w)->pending)

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay);
bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay);
bool cancel_delayed_work(struct delayed_work *work);
bool cancel_delayed_work_sync(struct delayed_work *work);
bool flush_delayed_work(struct delayed_work *work);
#define delayed_work_pending(w)	((w)->work.pending)

#endif /* SIM_LINUX_WORKQUEUE_H */
