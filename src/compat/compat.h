/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What differs between kernels 5.10 and today's.
 *
 * The only file that may ask for a kernel version. Each wrapper says which kernel made it necessary
 * and goes away with the last one before.
 */
#ifndef FC_COMPAT_H
#define FC_COMPAT_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/dm-io.h>
#include <linux/highmem.h>
#include <linux/sysctl.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "flashcache needs Linux 5.10 or newer"
#endif

/* 6.0 made operations and flags one bitwise type. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
typedef unsigned int fc_opf_t;
#else
typedef blk_opf_t fc_opf_t;
#endif

/* Completion by polling was called REQ_HIPRI before 5.16. */
#ifdef REQ_POLLED
#define FC_REQ_POLLED	REQ_POLLED
#else
#define FC_REQ_POLLED	REQ_HIPRI
#endif

/* PAGE_SECTORS came to blkdev.h in 5.16. */
#ifndef PAGE_SECTORS
#define PAGE_SECTORS	(1 << (PAGE_SHIFT - SECTOR_SHIFT))
#endif

/* bdev_nr_sectors() came in 5.16. */
static inline sector_t fc_bdev_sectors(struct block_device *bdev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
	return (sector_t)i_size_read(bdev->bd_inode) >> SECTOR_SHIFT;
#else
	return bdev_nr_sectors(bdev);
#endif
}

/* bio_alloc_bioset() took device and operation in 5.18. */
static inline struct bio *fc_bio_alloc(struct block_device *bdev, unsigned short vecs,
				       fc_opf_t opf, gfp_t gfp, struct bio_set *bs)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
	struct bio *bio = bio_alloc_bioset(gfp, vecs, bs);

	if (bio) {
		bio_set_dev(bio, bdev);
		bio->bi_opf = opf;
	}
	return bio;
#else
	return bio_alloc_bioset(bdev, vecs, opf, gfp, bs);
#endif
}

/* bio_clone_fast() became bio_alloc_clone(), which takes the device, in 5.18. */
static inline struct bio *fc_bio_clone(struct block_device *bdev, struct bio *bio, gfp_t gfp,
				       struct bio_set *bs)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
	struct bio *clone = bio_clone_fast(bio, gfp, bs);

	if (clone)
		bio_set_dev(clone, bdev);
	return clone;
#else
	return bio_alloc_clone(bdev, bio, gfp, bs);
#endif
}

/*
 * dm_io() took an I/O priority in 6.9, back-ported to 6.1.83, 6.6.23 and 6.8.2; flags and operation
 * became one field in 6.0; one more argument came in 7.1.
 */
static inline int fc_dm_io(struct dm_io_client *client, fc_opf_t opf, struct dm_io_memory mem,
			   struct dm_io_region *region, struct dm_io_notify notify)
{
	struct dm_io_request req = {
		.mem = mem,
		.notify = notify,
		.client = client,
	};
	unsigned long error;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
	req.bi_op = opf & REQ_OP_MASK;
	req.bi_op_flags = opf & ~REQ_OP_MASK;
#else
	req.bi_opf = opf;
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
	return dm_io(&req, 1, region, &error, NULL, IOPRIO_DEFAULT);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 2) || \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 23) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)) || \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 83) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0))
	return dm_io(&req, 1, region, &error, IOPRIO_DEFAULT);
#else
	return dm_io(&req, 1, region, &error);
#endif
}

/* Makes of fn(failed, context) what dm_io() can call; 7.1 tells apart what is not supported. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#define FC_DM_IO_END(fn) \
	static void fn##_dm_io(unsigned long error, unsigned long unsup, void *context) \
	{ \
		fn(error || unsup, context); \
	}
#else
#define FC_DM_IO_END(fn) \
	static void fn##_dm_io(unsigned long error, void *context) \
	{ \
		fn(error, context); \
	}
#endif

/* memcpy_to_bvec() and memcpy_from_bvec() came in 5.15. */
static inline void fc_copy_to_page(struct bio_vec bv, const void *from)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
	char *to = kmap_atomic(bv.bv_page);

	memcpy(to + bv.bv_offset, from, bv.bv_len);
	flush_dcache_page(bv.bv_page);
	kunmap_atomic(to);
#else
	memcpy_to_bvec(&bv, from);
#endif
}

static inline void fc_copy_from_page(struct bio_vec bv, void *to)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
	char *from = kmap_atomic(bv.bv_page);

	memcpy(to, from + bv.bv_offset, bv.bv_len);
	kunmap_atomic(from);
#else
	memcpy_from_bvec(to, &bv);
#endif
}

/*
 * Is the mapped device being removed, rather than suspended? device-mapper marks its disk dead
 * before it calls presuspend. The mark lay in the queue; 5.17 moved it, back-ported to 5.15.25 and
 * 5.16.11.
 */
static inline bool fc_disk_dying(struct gendisk *disk)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 25)
	return blk_queue_dying(disk->queue);
#else
	return test_bit(GD_DEAD, &disk->state);
#endif
}

/* Discard limits: the soft limit is computed from the hard one since 6.9. */
static inline void fc_set_discard_limits(struct queue_limits *limits, unsigned int max_sectors,
					 unsigned int granularity)
{
	limits->max_hw_discard_sectors = max_sectors;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
	limits->max_discard_sectors = max_sectors;
#endif
	limits->discard_granularity = granularity;
}

/* bdev_max_discard_sectors() came in 5.19. */
static inline bool fc_bdev_discards(struct block_device *bdev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 19, 0)
	return blk_queue_discard(bdev_get_queue(bdev));
#else
	return bdev_max_discard_sectors(bdev) > 0;
#endif
}

/* Handlers of sysctls take a const table since 6.11. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
typedef struct ctl_table fc_ctl_table;
#else
typedef const struct ctl_table fc_ctl_table;
#endif

/* The size of a table of sysctls counts since 6.6; before, an empty entry ends it. */
static inline struct ctl_table_header *fc_register_sysctl(const char *path,
							   struct ctl_table *table, size_t nr)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return register_sysctl(path, table);
#else
	return register_sysctl_sz(path, table, nr);
#endif
}

#endif /* FC_COMPAT_H */
