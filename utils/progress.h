/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_PROGRESS_H
#define FC_UTILS_PROGRESS_H

#include "env.h"

/**
 * struct progress - how far something long has come
 * @what: what is being done, one or two words
 * @total: steps in all
 * @step_bytes: bytes of a step, for the rate; 0: the rate is in steps
 * @begun: when it began, milliseconds
 * @shown: when it was last shown, milliseconds
 * @terminal: standard error is one: a bar that moves; otherwise a line now and then
 * @lines: something was shown
 */
struct progress {
	const char *what;
	u64 total;
	u64 step_bytes;
	u64 begun;
	u64 shown;
	bool terminal;
	bool lines;
};

void progress_begin(struct progress *p, const char *what, u64 total, u64 step_bytes);
void progress_at(struct progress *p, u64 done);
void progress_end(struct progress *p);
void progress_clear(void);
void progress_quiet(void);

#endif /* FC_UTILS_PROGRESS_H */
