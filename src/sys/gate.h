/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The gate: which requests may bring something into the cache.
 *
 * Two lists of processes, as the original has them, and what the settings cache_all and admit say.
 * While nothing of it is in use, a request costs one test of @choosy.
 */
#ifndef FC_SYS_GATE_H
#define FC_SYS_GATE_H

#include <linux/bio.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct fc_cache;
struct seq_file;

#define FC_PID_BUCKETS	128

enum fc_pid_which { FC_PIDS_BLACK, FC_PIDS_WHITE, FC_NR_PID_LISTS };

/**
 * struct fc_pids - a list of processes
 * @hash: by number; read under RCU, changed under the gate's @lock
 * @age: the same, oldest first; under @lock
 * @nr: their number; under @lock
 */
struct fc_pids {
	struct hlist_head hash[FC_PID_BUCKETS];
	struct list_head age;
	u32 nr;
};

/**
 * struct fc_gate - a cache's gate
 * @choosy: somebody may have to stay outside
 * @lock: guards the lists; innermost, no memory is had by I/O under it
 * @pids: the lists, by enum fc_pid_which
 */
struct fc_gate {
	bool choosy;
	struct mutex lock;
	struct fc_pids pids[FC_NR_PID_LISTS];
};

/* What the gate says. */
enum fc_gate_word {
	FC_GATE_PASS,		/* brings nothing into the cache */
	FC_GATE_CACHE,		/* may, whatever else speaks against it */
	FC_GATE_ASK,		/* may, unless it belongs to a stream */
};

void fc_gate_init(struct fc_cache *c);
void fc_gate_exit(struct fc_cache *c);
void fc_gate_tune(struct fc_cache *c);
void fc_gate_expire(struct fc_cache *c);
enum fc_gate_word fc_gate_ask(struct fc_cache *c, const struct bio *bio);
int fc_gate_message(struct fc_cache *c, unsigned int argc, char **argv);
void fc_gate_show(struct seq_file *m, struct fc_cache *c);

#endif /* FC_SYS_GATE_H */
