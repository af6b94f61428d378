/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_BIO_H
#define SIM_LINUX_BIO_H

#include <linux/slab.h>
#include <linux/wait.h>

#define SECTOR_SHIFT	9
#define SECTOR_SIZE	512
#define PAGE_SECTORS	(1u << (PAGE_SHIFT - SECTOR_SHIFT))
#define BIO_MAX_VECS	256u

typedef unsigned int blk_opf_t;

#define REQ_OP_READ	0u
#define REQ_OP_WRITE	1u
#define REQ_OP_FLUSH	2u
#define REQ_OP_DISCARD	3u
#define REQ_OP_WRITE_ZEROES 9u
#define REQ_OP_MASK	0xffu
#define REQ_SYNC	(1u << 11)
#define REQ_META	(1u << 12)
#define REQ_PRIO	(1u << 13)
#define REQ_IDLE	(1u << 15)
#define REQ_FUA		(1u << 17)
#define REQ_PREFLUSH	(1u << 18)
#define REQ_RAHEAD	(1u << 19)
#define REQ_BACKGROUND	(1u << 20)
#define REQ_NOWAIT	(1u << 21)
#define REQ_POLLED	(1u << 22)

#define BLK_STS_OK	0
#define BLK_STS_NOTSUPP	1
#define BLK_STS_RESOURCE 9
#define BLK_STS_IOERR	10
#define BLK_STS_AGAIN	12

#define BIO_CHAIN	4

struct gendisk;

struct block_device {
	int leg;	/* which of the simulator's devices */
	struct gendisk *bd_disk;
};

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
	unsigned int bi_bvec_done;
};

struct bio;
struct bio_set;
typedef void (bio_end_io_t)(struct bio *);

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	blk_opf_t bi_opf;
	unsigned short bi_flags;
	unsigned short bi_ioprio;
	blk_status_t bi_status;
	atomic_t __bi_remaining;
	struct bvec_iter bi_iter;
	bio_end_io_t *bi_end_io;
	void *bi_private;
	unsigned short bi_vcnt;
	unsigned short bi_max_vecs;
	struct bio_vec *bi_io_vec;
	struct bio_set *bi_pool;
};

struct bio_set {
	unsigned int front_pad;
};

#define bio_op(bio)		((bio)->bi_opf & REQ_OP_MASK)
#define op_is_write(op)		((op) & 1u)
#define bio_sectors(bio)	((bio)->bi_iter.bi_size >> SECTOR_SHIFT)
#define bio_end_sector(bio)	((bio)->bi_iter.bi_sector + bio_sectors(bio))
#define bio_data_dir(bio)	(op_is_write(bio_op(bio)) ? 1 : 0)
#define bio_set_dev(bio, bdev)	((void)((bio)->bi_bdev = (bdev)))
#define bio_set_flag(bio, f)	((void)((bio)->bi_flags |= (1u << (f))))
#define bio_clear_flag(bio, f)	((void)((bio)->bi_flags &= ~(1u << (f))))
#define bio_flagged(bio, f)	((bio)->bi_flags & (1u << (f)))

#define BIOSET_NEED_BVECS	1
#define BIOSET_NEED_RESCUER	2
int bioset_init(struct bio_set *bs, unsigned int reserve, unsigned int front_pad, int flags);
void bioset_exit(struct bio_set *bs);
struct bio *bio_alloc_bioset(struct block_device *bdev, unsigned short vecs, blk_opf_t opf,
			     gfp_t gfp, struct bio_set *bs);
struct bio *bio_alloc_clone(struct block_device *bdev, struct bio *bio, gfp_t gfp,
			    struct bio_set *bs);
void bio_put(struct bio *bio);
void __bio_add_page(struct bio *bio, struct page *page, unsigned int len, unsigned int offset);
void bio_endio(struct bio *bio);
void submit_bio_noacct(struct bio *bio);
#define submit_bio(bio)		submit_bio_noacct(bio)

static inline void bio_io_error(struct bio *bio)
{
	bio->bi_status = BLK_STS_IOERR;
	bio_endio(bio);
}

