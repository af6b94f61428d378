// SPDX-License-Identifier: GPL-2.0
/*
 * The working set of a trace: how many different blocks it touches.
 */
#include <stdlib.h>
#include "geometry.h"
#include "stop.h"
#include "tool.h"
#include "workset.h"

/**
 * struct numbers - a set of numbers, by open addressing
 * @at: numbers plus one, 0 where there is none
 * @room: places, a power of two
 * @nr: numbers in it
 */
struct numbers {
	u64 *at;
	u64 room;
	u64 nr;
};

static void put(struct numbers *n, u64 number)
{
	u64 i = fc_mix64(number) & (n->room - 1);

	while (n->at[i] && n->at[i] != number + 1)
		i = (i + 1) & (n->room - 1);
	n->nr += !n->at[i];
	n->at[i] = number + 1;
}

static bool grow(struct numbers *n)
{
	struct numbers more = { .room = n->room ? 2 * n->room : 1 << 16 };
	u64 i;

	more.at = calloc(more.room, sizeof(*more.at));
	if (!more.at)
		return false;
	for (i = 0; i < n->room; i++)
		if (n->at[i])
			put(&more, n->at[i] - 1);
	free(n->at);
	*n = more;
	return true;
}

static bool add(struct numbers *n, u64 number)
{
	if (2 * n->nr >= n->room && !grow(n))
		return false;
	put(n, number);
	return true;
}

static bool add_request(struct numbers *n, const struct trace_request *r, u32 block_sectors,
			struct workset *set)
{
	u64 block = r->sector / block_sectors;
	u64 last = (r->sector + r->nr - 1) / block_sectors;

	for (; block <= last; block++) {
		if (!add(n, block))
			return false;
		set->accesses++;
		set->reads += !r->write;
	}
	return true;
}

/**
 * workset_count() - count what a trace touches
 * @set: filled
 * @t: trace
 * @block_sectors: size of a block
 */
int workset_count(struct workset *set, const struct trace *t, u32 block_sectors)
{
	struct numbers numbers = { .room = 0 };
	int ret = 0;
	u64 i;

	memset(set, 0, sizeof(*set));
	for (i = 0; i < t->nr && !ret; i++) {
		if (!add_request(&numbers, &t->at[i], block_sectors, set))
			ret = fail("not enough memory for the working set");
		else if (stop_asked())
			ret = fail("stopped");
	}
	set->distinct = numbers.nr;
	free(numbers.at);
	return ret;
}
