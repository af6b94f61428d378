// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: devices, device-mapper, the kernel's log.
 */
#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "images.h"

#define NAME	"image"
#define SHORT	"short"

const char *machine_flash;
static const char *machine_disk;
static int flash_fd, disk_fd, log_fd;
static char logged[16384];

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(2);
}

static int open_direct(const char *path)
{
	int fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

static void be_quiet(int level, const char *file, int line, int dm_errno, const char *fmt, ...)
{
}

void machine_open(const char *disk, const char *flash)
{
	machine_disk = disk;
	machine_flash = flash;
	dm_log_with_errno_init(be_quiet);
	disk_fd = open_direct(disk);
	flash_fd = open_direct(flash);
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd < 0)
		die("/dev/kmsg");
}

void machine_write(const struct image *image)
{
	if (pwrite(flash_fd, image->flash, FLASH_BYTES, 0) != (ssize_t)FLASH_BYTES ||
	    pwrite(disk_fd, image->disk, DISK_ROOM, 0) != (ssize_t)DISK_ROOM)
		die("write");
}

void machine_read(struct image *image)
{
	if (pread(flash_fd, image->flash, FLASH_BYTES, 0) != (ssize_t)FLASH_BYTES ||
	    pread(disk_fd, image->disk, DISK_ROOM, 0) != (ssize_t)DISK_ROOM)
		die("read");
}

bool machine_flash_is(const struct image *image)
{
	static u8 *room;

	if (!room && posix_memalign((void **)&room, FCD_BLOCK_SIZE, FLASH_BYTES))
		die("memory");
	if (pread(flash_fd, room, FLASH_BYTES, 0) != (ssize_t)FLASH_BYTES)
		die("read");
	return !memcmp(room, image->flash, FLASH_BYTES);
}

/* --- the kernel's log ------------------------------------------------------------------------- */

static void read_log(bool keep)
{
	char record[4096], *text, *end;
	size_t len = keep ? strlen(logged) : 0;
	ssize_t got;

	while ((got = read(log_fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		if (got <= 0 || !keep)
			continue;
		record[got] = '\0';
		text = strchr(record, ';');
		end = text ? strchr(text, '\n') : NULL;
		if (!end || !strstr(text, "flashcache"))
			continue;
		*end = '\0';
		len += (size_t)snprintf(logged + len, sizeof(logged) - len, "%s\n", text + 1);
		if (len >= sizeof(logged))
			len = sizeof(logged) - 1;
	}
	if (!keep)
		logged[0] = '\0';
}

const char *machine_log(void)
{
	read_log(true);
	return logged;
}

/* --- device-mapper ---------------------------------------------------------------------------- */

static bool run(int type, const char *name, u64 sectors, const char *target, const char *params)
{
	struct dm_task *task = dm_task_create(type);
	bool done = task && dm_task_set_name(task, name);

	if (done && target)
		done = dm_task_add_target(task, 0, sectors, target, params);
	if (done && type == DM_DEVICE_REMOVE)
		done = dm_task_retry_remove(task);
	done = done && dm_task_run(task);
	if (task)
		dm_task_destroy(task);
	/* There is no udev that would make the nodes. */
	dm_task_update_nodes();
	return done;
}

bool machine_load(const char *flash, u64 disk_sectors, const char *words)
{
	char params[512];

	read_log(false);
	snprintf(params, sizeof(params), "%s %s %s %s", machine_disk, flash, NAME, words);
	return run(DM_DEVICE_CREATE, NAME, disk_sectors, "flashcache", params);
}

bool machine_remove(void)
{
	return run(DM_DEVICE_REMOVE, NAME, 0, NULL, NULL);
}

const char *machine_shorten(u64 sectors)
{
	char params[512];

	snprintf(params, sizeof(params), "%s 0", machine_flash);
	if (!run(DM_DEVICE_CREATE, SHORT, sectors, "linear", params))
		die("a linear device");
	return "/dev/mapper/" SHORT;
}

void machine_unshorten(void)
{
	if (!run(DM_DEVICE_REMOVE, SHORT, 0, NULL, NULL))
		die("removal of the linear device");
}

void machine_message(const char *text)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_TARGET_MSG);

	if (!task || !dm_task_set_name(task, NAME) || !dm_task_set_sector(task, 0) ||
	    !dm_task_set_message(task, text) || !dm_task_run(task))
		die(text);
	dm_task_destroy(task);
}

u64 machine_status(const char *field)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_STATUS);
	char *type, *line, *at, want[64];
	uint64_t start, len;

	if (!task || !dm_task_set_name(task, NAME) || !dm_task_run(task))
		die("status");
	dm_get_next_target(task, NULL, &start, &len, &type, &line);
	snprintf(want, sizeof(want), " %s=", field);
	at = line ? strstr(line, want) : NULL;
	start = at ? strtoull(at + strlen(want), NULL, 10) : ~0ull;
	dm_task_destroy(task);
	return start;
}

int machine_cache(void)
{
	return open_direct("/dev/mapper/" NAME);
}
