// SPDX-License-Identifier: GPL-2.0
/*
 * Another table for a device that is in use.
 */
#include <sys/mman.h>
#include "kernlog.h"
#include "mapper.h"
#include "swap.h"
#include "tool.h"

/* A table that does not come to life leaves the device suspended: the old one goes back. */
static int put_back(const struct swap *s, const struct mapper_map *old, int error)
{
	fail("%s does not take its new table: %s", s->name, strerror(error));
	error = mapper_load_map(s->name, old);
	if (!error)
		error = mapper_resume(s->name);
	if (error)
		fail("%s is suspended, and its old table does not come back: %s: load it by "
		     "hand, then 'dmsetup resume %s'", s->name, strerror(error), s->name);
	return -1;
}

static int swap_suspended(const struct swap *s, const struct mapper_map *old)
{
	int ret = s->step ? s->step(s->arg) : 0;
	int error;

	if (ret)
		mapper_drop_loaded(s->name);
	error = mapper_resume(s->name);
	if (error && !ret)
		return put_back(s, old, error);
	if (error)
		fail("cannot resume %s: %s: try dmsetup resume %s", s->name, strerror(error),
		     s->name);
	return ret;
}

static int suspend_and_swap(const struct swap *s, const struct mapper_map *old)
{
	int error, ret;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return fail("cannot keep myself in memory: %m: run as root, without a limit");
	say_later();
	error = mapper_suspend(s->name);
	if (error) {
		ret = fail("cannot suspend %s: %s", s->name, strerror(error));
		mapper_drop_loaded(s->name);
	} else {
		ret = swap_suspended(s, old);
	}
	say_now();
	munlockall();
	return ret;
}

/**
 * swap_table() - give a device in use another table
 * @s: which, and what
 *
 * If it fails the device has its old table, and goes on. What the kernel logs meanwhile is shown.
 */
int swap_table(const struct swap *s)
{
	struct mapper_map old;
	int log = kernlog_open();
	int ret = mapper_read_map(s->name, &old), error = 0;

	if (!ret) {
		error = mapper_load(s->name, s->sectors, s->target, s->params);
		if (error)
			ret = fail("cannot load a %s table into %s: %s", s->target, s->name,
				   strerror(error));
		else
			ret = suspend_and_swap(s, &old);
	}
	if (ret)
		kernlog_show(log);
	kernlog_close(log);
	mapper_free_map(&old);
	return ret;
}
