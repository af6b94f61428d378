// SPDX-License-Identifier: GPL-2.0
/*
 * From what the commands know to a table line and a running device.
 */
#include <stdarg.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <uuid/uuid.h>
#include "mapper.h"
#include "table.h"
#include "tool.h"
#include "flashcache/uapi.h"

struct line {
	char text[TABLE_LEN];
	size_t len;
	unsigned int words;
};

static __attribute__((format(printf, 2, 3)))
void add_word(struct line *line, const char *fmt, ...)
{
	size_t room;
	va_list args;
	int len;

	if (line->words++ && line->len < sizeof(line->text) - 1)
		line->text[line->len++] = ' ';
	room = sizeof(line->text) - line->len;
	va_start(args, fmt);
	len = vsnprintf(line->text + line->len, room, fmt, args);
	va_end(args);
	line->len += (size_t)len < room ? (size_t)len : room - 1;
}

static void add_number(struct line *line, u64 number)
{
	add_word(line, "%llu", (unsigned long long)number);
}

/* The path, since people read the line; the number where a path would not be one word. */
static void add_device(struct line *line, const struct device *d)
{
	if (d->path[strcspn(d->path, " \t\n\v\f\r\\")] || strlen(d->path) > 1024)
		add_word(line, "%u:%u", major(d->dev), minor(d->dev));
	else
		add_word(line, "%s", d->path);
}

static void add_option(struct line *line, const char *key, const char *value)
{
	add_word(line, "%s", key);
	add_word(line, "%s", value);
}

static void add_options(struct line *line, const struct table *table, const char *uuid)
{
	struct line options = { .len = 0 };

	add_option(&options, "uuid", uuid);
	if (table->disk_id[0])
		add_option(&options, "disk_id", table->disk_id);
	if (table->policy)
		add_option(&options, "policy", table->policy);
	if (table->admit)
		add_option(&options, "admit", table->admit);
	if (table->ssd_wins)
		add_option(&options, "ssd_wins", "1");
	add_number(line, options.words);
	add_word(line, "%s", options.text);
}

static void compose(struct line *line, const struct table *table)
{
	char uuid[UUID_TEXT_LEN];

	uuid_unparse_lower(table->uuid, uuid);
	add_device(line, table->disk);
	add_device(line, table->ssd);
	add_word(line, "%s", table->name);
	add_number(line, table->mode);
	add_number(line, table->persist);
	add_number(line, table->block);
	add_number(line, table->size);
	add_number(line, table->assoc);
	add_number(line, table->cluster);
	add_number(line, 0);	/* not write-only */
	add_number(line, table->md_block);
	add_options(line, table, uuid);
}

/**
 * table_params() - what follows the target's name in the table line
 * @table: what it is to be
 * @text: filled
 */
void table_params(const struct table *table, char text[TABLE_LEN])
{
	struct line line = { .len = 0 };

	compose(&line, table);
	memcpy(text, line.text, line.len);
	text[line.len] = '\0';
}

/**
 * table_show() - print a table line to stderr, for option -v
 * @sectors: its length
 * @params: what follows the target's name
 */
void table_show(u64 sectors, const char *params)
{
	fflush(stdout);
	fprintf(stderr, "0 %llu %s %s\n", (unsigned long long)sectors, FC_TARGET_NAME, params);
}

/**
 * table_start() - make the mapped device and start it
 * @table: what it is to be; both devices must be closed
 * @sectors: its length
 * @verbose: print the table line to stderr
 */
int table_start(const struct table *table, u64 sectors, bool verbose)
{
	char uuid[UUID_TEXT_LEN], dm_uuid[sizeof(MAPPER_UUID_PREFIX) + UUID_TEXT_LEN];
	char params[TABLE_LEN];

	uuid_unparse_lower(table->uuid, uuid);
	snprintf(dm_uuid, sizeof(dm_uuid), "%s%s", MAPPER_UUID_PREFIX, uuid);
	table_params(table, params);
	if (verbose)
		table_show(sectors, params);
	return mapper_create(table->name, dm_uuid, sectors, params);
}

/** table_mode_title() - a mode as the original's tools print it */
const char *table_mode_title(unsigned int mode)
{
	switch (mode) {
	case FC_MODE_WRITEBACK:
		return "WRITE_BACK";
	case FC_MODE_WRITETHROUGH:
		return "WRITE_THROUGH";
	case FC_MODE_WRITEAROUND:
		return "WRITE_AROUND";
	default:
		return "UNKNOWN";
	}
}
