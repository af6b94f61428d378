// SPDX-License-Identifier: GPL-2.0
/*
 * The gate: who may bring something into the cache.
 *
 * The lists hold thread or process numbers of the first PID namespace. What counts is the task that
 * submits the bio. Buffered writes are submitted by the kernel's flushers, whoever wrote the data.
 */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "cache.h"

/**
 * struct fc_pid - an entry of a list
 * @hash: place in the list's hash
 * @age: place in the order of age
 * @rcu: for its end
 * @pid: the number
 * @since: when it was added last, in jiffies
 */
struct fc_pid {
	struct hlist_node hash;
	struct list_head age;
	struct rcu_head rcu;
	pid_t pid;
	unsigned long since;
};

/* --- the lists -------------------------------------------------------------------------------- */

static struct hlist_head *bucket(struct fc_pids *pids, pid_t pid)
{
	return &pids->hash[hash_32(pid, ilog2(FC_PID_BUCKETS))];
}

static bool expired(const struct fc_cache *c, const struct fc_pid *p)
{
	return READ_ONCE(c->tune.do_pid_expiry) &&
	       time_after(jiffies, READ_ONCE(p->since) + READ_ONCE(c->tune.pid_expiry_secs) * HZ);
}

/* Under RCU, or under the gate's lock. */
static struct fc_pid *find(struct fc_pids *pids, pid_t pid)
{
	struct fc_pid *p;

	hlist_for_each_entry_rcu(p, bucket(pids, pid), hash, true)
		if (p->pid == pid)
			return p;
	return NULL;
}

static bool listed(struct fc_cache *c, enum fc_pid_which which, pid_t pid)
{
	struct fc_pid *p = find(&c->gate.pids[which], pid);

	return p && !expired(c, p);
}

static void drop(struct fc_pids *pids, struct fc_pid *p)
{
	hlist_del_rcu(&p->hash);
	list_del(&p->age);
	pids->nr--;
	kfree_rcu(p, rcu);
}

static struct fc_pid *oldest(struct fc_pids *pids)
{
	return list_first_entry(&pids->age, struct fc_pid, age);
}

/* Brings the lists within their limits of number and age, and says whether there is still a gate. */
static void tidy(struct fc_cache *c)
{
	bool choosy = !c->tune.cache_all || c->tune.admit != FC_ADMIT_ALL;
	unsigned int i;

	for (i = 0; i < FC_NR_PID_LISTS; i++) {
		struct fc_pids *pids = &c->gate.pids[i];

		for (; pids->nr && expired(c, oldest(pids)); drop(pids, oldest(pids)))
			fc_count(c, pid_expiry);
		for (; pids->nr > c->tune.max_pids; drop(pids, oldest(pids)))
			fc_count(c, pid_drops);
	}
	WRITE_ONCE(c->gate.choosy, choosy || c->gate.pids[FC_PIDS_BLACK].nr);
}

/* Adding what is there already makes it young again. */
static int add(struct fc_cache *c, struct fc_pids *pids, pid_t pid)
{
	struct fc_pid *p = find(pids, pid);

	if (p) {
		WRITE_ONCE(p->since, jiffies);
		list_move_tail(&p->age, &pids->age);
		return 0;
	}
	p = kmalloc(sizeof(*p), GFP_NOIO);
	if (!p)
		return -ENOMEM;
	p->pid = pid;
	p->since = jiffies;
	hlist_add_head_rcu(&p->hash, bucket(pids, pid));
	list_add_tail(&p->age, &pids->age);
	pids->nr++;
	fc_count(c, pid_adds);
	return 0;
}

static int del(struct fc_cache *c, struct fc_pids *pids, pid_t pid)
{
	struct fc_pid *p = find(pids, pid);

	if (p) {
		drop(pids, p);
		fc_count(c, pid_dels);
	}
	return 0;
}

static int del_all(struct fc_cache *c, struct fc_pids *pids)
{
	for (; pids->nr; drop(pids, oldest(pids)))
		fc_count(c, pid_dels);
	return 0;
}

/* --- the outside ------------------------------------------------------------------------------ */

/* The original's order of asking: the thread's own word goes before that of its process. */
static enum fc_gate_word ask_lists(struct fc_cache *c)
{
	pid_t tid = current->pid, tgid = current->tgid;

