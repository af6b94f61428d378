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
