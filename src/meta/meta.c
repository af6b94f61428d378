// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger's worker, and how others ask it for something.
 */
#include "io/request.h"

/* --- lists of sets ---------------------------------------------------------------------------- */

/**
 * fc_meta_list() - note that a set wants something
 * @c: cache
 * @set: set; what it wants was noted in it under its lock, before
 * @list: what
 *
 * A set that is listed already needs no lock here: whoever takes it off the list locks the set
 * afterwards, and so sees what was noted.
 *
 * Context: any.
 */
void fc_meta_list(struct fc_cache *c, struct fc_set *set, enum fc_list list)
{
	struct fc_meta *m = &c->meta;
	unsigned long flags;

	if (READ_ONCE(set->listed) & (1u << list))
		return;
	spin_lock_irqsave(&m->lock, flags);
	if (!(set->listed & (1u << list))) {
		set->listed |= 1u << list;
		set->link[list] = m->lists[list];
		m->lists[list] = set;
	}
	spin_unlock_irqrestore(&m->lock, flags);
	if (list != FC_LIST_CLEAN)
		queue_delayed_work(m->wq, &m->timer, FC_COMMIT_INTERVAL * HZ);
}

/**
 * fc_meta_unlist() - take a set off a list
 * @c: cache
 * @list: list
 *
 * Return: a set, or NULL when the list is empty.
 */
struct fc_set *fc_meta_unlist(struct fc_cache *c, enum fc_list list)
{
	struct fc_meta *m = &c->meta;
	unsigned long flags;
	struct fc_set *set;

	spin_lock_irqsave(&m->lock, flags);
	set = m->lists[list];
	if (set) {
		m->lists[list] = set->link[list];
		set->listed &= ~(1u << list);
	}
	spin_unlock_irqrestore(&m->lock, flags);
	return set;
}

/* --- requests to the worker ------------------------------------------------------------------- */

/**
 * fc_meta_flush() - end a bio as soon as all that has completed so far is durable
 * @c: cache
 * @bio: a user's FLUSH, or a finished FUA write
 *
 * Context: any.
 */
void fc_meta_flush(struct fc_cache *c, struct bio *bio)
{
	struct fc_meta *m = &c->meta;
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&m->lock, flags);
	bio_list_add(&m->flushes, bio);
	spin_unlock_irqrestore(&m->lock, flags);
	queue_work(m->wq, &m->work);
	rcu_read_unlock();
}

/**
 * fc_meta_flush_begin() - what does it take to make all durable that has completed so far?
 * @c: cache
 *
 * When no set has anything to record, no record is on its way, and the disk took no write, it takes
 * a flush of the flash, for which nobody has to wait for the worker. But when one FLUSH is in flight
 * already, the worker does one for all that come meanwhile.
 *
 * Context: any.
 */
enum fc_flush fc_meta_flush_begin(struct fc_cache *c)
{
	enum fc_flush what = FC_FLUSH_NOTHING;
	struct fc_meta *m = &c->meta;
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	if (m->lists[FC_LIST_ADD] || m->committing || m->direct || m->failed ||
	    !bio_list_empty(&m->flushes) || READ_ONCE(c->disk_unflushed)) {
		what = FC_FLUSH_COMMIT;
	} else if (READ_ONCE(c->ssd_unflushed)) {
		/* Cleared before the flush: what completes later sets it again. */
		WRITE_ONCE(c->ssd_unflushed, false);
		m->direct = true;
		what = FC_FLUSH_FLASH;
	}
	spin_unlock_irqrestore(&m->lock, flags);
	return what;
}

/**
 * fc_meta_flush_end() - the flush of FC_FLUSH_FLASH has ended
 * @c: cache
 * @ok: it succeeded
 *
 * Context: any.
 */
void fc_meta_flush_end(struct fc_cache *c, bool ok)
{
	struct fc_meta *m = &c->meta;
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	if (!ok)
		WRITE_ONCE(c->ssd_unflushed, true);
	m->direct = false;
	spin_unlock_irqrestore(&m->lock, flags);
}

