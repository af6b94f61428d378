// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of a running cache: what there is, what it is set to, what it may be set to.
 */
#include <inttypes.h>
#include <stdio.h>
#include "number.h"
#include "settings.h"
#include "tool.h"
#include "flashcache/uapi.h"

#define TABLE_MODE	3	/* places in the table line */
#define TABLE_OPTIONS	12

/* What a setting is; one that is not here has no text, which is no error. */
static const struct {
	const char *name;
	const char *what;
} texts[] = {
	{ "reclaim_policy", "who must go for others: fifo (0), lru (1), s3fifo (2)" },
	{ "dirty_thresh_pct", "a set with more dirty blocks is cleaned, per cent" },
	{ "skip_seq_thresh_kb", "longer streams pass by the cache, KiB; 0 is off" },
	{ "fallow_delay", "idle time after which cleaning begins, seconds; 0 is off" },
	{ "fallow_clean_speed", "blocks a set and second that are cleaned when idle" },
	{ "max_clean_ios_total", "cleaning runs in flight" },
	{ "fast_remove", "1: removing the cache does not clean it" },
};

/* The list may have more columns: where it is kept, and a text. */
#define TEXT_OF(unused, kept, text, ...) text
#define SETTING(n, s, l, m, ...) \
	{ .name = #n, .standard = s, .least = l, .most = m, \
	  .what = TEXT_OF(0, ##__VA_ARGS__, "", "", "") },
const struct setting settings[] = { FC_TUNABLES(SETTING) };
const size_t nr_settings = sizeof(settings) / sizeof(settings[0]);

static const char *const modes[] = FC_MODE_NAMES;
static const char *const policies[] = FC_POLICY_NAMES;

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const struct setting *find(const char *name)
{
	size_t i;

	for (i = 0; i < nr_settings; i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

/** setting_text() - what a setting is, for people */
const char *setting_text(const char *name)
{
	const struct setting *s = find(name);
	size_t i;

	for (i = 0; i < NR(texts); i++)
		if (!strcmp(texts[i].name, name))
			return texts[i].what;
	return s ? s->what : "";
}

static int find_word(const char *const *words, size_t nr, const char *word)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (words[i] && !strcmp(words[i], word))
			return (int)i;
	return -1;
}

/* The table line names what differs from the standard. */
static const char *option_of(const struct cache *c, const char *key)
{
	size_t i;

	for (i = TABLE_OPTIONS; i + 1 < c->table.nr; i += 2)
		if (!strcmp(c->table.at[i], key))
			return c->table.at[i + 1];
	return NULL;
}

/**
 * setting_value() - what a setting of a running cache is
 * @c: cache
 * @name: "cache_mode" or a setting
 * @value: filled, as change_parse() takes it; "unknown" is a mode of a newer module
 *
 * Return: @value, or NULL if there is no such setting, which then has no value.
 */
const char *setting_value(const struct cache *c, const char *name, char value[24])
{
	const struct setting *s = find(name);
	const char *option;
	bool known;
	u64 mode;

	if (!strcmp(name, "cache_mode")) {
		known = c->table.nr > TABLE_MODE && !number_parse(c->table.at[TABLE_MODE], &mode) &&
			mode < NR(modes) && modes[mode];
		snprintf(value, 24, "%s", known ? modes[mode] : "unknown");
		return value;
	}
	if (!s)
		return NULL;
	option = option_of(c, strcmp(name, "reclaim_policy") ? name : "policy");
	if (words_value(&c->status, name) && strcmp(name, "reclaim_policy"))
		snprintf(value, 24, "%s", words_value(&c->status, name));
	else if (option)
		snprintf(value, 24, "%s", option);
	else if (!strcmp(name, "reclaim_policy"))
		snprintf(value, 24, "%s", policies[s->standard]);
	else
		snprintf(value, 24, "%" PRIu64, s->standard);
	return value;
}

/* Modes as the kernel, and as flashcache_create calls them. */
static int parse_mode(struct change *change, const char *value)
{
	static const char *const short_names[] = { NULL, "back", "thru", "around" };
	int mode = find_word(modes, NR(modes), value);

	if (mode < 0)
		mode = find_word(short_names, NR(short_names), value);
	if (mode < 0)
		return fail("cache_mode=%s: no such mode: writeback, writethrough or writearound",
			    value);
	snprintf(change->value, sizeof(change->value), "%s", modes[mode]);
	return 0;
}

static bool parse_number(const struct setting *s, const char *value, u64 *number)
{
	int policy;

	if (!number_parse(value, number))
		return true;
	if (!strcmp(s->name, "skip_seq_thresh_kb") && !number_parse_sectors(value, number)) {
		*number /= 2;
		return true;
	}
	policy = find_word(policies, NR(policies), value);
	*number = (u64)policy;
	return policy >= 0 && !strcmp(s->name, "reclaim_policy");
}

static int parse_setting(struct change *change, const struct setting *s, const char *value)
{
	u64 number;

	if (!parse_number(s, value, &number))
		return fail("%s=%s: not a number: %s", s->name, value, setting_text(s->name));
	if (number < s->least || number > s->most)
		return fail("%s=%s: out of range: %" PRIu64 " to %" PRIu64, s->name, value,
			    s->least, s->most);
	snprintf(change->value, sizeof(change->value), "%" PRIu64, number);
	return 0;
}

static int parse_order(struct change *change, const char *value)
{
	if (strcmp(value, "0") && strcmp(value, "1"))
		return fail("%s=%s: an order takes 1 (or 0, which does nothing)", change->name,
			    value);
	snprintf(change->value, sizeof(change->value), "%s", value);
	return 0;
}

/* Names of the words, which must outlive the user's text. */
static const char *known_word(const char *word, size_t len, const struct setting **s)
{
	static const char *const others[] = { "cache_mode", "do_sync", "stop_sync", "zero_stats" };
	size_t i;

	*s = NULL;
	for (i = 0; i < nr_settings; i++)
		if (strlen(settings[i].name) == len && !strncmp(settings[i].name, word, len)) {
			*s = &settings[i];
			return settings[i].name;
		}
	for (i = 0; i < NR(others); i++)
		if (strlen(others[i]) == len && !strncmp(others[i], word, len))
			return others[i];
	return NULL;
}

/**
 * change_parse() - read a change that a user wants
 * @change: filled
 * @word: "setting=value"
 */
int change_parse(struct change *change, const char *word)
{
	const char *equals = strchr(word, '=');
	const struct setting *s;

	if (!equals)
		return fail("%s: not of the form SETTING=VALUE", word);
	if (equals - word == 6 && !strncmp(word, "policy", 6))
		change->name = known_word("reclaim_policy", 14, &s);
	else
		change->name = known_word(word, (size_t)(equals - word), &s);
	if (!change->name)
		return fail("%s: no such setting: 'flashcache set -h' lists them", word);
	if (s)
		return parse_setting(change, s, equals + 1);
	if (!strcmp(change->name, "cache_mode"))
		return parse_mode(change, equals + 1);
	return parse_order(change, equals + 1);
}
