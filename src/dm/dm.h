/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The door: what device-mapper calls, and what users type.
 */
#ifndef FC_DM_DM_H
#define FC_DM_DM_H

#include "cache.h"

#define DM_MSG_PREFIX "flashcache"

/* table.c */
int fc_table_parse(struct dm_target *ti, unsigned int argc, char **argv, struct fc_config *cfg);
void fc_table_print(struct fc_cache *c, char *result, unsigned int maxlen);

/* status.c */
void fc_status_print(struct fc_cache *c, char *result, unsigned int maxlen);

/* message.c */
int fc_message(struct fc_cache *c, unsigned int argc, char **argv);

/* tunable.c */
int fc_tunable_find(const char *name);
u32 *fc_tunable_at(struct fc_tunables *tune, unsigned int which);
const char *fc_tunable_name(unsigned int which);
bool fc_tunable_set(struct fc_tunables *tune, unsigned int which, const char *value);
void fc_tunables_default(struct fc_tunables *tune);
int fc_mode_find(const char *name);
const char *fc_mode_name(unsigned int mode);
const char *fc_policy_name(unsigned int policy);
int fc_policy_find(const char *name);

#endif /* FC_DM_DM_H */
