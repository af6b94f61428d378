// SPDX-License-Identifier: GPL-2.0
/*
 * What others have written on a device: file systems, partition tables, LVM, RAID members and all
 * else that libblkid knows.
 */
#include <blkid/blkid.h>
#include <stdio.h>
#include "signature.h"
#include "tool.h"

static blkid_probe new_probe(int fd)
{
	blkid_probe probe = blkid_new_probe();

	if (!probe)
		return NULL;
	if (blkid_probe_set_device(probe, fd, 0, 0) ||
	    blkid_probe_enable_superblocks(probe, 1) ||
	    blkid_probe_enable_partitions(probe, 1)) {
		blkid_free_probe(probe);
		return NULL;
	}
	return probe;
}

/* To find and to wipe: damaged ones too, and with the place of each. */
static blkid_probe new_signature_probe(const struct device *d)
{
	blkid_probe probe = new_probe(d->fd);

	if (!probe) {
		fail("%s %s: libblkid cannot look at it", d->role, d->path);
		return NULL;
	}
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE |
					  BLKID_SUBLKS_USAGE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	return probe;
}

static const char *value(blkid_probe probe, const char *name)
{
	const char *data;

	return blkid_probe_lookup_value(probe, name, &data, NULL) ? NULL : data;
}

static void describe(blkid_probe probe, char *what, size_t len)
{
	const char *usage = value(probe, "USAGE"), *type = value(probe, "TYPE");

	if (!type)
		snprintf(what, len, "a partition table (%s)",
			 value(probe, "PTTYPE") ? value(probe, "PTTYPE") : "unknown kind");
	else if (usage && !strcmp(usage, "filesystem"))
		snprintf(what, len, "a file system (%s)", type);
	else if (usage && !strcmp(usage, "raid"))
		snprintf(what, len, "a part of a RAID or volume group (%s)", type);
	else
		snprintf(what, len, "a signature of type %s", type);
}

static int fail_probe(const struct device *d)
{
	return fail("%s %s: cannot be read to look for file systems on it: %s",
		    d->role, d->path, strerror(errno));
}

/**
 * signature_find() - find what is on a device
 * @d: open
 * @what: filled with "a file system (xfs)" and the like
 * @len: size of @what
 *
 * Return: 1 if there is something, 0 if not, -1 if that could not be found out.
 */
int signature_find(const struct device *d, char *what, size_t len)
{
	blkid_probe probe = new_signature_probe(d);
	int found;

	if (!probe)
		return -1;
	errno = 0;
	found = blkid_do_probe(probe);
	if (!found)
		describe(probe, what, len);
	blkid_free_probe(probe);
	if (found < 0)
		return fail_probe(d);
	return !found;
}

/**
 * signature_wipe() - erase all signatures, so that nothing takes the device for what it was
 * @d: open for writing
 *
 * Only the few bytes by which each is known; the backup table of a GPT disk too.
 */
int signature_wipe(const struct device *d)
{
	blkid_probe probe = new_signature_probe(d);
	char what[128];
	int found;

	if (!probe)
		return -1;
	errno = 0;
	while (!(found = blkid_do_probe(probe))) {
		describe(probe, what, sizeof(what));
		note("%s %s: erasing %s", d->role, d->path, what);
		if (blkid_do_wipe(probe, 0)) {
			fail("%s %s: cannot erase %s: %s", d->role, d->path, what, strerror(errno));
			blkid_free_probe(probe);
			return -1;
		}
	}
	blkid_free_probe(probe);
	return found < 0 ? fail_probe(d) : 0;
}

static bool copy_value(blkid_probe probe, const char *name, char *buf, size_t len)
{
	const char *text = value(probe, name);

	if (!text || !text[0])
		return false;
	snprintf(buf, len, "%s", text);
	return true;
}

/**
 * signature_fs_uuid() - UUID of the file system on a device
 * @fd: open device
 * @uuid: result
 * @len: size of @uuid
 */
bool signature_fs_uuid(int fd, char *uuid, size_t len)
{
	blkid_probe probe = new_probe(fd);
	bool found = false;

	if (!probe)
		return false;
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_UUID | BLKID_SUBLKS_TYPE);
	if (!blkid_do_safeprobe(probe))
		found = copy_value(probe, "UUID", uuid, len);
	blkid_free_probe(probe);
	return found;
}

/**
 * signature_partition_uuid() - UUID of a partition, from the table that it is in
 * @fd: open partition
 * @uuid: result
 * @len: size of @uuid
 */
bool signature_partition_uuid(int fd, char *uuid, size_t len)
{
	blkid_probe probe = new_probe(fd);
	bool found = false;

	if (!probe)
		return false;
	blkid_probe_enable_superblocks(probe, 0);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_ENTRY_DETAILS);
	if (blkid_do_safeprobe(probe) >= 0)
		found = copy_value(probe, "PART_ENTRY_UUID", uuid, len);
	blkid_free_probe(probe);
	return found;
}
