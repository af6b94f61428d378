/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model test's world: what test_model.c and the model_*.c files share.
 */
#ifndef FC_UNIT_MODEL_H
#define FC_UNIT_MODEL_H

#include "fixture.h"

#define MAX_OPS		20
#define MAX_JOBS	64
#define MAX_IOS		192
#define MAX_SECTORS	2048	/* of an I/O */
#define MAX_SETS	2
#define MAX_HISTORY	96	/* writes to a sector that may still be read */
#define MAX_RECS	24
#define MAX_ITEMS	6
#define MAX_LOG		20000	/* records */
#define FOREVER		(~0ull)
#define NO_SLOT		(~0u)

enum op_kind { OP_READ, OP_WRITE, OP_DISCARD };
enum op_state { OP_NONE, OP_READY, OP_BUSY, OP_PARKED };
enum job_kind { JOB_PLAN, JOB_CLEAN, JOB_DISCARD };

struct job;

/* A request of the user. */
struct op {
	enum op_state state;
	enum op_kind kind;
	sector_t sector;
	u32 nr;
	u32 done;		/* sectors dealt with */
	u32 version;
	u64 start;
	u32 set;		/* parked here */
	bool admit;
	bool fua;
	bool must_commit;	/* FUA: the ledger has to record it before the end */
	u64 ready;		/* FUA: it waits for a commit that begins after this */
	bool failed;
	u32 got[MAX_SECTORS];
};

/* An I/O: some sectors of one device, each of which happens at a moment of its own. */
struct io {
	bool used;
	bool flash;
	bool write;
	bool fail;
	struct job *job;
	u32 nr;
	u32 left;
	u32 addr[MAX_SECTORS];
	u32 val[MAX_SECTORS];
	bool done[MAX_SECTORS];
};

/* A plan, a cleaning or the disk's part of a discard, until the core is told its result. */
struct job {
	bool used;
	enum job_kind kind;
	bool write;
	struct op *op;		/* NULL once answered */
	struct fc_set *set;
	struct fc_plan plan;
	u32 stage;
	u32 ios;
	bool ok;
	struct fc_clean_item item;
	u16 units;
	u32 data[MAX_SECTORS];
};

struct write {
	u32 version;
	bool failed;
	bool fua;
	u64 start;
	u64 end;
};

/* What may be read from a sector. */
struct sector {
	struct write writes[MAX_HISTORY];
	u32 nr;
	u32 active;		/* writes in flight */
	u64 changed;		/* when one began or ended last */
	u32 discarding;		/* discards in flight */
	u64 discarded;		/* when one ended last */
	u64 vague;		/* one failed: until here, when a later write ended */
	bool settled;		/* @value was read and nobody has written since */
	u32 value;
};

struct world {
	struct fix fix;
	struct fc_core *core;
	u32 error_pct;
	bool draining;
	u64 now;
	u32 next_version;
	u32 nr_disk;
	u32 nr_flash;
	u32 *disk, *flash;			/* as the devices read now */
	u32 *disk_stable, *flash_stable;	/* as they come back after a power cut at the worst */
	struct sector *sectors;
	struct op ops[MAX_OPS];
	struct job jobs[MAX_JOBS];
	struct io ios[MAX_IOS];
	struct fc_record *durable;		/* by slot: what a load would make of it now */
	struct fc_entry *table, *next_table;	/* the one that counts, and that of a checkpoint */
	struct fc_record *log;			/* since the table */
	u32 nr_log;
	u32 ckpt_slot;				/* next one to look at, or NO_SLOT */
	u32 ckpt_tail;				/* log records that it makes needless */
	bool ckpt_stale;			/* the set that it is at was so */
	bool want_clean[MAX_SETS];
	struct fc_clean_item items[MAX_ITEMS];	/* picked, not begun */
	u32 nr_items;
	bool committing;
	bool commit_all;
	bool disk_wrote;			/* since its last flush */
	u64 commit_start;
	struct fc_record recs[MAX_RECS * 64];
	u32 nr_recs;
	bool flush_disk;			/* before the records */
	u64 flushed;				/* all that ended before this is durable */
	u64 steps, reads, hits, lanes, pasts, fills, cleans, commits, waits, cuts, bothes, arounds;
	u64 fetches;
};

extern struct world *w;

/* model_judge.c */
void model_trace(sector_t sector, u32 nr, const char *what, u32 number);
u32 model_block_sectors(void);
void model_note_start(const struct op *op);
void model_note_end(const struct op *op);
void model_judge(u32 sector, u32 value, u64 start, bool cut, const char *what);
u32 model_slot_index(const struct fc_set *set, u16 way);
void model_check(struct fc_set *set);

/* model_plan.c */
void model_op_end(struct op *op);
void model_wake(u32 set);
void model_obey(struct fc_set *set, unsigned int done);
struct job *model_new_job(enum job_kind kind, struct op *op, struct fc_set *set);
u32 model_jobs_used(void);
u32 model_flash_addr(const struct fc_set *set, u16 way, u32 within);
void model_ask_core(struct op *op);
void model_plan_step(struct job *job, const struct io *io);

/* model_lane.c */
void model_lane_ask(struct fc_set *set, const struct fc_ask *ask, bool write);
void model_lane_compare(const struct fc_set *set, const struct fc_plan *plan, u32 nr, bool write);

/* model_io.c */
struct io *model_new_io(struct job *job, bool flash, bool write);
void model_add_sector(struct io *io, u32 addr, u32 val);
void model_flush_device(bool flash);
bool model_pick(u32 index, bool waiting);
void model_begin_one(void);
void model_ask_discard(struct op *op);
bool model_io_step(void);

/* model_ledger.c */
void model_checkpoint_step(u32 slots);
void model_commit_begin(bool all, bool removals);
void model_commit_end(void);
u32 model_value_of(u32 sector);
void model_cut(void);
void model_restart(void);

#endif /* FC_UNIT_MODEL_H */
