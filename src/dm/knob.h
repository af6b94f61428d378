/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Knobs: settings and orders, for whoever turns them: messages and sysctls.
 */
#ifndef FC_DM_KNOB_H
#define FC_DM_KNOB_H

#include "cache.h"

#define FC_ORDER_ENUM(name, help) FC_ORDER_##name,
enum fc_order { FC_ORDERS(FC_ORDER_ENUM) FC_NR_ORDERS };

#undef FC_ORDER_ENUM

#define FC_NR_KNOBS (FC_NR_TUNABLES + FC_NR_ORDERS)

const char *fc_knob_name(unsigned int which);
u32 fc_knob_get(struct fc_cache *c, unsigned int which);
int fc_knob_set(struct fc_cache *c, unsigned int which, const char *value);
int fc_knob_find(const char *name);

#endif /* FC_DM_KNOB_H */
