// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: their names, and when they open, change hands and close.
 */
#include <linux/ctype.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "sys/window.h"

#define DM_MSG_PREFIX "flashcache"

static LIST_HEAD(windows);
static DEFINE_MUTEX(windows_lock);	/* the list; taken before a window's own lock */

/* --- names ------------------------------------------------------------------------------------ */

/* A device that was given by its numbers has the kernel's name. */
static void device_name(char *name, const char *typed, struct block_device *bdev)
{
	unsigned int major, minor;
	char more;

	if (*typed && sscanf(typed, "%u:%u%c", &major, &minor, &more) != 2)
		strscpy(name, typed, FC_BASENAME_LEN);
	else
		snprintf(name, FC_BASENAME_LEN, "%pg", bdev);
}

static bool taken(const char *name)
{
	struct fc_window *w;

	list_for_each_entry(w, &windows, list)
		if (!strcmp(w->name, name))
			return true;
	return false;
}

/*
 * "<ssd>+<disk>" as the original has it, but without dots, which part the names of sysctls, and
 * different from all others.
 */
static void make_name(struct fc_cache *c, char *name)
{
	char ssd[FC_BASENAME_LEN], disk[FC_BASENAME_LEN];
	unsigned int nr;
	size_t len;
	char *p;

	device_name(ssd, c->cfg.ssd_base, c->ssd->bdev);
	device_name(disk, c->cfg.disk_base, c->disk->bdev);
	len = snprintf(name, FC_WINDOW_NAME, "%s+%s", ssd, disk);
	for (p = name; *p; p++)
		if (!isascii(*p) || (!isalnum(*p) && !strchr("+-_:=@,", *p)))
			*p = '_';
	for (nr = 2; taken(name); nr++)
		snprintf(name + len, FC_WINDOW_NAME - len, "~%u", nr);
}

/**
 * fc_window_name() - name of a cache's window
 * @c: cache
 * @name: filled; "-" when it has none
 * @size: room there
 */
void fc_window_name(struct fc_cache *c, char *name, size_t size)
{
	struct fc_window *w;

	strscpy(name, "-", size);
	mutex_lock(&windows_lock);
	list_for_each_entry(w, &windows, list)
		if (w->c == c)
			strscpy(name, w->name, size);
	mutex_unlock(&windows_lock);
}

/* --- life ------------------------------------------------------------------------------------- */

static void show(struct fc_window *w, struct fc_cache *c)
{
	mutex_lock(&w->lock);
	w->c = c;
	mutex_unlock(&w->lock);
}

static struct fc_window *find_devices(dev_t ssd, dev_t disk)
{
	struct fc_window *w;

	list_for_each_entry(w, &windows, list)
		if (w->c && w->ssd == ssd && w->disk == disk)
			return w;
	return NULL;
}

static void open_new(struct fc_cache *c)
{
	struct fc_window *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w) {
		DMWARN("%s: no memory for its sysctls and its files in /proc", c->cfg.name);
		return;
	}
	mutex_init(&w->lock);
	w->c = c;
	w->ssd = c->ssd->bdev->bd_dev;
	w->disk = c->disk->bdev->bd_dev;
	make_name(c, w->name);
	list_add(&w->list, &windows);
	fc_sysctl_add(w);
	fc_proc_add(w);
	DMINFO("%s: settings in dev.flashcache.%s, counters in /proc/flashcache/%s", c->cfg.name,
	       w->name, w->name);
}

/**
 * fc_window_open() - let a cache be seen
 * @c: cache that has come to life; without its lock
 *
 * A window that shows another cache of the same devices, which must be suspended for good, changes
 * hands.
 *
 * Context: process, sleeps, but waits for nobody who may wait for this cache's device.
 */
void fc_window_open(struct fc_cache *c)
{
	unsigned int noio = memalloc_noio_save();
	struct fc_window *w;

	mutex_lock(&windows_lock);
	w = find_devices(c->ssd->bdev->bd_dev, c->disk->bdev->bd_dev);
	if (w)
		show(w, c);
	else
		open_new(c);
	mutex_unlock(&windows_lock);
	memalloc_noio_restore(noio);
}

static struct fc_window *find_cache(const struct fc_cache *c)
{
	struct fc_window *w;

	list_for_each_entry(w, &windows, list)
		if (w->c == c)
			return w;
	return NULL;
}

/**
 * fc_window_close() - nobody looks at a cache any more, from here on
 * @c: cache, about to be freed
 *
 * The entries are removed without a lock, since that waits for their users, who may take any. Until
 * it is done the window stays in the list, so that its name is not given away.
 *
 * Context: process, sleeps.
 */
void fc_window_close(struct fc_cache *c)
{
	struct fc_window *w;

	mutex_lock(&windows_lock);
	w = find_cache(c);
	if (w)
		show(w, NULL);
	mutex_unlock(&windows_lock);
	if (!w)
		return;
	fc_sysctl_remove(w);
	fc_proc_remove(w);
	mutex_lock(&windows_lock);
	list_del(&w->list);
	mutex_unlock(&windows_lock);
	kfree(w);
}

int fc_window_module_init(void)
{
	return fc_proc_init();
}

void fc_window_module_exit(void)
{
	fc_proc_exit();
}
