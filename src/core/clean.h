/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What to clean, and what cleaning means for a slot.
 */
#ifndef FC_CORE_CLEAN_H
#define FC_CORE_CLEAN_H

#include "state.h"

/**
 * struct fc_clean_item - a slot that may be cleaned
 * @b: block it holds
 * @slot: the slot
 */
struct fc_clean_item {
	struct fc_oblock b;
	struct fc_slotno slot;
};

u32 fc_clean_pick(const struct fc_core *core, const struct fc_set *set, u32 want,
		  struct fc_clean_item *items, u32 max);
u32 fc_clean_pick_waiting(const struct fc_core *core, const struct fc_set *set,
			  struct fc_clean_item *items, u32 max);
bool fc_clean_find(const struct fc_core *core, const struct fc_set *set, struct fc_oblock b,
		   struct fc_clean_item *item);
u16 fc_clean_begin(const struct fc_core *core, struct fc_set *set,
		   const struct fc_clean_item *item);
unsigned int fc_clean_end(const struct fc_core *core, struct fc_set *set,
			  const struct fc_clean_item *item, u16 units, bool ok);

#endif /* FC_CORE_CLEAN_H */
