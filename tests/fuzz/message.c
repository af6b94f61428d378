// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of messages.
 *
 * Input: text, one message a line, for a cache that was just made. A message is obeyed, or refused
 * and has changed nothing; what changed is in range, is what the message said, and is in the line
 * that `dmsetup table` prints.
 */
#include "dm/dm.h"
#include "split.h"

#define MAX_MESSAGES 16

static struct dm_target *make(void)
{
	char words[] = "a b name 1", *argv[SPLIT_WORDS + 1];
	const char *why;
	struct dm_target *ti;

	fuzz_devs[0].sectors = 1 << 20;
	fuzz_devs[1].sectors = 1 << 16;
	ti = split_make(split_words(words, argv, SPLIT_WORDS), argv, 1 << 20, &why);
	CHECK(ti);
	return ti;
}

/* What a message may change. */
struct state {
	struct fc_tunables tune;
	u8 mode;
	u8 policy;
	u16 dirty_limit;
	bool all;
	u64 stats;
};

static struct state state_of(struct fc_cache *c)
{
	struct state s;

	memset(&s, 0, sizeof(s));
	s.tune = c->tune;
	s.mode = c->core.mode;
	s.policy = c->core.policy;
	s.dirty_limit = c->core.dirty_limit;
	s.all = c->clean.all;
	s.stats = fc_stats_sum(c, FC_STAT_reads);
	return s;
}

static void check_state(const struct state *s)
{
	CHECK(s->mode >= FC_MODE_WRITEBACK && s->mode <= FC_MODE_WRITEAROUND);
#define CHECK_RANGE(name, standard, least, most, kept, help)				\
	CHECK((u64)s->tune.name + 1 >= (u64)(least) + 1 && s->tune.name <= (most));
	FC_TUNABLES(CHECK_RANGE)
#undef CHECK_RANGE
}

/* An obeyed setting has the value that was typed, and nothing else has changed. */
static void check_obeyed(const char *key, const char *value, struct state *before,
			 struct state *after)
{
	int which = fc_tunable_find(key);
	u32 n = 0;

	if (which >= 0) {
		CHECK(!kstrtou32(value, 10, &n));
		CHECK_EQ(*fc_tunable_at(&after->tune, (unsigned int)which), n);
		*fc_tunable_at(&before->tune, (unsigned int)which) = n;
	} else if (!strcmp(key, "cache_mode")) {
		CHECK_STR(value, fc_mode_name(after->mode));
	} else if (!strcmp(key, "zero_stats")) {
		CHECK(after->stats == 0 || after->stats == before->stats);
	} else {
		CHECK(!strcmp(key, "do_sync") || !strcmp(key, "stop_sync"));
	}
	CHECK(!memcmp(&before->tune, &after->tune, sizeof(before->tune)));
	CHECK(!strcmp(key, "cache_mode") || before->mode == after->mode);
}

static void send(struct dm_target *ti, int argc, char **argv)
{
	struct fc_cache *c = ti->private;
	struct state before = state_of(c), after;
	char result[16] = "";
	int r = fuzz_target->message(ti, (unsigned int)argc, argv, result, sizeof(result));

	after = state_of(c);
	check_state(&after);
	CHECK(!result[0]);
	if (r) {
		CHECK_EQ(r, -EINVAL);
		CHECK(!memcmp(&before, &after, sizeof(before)));
	} else {
		CHECK_EQ(argc, 2);
		check_obeyed(argv[0], argv[1], &before, &after);
	}
}

/* What was set survives a reload. */
static void check_table(struct dm_target *ti)
{
	char line[SPLIT_LINE], *argv[SPLIT_WORDS + 1];
	const struct fc_cache *c = ti->private, *d;
	struct dm_target *second;
	const char *why;

	split_print(ti, line);
	fuzz_open_devices = 0;
	second = split_make(split_words(line, argv, SPLIT_WORDS), argv, 1 << 20, &why);
	CHECK(second);
	d = second->private;
	CHECK(!memcmp(&c->tune, &d->tune, sizeof(c->tune)));
	CHECK_EQ(d->core.mode, c->core.mode);
	split_free(second);
	fuzz_open_devices = 2;
}

void fuzz_one(struct fuzz_in *in)
{
	char text[SPLIT_LINE], *argv[SPLIT_WORDS + 1], *line, *rest = text;
	struct dm_target *ti = make();
	int nr = 0, argc;

	fuzz_bytes(in, text, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	((struct fc_cache *)ti->private)->stats->n[FC_STAT_reads] = 7;
	while (nr++ < MAX_MESSAGES && (line = strsep(&rest, "\n"))) {
		argc = split_words(line, argv, SPLIT_WORDS);
		if (argc)	/* device-mapper refuses an empty one itself */
			send(ti, argc, argv);
	}
	check_table(ti);
	split_free(ti);
}
