/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the unit tests share: small cores, a check of all that must hold of a set, short ways to
 * ask.
 */
#ifndef FC_UNIT_FIXTURE_H
#define FC_UNIT_FIXTURE_H

#include "clean.h"
#include "desk.h"
#include "flashcache/uapi.h"
#include "harness.h"
#include "ledger.h"

/**
 * struct fix - what core to make
 * @block_sectors: as in struct fc_geo
 * @assoc: a power of two from 16 on; the real limits do not count here
 * @nr_sets: sets
 * @cluster_blocks: a power of two
 * @disk_sectors: size of the disk
 * @mode: enum fc_mode
 * @policy: enum fc_policy
 */
struct fix {
	u32 block_sectors;
	u32 assoc;
	u32 nr_sets;
	u32 cluster_blocks;
	sector_t disk_sectors;
	u8 mode;
	u8 policy;
};

struct fc_core *fix_core(const struct fix *fix);
void fix_free(struct fc_core *core);
struct fc_set *fix_set(const struct fc_core *core, sector_t sector);
struct fc_ask fix_ask(const struct fc_core *core, sector_t sector, u32 nr);
u16 fix_find(const struct fc_core *core, u64 block);
struct fc_slot *fix_slot(const struct fc_core *core, u64 block);
bool fix_pend(const struct fc_core *core, u64 block, enum fc_pend kind);

/* Brings a block in, all of it valid and clean. */
u16 fix_fill(struct fc_core *core, u64 block);
/* Writes sectors of one block in place (write-back) and ends it well. */
void fix_dirty(struct fc_core *core, sector_t sector, u32 nr);
/* Gathers and commits all that any set has pending. */
void fix_commit(struct fc_core *core);

void fc_check_set(const struct fc_core *core, struct fc_set *set);
void fc_check_idle(const struct fc_core *core, struct fc_set *set);
void fc_check_core(const struct fc_core *core);
void fc_check_same(const struct fc_core *a, const struct fc_core *b);

#endif /* FC_UNIT_FIXTURE_H */
