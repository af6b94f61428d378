// SPDX-License-Identifier: GPL-2.0
/*
 * Messages: settings and orders at run time. Each is a word and a value; the words are those of the
 * original's sysctls.
 */
#include "dm/dm.h"

static int set_mode(struct fc_cache *c, const char *value)
{
	int mode = fc_mode_find(value);

	if (mode < 0)
		return -EINVAL;
	fc_cache_set_mode(c, mode);
	return 0;
}

static int set_tunable(struct fc_cache *c, unsigned int which, const char *value)
{
	if (!fc_tunable_set(&c->tune, which, value))
		return -EINVAL;
	fc_cache_tune(c);
	if (c->loaded)
		fc_cleaner_kick(c);
	return 0;
}

/* Orders take 1; 0 is accepted and does nothing, since the original's scripts reset them so. */
static int give_order(struct fc_cache *c, const char *order, const char *value)
{
	bool on;

	if (kstrtobool(value, &on))
		return -EINVAL;
	if (!strcmp(order, "zero_stats")) {
		if (on)
			fc_stats_zero(c);
	} else if (!strcmp(order, "do_sync")) {
		if (on && c->loaded)
			fc_cleaner_all(c, true);
	} else if (!strcmp(order, "stop_sync")) {
		if (on)
			fc_cleaner_all(c, false);
	} else {
		return -EINVAL;
	}
	return 0;
}

static int obey(struct fc_cache *c, const char *key, const char *value)
{
	int which = fc_tunable_find(key);

	if (!strcmp(key, "cache_mode"))
		return set_mode(c, value);
	if (which >= 0)
		return set_tunable(c, which, value);
	return give_order(c, key, value);
}

/**
 * fc_message() - obey a message
 * @c: cache
 * @argc: number of words
 * @argv: words
 *
 * Context: process, sleeps. Return: 0 or -EINVAL; nothing is changed then.
 */
int fc_message(struct fc_cache *c, unsigned int argc, char **argv)
{
	int r = -EINVAL;

	if (argc == 2) {
		mutex_lock(&c->life);
		r = obey(c, argv[0], argv[1]);
		mutex_unlock(&c->life);
	}
	if (r)
		DMWARN_LIMIT("%s: message not understood: %s %s: see the user guide for words and ranges",
			     c->cfg.name, argv[0], argc > 1 ? argv[1] : "");
	return r;
}
