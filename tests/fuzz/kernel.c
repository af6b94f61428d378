// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel behind the simulator's headers, for one thread: see kernel.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/workqueue.h>

#include "harness.h"
#include "kernel.h"

struct target_type *fuzz_target;
struct fuzz_dev fuzz_devs[26];
unsigned int fuzz_open_devices;
char fuzz_error[1024];
unsigned int fuzz_errors;

/* --- memory ----------------------------------------------------------------------------------- */

void *sim_alloc(size_t size, bool zero)
{
	void *p = zero ? calloc(1, size) : malloc(size);

	CHECK(p);
	return p;
}

void sim_free(const void *p)
{
	free((void *)p);
}

bool sim_no_memory(gfp_t gfp)
{
	return false;
}

/* As test_seed() has it, so that an input always does the same. */
void get_random_bytes(void *to, size_t size)
{
	u8 *at = to;

	while (size--)
		*at++ = (u8)test_below(256);
}

/* --- locks, waiting, time --------------------------------------------------------------------- */

unsigned long jiffies = 1000;

void sim_preempt(void)
{
}

/* Nobody else could end the wait. */
void sim_sleep_on(const void *what)
{
	test_fail(__FILE__, __LINE__, "somebody waits for ever");
}

void sim_wake(const void *what)
{
}

void sim_lock_taken(bool *held)
{
	CHECK(!*held);
	*held = true;
}

void sim_lock_freed(bool *held)
{
	CHECK(*held);
	*held = false;
}

void rcu_read_lock(void)
{
}

void rcu_read_unlock(void)
{
}

void synchronize_rcu(void)
{
}

u64 ktime_get_ns(void)
{
	return jiffies * (1000000000ull / HZ);
}

/* --- work, never run -------------------------------------------------------------------------- */

struct workqueue_struct {
	int unused;
};

struct workqueue_struct *sim_alloc_workqueue(const char *name, bool ordered)
{
	return sim_alloc(sizeof(struct workqueue_struct), true);
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	sim_free(wq);
}

void flush_workqueue(struct workqueue_struct *wq)
{
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	return true;
}

bool flush_work(struct work_struct *work)
{
	return false;
}

bool cancel_work_sync(struct work_struct *work)
{
	return false;
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	return true;
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return false;
}

/* --- devices and device-mapper ---------------------------------------------------------------- */

sector_t bdev_nr_sectors(struct block_device *bdev)
{
	return fuzz_devs[bdev->leg].sectors;
}

unsigned int bdev_max_discard_sectors(struct block_device *bdev)
{
	return 0;
}

int dm_get_device(struct dm_target *ti, const char *path, blk_mode_t mode, struct dm_dev **dev)
{
	static struct block_device bdevs[26];
	int which = path[0] - 'a';

	if (which < 0 || which >= 26 || path[1] || !fuzz_devs[which].sectors)
		return -ENODEV;
	bdevs[which].leg = which;
	*dev = sim_alloc(sizeof(**dev), true);
	(*dev)->bdev = &bdevs[which];
	strcpy((*dev)->name, path);
	fuzz_open_devices++;
	return 0;
}

void dm_put_device(struct dm_target *ti, struct dm_dev *dev)
{
	CHECK(fuzz_open_devices);
	fuzz_open_devices--;
	sim_free(dev);
}

int dm_register_target(struct target_type *type)
{
	fuzz_target = type;
	return 0;
}

void dm_unregister_target(struct target_type *type)
{
	fuzz_target = NULL;
}

/* --- the log ---------------------------------------------------------------------------------- */

void sim_printk(const char *fmt, ...)
{
	static const char error[] = "error: ";
	char line[sizeof(fuzz_error)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (getenv("FUZZ_VERBOSE"))
		fprintf(stderr, "%s\n", line);
	if (strncmp(line, error, strlen(error)))
		return;
	strcpy(fuzz_error, line + strlen(error));
	fuzz_errors++;
}

void sim_warn(const char *what, const char *file, int line)
{
	test_fail(file, line, "the kernel would warn of %s", what);
}
