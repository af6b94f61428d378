/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The simulator: what its files share.
 *
 * Words: a *run* is one life of a cache under one seed, with its users and now and then a power
 * cut that it has to go on from. A *state* is what a power cut at some step of a run would have left
 * on the devices; each is loaded by the module in a machine of its own and judged.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "cache.h"
#include "judge.h"
#include "kernel/dm.h"
#include "kernel/kernel.h"

/* What a run is about: nothing, commits and checkpoints, cleaning of full sets. */
enum shape_kind { SHAPE_ANY, SHAPE_PLAIN, SHAPE_LEDGER, SHAPE_CLEANING };

/**
 * struct options - from the command line
 * @seed: of all
 * @states: stop when so many states were judged
 * @first_run: number of the first run
 * @runs: stop after so many runs, 0 = no limit
 * @mode: enum fc_mode, 0 = any
 * @shape: what all runs are about, any without it
 * @step: judge only the states of this step, 0 = of all
 * @trace: tell what happens
 * @lies: LIE_* of the flash in the low byte, of the disk above it
 * @violations: stop after so many
 * @failures: every-k failures instead of runs
 * @failure: only this case of them
 */
struct options {
	u64 seed;
	u64 states;
	u64 first_run;
	u64 runs;
	u32 mode;
	enum shape_kind shape;
	u64 step;
	bool trace;
	u32 lies;
	u64 violations;
	bool failures;
	const char *failure;
};

/**
 * struct totals - what was done
 * @runs: runs
 * @states: power cuts judged
 * @again: of these, cuts of a recovery or of what follows it
 * @cleaned: recoveries after which everything was cleaned
 * @reread: recoveries after which all was read through the request path
 * @reloaded: orderly stops and reloads after a recovery
 * @lost: states in which a device had lost something
 * @cuts: power cuts that a run went on from
 * @stops: orderly stops of a run
 * @commits: of the ledger, in runs
 * @checkpoints: likewise
 * @evictions: blocks that had to make room, likewise
 * @ops: requests of users
 * @steps: steps of the scheduler
 * @failures: cases of a failing leg
 * @violations: found
 */
struct totals {
	u64 runs, states, again, cleaned, reread, reloaded, lost, cuts, stops, commits, checkpoints,
	    evictions, ops, steps, failures, violations;
};

extern struct options options;
extern struct totals totals;

/**
 * struct shape - what a run is like; all by its seed
 */
struct shape {
	u32 block;		/* sectors */
	u32 sets;
	u32 cluster;		/* blocks */
	u32 disk_sectors;
	u32 flash_sectors;
	u32 meta_sectors;
	u32 mode;
	u32 policy;
	u32 dirty_pct;
	u32 skip_seq_kb;
	u32 clean_ios;
	u32 fallow;
	u32 depth;		/* requests in flight at most */
	u32 ops;		/* requests to be sent */
	u32 prefill;		/* blocks written before anything is judged */
	u32 hot;		/* sectors that most requests go to */
	u32 read_pct, write_pct, flush_pct, discard_pct, fua_pct, control_pct;
	u32 largest;		/* sectors of a request */
	u32 fickle_pct;		/* writes whose memory changes in flight */
	u32 error_pct;
	u32 check;		/* one in so many changes of the devices is judged */
	bool discards;
	bool nowait;
	bool slow;		/* much is held back for long */
};

void shape_choose(struct shape *s, struct rng *rng);
void shape_print(const struct shape *s);

extern struct shape shape;

/**
 * struct box - a cache in a machine
 * @dm: the mapped device
 * @done: what was asked of it has been done
 * @result: with this result
 * @mode: of the table line
 * @persist: of the table line
 * @removing: the device is being removed, not suspended
 * @word: message
 * @value: its value
 */
struct box {
	struct sim_dm dm;
	bool done;
	int result;
	u32 mode;
	u32 persist;
	bool removing;
	const char *word;
	const char *value;
};

/* box.c: a cache is built, loaded, read, stopped */
bool box_do(struct box *box, void (*what)(void *box), void (*between)(void));
void box_build(void *box);
void box_load(void *box);
void box_presuspend(void *box);
void box_postsuspend(void *box);
void box_destroy(void *box);
void box_message(void *box);
bool box_idle(struct box *box, void (*between)(void));
void box_forget(struct box *box);
u32 box_value(const struct fc_cache *c, u32 sector);
void box_values(const struct fc_cache *c, u32 *values);
void box_check_rest(const struct fc_cache *c);

static inline struct fc_cache *box_cache(const struct box *box)
{
	return box->dm.ti.private;
}

/* crash.c */
void crash_check(u64 seed, bool creating);
void crash_cut(struct box *box, struct rng *rng);
void crash_recovered(const struct box *box);

/* users.c */
enum { USER_READ, USER_WRITE, USER_FLUSH, USER_DISCARD };

void users_begin(struct box *box, struct rng *rng);
bool users_issue(void);
void users_fidget(void);
void users_send(u32 kind, u32 sector, u32 nr, blk_opf_t flags);
u32 users_waiting(void);
u32 users_ended(void);
void users_forget(void);

/**
 * struct life - the run's cache and where it has come to
 * @box: the cache
 * @rng: decides what its users want and what befalls it
 * @seed: of the run
 * @step: number of the present step
 * @seen_changes: disk_changes at the last step
 * @seen_ended: users_ended() at the last step
 * @last_end: step at which a request ended last
 * @creating: there may be no cache yet
 * @retried: the last load failed at first
 * @mark: blobs from here on are the run's
 */
struct life {
	struct box box;
	struct rng rng;
	u64 seed;
	u64 step;
	u64 seen_changes;
	u32 seen_ended;
	u64 last_end;
	bool creating;
	bool retried;
	u32 mark;
};

extern struct life life;

/* life.c; false means that something was wrong and the machine is dead */
void life_begin(u64 seed);
void life_end(void);
void life_step(void);
bool life_settle(void);
bool life_rest(void);
void life_errors(bool on);
bool life_load(u32 mode, u32 persist);
bool life_message(const char *word, const char *value);
bool life_stop(bool removing, bool *orderly);
bool life_destroy(void);
bool life_reload(bool removing, bool same);
bool life_power_cut(void);

/* run.c */
void run_one(u64 index);

/**
 * struct plea - a request that got an error
 * @kind: USER_*
 * @sector: first sector
 * @nr: sectors
 * @durable: it wanted something to be durable
 * @since: I/Os of each leg that had failed when it was sent
 */
struct plea {
	u32 kind;
	u32 sector;
	u32 nr;
	bool durable;
	u64 since[2];
};

/* failures.c */
void failures_all(void);
bool failures_one(const char *words);
void failures_judge(const struct plea *plea);
void life_heal(void);

/* main.c */
extern bool sim_failed;
__printf(1, 2) void trace(const char *fmt, ...);

#endif /* SIM_SIM_H */