/**
 * fc_meta_take_unflushed() - clear the mark that the flash took writes
 * @c: cache
 *
 * Return: whether the flash must be flushed for them. As long as a direct flush is in flight nobody
 * knows whether it will succeed.
 */
bool fc_meta_take_unflushed(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	unsigned long flags;
	bool took;

	spin_lock_irqsave(&m->lock, flags);
	took = READ_ONCE(c->ssd_unflushed) || m->direct;
	WRITE_ONCE(c->ssd_unflushed, false);
	spin_unlock_irqrestore(&m->lock, flags);
	return took;
}

static u64 ask_for_removals(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	unsigned long flags;
	u64 ticket;

	spin_lock_irqsave(&m->lock, flags);
	ticket = ++m->free_asked;
	spin_unlock_irqrestore(&m->lock, flags);
	queue_work(m->wq, &m->work);
	return ticket;
}

/**
 * fc_meta_free_slots() - commit soon that cleaned slots are clean, so that they can be given away
 * @c: cache
 *
 * Context: any.
 */
void fc_meta_free_slots(struct fc_cache *c)
{
	ask_for_removals(c);
}

/**
 * fc_meta_wait_freed() - fc_meta_free_slots(), and wait until it is done or has failed
 * @c: cache
 *
 * Context: process, sleeps; not the ledger's worker.
 */
void fc_meta_wait_freed(struct fc_cache *c)
{
	u64 ticket = ask_for_removals(c);

	wait_event(c->meta.freed, READ_ONCE(c->meta.free_done) >= ticket);
}

/* --- the worker ------------------------------------------------------------------------------- */

static void end_flushes(struct bio_list *flushes, int r)
{
	struct bio *bio;

	while ((bio = bio_list_pop(flushes)))
		fc_request_finish(fc_req_of(bio), r ? BLK_STS_IOERR : BLK_STS_OK);
}

/* Takes over all that is wished for up to now; false when that is nothing. */
static bool take_wishes(struct fc_meta *m, struct bio_list *flushes, u64 *ticket)
{
	unsigned long flags;
	bool any;

	bio_list_init(flushes);
	spin_lock_irqsave(&m->lock, flags);
	bio_list_merge(flushes, &m->flushes);
	bio_list_init(&m->flushes);
	*ticket = m->free_asked;
	any = *ticket != m->free_done || !bio_list_empty(flushes);
	m->committing = any;
	spin_unlock_irqrestore(&m->lock, flags);
	return any;
}

/* A checkpoint begins at half of the log, and then goes on in small steps between commits. */
static void step_checkpoint(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;

	if (m->failed)
		return;
	if (m->ckpt.next == FC_META_IDLE &&
	    m->next_seq - m->sb.tail_seq > m->sb.geo.log_blocks / 2)
		fc_ckpt_begin(c);
	if (m->ckpt.next != FC_META_IDLE && !fc_ckpt_step(c))
		queue_work(m->wq, &m->work);
}

static void meta_work(struct work_struct *work)
{
	struct fc_cache *c = container_of(work, struct fc_cache, meta.work);
	struct fc_meta *m = &c->meta;
	struct bio_list flushes;
	u64 ticket;
	int r;

	while (take_wishes(m, &flushes, &ticket)) {
		r = fc_commit(c, !bio_list_empty(&flushes), ticket != m->free_done);
		if (ticket != m->free_done) {
			WRITE_ONCE(m->free_done, ticket);
			wake_up_all(&m->freed);
		}
		end_flushes(&flushes, r);
		step_checkpoint(c);
	}
	step_checkpoint(c);
}

static void set_committing(struct fc_cache *c, bool committing)
{
	struct fc_meta *m = &c->meta;

	spin_lock_irq(&m->lock);
	m->committing = committing;
	spin_unlock_irq(&m->lock);
}

static void timer_work(struct work_struct *work)
{
	struct fc_cache *c = container_of(work, struct fc_cache, meta.timer.work);

	set_committing(c, true);
	fc_commit(c, false, true);
	set_committing(c, false);
	step_checkpoint(c);
}

