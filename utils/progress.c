// SPDX-License-Identifier: GPL-2.0
/*
 * The progress bar: share done, rate, time left; on standard error.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "human.h"
#include "progress.h"

#define BAR_WIDTH	30
#define BAR_PERIOD	200u	/* milliseconds */
#define LINE_PERIOD	5000u	/* where there is no terminal */
#define FIRST_SHOWN	500u	/* what is done by then needs no bar */

static bool quiet;

static u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

/** progress_quiet() - show no progress from now on */
void progress_quiet(void)
{
	quiet = true;
}

/**
 * progress_begin() - begin something long
 * @p: filled
 * @what: what is being done; kept, not copied
 * @total: steps in all
 * @step_bytes: bytes of a step, 0 if it has none
 */
void progress_begin(struct progress *p, const char *what, u64 total, u64 step_bytes)
{
	*p = (struct progress){
		.what = what,
		.total = total,
		.step_bytes = step_bytes,
		.begun = now_ms(),
		.terminal = isatty(STDERR_FILENO),
	};
	p->shown = p->begun;
}

static void format_rate(human_text text, const struct progress *p, u64 done, u64 elapsed)
{
	u64 rate = elapsed ? done * (p->step_bytes ? p->step_bytes : 1) * 1000 / elapsed : 0;

	if (p->step_bytes)
		human_bytes(text, rate);
	else
		human_count(text, rate);
}

static void show(struct progress *p, u64 done, u64 now)
{
	u64 elapsed = now - p->begun, left = done ? elapsed * (p->total - done) / done / 1000 : 0;
	unsigned int filled = (unsigned int)(done * BAR_WIDTH / p->total);
	human_text rate, time, share;

	format_rate(rate, p, done, elapsed);
	human_percent(share, done, p->total);
	human_seconds(time, left);
	if (p->terminal)
		fprintf(stderr, "\r%s [%.*s%*s] %s, %s/s, %s left\033[K", p->what, (int)filled,
			"##############################", (int)(BAR_WIDTH - filled), "", share,
			rate, done ? time : "?");
	else
		fprintf(stderr, "%s: %s, %s/s, %s left\n", p->what, share, rate, done ? time : "?");
	p->lines = true;
}

/**
 * progress_at() - tell how far it is; may be called often
 * @p: progress
 * @done: steps done
 */
void progress_at(struct progress *p, u64 done)
{
	u64 now, period = p->terminal ? BAR_PERIOD : LINE_PERIOD;

	if (quiet || !p->total)
		return;
	if (!p->lines && p->terminal)
		period = FIRST_SHOWN;
	now = now_ms();
	if (now - p->shown < period)
		return;
	p->shown = now;
	show(p, done < p->total ? done : p->total, now);
}

/** progress_end() - take the bar away; the result is the caller's to tell */
void progress_end(struct progress *p)
{
	if (p->lines && p->terminal)
		fprintf(stderr, "\r\033[K");
	p->lines = false;
}

/** progress_clear() - make room for a message in the place of the bar, which comes again */
void progress_clear(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}
