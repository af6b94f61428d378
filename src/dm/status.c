// SPDX-License-Identifier: GPL-2.0
/*
 * The status line: words of the form key=value, in one line, all numbers 64 bits wide.
 */
#include "dm/dm.h"
#include "sys/window.h"

/**
 * fc_status_print() - print the status line
 * @c: cache
 * @result: buffer
 * @maxlen: its size
 *
 * Context: process, sleeps.
 */
void fc_status_print(struct fc_cache *c, char *result, unsigned int maxlen)
{
	const struct fc_geo *geo = &c->core.geo;
	char window[FC_WINDOW_NAME];
	unsigned int sz = 0, i;

	fc_window_name(c, window, sizeof(window));
	mutex_lock(&c->life);
	DMEMIT("health=%s mode=%s policy=%s window=%s", fc_health_name(c->health),
	       fc_mode_name(c->core.mode), fc_policy_name(c->tune.reclaim_policy), window);
	DMEMIT(" block_sectors=%u assoc=%u cluster_blocks=%u blocks=%llu", geo->block_sectors,
	       geo->assoc, 1u << geo->cluster_shift, geo->nr_slots);
	DMEMIT(" cached=%llu dirty=%llu memory_bytes=%llu", fc_cache_cached(c), fc_cache_dirty(c),
	       c->core.sets ? fc_geo_memory(geo) : 0);
	for (i = 0; i < FC_NR_STATS; i++)
		DMEMIT(" %s=%llu", fc_stats_name(i), fc_stats_sum(c, i));
	for (i = 0; i < FC_NR_TUNABLES; i++)
		DMEMIT(" %s=%u", fc_tunable_name(i), *fc_tunable_at(&c->tune, i));
	mutex_unlock(&c->life);
}
