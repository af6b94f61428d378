/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_LIST_H
#define SIM_LINUX_LIST_H

#include <linux/kernel.h>

struct hlist_head {
	struct hlist_node *first;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_add(struct list_head *item, struct list_head *head)
{
	item->next = head->next;
	item->prev = head;
	head->next->prev = item;
	head->next = item;
}

static inline void list_add_tail(struct list_head *item, struct list_head *head)
{
	list_add(item, head->prev);
}

static inline void list_del(struct list_head *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
}

static inline void list_del_init(struct list_head *item)
{
	list_del(item);
	INIT_LIST_HEAD(item);
}

static inline void list_move_tail(struct list_head *item, struct list_head *head)
{
	list_del(item);
	list_add_tail(item, head);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
#define list_next_entry(pos, member) list_entry((pos)->member.next, typeof(*(pos)), member)
#define list_for_each_entry(pos, head, member) \
	for (pos = list_first_entry(head, typeof(*(pos)), member); &pos->member != (head); \
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member) \
	for (pos = list_first_entry(head, typeof(*(pos)), member), \
	     n = list_next_entry(pos, member); &pos->member != (head); \
	     pos = n, n = list_next_entry(n, member))

/* Lists without a lock. */
struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

static inline void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}

static inline bool llist_empty(const struct llist_head *list)
{
	return !list->first;
}

static inline bool llist_add(struct llist_node *node, struct llist_head *list)
{
	node->next = list->first;
	list->first = node;
	return !node->next;
}

static inline struct llist_node *llist_del_all(struct llist_head *list)
{
	return xchg(&list->first, NULL);
}

static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *reversed = NULL, *next;

	for (; node; node = next) {
		next = node->next;
		node->next = reversed;
		reversed = node;
	}
	return reversed;
}

#define llist_entry(ptr, type, member) container_of(ptr, type, member)
#define llist_next_(pos, member) \
	((pos)->member.next ? llist_entry((pos)->member.next, typeof(*(pos)), member) : NULL)
#define llist_for_each_entry_safe(pos, n, node, member) \
	for (pos = (node) ? llist_entry(node, typeof(*(pos)), member) : NULL; \
	     pos && (n = llist_next_(pos, member), true); pos = n)
#define llist_for_each_entry(pos, node, member) \
	for (pos = (node) ? llist_entry(node, typeof(*(pos)), member) : NULL; pos; \
	     pos = llist_next_(pos, member))

#endif /* SIM_LINUX_LIST_H */
