/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Run-time settings (FC_TUNABLES) by name or number, and the words for modes and policies.
 */
#ifndef FC_DM_TUNABLE_H
#define FC_DM_TUNABLE_H

#include "cache.h"

int fc_tunable_find(const char *name);
u32 *fc_tunable_at(struct fc_tunables *tune, unsigned int which);
const char *fc_tunable_name(unsigned int which);
bool fc_tunable_set(struct fc_tunables *tune, unsigned int which, const char *value);
void fc_tunables_default(struct fc_tunables *tune);
void fc_tunables_take(struct fc_tunables *tune, struct fc_super *sb, unsigned long but);
void fc_tunables_keep(struct fc_tunables *tune, struct fc_super *sb);

int fc_mode_find(const char *name);
const char *fc_mode_name(unsigned int mode);
const char *fc_policy_name(unsigned int policy);
int fc_policy_find(const char *name);

#endif /* FC_DM_TUNABLE_H */