/* The present piece of a bio, never more than a page. */
static inline struct bio_vec sim_bio_iter(const struct bio *bio, const struct bvec_iter *iter)
{
	const struct bio_vec *bv = &bio->bi_io_vec[iter->bi_idx];
	unsigned int at = bv->bv_offset + iter->bi_bvec_done;

	return (struct bio_vec){
		.bv_page = bv->bv_page,
		.bv_offset = at,
		.bv_len = min(iter->bi_size, bv->bv_len - iter->bi_bvec_done),
	};
}

void bio_advance_iter(const struct bio *bio, struct bvec_iter *iter, unsigned int bytes);

#define bio_advance(bio, bytes)	bio_advance_iter(bio, &(bio)->bi_iter, bytes)

#define bio_for_each_segment(bv, bio, iter) \
	for ((iter) = (bio)->bi_iter; \
	     (iter).bi_size && ((bv) = sim_bio_iter(bio, &(iter)), true); \
	     bio_advance_iter(bio, &(iter), (bv).bv_len))

static inline void memcpy_to_bvec(struct bio_vec *bv, const void *from)
{
	memcpy((char *)page_address(bv->bv_page) + bv->bv_offset, from, bv->bv_len);
}

static inline void memcpy_from_bvec(void *to, struct bio_vec *bv)
{
	memcpy(to, (char *)page_address(bv->bv_page) + bv->bv_offset, bv->bv_len);
}

struct bio_list {
	struct bio *head, *tail;
};

static inline void bio_list_init(struct bio_list *list)
{
	list->head = NULL;
	list->tail = NULL;
}

static inline bool bio_list_empty(const struct bio_list *list)
{
	return !list->head;
}

static inline void bio_list_add(struct bio_list *list, struct bio *bio)
{
	bio->bi_next = NULL;
	if (list->tail)
		list->tail->bi_next = bio;
	else
		list->head = bio;
	list->tail = bio;
}

static inline struct bio *bio_list_pop(struct bio_list *list)
{
	struct bio *bio = list->head;

	if (!bio)
		return NULL;
	list->head = bio->bi_next;
	if (!list->head)
		list->tail = NULL;
	bio->bi_next = NULL;
	return bio;
}

static inline void bio_list_merge(struct bio_list *to, struct bio_list *from)
{
	if (!from->head)
		return;
	if (to->tail)
		to->tail->bi_next = from->head;
	else
		to->head = from->head;
	to->tail = from->tail;
}

struct blk_plug {
	int unused;
};

#define blk_start_plug(p)	((void)(p))
#define blk_finish_plug(p)	((void)(p))

sector_t bdev_nr_sectors(struct block_device *bdev);
unsigned int bdev_max_discard_sectors(struct block_device *bdev);

struct queue_limits {
	unsigned int max_discard_sectors;
	unsigned int max_hw_discard_sectors;
	unsigned int discard_granularity;
	unsigned int io_min;
	unsigned int io_opt;
};

/* dm-io: whole regions, and wait for them. */
struct dm_io_client;
struct dm_io_region {
	struct block_device *bdev;
	sector_t sector;
	sector_t count;
};

enum dm_io_mem_type { DM_IO_PAGE_LIST, DM_IO_BIO, DM_IO_VMA, DM_IO_KMEM };

struct dm_io_memory {
	enum dm_io_mem_type type;
	unsigned int offset;
	union {
		void *vma;
		void *addr;
	} ptr;
};

struct dm_io_notify {
	void (*fn)(unsigned long error, void *context);
	void *context;
};

struct dm_io_request {
	blk_opf_t bi_opf;
	struct dm_io_memory mem;
	struct dm_io_notify notify;
	struct dm_io_client *client;
};

#define IOPRIO_DEFAULT 0
struct dm_io_client *dm_io_client_create(void);
void dm_io_client_destroy(struct dm_io_client *client);
int dm_io(struct dm_io_request *req, unsigned int nr, struct dm_io_region *where,
	  unsigned long *errors, unsigned short ioprio);

#endif /* SIM_LINUX_BIO_H */
