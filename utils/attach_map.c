// SPDX-License-Identifier: GPL-2.0
/*
 * The map that a cache is put under.
 */
#include <stdio.h>
#include <sys/sysmacros.h>
#include "attach_map.h"
#include "identity.h"
#include "sysfs.h"
#include "tool.h"
#include "flashcache/uapi.h"

#define SUFFIX	"-origin"

/* Whoever looks after a device loads his own table again some day, over ours. */
static const struct owner {
	const char *prefix;
	const char *who;
	const char *advice;
} owners[] = {
	{ "LVM-", "LVM", "put the cache below the physical volume" },
	{ "CRYPT-", "cryptsetup", "put the cache below the encryption, or its blocks would lie on "
				  "the ssd unencrypted" },
	{ "mpath-", "multipath", "make the cache upon it: flashcache create" },
	{ "", "somebody else", "only maps without a UUID can be taken over" },
};

static int check_owner(const struct attach_map *m)
{
	const struct owner *o = owners;

	if (!m->info.uuid[0] || mapper_cache_uuid(&m->info))
		return 0;
	while (strncmp(m->info.uuid, o->prefix, strlen(o->prefix)))
		o++;
	return fail("%s belongs to %s (UUID %.40s), who would load another table over the cache's: "
		    "%s", m->name, o->who, m->info.uuid, o->advice);
}

static int check_state(const struct attach_map *m)
{
	if (!m->info.exists)
		return fail("no mapped device %s: 'dmsetup ls' shows what there is; for other "
			    "devices there is 'flashcache create'", m->name);
	if (m->info.suspended)
		return fail("%s is suspended: resume it first (dmsetup resume %s)", m->name,
			    m->name);
	if (m->info.pending)
		return fail("%s has another table waiting: resume it, or drop that (dmsetup clear "
			    "%s)", m->name, m->name);
	if (m->info.read_only)
		return fail("%s is read-only: a cache must be able to write", m->name);
	return 0;
}

static int check_targets(const struct attach_map *m)
{
	size_t i;

	if (!m->map.nr)
		return fail("%s has no table: load one first", m->name);
	for (i = 0; i < m->map.nr; i++) {
		const char *type = m->map.at[i].type;

		if (!strcmp(type, FC_TARGET_NAME))
			return fail("%s is a cache already: take that away first (flashcache detach "
				    "%s)", m->name, m->name);
		if (strcmp(type, "linear") && strcmp(type, "striped"))
			return fail("%s has a '%s' target: only linear maps can be taken over; put "
				    "the cache below it", m->name, type);
	}
	return 0;
}

/**
 * attach_map_read() - look at a mapped device; refuse one that a cache cannot be put under
 * @m: filled
 * @name: valid name
 */
int attach_map_read(struct attach_map *m, const char *name)
{
	m->name = name;
	if (mapper_get_info(name, &m->info) || check_state(m))
		return -1;
	if (mapper_read_map(name, &m->map) || check_targets(m))
		return -1;
	return check_owner(m);
}

/* --- what becomes the disk -------------------------------------------------------------------- */

/* Return: true if the map is the beginning of a device. */
static bool is_beginning(const struct attach_map *m, dev_t *dev)
{
	const struct mapper_piece *piece = m->map.at;
	unsigned int major_nr, minor_nr;
	unsigned long long offset;

	if (m->map.nr != 1 || strcmp(piece->type, "linear") ||
	    sscanf(piece->params, "%u:%u %llu", &major_nr, &minor_nr, &offset) != 3 || offset)
		return false;
	*dev = makedev(major_nr, minor_nr);
	return true;
}

static bool is_other(dev_t dev, void *arg)
{
	const dev_t *own = arg;

	return dev != *own;
}

/* Another map of the same disk would go past the cache. */
static int check_alone(const struct attach_map *m, dev_t disk)
{
	dev_t own = m->info.dev;
	char name[64];

	if (!sysfs_each_holder(disk, is_other, &own))
		return 0;
	if (sysfs_name(disk, name, sizeof(name)))
		snprintf(name, sizeof(name), "%u:%u", major(disk), minor(disk));
	return fail("%s is not the only one on its disk %s: another map would go past the cache "
		    "(lsblk shows them)", m->name, name);
}

/** attach_map_check() - refuse what cannot become a disk */
int attach_map_check(struct attach_map *m)
{
	dev_t disk;

	if (is_beginning(m, &disk))
		return check_alone(m, disk);
	if (!m->may_move)
		return fail("%s is no map of the beginning of one device: with --origin its pieces "
			    "become %s" SUFFIX ", which you must make at boot instead of %s",
			    m->name, m->name, m->name);
	if (strlen(m->name) + strlen(SUFFIX) >= sizeof(m->origin))
		return fail("name %s: too long to put " SUFFIX " behind: dmsetup rename it",
			    m->name);
	snprintf(m->origin, sizeof(m->origin), "%.110s%s", m->name, SUFFIX);
	return mapper_check_free(m->origin);
}

static int make_origin(struct attach_map *m, const char *uuid)
{
	struct mapper_info info;
	int error;

	snprintf(m->origin_uuid, sizeof(m->origin_uuid), "%s%s", ATTACH_UUID_PREFIX, uuid);
	error = mapper_create_map(m->origin, m->origin_uuid, &m->map);
	if (error)
		return fail("cannot make %s: %s", m->origin, strerror(error));
	if (mapper_get_info(m->origin, &info)) {
		attach_map_undo(m);
		return -1;
	}
	m->disk = info.dev;
	return 0;
}

/**
 * attach_map_disk() - find or make the disk
 * @m: checked; its @disk and @disk_path are filled
 * @uuid: of the cache
 */
int attach_map_disk(struct attach_map *m, const char *uuid)
{
	if (!is_beginning(m, &m->disk) && make_origin(m, uuid))
		return -1;
	if (!identity_node(m->disk, m->disk_path, sizeof(m->disk_path)))
		return 0;
	attach_map_undo(m);
	return fail("the disk of %s (%u:%u) has no node in /dev: is udev running?", m->name,
		    major(m->disk), minor(m->disk));
}

/** attach_map_undo() - remove what attach_map_disk() made */
void attach_map_undo(struct attach_map *m)
{
	int error = m->origin[0] ? mapper_remove(m->origin) : 0;

	if (error)
		note("%s stays: %s", m->origin, strerror(error));
	m->origin[0] = '\0';
}

void attach_map_free(struct attach_map *m)
{
	mapper_free_map(&m->map);
}