/**
 * fc_meta_quiesce() - end the worker's work
 * @c: cache, with no request in flight and no cleaner
 *
 * Context: process, sleeps.
 */
void fc_meta_quiesce(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;

	cancel_delayed_work_sync(&m->timer);
	flush_work(&m->work);
	cancel_work_sync(&m->work);
}

/*
 * The superblock that says "orderly" may be on flash although its write failed. It takes a later one
 * to unsay that, in both copies, so that damage to one does not bring it back. If that cannot be had
 * the disk must stay as "orderly" describes it.
 */
static void take_back_orderly(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;

	m->sb.state = FCD_STATE_RUNNING;
	if (fc_super_write(c) || fc_super_write(c))
		WRITE_ONCE(m->sealed, true);
}

/**
 * fc_meta_stop() - write everything down, so that the next load finds the cache as it is now
 * @c: cache after fc_meta_quiesce()
 *
 * Ends with a durable superblock that says "orderly".
 *
 * Context: process, sleeps. Return: 0 or -EIO.
 */
int fc_meta_stop(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	int r;

	r = fc_commit(c, true, true);
	if (!r)
		r = fc_ckpt_finish(c);
	if (r)
		return r;
	fc_ckpt_begin(c);
	r = fc_ckpt_finish(c);
	if (!r)
		r = fc_super_print_disk(c, &m->sb.disk_print);
	if (r)
		return r;
	m->sb.flags |= FCD_SUPER_FINGERPRINT;
	m->sb.state = FCD_STATE_ORDERLY;
	r = fc_super_write(c);
	if (r)
		take_back_orderly(c);
	return r;
}

/**
 * fc_meta_write() - write metadata
 * @c: cache
 * @flags: REQ_* flags
 * @sector: place on the flash
 * @buf: from vmalloc()
 * @blocks: 4 KiB blocks
 *
 * A failure ends the ledger: what is dirty stays where it is, and nothing can become durable any
 * more.
 *
 * The flush of REQ_PREFLUSH goes by itself. Together with the write device-mapper would take it
 * apart, if flash is one of its devices, and write in spite of a flush that failed.
 *
 * Context: process, sleeps. Return: 0 or -EIO.
 */
int fc_meta_write(struct fc_cache *c, fc_opf_t flags, sector_t sector, void *buf, u32 blocks)
{
	int r = 0;

	fc_count_by(c, md_bytes, blocks * FCD_BLOCK_SIZE);
	if (flags & REQ_PREFLUSH)
		r = fc_submit_flush(c, FC_SSD_DEV);
	flags &= ~REQ_PREFLUSH;
	if (!r)
		r = fc_submit_sync(c, FC_SSD_DEV, REQ_OP_WRITE | flags, sector, buf,
				   blocks * FCD_BLOCK_SECTORS);
	if (r) {
		c->meta.failed = true;
		fc_health_lower(c, FC_HEALTH_FAILED, "metadata could not be written");
	}
	return r;
}

/* --- beginning and end ------------------------------------------------------------------------ */

int fc_meta_init(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;

	spin_lock_init(&m->lock);
	bio_list_init(&m->flushes);
	init_waitqueue_head(&m->freed);
	INIT_WORK(&m->work, meta_work);
	INIT_DELAYED_WORK(&m->timer, timer_work);
	m->ckpt.next = FC_META_IDLE;
	m->wq = alloc_ordered_workqueue("flashcache_md", WQ_MEM_RECLAIM);
	m->recs = fc_vmalloc(FC_META_RECS * sizeof(*m->recs));
	m->buf = fc_vmalloc(FC_META_BUF);
	return m->wq && m->recs && m->buf ? 0 : -ENOMEM;
}

void fc_meta_exit(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;

	if (m->wq) {
		fc_meta_quiesce(c);
		destroy_workqueue(m->wq);
	}
	vfree(m->recs);
	vfree(m->buf);
	vfree(m->crc);
	vfree(m->newest);
}
