// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting: requests that are parked on a set, woken, and asked again from a worker.
 */
#include "io/request.h"

/**
 * fc_wait_park() - park a request on a set
 * @set: set, locked, whose desk answered FC_WAIT
 * @req: request; may be woken and gone as soon as the lock is released
 */
void fc_wait_park(struct fc_set *set, struct fc_req *req)
{
	req->next = set->waiters;
	set->waiters = req;
}

/**
 * fc_wait_defer() - let a worker ask the desk about a request
 * @req: request
 *
 * Context: any.
 */
void fc_wait_defer(struct fc_req *req)
{
	struct fc_cache *c = req->c;

	/* A worker that is awake may end the request, and with it the cache, before it is called. */
	rcu_read_lock();
	llist_add(&req->again, &c->again);
	queue_work(c->wq, &c->again_work);
	rcu_read_unlock();
}

/**
 * fc_wait_wake() - let all requests parked on a set ask again
 * @c: cache
 * @set: set, not locked
 *
 * The list has the latest first, and so has the lock-less list that takes it up and that the worker
 * turns around; so requests ask again in the order in which they came.
 *
 * Context: any.
 */
void fc_wait_wake(struct fc_cache *c, struct fc_set *set)
{
	struct fc_req *req, *next, *first = NULL;
	unsigned long flags;

	fc_set_lock(set, &flags);
	req = set->waiters;
	set->waiters = NULL;
	fc_set_unlock(set, flags);

	for (; req; req = next) {
		next = req->next;
		req->next = first;
		first = req;
	}
	for (req = first; req; req = next) {
		next = req->next;
		fc_wait_defer(req);
	}
}

/**
 * fc_wait_unlock() - unlock a set, and do what an fc_desk_done function asked for
 * @c: cache
 * @set: set, locked
 * @flags: from fc_set_lock()
 * @done: FC_DONE_* flags
 *
 * What the ledger is to record is listed before the lock is released. Whoever finds units dirty
 * from then on, writes over them and sends a FLUSH, has nothing to list himself: that FLUSH must
 * find the set listed.
 *
 * Context: any.
 */
void fc_wait_unlock(struct fc_cache *c, struct fc_set *set, unsigned long flags, unsigned int done)
	__releases(&set->lock)
{
	if (done & FC_DONE_ADD)
		fc_meta_list(c, set, FC_LIST_ADD);
	if (done & FC_DONE_DEL)
		fc_meta_list(c, set, FC_LIST_DEL);
	fc_set_unlock(set, flags);
	if (done & FC_DONE_CLEAN)
		fc_cleaner_kick(c);
	if (done & FC_DONE_WAKE)
		fc_wait_wake(c, set);
}
