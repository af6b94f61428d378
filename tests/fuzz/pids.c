// SPDX-License-Identifier: GPL-2.0
/*
 * The lists of processes, told anew from the user guide: the oldest first, one that is added again
 * becomes the youngest, too many or too old ones leave.
 */
#include <stdlib.h>

#include <linux/seq_file.h>

#include "harness.h"
#include "pids.h"

#define MANY 64

static struct list {
	u32 nr;
	u32 pid[MANY];
	unsigned long since[MANY];
} lists[FC_NR_PID_LISTS];

void pids_clear(void)
{
	memset(lists, 0, sizeof(lists));
}

static void take_out(struct list *list, u32 at)
{
	CHECK(at < list->nr);
	list->nr--;
	memmove(&list->pid[at], &list->pid[at + 1], (list->nr - at) * sizeof(*list->pid));
	memmove(&list->since[at], &list->since[at + 1], (list->nr - at) * sizeof(*list->since));
}

static u32 find(const struct list *list, u32 pid)
{
	u32 i;

	for (i = 0; i < list->nr && list->pid[i] != pid; i++)
		;
	return i;
}

void pids_obey(int argc, char **argv)
{
	struct list *list = &lists[strcmp(argv[0], "blacklist") ? FC_PIDS_WHITE : FC_PIDS_BLACK];
	u32 pid = 0, at;

	if (argc == 2) {
		CHECK_STR(argv[1], "delall");
		list->nr = 0;
		return;
	}
	CHECK(argc == 3 && !kstrtou32(argv[2], 10, &pid) && pid && pid <= PID_MAX_LIMIT);
	at = find(list, pid);
	if (at < list->nr)
		take_out(list, at);
	if (!strcmp(argv[1], "del"))
		return;
	CHECK_STR(argv[1], "add");
	CHECK(list->nr < MANY);
	list->pid[list->nr] = pid;
	list->since[list->nr++] = jiffies;
}

static void tidy(const struct fc_tunables *tune, struct list *list)
{
	while (list->nr && tune->do_pid_expiry &&
	       time_after(jiffies, list->since[0] + (unsigned long)tune->pid_expiry_secs * HZ))
		take_out(list, 0);
	while (list->nr > tune->max_pids)
		take_out(list, 0);
}

static void print(struct seq_file *m, const char *name, const struct list *list)
{
	u32 i;

	seq_printf(m, "%s: ", name);
	for (i = 0; i < list->nr; i++)
		seq_printf(m, "%u ", list->pid[i]);
	seq_putc(m, '\n');
}

/* Process 1 asks. */
static void check_answers(struct fc_cache *c)
{
	bool black = find(&lists[FC_PIDS_BLACK], 1) < lists[FC_PIDS_BLACK].nr;
	bool white = find(&lists[FC_PIDS_WHITE], 1) < lists[FC_PIDS_WHITE].nr;
	u32 write;

	for (write = 0; write < 2; write++) {
		struct bio bio = { .bi_opf = write ? REQ_OP_WRITE : REQ_OP_READ };
		enum fc_gate_word want = white ? FC_GATE_CACHE : FC_GATE_PASS;

		if (c->tune.cache_all)
			want = black ? FC_GATE_PASS : FC_GATE_ASK;
		if (!(c->tune.admit & (write ? FC_ADMIT_WRITES : FC_ADMIT_READS)))
			want = FC_GATE_PASS;
		CHECK_EQ(fc_gate_ask(c, &bio), want);
		/* Nobody asks a gate that is not choosy. */
		CHECK(c->gate.choosy || want == FC_GATE_ASK);
	}
}

void pids_check(struct fc_cache *c)
{
	char shown[PIDS_LINE], expected[PIDS_LINE];
	struct seq_file m = { shown, sizeof(shown), 0 }, e = { expected, sizeof(expected), 0 };
	u32 i;

	for (i = 0; i < FC_NR_PID_LISTS; i++)
		tidy(&c->tune, &lists[i]);
	check_answers(c);
	fc_gate_show(&m, c);
	print(&e, "Blacklist", &lists[FC_PIDS_BLACK]);
	print(&e, "Whitelist", &lists[FC_PIDS_WHITE]);
	CHECK_STR(shown, expected);
	for (i = 0; i < FC_NR_PID_LISTS; i++)
		CHECK_EQ(c->gate.pids[i].nr, lists[i].nr);
}
