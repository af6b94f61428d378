/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Windows: what of a cache can be seen in /proc/flashcache and turned in sysctl.
 *
 * A window opens when a cache comes to life and closes before the cache is freed. When another
 * table takes the same devices over, the window stays and shows the new cache: nothing in /proc
 * changes, and device-mapper, which calls with its device suspended, waits for no reader. (One may
 * be reading into memory that lies on that very device.)
 */
#ifndef FC_SYS_WINDOW_H
#define FC_SYS_WINDOW_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sysctl.h>

#include "dm/knob.h"

#define FC_WINDOW_NAME	(2 * FC_BASENAME_LEN + 8)

/**
 * struct fc_window - a window
 * @list: place among all windows
 * @name: the directory's: "<ssd>+<disk>", made unique
 * @ssd: number of the cache device
 * @disk: number of the disk
 * @lock: held while @c changes, and by whoever looks at it
 * @c: the cache that is seen; NULL while the window is being closed
 * @sysctl: handle of the sysctls
 * @knobs: their table, with an empty last entry
 * @proc: the directory of files
 */
struct fc_window {
	struct list_head list;
	char name[FC_WINDOW_NAME];
	dev_t ssd;
	dev_t disk;
	struct mutex lock;
	struct fc_cache *c;
	struct ctl_table_header *sysctl;
	struct ctl_table knobs[FC_NR_KNOBS + 1];
	struct proc_dir_entry *proc;
};

int fc_window_module_init(void);
void fc_window_module_exit(void);
void fc_window_open(struct fc_cache *c);
void fc_window_close(struct fc_cache *c);
void fc_window_name(struct fc_cache *c, char *name, size_t size);

/* sysctl.c */
void fc_sysctl_add(struct fc_window *w);
void fc_sysctl_remove(struct fc_window *w);

/* proc.c */
int fc_proc_init(void);
void fc_proc_exit(void);
void fc_proc_add(struct fc_window *w);
void fc_proc_remove(struct fc_window *w);

#endif /* FC_SYS_WINDOW_H */
