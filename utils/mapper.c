// SPDX-License-Identifier: GPL-2.0
/*
 * Device-mapper, through libdevmapper.
 */
#include <libdevmapper.h>
#include <linux/dm-ioctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
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

/** mapper_check_kernel() - make sure that device-mapper can be asked */
int mapper_check_kernel(void)
{
	if (geteuid())
		return fail("must be run as root");
	if (!run_task(DM_DEVICE_VERSION, NULL))
		return fail("no device-mapper in this kernel: run modprobe dm_mod (%s)",
			    last_error);
	return 0;
}

/**
 * mapper_check_target() - make sure that the kernel knows our target
 *
 * Asking for the target's version makes the kernel load the module if it can.
 */
int mapper_check_target(void)
{
	if (mapper_check_kernel())
		return -1;
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

/* Runs the task and waits until udev is done with it, if udev is there. @flags: for its rules. */
static bool run_with_cookie(struct dm_task *task, uint16_t flags)
{
	uint32_t cookie = 0;
	bool done;

	done = dm_task_set_cookie(task, &cookie, flags) && dm_task_run(task);
	if (cookie)
		dm_udev_wait(cookie);
	return done;
}

static bool run_and_settle(struct dm_task *task)
{
	return run_with_cookie(task, 0);
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

static int visit_names(struct dm_names *names, mapper_visit_fn visit, void *arg)
{
	int ret = 0;

	while (names && names->dev && !ret) {
		ret = visit(names->name, arg);
		names = names->next ? (void *)((char *)names + names->next) : NULL;
	}
	return ret;
}

/**
 * mapper_each() - visit all mapped devices
 * @visit: called with the name of each
 * @arg: for @visit
 */
int mapper_each(mapper_visit_fn visit, void *arg)
{
	struct dm_task *task = new_task(DM_DEVICE_LIST, NULL);
	int ret;

	if (!task || !dm_task_run(task))
		ret = fail("cannot ask device-mapper for its devices: %s", last_error);
	else
		ret = visit_names(dm_task_get_names(task), visit, arg);
	if (task)
		dm_task_destroy(task);
	return ret;
}

/**
 * mapper_get_info() - ask about a mapped device
 * @name: its name
 * @info: filled
 *
 * Return: 0 also when there is no such device; -1 when that cannot be found out.
 */
int mapper_get_info(const char *name, struct mapper_info *info)
{
	struct dm_task *task = new_task(DM_DEVICE_INFO, name);
	struct dm_info from;
	const char *uuid;
	int ret = 0;

	memset(info, 0, sizeof(*info));
	if (!task || !dm_task_run(task) || !dm_task_get_info(task, &from)) {
		ret = fail("cannot ask device-mapper about %s: %s", name, last_error);
	} else if (from.exists) {
		info->exists = true;
		info->suspended = from.suspended;
		info->read_only = from.read_only;
		info->pending = from.inactive_table;
		info->open_count = (unsigned int)from.open_count;
		info->dev = makedev(from.major, from.minor);
		uuid = dm_task_get_uuid(task);
		snprintf(info->uuid, sizeof(info->uuid), "%s", uuid ? uuid : "");
	}
	if (task)
		dm_task_destroy(task);
	return ret;
}

/**
 * mapper_get_line() - status or table line of a device of our target
 * @name: its name
 * @which: which line
 * @sectors: filled with the device's length
 *
 * Return: what follows the target's name, to be freed; NULL if it is no device of ours. Says nothing.
 */
char *mapper_get_line(const char *name, enum mapper_line which, u64 *sectors)
{
	struct dm_task *task = new_task(which == MAPPER_STATUS ? DM_DEVICE_STATUS :
					DM_DEVICE_TABLE, name);
	char *type = NULL, *params = NULL, *line = NULL;
	uint64_t start;

	/* Asking must not make a cache write anything. */
	if (task && dm_task_no_flush(task) && dm_task_run(task)) {
		dm_get_next_target(task, NULL, &start, sectors, &type, &params);
		if (type && !strcmp(type, FC_TARGET_NAME))
			line = strdup(params ? params : "");
	}
	if (task)
		dm_task_destroy(task);
	return line;
}

/** mapper_is_cache() - true if a mapped device has a table of our target in force. Says nothing. */
bool mapper_is_cache(const char *name)
{
	u64 sectors;
	char *params = mapper_get_line(name, MAPPER_TABLE, &sectors);
	bool is = params;

	free(params);
	return is;
}

/* How a task is run: with or without waiting for udev. */
typedef bool (*run_fn)(struct dm_task *task);

static bool run_alone(struct dm_task *task)
{
	return dm_task_run(task);
}

/* Runs a task that is @ready, and ends it. Return: 0 or a positive errno; says nothing. */
static int finish_task(struct dm_task *task, bool ready, run_fn run)
{
	int ret = ENOMEM;

	if (ready) {
		ret = 0;
		if (!run(task))
			ret = dm_task_get_errno(task) ? dm_task_get_errno(task) : EIO;
	}
	if (task)
		dm_task_destroy(task);
	return ret;
}

/**
 * mapper_send() - send a message to a mapped device
 * @name: its name
 * @message: words with blanks between
 *
 * Return: 0 or a positive errno; says nothing.
 */
int mapper_send(const char *name, const char *message)
{
	struct dm_task *task = new_task(DM_DEVICE_TARGET_MSG, name);

	return finish_task(task, task && dm_task_set_sector(task, 0) &&
				 dm_task_set_message(task, message), run_alone);
}

/**
 * mapper_remove() - remove a mapped device
 * @name: its name
 *
 * Return: 0 or a positive errno; says nothing.
 */
int mapper_remove(const char *name)
{
	struct dm_task *task = new_task(DM_DEVICE_REMOVE, name);

	return finish_task(task, task, run_and_settle);
}

/**
 * mapper_load() - load a table of one target, which the next mapper_resume() puts in force
 * @name: of a mapped device
 * @sectors: length
 * @target: name of the target
 * @params: table line behind that
 *
 * Return: 0 or a positive errno; says nothing.
 */
int mapper_load(const char *name, u64 sectors, const char *target, const char *params)
{
	struct dm_task *task = new_task(DM_DEVICE_RELOAD, name);

	return finish_task(task, task && dm_task_add_target(task, 0, sectors, target, params),
			   run_alone);
}

/**
 * mapper_suspend() - let all I/O of a mapped device end, and hold back what comes
 * @name: its name
 *
 * A file system on it is frozen meanwhile. The kernel makes no event of it, so there is nothing that
 * udev could be waited for. Return: 0 or a positive errno; says nothing.
 */
int mapper_suspend(const char *name)
{
	struct dm_task *task = new_task(DM_DEVICE_SUSPEND, name);

	return finish_task(task, task, run_alone);
}

/** mapper_resume() - let I/O pass again, through the table that was loaded meanwhile, if any */
int mapper_resume(const char *name)
{
	struct dm_task *task = new_task(DM_DEVICE_RESUME, name);

	return finish_task(task, task, run_and_settle);
}

/** mapper_drop_loaded() - forget the table of mapper_load() */
void mapper_drop_loaded(const char *name)
{
	run_task(DM_DEVICE_CLEAR, name);
}

/* --- tables of any targets -------------------------------------------------------------------- */

static int add_piece(struct mapper_map *map, const struct mapper_piece *piece)
{
	struct mapper_piece *at = realloc(map->at, (map->nr + 1) * sizeof(*at));

	if (!at)
		return -1;
	map->at = at;
	at[map->nr] = *piece;
	at[map->nr].params = strdup(piece->params);
	if (!at[map->nr].params)
		return -1;
	map->nr++;
	map->sectors = piece->start + piece->sectors;
	return 0;
}

static int take_pieces(struct dm_task *task, struct mapper_map *map)
{
	char *type, *params;
	void *next = NULL;

	do {
		struct mapper_piece piece = { .params = NULL };
		uint64_t start = 0, sectors = 0;

		type = params = NULL;
		next = dm_get_next_target(task, next, &start, &sectors, &type, &params);
		if (!type)
			return 0;
		piece.start = start;
		piece.sectors = sectors;
		snprintf(piece.type, sizeof(piece.type), "%s", type);
		piece.params = params ? params : (char *)"";
		if (add_piece(map, &piece))
			return fail("out of memory");
	} while (next);
	return 0;
}

/**
 * mapper_read_map() - the table that a mapped device has in force
 * @name: its name
 * @map: filled; mapper_free_map() on it is always allowed afterwards
 */
int mapper_read_map(const char *name, struct mapper_map *map)
{
	struct dm_task *task = new_task(DM_DEVICE_TABLE, name);
	int ret;

	memset(map, 0, sizeof(*map));
	if (!task || !dm_task_no_flush(task) || !dm_task_run(task))
		ret = fail("cannot read the table of %s: %s", name, last_error);
	else
		ret = take_pieces(task, map);
	if (task)
		dm_task_destroy(task);
	return ret;
}

void mapper_free_map(struct mapper_map *map)
{
	while (map->nr)
		free(map->at[--map->nr].params);
	free(map->at);
	map->at = NULL;
}

static bool add_pieces(struct dm_task *task, const struct mapper_map *map)
{
	size_t i;

	for (i = 0; i < map->nr; i++)
		if (!dm_task_add_target(task, map->at[i].start, map->at[i].sectors,
					map->at[i].type, map->at[i].params))
			return false;
	return true;
}

/** mapper_load_map() - like mapper_load(), with a whole table */
int mapper_load_map(const char *name, const struct mapper_map *map)
{
	struct dm_task *task = new_task(DM_DEVICE_RELOAD, name);

	return finish_task(task, task && add_pieces(task, map), run_alone);
}

/* For a device that is no place for file systems: nobody else shall look at it. */
static bool run_hidden(struct dm_task *task)
{
	return run_with_cookie(task, DM_UDEV_DISABLE_DISK_RULES_FLAG |
			       DM_UDEV_DISABLE_SUBSYSTEM_RULES_FLAG |
			       DM_UDEV_DISABLE_OTHER_RULES_FLAG);
}

/**
 * mapper_create_map() - make a mapped device of a whole table, for others to stand upon
 * @name: valid name
 * @uuid: of the mapped device
 * @map: its table
 *
 * Return: 0 or a positive errno; says nothing.
 */
int mapper_create_map(const char *name, const char *uuid, const struct mapper_map *map)
{
	struct dm_task *task = new_task(DM_DEVICE_CREATE, name);

	return finish_task(task, task && dm_task_set_uuid(task, uuid) && add_pieces(task, map),
			   run_hidden);
}

/** mapper_set_uuid() - give a mapped device that has none a UUID. Return: 0 or a positive errno. */
int mapper_set_uuid(const char *name, const char *uuid)
{
	struct dm_task *task = new_task(DM_DEVICE_RENAME, name);

	return finish_task(task, task && dm_task_set_newuuid(task, uuid), run_and_settle);
}

/** mapper_cache_uuid() - the UUID of the cache that a mapped device was made for, or NULL */
const char *mapper_cache_uuid(const struct mapper_info *info)
{
	size_t prefix = strlen(MAPPER_UUID_PREFIX);

	return strncmp(info->uuid, MAPPER_UUID_PREFIX, prefix) ? NULL : info->uuid + prefix;
}
