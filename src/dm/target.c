// SPDX-License-Identifier: GPL-2.0
/*
 * What device-mapper calls.
 */
#include <linux/module.h>

#include "dm/dm.h"
#include "flashcache/version.h"
#include "io/request.h"
#include "sys/window.h"

static int open_devices(struct dm_target *ti, char **argv, struct fc_cache *c)
{
	int r;

	r = dm_get_device(ti, argv[0], dm_table_get_mode(ti->table), &c->disk);
	if (r) {
		ti->error = "Disk device lookup failed: it does not exist, or is busy";
		return r;
	}
	r = dm_get_device(ti, argv[1], dm_table_get_mode(ti->table), &c->ssd);
	if (r) {
		ti->error = "Cache device lookup failed: it does not exist, or is busy";
		return r;
	}
	if (c->disk->bdev == c->ssd->bdev) {
		ti->error = "Disk and cache device are the same";
		return -EINVAL;
	}
	return 0;
}

/* Sizes can be checked before anything is read, as far as the line gives them. */
static int check_sizes(struct dm_target *ti, struct fc_cache *c)
{
	struct fc_geo_want *want = &c->cfg.want;
	struct fc_geo geo;
	const char *why;

	want->flash_sectors = fc_bdev_sectors(c->ssd->bdev);
	want->disk_sectors = ti->len;
	if (ti->len > fc_bdev_sectors(c->disk->bdev)) {
		ti->error = "Invalid disk size: the table is longer than the disk";
		return -EINVAL;
	}
	/* What is on flash tells the sizes that the line leaves out. */
	if (c->cfg.persist == FC_PERSIST_LOAD && !(want->block_sectors && want->assoc))
		return 0;
	if (fc_geo_init(&geo, want, &why)) {
		ti->error = (char *)why;
		return -EINVAL;
	}
	return 0;
}

static void describe(struct dm_target *ti)
{
	ti->num_flush_bios = 1;
	ti->flush_supported = true;
	/* The cache forgets discarded blocks even where the disk knows nothing of discards. */
	ti->num_discard_bios = 1;
	ti->discards_supported = true;
	ti->per_io_data_size = sizeof(struct fc_req);
}

/* The devices are closed last: until the cache is gone something may be on its way to them. */
static void destroy(struct dm_target *ti, struct fc_cache *c)
{
	struct dm_dev *disk = c->disk, *ssd = c->ssd;

	fc_cache_destroy(c);
	if (ssd)
		dm_put_device(ti, ssd);
	if (disk)
		dm_put_device(ti, disk);
}

static int flashcache_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct fc_config *cfg = kmalloc(sizeof(*cfg), GFP_KERNEL);
	struct fc_cache *c = NULL;
	int r;

	if (!cfg) {
		ti->error = "Failed to allocate cache context";
		return -ENOMEM;
	}
	r = fc_table_parse(ti, argc, argv, cfg);
	if (!r) {
		c = fc_cache_create(ti, cfg);
		if (IS_ERR(c)) {
			ti->error = "Failed to allocate cache context";
			r = PTR_ERR(c);
			c = NULL;
		}
	}
	kfree(cfg);
	if (!r)
		r = open_devices(ti, argv, c);
	if (!r)
		r = check_sizes(ti, c);
	if (r && c)
		destroy(ti, c);
	if (r)
		return r;
	describe(ti);
	ti->private = c;
	return 0;
}

static void flashcache_dtr(struct dm_target *ti)
{
	struct fc_cache *c = ti->private;

	/* In a table of several targets one may be loaded although another's resume failed. */
	fc_cache_suspend(c);
	destroy(ti, c);
}

static int flashcache_map(struct dm_target *ti, struct bio *bio)
{
	bio->bi_iter.bi_sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	return fc_request_map(ti->private, bio);
}

static int flashcache_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	return fc_request_end_io(ti->private, bio, error);
}

/*
 * People use the raw disk after "dmsetup remove": the dirty blocks go to it first, unless
 * fast_remove says that they may stay on flash. A mere suspension leaves them.
 */
