/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_RCULIST_H
#define SIM_LINUX_RCULIST_H

#include <linux/list.h>
#include <linux/slab.h>

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct rcu_head {
	int unused;
};

static inline void hlist_add_head_rcu(struct hlist_node *item, struct hlist_head *head)
{
	item->next = head->first;
	item->pprev = &head->first;
	if (item->next)
		item->next->pprev = &item->next;
	head->first = item;
}

static inline void hlist_del_rcu(struct hlist_node *item)
{
	*item->pprev = item->next;
	if (item->next)
		item->next->pprev = item->pprev;
}

#define hlist_entry_safe(ptr, type, member) \
	({ typeof(ptr) ptr_ = (ptr); ptr_ ? container_of(ptr_, type, member) : NULL; })
#define hlist_for_each_entry_rcu(pos, head, member, cond) \
	for (pos = hlist_entry_safe((head)->first, typeof(*(pos)), member); pos; \
	     pos = hlist_entry_safe((pos)->member.next, typeof(*(pos)), member))

/* Nobody reads while somebody else runs. */
#define kfree_rcu(ptr, member)	kfree(ptr)

#endif /* SIM_LINUX_RCULIST_H */
