/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: As much of the kernel as src/dm, src/meta and src/cache.c need, in one thread.
 *
 * The build puts a <linux/NAME.h> in front of the system's for each header that these files
 * include; all of them come here. Locks lock nothing, work that is queued is never run, and memory
 * is malloc()'s, so that the sanitizer watches it. What needs more than a line is in kernel.c.
 */
#ifndef FC_FUZZ_KERNEL_H
#define FC_FUZZ_KERNEL_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "env.h"

/* --- compiler and numbers --------------------------------------------------------------------- */

#define LINUX_VERSION_CODE	KERNEL_VERSION(6, 1, 0)
#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))
#define __init
#define __exit
#define __percpu
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define BUILD_BUG_ON(cond)	static_assert(!(cond), #cond)
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define PAGE_SHIFT		12
#define SECTOR_SHIFT		9
#define HZ			250
#define IS_ERR(p)		((unsigned long)(p) >= -4095ul)
#define PTR_ERR(p)		((int)(long)(p))
#define ERR_PTR(r)		((void *)(long)(r))
#define change_bit(n, map)	((map)[(n) / BITS_PER_LONG] ^= 1ul << (n) % BITS_PER_LONG)
#define cond_resched()		do { } while (0)

int kstrtou8(const char *text, unsigned int base, u8 *to);
int kstrtou32(const char *text, unsigned int base, u32 *to);
int kstrtou64(const char *text, unsigned int base, u64 *to);
int kstrtobool(const char *text, bool *to);
#define kstrtouint		kstrtou32

ssize_t strscpy(char *to, const char *from, size_t size);
int scnprintf(char *to, size_t size, const char *fmt, ...);
void *memchr_inv(const void *from, int c, size_t size);

typedef struct { u8 b[16]; } uuid_t;
int uuid_parse(const char *text, uuid_t *to);

/* The kernel's table of characters is that of Latin-1, with one more blank. */
#undef isspace
#define isspace(c)		fuzz_isspace(c)
static inline bool fuzz_isspace(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0;
}

/* --- memory ----------------------------------------------------------------------------------- */

typedef unsigned int gfp_t;
typedef struct { int unused; } mempool_t;

#define GFP_KERNEL		0
#define kmalloc(size, gfp)	malloc(size)
#define kfree			free
#define kvzalloc(size, gfp)	calloc(1, size)
#define kvfree			free
#define vmalloc			malloc
#define vzalloc(size)		calloc(1, size)
#define vfree			free
#define alloc_percpu(type)	((type *)calloc(1, sizeof(type)))
#define free_percpu		free
#define per_cpu_ptr(p, cpu)	(p)
#define this_cpu_inc(x)		((x)++)
#define this_cpu_add(x, n)	((x) += (n))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define memalloc_noio_save()	0u
#define memalloc_noio_restore(flags)	((void)(flags))
void get_random_bytes(void *to, size_t size);

/* --- locks and waiting ------------------------------------------------------------------------ */

typedef fc_env_lock_t spinlock_t;
typedef struct { int counter; } atomic_t;
typedef struct { int unused; } wait_queue_head_t;
struct mutex { bool locked; };

#define DEFINE_MUTEX(name)	struct mutex name
#define mutex_init(m)		((m)->locked = false)
void mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m);
#define spin_lock_init(l)	((void)(l))
#define spin_lock_irqsave(l, flags)	((void)(l), (flags) = 0)
#define spin_unlock_irqrestore(l, flags)	((void)(l), (void)(flags))
#define init_waitqueue_head(w)	((void)(w))
#define wake_up_all(w)		((void)(w))
/* Nobody else could make it true. */
#define wait_event(w, cond)	((cond) ? (void)0 : abort())

/* --- lists ------------------------------------------------------------------------------------ */

struct list_head { struct list_head *next, *prev; };
struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define init_llist_head(l)	((l)->first = NULL)
#define list_for_each_entry(at, head, member)					\
	for (at = container_of((head)->next, typeof(*at), member);		\
	     &at->member != (head);						\
	     at = container_of(at->member.next, typeof(*at), member))

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
	INIT_LIST_HEAD(entry);
}

/* --- work, never run -------------------------------------------------------------------------- */

struct work_struct { void (*fn)(struct work_struct *work); };
struct delayed_work { struct work_struct work; };
struct workqueue_struct;

#define WQ_UNBOUND		0
#define WQ_MEM_RECLAIM		0
#define INIT_WORK(w, f)		((w)->fn = (f))
#define INIT_DELAYED_WORK(w, f)	((w)->work.fn = (f))
#define alloc_workqueue(name, flags, max)	((struct workqueue_struct *)malloc(1))
#define alloc_ordered_workqueue(name, flags)	((struct workqueue_struct *)malloc(1))
#define destroy_workqueue(wq)	free(wq)
#define flush_workqueue(wq)	((void)(wq))
#define queue_work(wq, w)	((void)(wq), (void)(w))
#define queue_delayed_work(wq, w, delay)	((void)(wq), (void)(w))
#define flush_work(w)		((void)(w))
#define cancel_work_sync(w)	((void)(w))
#define cancel_delayed_work_sync(w)	((void)(w))

/* --- block layer ------------------------------------------------------------------------------ */

typedef u32 blk_opf_t;
typedef u8 blk_status_t;

enum { REQ_OP_READ, REQ_OP_WRITE, REQ_PREFLUSH = 1 << 8, REQ_FUA = 1 << 9 };
enum { BLK_STS_OK, BLK_STS_IOERR };