static void flashcache_presuspend(struct dm_target *ti)
{
	struct fc_cache *c = ti->private;
	int r;

	if (!c->loaded || !fc_disk_dying(dm_disk(dm_table_get_md(ti->table))))
		return;
	if (c->tune.fast_remove) {
		DMINFO("%s: Fast flashcache remove Skipping cleaning of %llu blocks",
		       c->cfg.name, fc_cache_dirty(c));
		return;
	}
	r = fc_cleaner_drain(c);
	if (r)
		DMERR("%s: %s: %llu dirty blocks stay on the cache device, do not use the raw disk",
		      c->cfg.name, r == -EINTR ? "interrupted" : "the disk refuses writes",
		      fc_cache_dirty(c));
}

static void flashcache_postsuspend(struct dm_target *ti)
{
	fc_cache_suspend(ti->private);
}

static int flashcache_preresume(struct dm_target *ti)
{
	return fc_cache_resume(ti->private);
}

static void flashcache_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			      char *result, unsigned int maxlen)
{
	struct fc_cache *c = ti->private;

	if (type == STATUSTYPE_INFO)
		fc_status_print(c, result, maxlen);
	else if (type == STATUSTYPE_TABLE)
		fc_table_print(c, result, maxlen);
	else
		result[0] = '\0';
}

static int flashcache_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			      unsigned int maxlen)
{
	return fc_message(ti->private, argc, argv);
}

static int flashcache_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn,
				      void *data)
{
	struct fc_cache *c = ti->private;
	int r = fn(ti, c->disk, 0, ti->len, data);

	return r ? r : fn(ti, c->ssd, 0, c->cfg.want.flash_sectors, data);
}

/* Whole blocks are what a discard can drop; two GiB at a time keeps the worker responsive. */
#define DISCARD_SECTORS_MAX (1u << 22)

static void flashcache_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	struct fc_cache *c = ti->private;
	u32 block = c->cfg.want.block_sectors ? c->cfg.want.block_sectors : FC_BLOCK_DEFAULT;

	fc_set_discard_limits(limits, DISCARD_SECTORS_MAX, block << SECTOR_SHIFT);
}

static struct target_type flashcache_target = {
	.name = FC_TARGET_NAME,
	.version = { FC_VERSION_MAJOR, FC_VERSION_MINOR, FC_VERSION_PATCH },
	.features = DM_TARGET_NOWAIT,
	.module = THIS_MODULE,
	.ctr = flashcache_ctr,
	.dtr = flashcache_dtr,
	.map = flashcache_map,
	.end_io = flashcache_end_io,
	.presuspend = flashcache_presuspend,
	.postsuspend = flashcache_postsuspend,
	.preresume = flashcache_preresume,
	.status = flashcache_status,
	.message = flashcache_message,
	.iterate_devices = flashcache_iterate_devices,
	.io_hints = flashcache_io_hints,
};

static int __init flashcache_init(void)
{
	int r = fc_health_module_init();

	if (r)
		return r;
	r = fc_run_module_init();
	if (r)
		goto bad_run;
	r = fc_fan_module_init();
	if (r)
		goto bad_fan;
	r = fc_window_module_init();
	if (r)
		goto bad_window;
	r = dm_register_target(&flashcache_target);
	if (r)
		goto bad_target;
	return 0;

bad_target:
	fc_window_module_exit();
bad_window:
	fc_fan_module_exit();
bad_fan:
	fc_run_module_exit();
bad_run:
	fc_health_module_exit();
	return r;
}

static void __exit flashcache_exit(void)
{
	dm_unregister_target(&flashcache_target);
	fc_window_module_exit();
	fc_fan_module_exit();
	fc_run_module_exit();
	fc_health_module_exit();
}

module_init(flashcache_init);
module_exit(flashcache_exit);

MODULE_DESCRIPTION("Caches a slow disk on a flash drive");
MODULE_AUTHOR("The flashcache authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(FC_VERSION);
MODULE_ALIAS("dm-" FC_TARGET_NAME);
