/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Another table for a device that is in use.
 *
 * While the device is suspended, nothing of what is on it can be had, and that may be the root file
 * system: the tool's own pages are in memory then, and what it says is said afterwards.
 */
#ifndef FC_UTILS_SWAP_H
#define FC_UTILS_SWAP_H

#include "env.h"

/* What is done while the device is suspended. Return: 0, or -1 to leave the table as it is. */
typedef int (*swap_step_fn)(void *arg);

/**
 * struct swap - another table of one target
 * @name: of the mapped device
 * @sectors: length of the device
 * @target: name of the target
 * @params: table line behind that
 * @step: done between the old and the new table, or NULL
 * @arg: for @step
 */
struct swap {
	const char *name;
	u64 sectors;
	const char *target;
	const char *params;
	swap_step_fn step;
	void *arg;
};

int __must_check swap_table(const struct swap *s);

#endif /* FC_UTILS_SWAP_H */
