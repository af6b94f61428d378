// SPDX-License-Identifier: GPL-2.0
/*
 * Run-time settings by name, with their limits and their places in the superblock; shared by table,
 * messages and sysctls.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "dm/tunable.h"

struct tunable {
	const char *name;
	size_t offset;
	u32 standard;
	u32 least;
	u32 most;
	int kept;
};

#define TUNABLE(n, s, l, m, k, help) \
	{ .name = #n, .offset = offsetof(struct fc_tunables, n), \
	  .standard = s, .least = l, .most = m, .kept = k },
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

/* The settings that have fields of their own in the superblock. */
static u32 *own_field(struct fc_super *sb, unsigned int which)
{
	switch (which) {
	case FC_TUNED_reclaim_policy:
		return &sb->policy;
	case FC_TUNED_dirty_thresh_pct:
		return &sb->dirty_thresh_pct;
	case FC_TUNED_skip_seq_thresh_kb:
		return &sb->skip_seq_thresh_kb;
	default:
		return &sb->fallow_delay;
	}
}

static u32 kept_value(struct fc_super *sb, unsigned int which)
{
	const struct tunable *t = &tunables[which];
	u32 stored;

	if (t->kept == FC_KEPT_BY_NAME)
		return *own_field(sb, which);
	stored = t->kept == FC_NOT_KEPT ? 0 : sb->settings[t->kept - 1];
	return stored ? stored - 1 : t->standard;
}

/**
 * fc_tunables_take() - settings from a superblock
 * @tune: settings
 * @sb: superblock, found good
 * @but: bit i: leave the i-th setting as it is
 */
void fc_tunables_take(struct fc_tunables *tune, struct fc_super *sb, unsigned long but)
{
	unsigned int i;

	BUILD_BUG_ON(FC_NR_TUNABLES > BITS_PER_LONG);
	for (i = 0; i < FC_NR_TUNABLES; i++)
		if (!test_bit(i, &but))
			WRITE_ONCE(*fc_tunable_at(tune, i), kept_value(sb, i));
}

/** fc_tunables_keep() - settings into a superblock; defaults leave no trace there */
void fc_tunables_keep(struct fc_tunables *tune, struct fc_super *sb)
{
	unsigned int i;

	for (i = 0; i < FC_NR_TUNABLES; i++) {
		const struct tunable *t = &tunables[i];
		u32 value = *fc_tunable_at(tune, i);

		if (t->kept == FC_KEPT_BY_NAME)
			*own_field(sb, i) = value;
		else if (t->kept != FC_NOT_KEPT)
			sb->settings[t->kept - 1] = value == t->standard ? 0 : value + 1;
	}
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
