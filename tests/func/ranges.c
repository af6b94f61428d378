// SPDX-License-Identifier: GPL-2.0
/* Ranges in flight: few, so a list that is searched from end to end. */
#include <stdlib.h>

#include "device.h"
#include "ranges.h"

void ranges_init(struct ranges *rs, unsigned int nr, int overlap_reads)
{
	pthread_mutex_init(&rs->lock, NULL);
	rs->overlap_reads = overlap_reads;
	rs->nr = nr;
	rs->slots = calloc(nr, sizeof(*rs->slots));
	if (!rs->slots)
		die(EXIT_USAGE, "no memory for %u ranges", nr);
}

void ranges_exit(struct ranges *rs)
{
	free(rs->slots);
}

static int uses_conflict(const struct ranges *rs, enum range_use a, enum range_use b)
{
	if (a == RANGE_READ && b == RANGE_READ)
		return 0;
	if (a == RANGE_DISCARD || b == RANGE_DISCARD)
		return 1;
	return !(rs->overlap_reads && (a == RANGE_READ || b == RANGE_READ));
}

static int is_free(const struct ranges *rs, enum range_use use, uint64_t first, uint64_t end)
{
	const struct range *r;

	for (r = rs->slots; r < rs->slots + rs->nr; r++) {
		if (r->first < end && first < r->end && uses_conflict(rs, use, r->use))
			return 0;
	}
	return 1;
}

int range_try(struct ranges *rs, unsigned int slot, enum range_use use, uint64_t first,
	      uint64_t nr)
{
	int taken;

	pthread_mutex_lock(&rs->lock);
	taken = is_free(rs, use, first, first + nr);
	if (taken)
		rs->slots[slot] = (struct range){ .use = use, .first = first, .end = first + nr };
	pthread_mutex_unlock(&rs->lock);
	return taken;
}

void range_release(struct ranges *rs, unsigned int slot)
{
	pthread_mutex_lock(&rs->lock);
	rs->slots[slot] = (struct range){ .first = 0, .end = 0 };
	pthread_mutex_unlock(&rs->lock);
}
