/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_DEVICE_MAPPER_H
#define SIM_LINUX_DEVICE_MAPPER_H

#include <linux/bio.h>

#define DM_MAPIO_SUBMITTED	0
#define DM_MAPIO_REMAPPED	1
#define DM_MAPIO_REQUEUE	2
#define DM_MAPIO_KILL		4
#define DM_ENDIO_DONE		0
#define DM_ENDIO_INCOMPLETE	1
#define DM_TARGET_NOWAIT	0x80
#define DM_TARGET_SINGLETON	0x1

typedef enum { STATUSTYPE_INFO, STATUSTYPE_TABLE, STATUSTYPE_IMA } status_type_t;

struct kobject {
	int unused;
};

struct device {
	struct kobject kobj;
};

#define GD_DEAD		2
struct gendisk {
	unsigned long state;
	struct device dev;
};

#define disk_to_dev(d)	(&(d)->dev)
enum kobject_action { KOBJ_CHANGE };
#define kobject_uevent(k, what) ((void)(k), (void)(what))

struct mapped_device {
	struct gendisk disk;
};

struct dm_table {
	struct mapped_device *md;
};

struct dm_dev {
	struct block_device *bdev;
	char name[16];
};

struct module;
struct target_type;

struct dm_target {
	struct dm_table *table;
	struct target_type *type;
	sector_t begin;
	sector_t len;
	unsigned int num_flush_bios;
	unsigned int num_discard_bios;
	unsigned int per_io_data_size;
	bool flush_supported;
	bool discards_supported;
	void *private;
	char *error;
};

typedef int (*iterate_devices_callout_fn)(struct dm_target *ti, struct dm_dev *dev,
					  sector_t start, sector_t len, void *data);

struct target_type {
	u64 features;
	const char *name;
	struct module *module;
	unsigned int version[3];
	int (*ctr)(struct dm_target *ti, unsigned int argc, char **argv);
	void (*dtr)(struct dm_target *ti);
	int (*map)(struct dm_target *ti, struct bio *bio);
	int (*end_io)(struct dm_target *ti, struct bio *bio, blk_status_t *error);
	void (*presuspend)(struct dm_target *ti);
	void (*postsuspend)(struct dm_target *ti);
	int (*preresume)(struct dm_target *ti);
	void (*status)(struct dm_target *ti, status_type_t type, unsigned int flags, char *result,
		       unsigned int maxlen);
	int (*message)(struct dm_target *ti, unsigned int argc, char **argv, char *result,
		       unsigned int maxlen);
	int (*iterate_devices)(struct dm_target *ti, iterate_devices_callout_fn fn, void *data);
	void (*io_hints)(struct dm_target *ti, struct queue_limits *limits);
};

int dm_register_target(struct target_type *type);
void dm_unregister_target(struct target_type *type);

int dm_get_device(struct dm_target *ti, const char *path, blk_mode_t mode, struct dm_dev **dev);
void dm_put_device(struct dm_target *ti, struct dm_dev *dev);
#define dm_table_get_mode(t)	((void)(t), 0u)
#define dm_table_get_md(t)	((t)->md)
#define dm_table_event(t)	((void)(t))
#define dm_disk(md)		(&(md)->disk)
#define dm_target_offset(ti, s)	((s) - (ti)->begin)

void dm_accept_partial_bio(struct bio *bio, unsigned int sectors);
void *dm_per_bio_data(struct bio *bio, size_t size);
struct bio *dm_bio_from_per_bio_data(void *data, size_t size);

#define DMERR(fmt, ...)		sim_printk("error: " fmt, ##__VA_ARGS__)
#define DMWARN(fmt, ...)	sim_printk("warning: " fmt, ##__VA_ARGS__)
#define DMINFO(fmt, ...)	sim_printk("info: " fmt, ##__VA_ARGS__)
#define DMERR_LIMIT(fmt, ...)	DMERR(fmt, ##__VA_ARGS__)
#define DMWARN_LIMIT(fmt, ...)	DMWARN(fmt, ##__VA_ARGS__)
#define DMEMIT(...) \
	(sz += sz >= maxlen ? 0 : scnprintf(result + sz, maxlen - sz, __VA_ARGS__))

#endif /* SIM_LINUX_DEVICE_MAPPER_H */
