/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: A small core and its superblock, for the fuzzers of table and log, and what its slots should
 * hold after the load.
 */
#ifndef FC_FUZZ_RIG_H
#define FC_FUZZ_RIG_H

#include "fuzz.h"
#include "ledger.h"

#define RIG_SLOTS	2048u	/* at most */

/**
 * struct rig - what is loaded into
 * @sb: superblock with the geometry
 * @core: core with its sets
 * @orderly: clean units count
 * @want: what each slot should hold; @valid 0: nothing
 */
struct rig {
	struct fc_super sb;
	struct fc_core core;
	bool orderly;
	struct fc_entry want[RIG_SLOTS];
};

/* The rig that the front of the input asks for; there is one at a time. */
struct rig *rig_new(struct fuzz_in *in);

void rig_load(struct rig *rig, struct fc_slotno slot, const struct fc_entry *entry);
void rig_replay(struct rig *rig, const struct fc_record *rec);

/* A core as fc_ledger_load_block() finds it, with sets of its own; there is one at a time. */
struct fc_core *rig_zeroed(const struct rig *rig);

bool rig_has_double(const struct rig *rig);

/* fc_ledger_settle() of all sets. */
bool rig_put_together(struct fc_core *core);

/* Puts the sets together and checks them. Return: false when two slots claim the same block. */
bool rig_settle(struct rig *rig);

/* Lets the rest of the input read and write there. */
void rig_use(struct rig *rig, struct fuzz_in *in);

#endif /* FC_FUZZ_RIG_H */
