/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The simulator's device-mapper: one device, with one target that covers it.
 */
#ifndef SIM_DM_H
#define SIM_DM_H

#include <linux/device-mapper.h>

struct call;

/**
 * struct sim_dm - a mapped device
 * @ti: its target
 * @table: for the target
 * @md: for the target
 * @devs: its devices
 * @bdevs: for @devs
 * @built: the target's constructor has succeeded
 */
struct sim_dm {
	struct dm_target ti;
	struct dm_table table;
	struct mapped_device md;
	struct dm_dev devs[2];
	struct block_device bdevs[2];
	bool built;
};

/**
 * struct call - a request of a user
 * @dm: device
 * @opf: operation and flags
 * @iter: what has not been mapped yet
 * @vec: memory
 * @left: clones in flight, and one while there is something to be mapped
 * @status: how it ended
 * @done: called at the end, in a task
 * @owner: for @done
 */
struct call {
	struct sim_dm *dm;
	blk_opf_t opf;
	struct bvec_iter iter;
	struct bio_vec *vec;
	u32 left;
	blk_status_t status;
	void (*done)(struct call *call);
	void *owner;
};

/* All of them want to be called in a task. */
int dm_build(struct sim_dm *dm, sector_t len, char **words, u32 nr_words);
void dm_destroy(struct sim_dm *dm);
int dm_resume(struct sim_dm *dm);
void dm_presuspend(struct sim_dm *dm, bool removing);
void dm_postsuspend(struct sim_dm *dm);
int dm_message(struct sim_dm *dm, const char *word, const char *value);
void dm_status(struct sim_dm *dm, char *result, u32 room);
void dm_submit(struct call *call);

#endif /* SIM_DM_H */
