// SPDX-License-Identifier: GPL-2.0
/*
 * Run-time settings by name, with their limits; shared by table and messages.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "dm/dm.h"

struct tunable {
	const char *name;
	size_t offset;
	u32 standard;
	u32 least;
	u32 most;
};

#define TUNABLE(n, s, l, m) \
	{ .name = #n, .offset = offsetof(struct fc_tunables, n), .standard = s, .least = l, .most = m },
static const struct tunable tunables[] = { FC_TUNABLES(TUNABLE) };

static const char * const modes[] = FC_MODE_NAMES;
static const char * const policies[] = FC_POLICY_NAMES;

/** fc_tunable_at() - where a setting is kept */
u32 *fc_tunable_at(struct fc_tunables *tune, unsigned int which)
{
	return (u32 *)((char *)tune + tunables[which].offset);
}

/** fc_tunable_name() - name of a setting */
const char *fc_tunable_name(unsigned int which)
{
	return tunables[which].name;
}

/** fc_tunables_default() - standard values */
void fc_tunables_default(struct fc_tunables *tune)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		*fc_tunable_at(tune, i) = tunables[i].standard;
}

/**
 * fc_tunable_find() - a setting by its name
 * @name: name
 *
 * Return: its number, or -1.
 */
int fc_tunable_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		if (!strcmp(name, tunables[i].name))
			return i;
	return -1;
}

/**
 * fc_tunable_set() - change a setting
 * @tune: settings
 * @which: number
 * @value: as typed
 *
 * Return: false when @value is no number or out of range; nothing is changed then.
 */
bool fc_tunable_set(struct fc_tunables *tune, unsigned int which, const char *value)
{
	const struct tunable *t = &tunables[which];
	u32 n;

	if (kstrtou32(value, 10, &n) || n < t->least || n > t->most)
		return false;
	WRITE_ONCE(*fc_tunable_at(tune, which), n);
	return true;
}

static int find(const char * const *names, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (names[i] && !strcmp(name, names[i]))
			return i;
	return -1;
}

/** fc_mode_find() - enum fc_mode of a word, or -1 */
int fc_mode_find(const char *name)
{
	return find(modes, ARRAY_SIZE(modes), name);
}

/** fc_mode_name() - word for a mode */
const char *fc_mode_name(unsigned int mode)
{
	return modes[mode];
}

/** fc_policy_find() - enum fc_policy of a word, or -1 */
int fc_policy_find(const char *name)
{
	return find(policies, ARRAY_SIZE(policies), name);
}

/** fc_policy_name() - word for a policy */
const char *fc_policy_name(unsigned int policy)
{
	return policies[policy];
}
