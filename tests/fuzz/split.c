// SPDX-License-Identifier: GPL-2.0
/*
 * Table lines and targets as device-mapper handles them.
 */
#include <stdlib.h>

#include <linux/ctype.h>

#include "dm/dm.h"
#include "split.h"

int split_words(char *line, char **words, int max)
{
	char *from = line, *to;
	int nr = 0;

	while (nr < max) {
		while (isspace(*from))
			from++;
		if (!*from)
			break;
		words[nr++] = from;
		for (to = from; *from && !isspace(*from); from++) {
			if (*from == '\\' && from[1])
				from++;
			*to++ = *from;
		}
		if (*from)
			from++;
		*to = '\0';
	}
	words[nr] = NULL;
	return nr;
}

/* The rest of device-mapper's table, one for all: nothing is in flight. */
static struct mapped_device md;
static struct dm_table table = { &md };

struct dm_target *split_make(int argc, char **argv, sector_t len, const char **why)
{
	struct dm_target *ti = calloc(1, sizeof(*ti));

	CHECK(ti);
	if (!fuzz_target)
		CHECK(!sim_module_init());
	ti->table = &table;
	ti->len = len;
	if (!fuzz_target->ctr(ti, (unsigned int)argc, argv)) {
		CHECK(!ti->error);
		CHECK_EQ(fuzz_open_devices, 2);
		return ti;
	}
	CHECK(ti->error && *ti->error);
	CHECK_EQ(fuzz_open_devices, 0);
	*why = ti->error;
	free(ti);
	return NULL;
}

void split_free(struct dm_target *ti)
{
	fuzz_target->dtr(ti);
	CHECK_EQ(fuzz_open_devices, 0);
	free(ti);
}

void split_check_tune(const struct fc_tunables *tune)
{
#define CHECK_RANGE(name, standard, least, most, kept, help)				\
	CHECK((u64)tune->name + 1 >= (u64)(least) + 1 && tune->name <= (most));
	FC_TUNABLES(CHECK_RANGE)
#undef CHECK_RANGE
}

void split_print(struct dm_target *ti, char line[SPLIT_LINE])
{
	fuzz_target->status(ti, STATUSTYPE_TABLE, 0, line, SPLIT_LINE);
	CHECK(strlen(line) < SPLIT_LINE - 1);
}
