// SPDX-License-Identifier: GPL-2.0
/*
 * The ladder of health. One function steps down, none steps up; each step is told once, in the log
 * and as a device-mapper event and a uevent.
 */
#include "cache.h"

#define DM_MSG_PREFIX "flashcache"

/*
 * Not one of a cache's own queues: telling user space takes memory, and so may wait for the cache.
 */
static struct workqueue_struct *events;

static const char * const names[] = { "ok", "degraded", "failed" };

/** fc_health_name() - the word for a state of health in the status line */
const char *fc_health_name(enum fc_health health)
{
	return names[health];
}

/**
 * fc_health_lower() - the cache is worse off than before
 * @c: cache
 * @to: degraded: nothing new becomes dirty, the cache works like write-through;
 *	failed: nothing can become durable, writes fail
 * @why: for the log
 *
 * Context: any.
 */
void fc_health_lower(struct fc_cache *c, enum fc_health to, const char *why)
{
	unsigned long flags;
	bool lowered = false;

	spin_lock_irqsave(&c->health_lock, flags);
	if (to > c->health) {
		c->health = to;
		c->core.no_writeback = true;
		lowered = true;
	}
	spin_unlock_irqrestore(&c->health_lock, flags);
	if (!lowered)
		return;
	DMERR("%s: cache is %s now: %s", c->cfg.name, names[to], why);
	queue_work(events, &c->event_work);
}

static void event_work(struct work_struct *work)
{
	struct fc_cache *c = container_of(work, struct fc_cache, event_work);

	struct mapped_device *md = dm_table_get_md(c->ti->table);

	/* Flash that fails should not be the only place of anything for longer than it must. */
	fc_cleaner_all(c, true);
	dm_table_event(c->ti->table);
	kobject_uevent(&disk_to_dev(dm_disk(md))->kobj, KOBJ_CHANGE);
}

int fc_health_module_init(void)
{
	events = alloc_workqueue("flashcache_ev", WQ_UNBOUND, 0);
	return events ? 0 : -ENOMEM;
}

void fc_health_module_exit(void)
{
	destroy_workqueue(events);
}

void fc_health_init(struct fc_cache *c)
{
	spin_lock_init(&c->health_lock);
	INIT_WORK(&c->event_work, event_work);
}

void fc_health_exit(struct fc_cache *c)
{
	cancel_work_sync(&c->event_work);
}
