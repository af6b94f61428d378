/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: A user's request on its way through the cache.
 *
 * The state of a request lies in the space that device-mapper keeps with each bio, so that no
 * request ever waits for memory. A request is worked off in pieces: the part that the desk treats
 * alike. When a bio is mapped the rest of it is handed back to device-mapper at once, so one piece
 * is all there is; only a request that had to wait may find that it now needs several, one after
 * the other.
 */
#ifndef FC_IO_REQUEST_H
#define FC_IO_REQUEST_H

#include "cache.h"

/* What the end of the bio that is on its way means. */
enum fc_step {
	FC_STEP_LANE_READ = FC_LANE_READ,	/* the fast lane, read */
	FC_STEP_LANE_WRITE = FC_LANE_WRITE,	/* ... write */
	FC_STEP_NONE,		/* nothing: hand the result up */
	FC_STEP_READ,		/* FC_HIT, read */
	FC_STEP_WRITE,		/* FC_HIT, write */
	FC_STEP_DISK,		/* FC_DISK */
	FC_STEP_AROUND,		/* FC_AROUND */
	FC_STEP_FLUSH,		/* a FLUSH of the flash */
	FC_STEP_DISCARD,	/* a discard that was passed down */
	FC_STEP_DISCARDED,	/* ... and has come back */
};

#define FC_REQ_FUA	(1u << 0)	/* to be durable before it ends */
#define FC_REQ_PASS	(1u << 1)	/* must not bring anything into the cache */
#define FC_REQ_FETCH	(1u << 2)	/* holds the claim of an FC_FETCH plan */
#define FC_REQ_TIMED	(1u << 3)	/* its @began is set */

/**
 * struct fc_req - a request; lies beside its bio
 * @c: cache
 * @set: set of the current piece
 * @set_index: its number
 * @began: fc_hist_clock() when it arrived
 * @next: next one parked on the same set, under its lock
 * @again: place on the cache's list of requests that ask again
 * @iter: what is left of the request, in sectors of the target; includes the current piece
 * @next_block: discard: the block to be dropped next
 * @status: how it ended
 * @step: enum fc_step
 * @flags: FC_REQ_*
 * @plan: of the current piece
 */
struct fc_req {
	struct fc_cache *c;
	struct fc_set *set;
	u32 set_index;
	u32 began;
	union {
		struct fc_req *next;
		struct llist_node again;
	};
	union {
		struct bvec_iter iter;
		struct fc_oblock next_block;
	};
	blk_status_t status;
	u8 step;
	u8 flags;
	struct fc_plan plan;
};

static inline struct fc_req *fc_req_of(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct fc_req));
}

static inline struct bio *fc_req_bio(struct fc_req *req)
{
	return dm_bio_from_per_bio_data(req, sizeof(struct fc_req));
}

/* Notes that a device took a write, without dirtying the cache line each time. */
static inline void fc_note_unflushed(bool *flag)
{
	if (!READ_ONCE(*flag))
		WRITE_ONCE(*flag, true);
}

/* lane.c */
int fc_request_map(struct fc_cache *c, struct bio *bio);
int fc_request_end_io(struct fc_cache *c, struct bio *bio, blk_status_t *error);

/* request.c */
int fc_request_map_other(struct fc_cache *c, struct fc_req *req, struct bio *bio);
int fc_request_end_other(struct fc_req *req, blk_status_t error);
void fc_request_piece_done(struct fc_req *req, blk_status_t status);
void fc_request_finish(struct fc_req *req, blk_status_t status);
void fc_request_again_work(struct work_struct *work);

/* hit.c */
void fc_req_ask(const struct fc_req *req, const struct bio *bio, const struct bvec_iter *left,
		struct fc_ask *ask);
void fc_count_read(struct fc_cache *c, const struct fc_plan *plan);
void fc_count_write(struct fc_cache *c, const struct fc_plan *plan);
bool fc_hit_read_done(struct fc_cache *c, struct fc_set *set, const struct fc_plan *plan,
		      blk_status_t status);
void fc_hit_write_done(struct fc_cache *c, struct fc_set *set, struct fc_plan *plan,
		       blk_status_t status);

/* fan.c */
bool fc_fan_out(struct fc_req *req, struct bio *bio);
int fc_fan_module_init(void);
void fc_fan_module_exit(void);

/* wait.c */
void fc_wait_park(struct fc_set *set, struct fc_req *req);
void fc_wait_wake(struct fc_cache *c, struct fc_set *set);
void fc_wait_defer(struct fc_req *req);
void fc_wait_unlock(struct fc_cache *c, struct fc_set *set, unsigned long flags, unsigned int done)
	__releases(&set->lock);

/* run.c */
int fc_run_init(struct fc_cache *c);
void fc_run_exit(struct fc_cache *c);
void fc_run_wait(struct fc_cache *c);
bool fc_run_fill(struct fc_req *req, struct bio *bio);
void fc_run_fetch(struct fc_req *req);
bool fc_run_both(struct fc_req *req, struct bio *bio);
int fc_run_module_init(void);
void fc_run_module_exit(void);

/* discard.c */
void fc_discard_start(struct fc_cache *c, struct bio *bio);
void fc_discard_end_io(struct fc_req *req, blk_status_t status);
void fc_discard_work(struct work_struct *work);

#endif /* FC_IO_REQUEST_H */
