/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The ledger on flash.
 *
 * One worker does all of it, one thing after the other: commits, which make user FLUSHes come true
 * and free cleaned slots, and checkpoints, which move the log's tail. docs/crash-consistency.md
 * tells why each flush stands where it stands.
 */
#ifndef FC_META_META_H
#define FC_META_META_H

#include <linux/bio.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "core/ledger.h"

struct fc_cache;

#define FC_META_IDLE	(~0ull)	/* no checkpoint under way */

/**
 * struct fc_ckpt - a checkpoint under way; only the worker uses it
 * @next: next table block to look at, or FC_META_IDLE
 * @tail: first log block that this checkpoint will not contain
 * @gen: its generation
 * @set: set of which @stale tells whether it was stale; ~0 at the start
 * @stale: see @set
 */
struct fc_ckpt {
	u64 next;
	u64 tail;
	u64 gen;
	u32 set;
	bool stale;
};

/**
 * struct fc_meta - the ledger's part of a cache
 * @sb: what the superblock says, or will say next
 * @lock: guards @lists, @flushes, @committing, @direct, @free_asked and the sets' @listed and
 *	@link; innermost lock
 * @lists: sets with something pending, or wanting to be cleaned, by enum fc_list
 * @flushes: bios that end with the next commit
 * @committing: the worker may have taken something off @lists that is not durable yet
 * @direct: a FLUSH is on its way to the flash without the worker
 * @free_asked: how often removals were asked for, under @lock
 * @free_done: the last of these that is served; @freed is woken when it rises
 * @freed: who waits for slots to come free
 * @wq: ordered, so that there is one worker
 * @work: the worker
 * @timer: commits what no FLUSH has asked for
 * @next_seq: place of the next log block; worker only
 * @ckpt: checkpoint; worker only
 * @crc: CRC of the table blocks that count; worker only
 * @newest: bit i: copy of table block i that counts; worker only
 * @recs: records of a commit; worker only
 * @buf: FC_META_BUF bytes; worker only
 * @sealed: flash may say "orderly" although the cache runs: nothing may be written to the disk
 * @failed: metadata could not be written; nothing becomes durable any more
 */
struct fc_meta {
	struct fc_super sb;
	spinlock_t lock;
	struct fc_set *lists[3];
	struct bio_list flushes;
	bool committing;
	bool direct;
	u64 free_asked;
	u64 free_done;
	wait_queue_head_t freed;
	struct workqueue_struct *wq;
	struct work_struct work;
	struct delayed_work timer;
	u64 next_seq;
	struct fc_ckpt ckpt;
	u32 *crc;
	unsigned long *newest;
	struct fc_record *recs;
	void *buf;
	bool sealed;
	bool failed;
};

/* What a FLUSH costs. */
enum fc_flush {
	FC_FLUSH_NOTHING,	/* all is durable */
	FC_FLUSH_FLASH,		/* a flush of the flash; fc_meta_flush_end() */
	FC_FLUSH_COMMIT,	/* what only the worker can do; fc_meta_flush() */
};

#define FC_META_BUF_BLOCKS	64u
#define FC_META_BUF		(FC_META_BUF_BLOCKS * FCD_BLOCK_SIZE)
#define FC_META_RECS		(32u * FCD_LOG_RECS)
#define FC_COMMIT_INTERVAL	5	/* seconds */

/* meta.c */
int fc_meta_init(struct fc_cache *c);
void fc_meta_exit(struct fc_cache *c);
void fc_meta_list(struct fc_cache *c, struct fc_set *set, enum fc_list list);
struct fc_set *fc_meta_unlist(struct fc_cache *c, enum fc_list list);
void fc_meta_flush(struct fc_cache *c, struct bio *bio);
enum fc_flush fc_meta_flush_begin(struct fc_cache *c);
void fc_meta_flush_end(struct fc_cache *c, bool ok);
bool fc_meta_take_unflushed(struct fc_cache *c);
void fc_meta_free_slots(struct fc_cache *c);
void fc_meta_wait_freed(struct fc_cache *c);
void fc_meta_quiesce(struct fc_cache *c);
int fc_meta_stop(struct fc_cache *c);
int fc_meta_write(struct fc_cache *c, fc_opf_t flags, sector_t sector, void *buf, u32 blocks);

/* commit.c */
int fc_commit(struct fc_cache *c, bool flush, bool removals);

/* checkpoint.c */
void fc_ckpt_begin(struct fc_cache *c);
int fc_ckpt_step(struct fc_cache *c);
int fc_ckpt_finish(struct fc_cache *c);

/* super.c */
int fc_super_write(struct fc_cache *c);
int fc_super_create(struct fc_cache *c, u64 old_seq);
int fc_super_read(struct fc_cache *c, struct fc_super *sb, const char **why);
bool fc_super_blank(struct fc_cache *c);
int fc_super_print_disk(struct fc_cache *c, u32 *print);

/* load.c */
int fc_load(struct fc_cache *c);

#endif /* FC_META_META_H */
