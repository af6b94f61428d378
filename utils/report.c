// SPDX-License-Identifier: GPL-2.0
/*
 * Running caches for machines: JSON.
 */
#include <stdio.h>
#include <sys/sysmacros.h>
#include "device.h"
#include "report.h"
#include "settings.h"

/*
 * Words of the status line that say what the cache is now. All others count since the
 * load, but for settings, which newer modules show there too.
 */
static const char *const state_words[] = {
	"health", "mode", "policy", "block_sectors", "assoc", "cluster_blocks", "blocks", "cached",
	"dirty", "memory_bytes", "window",
};

/**
 * report_is_counter() - does a word of the status line count something?
 * @word: "key=value"
 * @value: where the value begins
 */
bool report_is_counter(const char *word, const char **value)
{
	const char *equals = strchr(word, '=');
	size_t i, len = equals ? (size_t)(equals - word) : 0;

	if (!len)
		return false;
	for (i = 0; i < sizeof(state_words) / sizeof(state_words[0]); i++)
		if (strlen(state_words[i]) == len && !strncmp(state_words[i], word, len))
			return false;
	for (i = 0; i < nr_settings; i++)
		if (strlen(settings[i].name) == len && !strncmp(settings[i].name, word, len))
			return false;
	*value = equals + 1;
	return true;
}

static void add_leg(struct json_object *to, const char *key, const struct cache_leg *leg)
{
	struct json_object *child = json_child(to, key);
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", major(leg->dev), minor(leg->dev));
	json_text(child, "path", leg->path);
	json_text(child, "number", number);
}

static void add_settings(struct json_object *to, const struct cache *c)
{
	struct json_object *child = json_child(to, "settings");
	char value[24];
	size_t i;

	json_text(child, "cache_mode", setting_value(c, "cache_mode", value));
	for (i = 0; i < nr_settings; i++)
		json_word(child, settings[i].name, setting_value(c, settings[i].name, value));
}

static void add_counters(struct json_object *to, const struct cache *c)
{
	struct json_object *child = json_child(to, "counters");
	const char *value;
	char key[64];
	size_t i;

	for (i = 0; i < c->status.nr; i++)
		if (report_is_counter(c->status.at[i], &value)) {
			snprintf(key, sizeof(key), "%.*s", (int)(value - c->status.at[i] - 1),
				 c->status.at[i]);
			json_word(child, key, value);
		}
}

static void add_state(struct json_object *to, const struct cache *c)
{
	json_text(to, "health", cache_text(c, "health"));
	json_text(to, "mode", cache_text(c, "mode"));
	json_text(to, "policy", cache_text(c, "policy"));
	json_flag(to, "suspended", c->info.suspended);
	json_number(to, "open_count", c->info.open_count);
	json_number(to, "size_bytes", c->sectors * SECTOR_SIZE);
	json_number(to, "block_bytes", cache_block_bytes(c));
	json_number(to, "assoc", cache_number(c, "assoc"));
	json_number(to, "cluster_blocks", cache_number(c, "cluster_blocks"));
	json_number(to, "blocks", cache_number(c, "blocks"));
	json_number(to, "cached_blocks", cache_number(c, "cached"));
	json_number(to, "dirty_blocks", cache_number(c, "dirty"));
	json_number(to, "memory_bytes", cache_number(c, "memory_bytes"));
}

/**
 * report_json() - all that is known about a running cache
 * @to: object to add it to
 * @c: cache
 */
void report_json(struct json_object *to, const struct cache *c)
{
	json_text(to, "name", c->name);
	json_text(to, "uuid", mapper_cache_uuid(&c->info));
	add_leg(to, "ssd", &c->ssd);
	add_leg(to, "disk", &c->disk);
	add_state(to, c);
	json_ratio(to, "read_hit_ratio", cache_number(c, "read_hit_blocks"),
		   cache_number(c, "read_blocks"));
	json_ratio(to, "write_hit_ratio", cache_number(c, "write_hit_blocks"),
		   cache_number(c, "write_blocks"));
	add_settings(to, c);
	add_counters(to, c);
}
