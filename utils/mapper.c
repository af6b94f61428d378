// SPDX-License-Identifier: GPL-2.0
/*
 * Device-mapper, through libdevmapper.
 */
#include <libdevmapper.h>
#include <linux/dm-ioctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "kernlog.h"
#include "mapper.h"
#include "tool.h"
#include "flashcache/uapi.h"

/* What libdevmapper would print about the last task; its first error is the one that explains. */
static char last_error[256];

static __attribute__((format(printf, 5, 6)))
void keep_error(int level, const char *file, int line, int dm_errno, const char *fmt, ...)
{
	va_list args;

	(void)file;
	(void)line;
	(void)dm_errno;
	if ((level & 7) > 3 || last_error[0])
		return;
	va_start(args, fmt);
	vsnprintf(last_error, sizeof(last_error), fmt, args);
	va_end(args);
}

static struct dm_task *new_task(int type, const char *name)
{
	struct dm_task *task;

	last_error[0] = '\0';
	dm_log_with_errno_init(keep_error);
	task = dm_task_create(type);
	if (task && name && !dm_task_set_name(task, name)) {
		dm_task_destroy(task);
		return NULL;
	}
	return task;
}

static bool run_task(int type, const char *name)
{
	struct dm_task *task = new_task(type, name);
	bool done = task && dm_task_run(task);

	if (task)
		dm_task_destroy(task);
	return done;
}

/**
 * mapper_check_name() - refuse what cannot be the name of a mapped device
 * @name: as the user gave it
 */
int mapper_check_name(const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#+-.:=@_";

	if (!name[0])
		return fail("the name of the cache is empty: choose one such as 'cachedev'");
	if (strlen(name) >= DM_NAME_LEN)
		return fail("name %.20s...: longer than %d characters: choose a shorter one",
			    name, DM_NAME_LEN - 1);
	if (strchr(name, '/'))
		return fail("name %s: must not contain '/': the device becomes /dev/mapper/NAME",
			    name);
	if (name[strspn(name, allowed)])
		return fail("name %s: has a character other than letters, digits and #+-.:=@_",
			    name);
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "control"))
		return fail("name %s: reserved: choose another", name);
	return 0;
}

/**
 * mapper_check_target() - make sure that the kernel knows our target
 *
 * Asking for the target's version makes the kernel load the module if it can.
 */
int mapper_check_target(void)
{
	if (geteuid())
		return fail("must be run as root");
	if (!run_task(DM_DEVICE_VERSION, NULL))
		return fail("no device-mapper in this kernel: run modprobe dm_mod (%s)",
			    last_error);
	if (!run_task(DM_DEVICE_GET_TARGET_VERSION, FC_TARGET_NAME))
		return fail("kernel module flashcache is not loaded: run modprobe flashcache, "
			    "or see dkms status");
	return 0;
}

/**
 * mapper_check_free() - refuse a name that a mapped device has already
 * @name: valid name
 */
int mapper_check_free(const char *name)
{
	struct dm_task *task = new_task(DM_DEVICE_INFO, name);
	struct dm_info info;
	int ret = 0;

	if (!task || !dm_task_run(task) || !dm_task_get_info(task, &info))
		ret = fail("cannot ask device-mapper about %s: %s", name, last_error);
	else if (info.exists)
		ret = fail("name %s: a mapped device of that name exists: choose another name",
			   name);
	if (task)
		dm_task_destroy(task);
	return ret;
}

/* Runs the task and waits until udev has made the nodes, if udev is there. */
static bool run_and_settle(struct dm_task *task)
{
	uint32_t cookie = 0;
	bool done;

	done = dm_task_set_cookie(task, &cookie, 0) && dm_task_run(task);
	if (cookie)
		dm_udev_wait(cookie);
	return done;
}

/**
 * mapper_create() - make a mapped device of one target and start it
 * @name: valid name
 * @uuid: of the mapped device
 * @sectors: its length
 * @params: table line behind the target's name
 *
 * Nothing is left if it fails. What the kernel logs meanwhile is shown, since device-mapper itself
 * gives no reason.
 */
int mapper_create(const char *name, const char *uuid, u64 sectors, const char *params)
{
	struct dm_task *task = new_task(DM_DEVICE_CREATE, name);
	int log = kernlog_open();
	int ret = 0;

	if (!task || !dm_task_set_uuid(task, uuid) ||
	    !dm_task_add_target(task, 0, sectors, FC_TARGET_NAME, params) ||
	    !run_and_settle(task)) {
		ret = fail("cannot start %s: %s", name,
			   last_error[0] ? last_error : "libdevmapper failed");
		kernlog_show(log);
	}
	if (task)
		dm_task_destroy(task);
	kernlog_close(log);
	return ret;
}
