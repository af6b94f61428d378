// SPDX-License-Identifier: GPL-2.0
/*
 * Messages: settings and orders at run time, each a word and a value, and the lists of processes. The
 * words are those of the original.
 */
#include "dm/dm.h"
#include "dm/knob.h"

static int set_mode(struct fc_cache *c, const char *value)
{
	int mode = fc_mode_find(value);

	if (mode < 0)
		return -EINVAL;
	mutex_lock(&c->life);
	fc_cache_set_mode(c, mode);
	mutex_unlock(&c->life);
	return 0;
}

static int obey(struct fc_cache *c, unsigned int argc, char **argv)
{
	int which = fc_knob_find(argv[0]);
	int r = fc_gate_message(c, argc, argv);

	if (r != -ENOENT)
		return r;
	if (argc != 2)
		return -EINVAL;
	if (!strcmp(argv[0], "cache_mode"))
		return set_mode(c, argv[1]);
	return which < 0 ? -EINVAL : fc_knob_set(c, which, argv[1]);
}

/**
 * fc_message() - obey a message
 * @c: cache
 * @argc: number of words
 * @argv: words
 *
 * Context: process, sleeps. Return: 0, -EINVAL or -ENOMEM; nothing is changed then.
 */
int fc_message(struct fc_cache *c, unsigned int argc, char **argv)
{
	int r = obey(c, argc, argv);

	if (r == -EINVAL)
		DMWARN_LIMIT("%s: message not understood: %s %s: see the user guide for words and ranges",
			     c->cfg.name, argv[0], argc > 1 ? argv[1] : "");
	return r;
}