struct bvec_iter { sector_t bi_sector; };
struct bio_vec { int unused; };
struct bio_set { int unused; };
struct bio {
	struct bio *bi_next;
	struct bvec_iter bi_iter;
};

struct bio_list { struct bio *head, *tail; };
struct page;
struct request_queue;

#define bio_list_init(l)	((l)->head = (l)->tail = NULL)
#define bio_list_empty(l)	(!(l)->head)
void bio_list_add(struct bio_list *list, struct bio *bio);
void bio_list_merge(struct bio_list *list, struct bio_list *from);
struct bio *bio_list_pop(struct bio_list *list);

/**
 * struct block_device - memory; behind @len bytes it reads as zeros and forgets what is written
 * @sectors: its size
 * @data: its beginning
 * @len: bytes of @data
 * @writes: how often it was written to
 */
struct block_device {
	sector_t sectors;
	u8 *data;
	size_t len;
	unsigned long writes;
};

#define bdev_nr_sectors(bdev)	((bdev)->sectors)
#define bdev_max_discard_sectors(bdev)	0u
struct bio *bio_alloc_bioset(struct block_device *bdev, unsigned short vecs, blk_opf_t opf,
			     gfp_t gfp, struct bio_set *bs);
void memcpy_to_bvec(struct bio_vec *bv, const void *from);
void memcpy_from_bvec(void *to, struct bio_vec *bv);

struct kobject { int unused; };
struct device { struct kobject kobj; };
struct gendisk {
	unsigned long state;
	struct device device;
};

struct queue_limits {
	unsigned int max_hw_discard_sectors, max_discard_sectors, discard_granularity;
};

enum { GD_DEAD = 1, KOBJ_CHANGE = 2 };
#define disk_to_dev(disk)	(&(disk)->device)
#define kobject_uevent(kobj, action)	((void)(kobj))

/* --- device-mapper ---------------------------------------------------------------------------- */

struct dm_io_client;
enum dm_io_mem_type { DM_IO_VMA };
struct dm_io_memory { enum dm_io_mem_type type; };
struct dm_io_region { sector_t sector; };
struct dm_io_request {
	blk_opf_t bi_opf;
	struct dm_io_memory mem;
	struct dm_io_client *client;
};

int dm_io(struct dm_io_request *req, unsigned int regions, struct dm_io_region *region,
	  unsigned long *error);

struct mapped_device { struct gendisk disk; };
struct dm_table { struct mapped_device md; };
struct dm_dev {
	struct block_device *bdev;
	char name[16];
};

struct dm_target {
	struct dm_table *table;
	sector_t len;
	unsigned int num_flush_bios, num_discard_bios, per_io_data_size;
	void *private;
	char *error;
	bool flush_supported, discards_supported;
};

typedef enum { STATUSTYPE_INFO, STATUSTYPE_TABLE } status_type_t;
typedef int (*iterate_devices_callout_fn)(struct dm_target *ti, struct dm_dev *dev,
					  sector_t start, sector_t len, void *data);
struct module;

struct target_type {
	const char *name;
	struct module *module;
	unsigned int version[3], features;
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

#define DM_TARGET_NOWAIT	0
#define THIS_MODULE		NULL
#define dm_table_get_md(table)	(&(table)->md)
#define dm_table_get_mode(table)	0u
#define dm_disk(md)		(&(md)->disk)
#define dm_table_event(table)	((void)(table))
#define dm_target_offset(ti, sector)	(sector)
void *dm_per_bio_data(struct bio *bio, size_t size);
struct bio *dm_bio_from_per_bio_data(void *data, size_t size);
int dm_get_device(struct dm_target *ti, const char *path, unsigned int mode, struct dm_dev **dev);
void dm_put_device(struct dm_target *ti, struct dm_dev *dev);
int dm_register_target(struct target_type *type);
void dm_unregister_target(struct target_type *type);

#define DMEMIT(x...)	(sz += sz >= maxlen ? 0 : scnprintf(result + sz, maxlen - sz, x))
#define DMERR(x...)	fuzz_log(true, x)
#define DMWARN(x...)	fuzz_log(false, x)
#define DMWARN_LIMIT	DMWARN
#define DMINFO		DMWARN

/* --- module ----------------------------------------------------------------------------------- */

#define module_init(f)	int fuzz_module_init(void) { return f(); }
#define module_exit(f)	void fuzz_module_exit(void) { f(); }
#define MODULE_DESCRIPTION(x)	struct fuzz_no_description
#define MODULE_AUTHOR(x)	struct fuzz_no_author
#define MODULE_LICENSE(x)	struct fuzz_no_licence
#define MODULE_VERSION(x)	struct fuzz_no_version
#define MODULE_ALIAS(x)		struct fuzz_no_alias

/* --- power ------------------------------------------------------------------------------------ */

/*
 * From now on device "b" forgets what it was not told to flush when its power fails, which is at
 * the @writes-th write from here; 0: never. What is lost is chosen by @seed, sector by sector.
 */
void fuzz_power(unsigned int writes, u64 seed);
bool fuzz_power_failed(void);

/* --- for the fuzzers -------------------------------------------------------------------------- */

int fuzz_module_init(void);
void fuzz_module_exit(void);
void fuzz_log(bool error, const char *fmt, ...);

/* What the module registered. */
extern struct target_type *fuzz_target;
/* Devices, and the paths "a" to "z" by which dm_get_device() knows them; open ones are counted. */
extern struct block_device fuzz_bdevs[26];
extern unsigned int fuzz_open_devices;
/* The last error in the log, "" when there is none, and how many there were. */
extern char fuzz_error[1024];
extern unsigned int fuzz_errors;

#endif /* FC_FUZZ_KERNEL_H */
