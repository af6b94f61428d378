/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_STORE_H
#define FC_UTILS_STORE_H

#include "device.h"
#include "format.h"

enum store_kind {
	STORE_NONE,		/* no cache */
	STORE_CACHE,		/* a valid one of ours */
	STORE_DAMAGED,		/* one of ours, but no superblock of it is valid */
	STORE_NEWER,		/* one of ours, in a format that we do not know */
	STORE_ORIGINAL,		/* one of the original flashcache */
};

/**
 * struct store - what the first blocks of an SSD say
 * @kind: what is there
 * @super: for STORE_CACHE: the superblock that counts; its strings are fit to print
 * @why: for all other kinds but STORE_NONE: a text that says what was found
 */
struct store {
	enum store_kind kind;
	struct fc_super super;
	const char *why;
};

int __must_check store_peek(const struct device *ssd, struct store *store);
int __must_check store_read(const struct device *ssd, struct store *store);
int __must_check store_wipe(const struct device *ssd);

#endif /* FC_UTILS_STORE_H */
