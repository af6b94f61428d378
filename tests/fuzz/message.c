// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of messages.
 *
 * Input: text, one message a line, for a cache that was just made; "resume", "suspend" and "wait
 * SECONDS" are not messages, but are done. A message is obeyed, or refused and has changed nothing;
 * what changed is in range, is what the message said, and is in the line that `dmsetup table`
 * prints. What is kept on flash is there again in the next cache.
 */
#include "dm/dm.h"
#include "dm/knob.h"
#include "pids.h"
#include "split.h"

#define MAX_MESSAGES	32
#define FLASH_BLOCKS	(2 + 64 + 2 * 2)	/* of one set of 256 */
#define FLASH_SECTORS	(2048 + 256 * 8)

static u8 flash[FLASH_BLOCKS * FCD_BLOCK_SIZE], disk[FCD_PRINT_SECTORS << SECTOR_SHIFT];

static struct dm_target *make(const char *line)
{
	char words[SPLIT_LINE], *argv[SPLIT_WORDS + 1];
	const char *why = NULL;
	struct dm_target *ti;

	strscpy(words, line, sizeof(words));
	ti = split_make(split_words(words, argv, SPLIT_WORDS), argv, 1 << 20, &why);
	if (!ti)
		test_fail(__FILE__, __LINE__, "\"%s\" is refused: %s", line, why);
	return ti;
}

/* What a message may change. */
struct state {
	struct fc_tunables tune;
	u8 mode;
	u8 policy;
	u16 dirty_limit;
	bool all;
	bool sync_stopped;
	bool watched;
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
	s.sync_stopped = c->sync_stopped;
	s.watched = c->watched;
	s.stats = fc_stats_sum(c, FC_STAT_reads);
	return s;
}

static void check_state(const struct state *s)
{
	CHECK(s->mode >= FC_MODE_WRITEBACK && s->mode <= FC_MODE_WRITEAROUND);
	split_check_tune(&s->tune);
}

/* --- what was obeyed -------------------------------------------------------------------------- */

static void check_tuned(struct fc_cache *c, unsigned int which, const char *value,
			struct state *before)
{
	const struct fc_tunables *tune = &c->tune;
	u32 n = 0;

	CHECK(!kstrtou32(value, 10, &n));
	*fc_tunable_at(&before->tune, which) = n;
	before->policy = tune->reclaim_policy;
	before->dirty_limit = c->core.geo.assoc * tune->dirty_thresh_pct / 100;
	if (!before->dirty_limit)
		before->dirty_limit = 1;
	before->watched = tune->skip_seq_thresh_kb || tune->io_latency_hist;
}

static void check_ordered(struct fc_cache *c, unsigned int order, const char *value,
			  struct state *before)
{
	bool on = false;

	CHECK(!kstrtobool(value, &on));
	if (order == FC_ORDER_zero_stats && on)
		before->stats = 0;
	if (order == FC_ORDER_stop_sync)
		before->sync_stopped = on;
	if (order == FC_ORDER_do_sync && on)
		before->sync_stopped = false;
	if (order == FC_ORDER_stop_sync && on)
		before->all = false;
	if (order == FC_ORDER_do_sync && on && c->loaded)
		before->all = true;
}

static void check_mode(struct fc_cache *c, const char *value, struct state *before)
{
	CHECK_STR(value, fc_mode_name(c->core.mode));
	before->mode = c->core.mode;
	if (c->loaded && before->mode != FC_MODE_WRITEBACK)
		before->all = true;
}

/* Brings @before to where an obeyed message leads; nothing else may have changed. */
static void check_obeyed(struct fc_cache *c, int argc, char **argv, struct state *before)
{
	int which = fc_knob_find(argv[0]);

	if (!strcmp(argv[0], "blacklist") || !strcmp(argv[0], "whitelist")) {
		pids_obey(argc, argv);
		return;
	}
	CHECK_EQ(argc, 2);
	if (!strcmp(argv[0], "cache_mode")) {
		check_mode(c, argv[1], before);
		return;
	}
	CHECK(which >= 0);
	if (which < FC_NR_TUNABLES)
		check_tuned(c, (unsigned int)which, argv[1], before);
	else
		check_ordered(c, (unsigned int)which - FC_NR_TUNABLES, argv[1], before);
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
	if (r)
		CHECK_EQ(r, -EINVAL);
	else
		check_obeyed(c, argc, argv, &before);
	CHECK(!memcmp(&before, &after, sizeof(before)));
	pids_check(c);
}

/* --- the rest of a life ----------------------------------------------------------------------- */

static void resume(struct dm_target *ti)
{
	if (fuzz_target->preresume(ti))
		test_fail(__FILE__, __LINE__, "not loaded: %s", fuzz_error);
}

/* Return: false when the line is a message. */
static bool done(struct dm_target *ti, int argc, char **argv)
{
	u32 seconds;

	if (argc == 1 && !strcmp(argv[0], "resume"))
		resume(ti);
	else if (argc == 1 && !strcmp(argv[0], "suspend"))
		fuzz_target->postsuspend(ti);
	else if (argc == 2 && !strcmp(argv[0], "wait") && !kstrtou32(argv[1], 10, &seconds))
		jiffies += (unsigned long)seconds * HZ;
	else
		return false;
	return true;
}

/* What was set survives a reload. */
static void check_table(struct dm_target *ti)
{
	const struct fc_cache *c = ti->private, *d;
	struct dm_target *second;
	char line[SPLIT_LINE];

	split_print(ti, line);
	fuzz_open_devices = 0;
	second = make(line);
	d = second->private;
	CHECK(!memcmp(&c->tune, &d->tune, sizeof(c->tune)));
	CHECK_EQ(d->core.mode, c->core.mode);
	split_free(second);
	fuzz_open_devices = 2;
}

/* And, as far as it is kept, on flash, if the cache ever came to life. */
static void check_kept(const struct fc_tunables *tune)
{
	struct dm_target *ti = make("a b name 1 1");
	const struct fc_cache *c = ti->private;

	resume(ti);
#define CHECK_KEPT(name, standard, least, most, kept, help)				\
	CHECK_EQ(c->tune.name, (kept) == FC_NOT_KEPT ? (standard) : tune->name);
	FC_TUNABLES(CHECK_KEPT)
#undef CHECK_KEPT
	split_free(ti);
}

static void wipe(void)
{
	test_seed(1);
	jiffies = 1000;
	pids_clear();
	memset(flash, 0, sizeof(flash));
	fuzz_devs[0] = (struct fuzz_dev){ 1 << 20, disk, sizeof(disk), 0 };
	fuzz_devs[1] = (struct fuzz_dev){ FLASH_SECTORS, flash, sizeof(flash), 0 };
}

void fuzz_one(struct fuzz_in *in)
{
	char text[SPLIT_LINE], *argv[SPLIT_WORDS + 1], *line, *rest = text;
	struct fc_tunables tune;
	struct dm_target *ti;
	int nr = 0, argc;

	fuzz_bytes(in, text, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	wipe();
	ti = make("a b name 1 2 8 0 256");
	((struct fc_cache *)ti->private)->stats->n[FC_STAT_reads] = 7;
	while (nr++ < MAX_MESSAGES && (line = strsep(&rest, "\n"))) {
		argc = split_words(line, argv, SPLIT_WORDS);
		/* device-mapper refuses an empty one itself. */
		if (argc && !done(ti, argc, argv))
			send(ti, argc, argv);
	}
	check_table(ti);
	resume(ti);
	tune = ((struct fc_cache *)ti->private)->tune;
	split_free(ti);
	check_kept(&tune);
}
