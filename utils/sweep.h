/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_SWEEP_H
#define FC_UTILS_SWEEP_H

#include "cache.h"

enum sweep_result {
	SWEEP_CLEAN,	/* nothing is dirty */
	SWEEP_CHASED,	/* all that was dirty is clean, but users made more */
	SWEEP_STOPPED,	/* by Ctrl-C */
	SWEEP_FAILED,	/* and it has been said why */
};

enum sweep_result sweep(struct cache *c);

#endif /* FC_UTILS_SWEEP_H */
