// SPDX-License-Identifier: GPL-2.0
/*
 * plant.ko kind=KIND: makes one mistake while it is loaded, to show that the debug kernel reports it
 * and that the tests see the report.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

static char *kind = "";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "which mistake to make");

static DEFINE_SPINLOCK(lock_a);
static DEFINE_SPINLOCK(lock_b);
static DEFINE_MUTEX(sleeper);

/* A parameter, so that the compiler cannot know it. */
static uint size = 64;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "of the object that something is done to");

static void *kept;

static void leak(void)
{
	WRITE_ONCE(kept, kmalloc(size + 13, GFP_KERNEL));
	WRITE_ONCE(kept, NULL);
}

static void touch(u8 *p)
{
	if (p)
		WRITE_ONCE(p[size], 1);
}

static void beyond(void)
{
	u8 *p = kmalloc(size, GFP_KERNEL);

	touch(p);
	kfree(p);
}

static void beyond_vmalloc(void)
{
	u8 *p = vmalloc(size);

	touch(p);
	vfree(p);
}

/* A then B, and B then A: nobody is stuck, but two could be. */
static void lock_order(void)
{
	spin_lock(&lock_a);
	spin_lock(&lock_b);
	spin_unlock(&lock_b);
	spin_unlock(&lock_a);
	spin_lock(&lock_b);
	spin_lock(&lock_a);
	spin_unlock(&lock_a);
	spin_unlock(&lock_b);
}

static void atomic_sleep(void)
{
	spin_lock(&lock_a);
	mutex_lock(&sleeper);
	mutex_unlock(&sleeper);
	spin_unlock(&lock_a);
}

static void ring(struct timer_list *timer)
{
}

static void armed_object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, ring, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void shift(void)
{
	WRITE_ONCE(kept, (void *)(long)(1 << size));
	WRITE_ONCE(kept, NULL);
}

static const struct { const char *kind; void (*make)(void); } mistakes[] = {
	{ "lock-order", lock_order },
	{ "atomic-sleep", atomic_sleep },
	{ "armed-object", armed_object },
	{ "shift", shift },
	{ "leak", leak },
	{ "beyond", beyond },
	{ "beyond-vmalloc", beyond_vmalloc },
};

static int __init plant_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		if (!strcmp(kind, mistakes[i].kind)) {
			mistakes[i].make();
			return 0;
		}
	}
	return -EINVAL;
}

static void __exit plant_exit(void)
{
}

module_init(plant_init);
module_exit(plant_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("mistakes for the debug kernel to find");
