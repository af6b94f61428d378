// SPDX-License-Identifier: GPL-2.0
/*
 * Files in /proc/flashcache: what the original shows there, by the same keys, and then ours.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "flashcache/version.h"
#include "sys/window.h"

#define DM_MSG_PREFIX "flashcache"

static struct proc_dir_entry *root;

/* --- counters --------------------------------------------------------------------------------- */

#define NONE	FC_NR_STATS	/* the original counts something that does not happen here */

/**
 * struct shown - a key of the original's
 * @name: key
 * @stat: counter
 * @of: the value is what @stat is of that in per cent; NONE: @stat itself
 */
struct shown {
	const char *name;
	unsigned int stat;
	unsigned int of;
};

static const struct shown first_keys[] = {
	{ "reads", FC_STAT_reads, NONE },
	{ "writes", FC_STAT_writes, NONE },
};

static const struct shown keys[] = {
	{ "read_hits", FC_STAT_read_hits, NONE },
	{ "read_hit_percent", FC_STAT_read_hits, FC_STAT_reads },
	{ "write_hits", FC_STAT_write_hits, NONE },
	{ "write_hit_percent", FC_STAT_write_hits, FC_STAT_writes },
	{ "dirty_write_hits", FC_STAT_dirty_write_hits, NONE },
	{ "dirty_write_hit_percent", FC_STAT_dirty_write_hits, FC_STAT_writes },
	{ "replacement", FC_STAT_replacements, NONE },
	{ "write_replacement", NONE, NONE },
	{ "write_invalidates", NONE, NONE },
	{ "read_invalidates", NONE, NONE },
	{ "pending_enqueues", FC_STAT_parked, NONE },
	{ "pending_inval", NONE, NONE },
	{ "metadata_dirties", NONE, NONE },
	{ "metadata_cleans", NONE, NONE },
	{ "metadata_batch", NONE, NONE },
	{ "metadata_ssd_writes", FC_STAT_log_blocks, NONE },
	{ "cleanings", FC_STAT_cleanings, NONE },
	{ "fallow_cleanings", NONE, NONE },
	{ "no_room", FC_STAT_no_room, NONE },
	{ "front_merge", NONE, NONE },
	{ "back_merge", NONE, NONE },
	{ "disk_reads", FC_STAT_disk_reads, NONE },
	{ "disk_writes", FC_STAT_disk_writes, NONE },
	{ "ssd_reads", FC_STAT_ssd_reads, NONE },
	{ "ssd_writes", FC_STAT_ssd_writes, NONE },
	{ "uncached_reads", FC_STAT_uncached_reads, NONE },
	{ "uncached_writes", FC_STAT_uncached_writes, NONE },
	{ "uncached_IO_requeue", NONE, NONE },
	{ "uncached_sequential_reads", FC_STAT_uncached_seq_reads, NONE },
	{ "uncached_sequential_writes", FC_STAT_uncached_seq_writes, NONE },
	{ "pid_adds", FC_STAT_pid_adds, NONE },
	{ "pid_dels", FC_STAT_pid_dels, NONE },
	{ "pid_drops", FC_STAT_pid_drops, NONE },
	{ "pid_expiry", FC_STAT_pid_expiry, NONE },
};

/* Errors have a file of their own. */
static const struct shown error_keys[] = {
	{ "disk_read_errors", FC_STAT_disk_read_errors, NONE },
	{ "disk_write_errors", FC_STAT_disk_write_errors, NONE },
	{ "ssd_read_errors", FC_STAT_ssd_read_errors, NONE },
	{ "ssd_write_errors", FC_STAT_ssd_write_errors, NONE },
	{ "memory_alloc_errors", FC_STAT_memory_alloc_errors, NONE },
};

static u64 value_of(struct fc_cache *c, const struct shown *key)
{
	u64 n, all;

	if (key->stat == NONE)
		return 0;
	n = fc_stats_sum(c, key->stat);
	if (key->of == NONE)
		return n;
	all = fc_stats_sum(c, key->of);
	return all ? div64_u64(n * 100, all) : 0;
}

