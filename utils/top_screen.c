// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of flashcache top.
 */
#include <curses.h>
#include <stdlib.h>
#include <unistd.h>
#include "device.h"
#include "human.h"
#include "stop.h"
#include "tint.h"
#include "tool.h"
#include "top.h"

#define BAR_WIDTH	40
#define KEY_PERIOD	100u	/* milliseconds between two looks at the keyboard */

/* Colours of curses have the numbers of enum tint. */
static void begin_colours(void)
{
	if (!has_colors() || (getenv("NO_COLOR") && getenv("NO_COLOR")[0]))
		return;
	start_color();
	use_default_colors();
	init_pair(TINT_GOOD, COLOR_GREEN, -1);
	init_pair(TINT_WARN, COLOR_YELLOW, -1);
	init_pair(TINT_BAD, COLOR_RED, -1);
}

static void draw_title(const struct cache *c)
{
	enum tint health = tint_of_health(cache_text(c, "health"));

	attron(A_BOLD);
	printw("%s", c->name);
	attroff(A_BOLD);
	printw("  %s, %s, ", cache_text(c, "mode"), cache_text(c, "policy"));
	attron(COLOR_PAIR(health));
	printw("%s%s", cache_text(c, "health"), c->info.suspended ? ", suspended" : "");
	attroff(COLOR_PAIR(health));
	printw("\n");
}

/* "[####:::.....]": dirty, clean, free. */
static void draw_content(const struct cache *c)
{
	u64 blocks = cache_number(c, "blocks"), cached = cache_number(c, "cached");
	u64 dirty = cache_number(c, "dirty"), block = cache_block_bytes(c);
	int i, to_dirty, to_cached;
	human_text a, b;

	to_dirty = blocks ? (int)((dirty * BAR_WIDTH + blocks - 1) / blocks) : 0;
	to_cached = blocks ? (int)(cached * BAR_WIDTH / blocks) : 0;
	printw("  content   [");
	for (i = 0; i < BAR_WIDTH; i++) {
		chtype look = i < to_dirty ? (chtype)('#' | COLOR_PAIR(TINT_WARN)) :
			      i < to_cached ? (chtype)(':' | COLOR_PAIR(TINT_GOOD)) : '.';

		addch(look);
	}
	printw("] %s cached", human_percent(a, cached, blocks));
	printw(", %s dirty (%s)\n", human_percent(a, dirty, blocks),
	       human_bytes(b, dirty * block));
}

static void draw_hits(const char *what, const struct rates *r, unsigned int blocks,
		      unsigned int hits)
{
	human_text rate, share;

	printw("  %-9s %10s blocks/s, %s hit\n", what,
	       human_count(rate, (u64)((double)r->counts[blocks] / r->seconds)),
	       human_percent(share, r->counts[hits], r->counts[blocks]));
}

static void draw_cleaning(const struct cache *c, const struct rates *r)
{
	u64 dirty = cache_number(c, "dirty") * cache_block_bytes(c);
	human_text rate, left;

	printw("  cleaning  %10s/s", human_bytes(rate, (u64)r->clean_bytes));
	if (r->clean_bytes >= 1)
		printw(", %s for all that is dirty",
		       human_seconds(left, (u64)((double)dirty / r->clean_bytes)));
	printw("\n");
}

static void draw_leg(const char *what, const char *path, const struct leg_rates *leg)
{
	human_text read, write;

	printw("  %-9s %8.0f %9s/s %8.2f %8.0f %9s/s %8.2f %5.0f %%  %s\n", what, leg->reads,
	       human_bytes(read, (u64)leg->read_bytes), leg->read_ms, leg->writes,
	       human_bytes(write, (u64)leg->write_bytes), leg->write_ms, leg->busy, path);
}

static void draw_cache(const struct cache *c, const struct rates *r)
{
	draw_title(c);
	draw_content(c);
	draw_hits("reads", r, SAMPLE_READ_BLOCKS, SAMPLE_READ_HITS);
	draw_hits("writes", r, SAMPLE_WRITE_BLOCKS, SAMPLE_WRITE_HITS);
	draw_cleaning(c, r);
	attron(A_DIM);
	printw("  %-9s %8s %11s %8s %8s %11s %8s %7s\n", "", "reads/s", "data", "ms", "writes/s",
	       "data", "ms", "busy");
	attroff(A_DIM);
	draw_leg("cache", "", &r->legs[SAMPLE_CACHE]);
	draw_leg("ssd", c->ssd.path, &r->legs[SAMPLE_SSD]);
	draw_leg("disk", c->disk.path, &r->legs[SAMPLE_DISK]);
	printw("\n");
}

static void draw(const struct top *t)
{
	size_t i;

	erase();
	move(0, 0);
	attron(A_REVERSE);
	printw("flashcache top: %zu caches, every %u s; q ends, + and - change the delay",
	       t->list.nr, t->delay_ms / 1000);
	attroff(A_REVERSE);
	printw("\n\n");
	if (!t->list.nr)
		printw("no cache runs\n");
	for (i = 0; i < t->list.nr; i++)
		draw_cache(&t->list.at[i], &t->rows[i].rates);
	refresh();
}

/* Return: false when the user wants to leave. */
static bool obey_key(struct top *t, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case '+':
		t->delay_ms += t->delay_ms < 3600000 ? 1000 : 0;
		break;
	case '-':
		t->delay_ms -= t->delay_ms > 1000 ? 1000 : 0;
		break;
	case KEY_RESIZE:
		break;
	default:
		return true;
	}
	draw(t);
	return true;
}

/* Return: false when the user wants to leave. */
static bool wait_keys(struct top *t)
{
	unsigned int waited;

	for (waited = 0; waited < t->delay_ms; waited += KEY_PERIOD)
		if (stop_asked() || !obey_key(t, getch()))
			return false;
	return !stop_asked();
}

/**
 * top_screen() - watch until the user has seen enough
 * @t: watch
 */
int top_screen(struct top *t)
{
	SCREEN *screen;
	bool failed = false;

	/* Before the screen is taken: what is wrong must be readable. */
	if (top_look(t))
		return -1;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return fail("this terminal cannot show a screen (TERM=%s): -b prints lines",
			    getenv("TERM") ? getenv("TERM") : "");
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	timeout(KEY_PERIOD);
	begin_colours();
	do {
		draw(t);
		if (!wait_keys(t))
			break;
		failed = top_look(t);
	} while (!failed);
	endwin();
	delscreen(screen);
	/* What was said on the screen is gone with it. */
	return failed ? fail("there is nothing to watch any more: a cache was stopped") : 0;
}