	if (READ_ONCE(c->tune.cache_all)) {
		if (listed(c, FC_PIDS_BLACK, tid) ||
		    (listed(c, FC_PIDS_BLACK, tgid) && !listed(c, FC_PIDS_WHITE, tid)))
			return FC_GATE_PASS;
		return FC_GATE_ASK;
	}
	if (listed(c, FC_PIDS_WHITE, tid) ||
	    (listed(c, FC_PIDS_WHITE, tgid) && !listed(c, FC_PIDS_BLACK, tid)))
		return FC_GATE_CACHE;
	return FC_GATE_PASS;
}

/**
 * fc_gate_ask() - may a request bring something into the cache?
 * @c: cache whose gate is choosy
 * @bio: a read or a write, in the context of who submits it
 */
enum fc_gate_word fc_gate_ask(struct fc_cache *c, const struct bio *bio)
{
	u32 want = op_is_write(bio_op(bio)) ? FC_ADMIT_WRITES : FC_ADMIT_READS;
	enum fc_gate_word a;

	if (!(READ_ONCE(c->tune.admit) & want))
		return FC_GATE_PASS;
	rcu_read_lock();
	a = ask_lists(c);
	rcu_read_unlock();
	return a;
}

/** fc_gate_tune() - make changed settings count */
void fc_gate_tune(struct fc_cache *c)
{
	mutex_lock(&c->gate.lock);
	tidy(c);
	mutex_unlock(&c->gate.lock);
}

/**
 * fc_gate_expire() - let those go whose time is over; called now and then
 * @c: cache
 *
 * Nothing depends on it, since an entry counts only while it is young: it frees memory, and opens
 * the gate when nobody is left.
 */
void fc_gate_expire(struct fc_cache *c)
{
	if (READ_ONCE(c->tune.do_pid_expiry))
		fc_gate_tune(c);
}

static int change(struct fc_cache *c, struct fc_pids *pids, unsigned int argc, char **argv)
{
	u32 pid;

	if (argc == 2)
		return strcmp(argv[1], "delall") ? -EINVAL : del_all(c, pids);
	if (argc != 3 || kstrtou32(argv[2], 10, &pid) || !pid || pid > PID_MAX_LIMIT)
		return -EINVAL;
	if (!strcmp(argv[1], "add"))
		return add(c, pids, pid);
	if (!strcmp(argv[1], "del"))
		return del(c, pids, pid);
	return -EINVAL;
}

/**
 * fc_gate_message() - "blacklist|whitelist add PID", "... del PID", "... delall"
 * @c: cache
 * @argc: number of words
 * @argv: words
 *
 * Return: 0, -ENOENT when the message is for somebody else, -EINVAL or -ENOMEM.
 */
int fc_gate_message(struct fc_cache *c, unsigned int argc, char **argv)
{
	struct fc_gate *gate = &c->gate;
	struct fc_pids *pids;
	int r;

	if (!strcmp(argv[0], "blacklist"))
		pids = &gate->pids[FC_PIDS_BLACK];
	else if (!strcmp(argv[0], "whitelist"))
		pids = &gate->pids[FC_PIDS_WHITE];
	else
		return -ENOENT;
	mutex_lock(&gate->lock);
	r = change(c, pids, argc, argv);
	tidy(c);
	mutex_unlock(&gate->lock);
	return r;
}

static void show_list(struct seq_file *m, const char *name, struct fc_pids *pids)
{
	struct fc_pid *p;

	seq_printf(m, "%s: ", name);
	list_for_each_entry(p, &pids->age, age)
		seq_printf(m, "%d ", p->pid);
	seq_putc(m, '\n');
}

/** fc_gate_show() - print both lists */
void fc_gate_show(struct seq_file *m, struct fc_cache *c)
{
	mutex_lock(&c->gate.lock);
	tidy(c);
	show_list(m, "Blacklist", &c->gate.pids[FC_PIDS_BLACK]);
	show_list(m, "Whitelist", &c->gate.pids[FC_PIDS_WHITE]);
	mutex_unlock(&c->gate.lock);
}

void fc_gate_init(struct fc_cache *c)
{
	unsigned int i;

	mutex_init(&c->gate.lock);
	for (i = 0; i < FC_NR_PID_LISTS; i++)
		INIT_LIST_HEAD(&c->gate.pids[i].age);
}

void fc_gate_exit(struct fc_cache *c)
{
	unsigned int i;

	for (i = 0; i < FC_NR_PID_LISTS; i++)
		while (c->gate.pids[i].nr)
			drop(&c->gate.pids[i], oldest(&c->gate.pids[i]));
}
