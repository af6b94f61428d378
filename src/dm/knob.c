// SPDX-License-Identifier: GPL-2.0
/*
 * Knobs by number: the settings first, then the orders.
 */
#include "dm/knob.h"
#include "dm/tunable.h"

#define ORDER_NAME(name, help) #name,
static const char * const orders[] = { FC_ORDERS(ORDER_NAME) };

/** fc_knob_name() - the word for a knob */
const char *fc_knob_name(unsigned int which)
{
	return which < FC_NR_TUNABLES ? fc_tunable_name(which) : orders[which - FC_NR_TUNABLES];
}

/**
 * fc_knob_find() - a knob by its name
 * @name: name
 *
 * Return: its number, or -1.
 */
int fc_knob_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < FC_NR_KNOBS; i++)
		if (!strcmp(name, fc_knob_name(i)))
			return i;
	return -1;
}

/**
 * fc_knob_get() - what a knob shows
 * @c: cache
 * @which: number
 */
u32 fc_knob_get(struct fc_cache *c, unsigned int which)
{
	switch (which) {
	case FC_NR_TUNABLES + FC_ORDER_do_sync:
		return READ_ONCE(c->clean.all);
	case FC_NR_TUNABLES + FC_ORDER_stop_sync:
		return READ_ONCE(c->sync_stopped);
	case FC_NR_TUNABLES + FC_ORDER_zero_stats:
		return 0;
	default:
		return READ_ONCE(*fc_tunable_at(&c->tune, which));
	}
}

static int set_tunable(struct fc_cache *c, unsigned int which, const char *value)
{
	if (!fc_tunable_set(&c->tune, which, value))
		return -EINVAL;
	fc_cache_tune(c);
	if (which == FC_TUNED_io_latency_hist)
		fc_hist_zero_latency(c);
	if (c->loaded)
		fc_cleaner_kick(c);
	return 0;
}

static void sync_all(struct fc_cache *c, bool on)
{
	WRITE_ONCE(c->sync_stopped, !on);
	if (!on || c->loaded)
		fc_cleaner_all(c, on);
}

/* Orders take 1; 0 is accepted and does nothing, since the original's scripts reset them so. */
static int give_order(struct fc_cache *c, enum fc_order order, const char *value)
{
	bool on;

	if (kstrtobool(value, &on))
		return -EINVAL;
	if (order == FC_ORDER_stop_sync && !on)
		WRITE_ONCE(c->sync_stopped, false);
	if (!on)
		return 0;
	if (order != FC_ORDER_zero_stats) {
		sync_all(c, order == FC_ORDER_do_sync);
		return 0;
	}
	fc_stats_zero(c);
	fc_hist_zero(c);
	return 0;
}

/**
 * fc_knob_set() - turn a knob
 * @c: cache
 * @which: number
 * @value: as typed
 *
 * Context: process, sleeps. Return: 0, or -EINVAL when @value is no number or out of range; nothing
 * is changed then.
 */
int fc_knob_set(struct fc_cache *c, unsigned int which, const char *value)
{
	int r;

	mutex_lock(&c->life);
	if (which < FC_NR_TUNABLES)
		r = set_tunable(c, which, value);
	else
		r = give_order(c, which - FC_NR_TUNABLES, value);
	mutex_unlock(&c->life);
	return r;
}