static void show_keys(struct seq_file *m, struct fc_cache *c, const struct shown *from, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		seq_printf(m, "%s=%llu ", from[i].name, value_of(c, &from[i]));
	seq_putc(m, '\n');
}

/* Is a counter shown under its own name already? */
static bool is_among(const struct shown *from, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(from[i].name, name))
			return true;
	return false;
}

static void show_rest(struct seq_file *m, struct fc_cache *c)
{
	unsigned int i;

	for (i = 0; i < FC_NR_STATS; i++) {
		const char *name = fc_stats_name(i);

		if (!is_among(first_keys, ARRAY_SIZE(first_keys), name) &&
		    !is_among(keys, ARRAY_SIZE(keys), name) &&
		    !is_among(error_keys, ARRAY_SIZE(error_keys), name))
			seq_printf(m, "%s=%llu ", name, fc_stats_sum(c, i));
	}
	seq_putc(m, '\n');
}

static void show_stats(struct seq_file *m, struct fc_cache *c)
{
	show_keys(m, c, first_keys, ARRAY_SIZE(first_keys));
	show_keys(m, c, keys, ARRAY_SIZE(keys));
	show_rest(m, c);
}

static void show_errors(struct seq_file *m, struct fc_cache *c)
{
	show_keys(m, c, error_keys, ARRAY_SIZE(error_keys));
}

/* --- files ------------------------------------------------------------------------------------ */

static int look(struct seq_file *m, void (*show)(struct seq_file *m, struct fc_cache *c))
{
	struct fc_window *w = m->private;

	mutex_lock(&w->lock);
	if (w->c)
		show(m, w->c);
	mutex_unlock(&w->lock);
	return 0;
}

static int stats_show(struct seq_file *m, void *v)
{
	return look(m, show_stats);
}

static int errors_show(struct seq_file *m, void *v)
{
	return look(m, show_errors);
}

static int pids_show(struct seq_file *m, void *v)
{
	return look(m, fc_gate_show);
}

static int iosize_show(struct seq_file *m, void *v)
{
	return look(m, fc_hist_show_sizes);
}

static int latency_show(struct seq_file *m, void *v)
{
	return look(m, fc_hist_show_latency);
}

static const struct {
	const char *name;
	int (*show)(struct seq_file *m, void *v);
} files[] = {
	{ "flashcache_stats", stats_show },
	{ "flashcache_errors", errors_show },
	{ "flashcache_pidlists", pids_show },
	{ "flashcache_iosize_hist", iosize_show },
	{ "flashcache_io_latency_hist", latency_show },
};

/** fc_proc_add() - make a window's files; it lives without them if that fails */
void fc_proc_add(struct fc_window *w)
{
	unsigned int i;

	w->proc = proc_mkdir(w->name, root);
	for (i = 0; w->proc && i < ARRAY_SIZE(files); i++)
		if (!proc_create_single_data(files[i].name, 0444, w->proc, files[i].show, w))
			DMWARN("%s: no file %s in /proc", w->c->cfg.name, files[i].name);
	if (!w->proc)
		DMWARN("%s: no files in /proc", w->c->cfg.name);
}

/** fc_proc_remove() - remove them, when their last user is through */
void fc_proc_remove(struct fc_window *w)
{
	proc_remove(w->proc);
}

static int version_show(struct seq_file *m, void *v)
{
	seq_puts(m, "Flashcache Version : flashcache-" FC_VERSION "\n");
	return 0;
}

int fc_proc_init(void)
{
	root = proc_mkdir("flashcache", NULL);
	if (!root)
		return -ENOMEM;
	if (!proc_create_single("flashcache_version", 0444, root, version_show)) {
		proc_remove(root);
		return -ENOMEM;
	}
	return 0;
}

void fc_proc_exit(void)
{
	proc_remove(root);
}
