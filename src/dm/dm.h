/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The door: what device-mapper calls, and what users type.
 */
#ifndef FC_DM_DM_H
#define FC_DM_DM_H

#include "cache.h"
#include "dm/tunable.h"

#define DM_MSG_PREFIX "flashcache"

/* table.c */
int fc_table_parse(struct dm_target *ti, unsigned int argc, char **argv, struct fc_config *cfg);
void fc_table_print(struct fc_cache *c, char *result, unsigned int maxlen);

/* status.c */
void fc_status_print(struct fc_cache *c, char *result, unsigned int maxlen);

/* message.c */
int fc_message(struct fc_cache *c, unsigned int argc, char **argv);

#endif /* FC_DM_DM_H */
