/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The ledger: what is recorded of the slots, and how it is read back.
 *
 * A snapshot must not be taken between gathering records and telling that they are committed: a
 * record in flight that frees a slot would wipe out the mark that the snapshot has set. One worker
 * does both.
 *
 * Records and table entries state what a slot is, not how it came to be so; later ones replace
 * earlier ones. docs/crash-consistency.md gives the order of writes around them.
 */
#ifndef FC_CORE_LEDGER_H
#define FC_CORE_LEDGER_H

#include "format.h"
#include "state.h"

/**
 * struct fc_gather - records on their way into a commit
 * @recs: filled
 * @max: room in @recs
 * @nr: records so far
 * @removes: some record takes dirty units back: the disk must be flushed before it is written
 */
struct fc_gather {
	struct fc_record *recs;
	u32 max;
	u32 nr;
	bool removes;
};

bool fc_ledger_gather(const struct fc_core *core, struct fc_set *set, enum fc_pend kind,
		      struct fc_gather *to);
bool fc_ledger_committed(const struct fc_core *core, struct fc_set *set,
			 const struct fc_record *rec);
void fc_ledger_undo(const struct fc_core *core, struct fc_set *set, const struct fc_record *rec,
		    unsigned int *done);
void fc_ledger_snapshot(struct fc_set *set, u16 way, struct fc_entry *entry);

/* ledger_load.c. Nobody else knows the sets yet, no lock is needed. */
#define FC_LEDGER_DOUBLE	"two slots claim the same block"

void fc_ledger_load(const struct fc_core *core, struct fc_slotno slot,
		    const struct fc_entry *entry, bool orderly);
const char *fc_ledger_load_block(const struct fc_core *core, const void *block, u64 index,
				 bool orderly);
void fc_ledger_replay(const struct fc_core *core, const struct fc_record *rec);
bool fc_ledger_settle(const struct fc_core *core, struct fc_set *set);

#endif /* FC_CORE_LEDGER_H */
