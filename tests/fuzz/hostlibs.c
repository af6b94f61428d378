// SPDX-License-Identifier: GPL-2.0
/*
 * A machine for the tool, in memory: libdevmapper and libblkid. See host.h.
 */
#include <blkid/blkid.h>
#include <libdevmapper.h>
#include <stdio.h>
#include <string.h>

#include "host.h"

/* --- libdevmapper ----------------------------------------------------------------------------- */

struct dm_task {
	int type;
	char name[256];
	uint64_t sectors;
	char params[8192];
};

static struct dm_task task;

struct dm_task *host_dm_task_create(int type)
{
	memset(&task, 0, sizeof(task));
	task.type = type;
	return &task;
}

void host_dm_task_destroy(struct dm_task *dmt)
{
}

int host_dm_task_set_name(struct dm_task *dmt, const char *name)
{
	if (strlen(name) >= 128)
		return 0;
	strcpy(dmt->name, name);
	return 1;
}

int host_dm_task_set_uuid(struct dm_task *dmt, const char *uuid)
{
	return strlen(uuid) < 129;
}

int host_dm_task_set_newuuid(struct dm_task *dmt, const char *uuid)
{
	return strlen(uuid) < 129;
}

int host_dm_task_set_cookie(struct dm_task *dmt, uint32_t *cookie, uint16_t flags)
{
	*cookie = 1;
	return 1;
}

int host_dm_task_add_target(struct dm_task *dmt, uint64_t start, uint64_t size, const char *type,
			    const char *params)
{
	snprintf(dmt->params, sizeof(dmt->params), "%s", params);
	dmt->sectors = size;
	return !start && !strcmp(type, "flashcache");
}

int host_dm_task_run(struct dm_task *dmt)
{
	if (dmt->type == DM_DEVICE_GET_TARGET_VERSION)
		return !(host.how & HOST_NO_MODULE);
	if (dmt->type != DM_DEVICE_CREATE)
		return 1;
	if (host.how & HOST_REFUSED)
		return 0;
	host.created = true;
	host.sectors = dmt->sectors;
	strcpy(host.name, dmt->name);
	strcpy(host.params, dmt->params);
	return 1;
}

int host_dm_task_get_info(struct dm_task *dmt, struct dm_info *info)
{
	memset(info, 0, sizeof(*info));
	info->exists = !!(host.how & HOST_NAME_TAKEN);
	return 1;
}

int host_dm_task_get_errno(struct dm_task *dmt)
{
	return 22;
}

int host_dm_task_set_sector(struct dm_task *dmt, uint64_t sector)
{
	return 1;
}

int host_dm_task_set_message(struct dm_task *dmt, const char *message)
{
	return 1;
}

int host_dm_task_no_flush(struct dm_task *dmt)
{
	return 1;
}

const char *host_dm_task_get_uuid(const struct dm_task *dmt)
{
	return host.how & HOST_NAME_TAKEN ? "FLASHCACHE-00112233-4455-6677-8899-aabbccddeeff" : "";
}

/* One mapped device, or none. */
struct dm_names *host_dm_task_get_names(struct dm_task *dmt)
{
	static union {
		struct dm_names names;
		char room[sizeof(struct dm_names) + 16];
	} one;

	memset(&one, 0, sizeof(one));
	if (host.how & HOST_NAME_TAKEN) {
		one.names.dev = 253 << 8;
		strcpy(one.names.name, "name");
	}
	return &one.names;
}

/* Status and table lines are what the input says. */
void *host_dm_get_next_target(struct dm_task *dmt, void *next, uint64_t *start, uint64_t *length,
			      char **target_type, char **params)
{
	static char type[16], line[4096];
	size_t len = host.text_len < sizeof(line) - 1 ? host.text_len : sizeof(line) - 1;

	if (host.text)
		memcpy(line, host.text, len);
	line[len] = '\0';
	strcpy(type, "flashcache");
	*start = 0;
	*length = host.disk_sectors;
	*target_type = type;
	*params = line;
	return NULL;
}

int host_dm_udev_wait(uint32_t cookie)
{
	return 1;
}

void host_dm_log_with_errno_init(dm_log_with_errno_fn fn)
{
	if (host.how & (HOST_REFUSED | HOST_NO_MODULE))
		fn(3, "file", 1, 0, "%s ioctl failed: %s", "reload", "Invalid argument");
}

/* --- libblkid --------------------------------------------------------------------------------- */

static int left;

blkid_probe host_blkid_new_probe(void)
{
	left = host.how & HOST_SIGNATURE ? 2 : 0;
	return (blkid_probe)&left;
}

void host_blkid_free_probe(blkid_probe pr)
{
}

int host_blkid_probe_set_device(blkid_probe pr, int fd, blkid_loff_t off, blkid_loff_t size)
{
	return 0;
}

int host_blkid_probe_enable_superblocks(blkid_probe pr, int enable)
{
	return 0;
}

int host_blkid_probe_enable_partitions(blkid_probe pr, int enable)
{
	return 0;
}

int host_blkid_probe_set_superblocks_flags(blkid_probe pr, int flags)
{
	return 0;
}

int host_blkid_probe_set_partitions_flags(blkid_probe pr, int flags)
{
	return 0;
}

int host_blkid_do_probe(blkid_probe pr)
{
	return left-- > 0 ? 0 : 1;
}

int host_blkid_do_safeprobe(blkid_probe pr)
{
	return host.how & HOST_SIGNATURE ? 0 : 1;
}

int host_blkid_do_wipe(blkid_probe pr, int dryrun)
{
	if (host.how & HOST_WRITE_FAILS)
		return -1;
	host.wiped++;
	return 0;
}

/* What udev would know of the disk is taken for what is on it. */
int host_blkid_probe_lookup_value(blkid_probe pr, const char *name, const char **data, size_t *len)
{
	static char value[300];
	size_t i;

	for (i = 0; i < host.text_len && i < sizeof(value) - 1 && host.text[i] > '\n'; i++)
		value[i] = host.text[i];
	value[i] = '\0';
	*data = value;
	return i ? 0 : -1;
}
