// SPDX-License-Identifier: GPL-2.0
/*
 * Ctrl-C as a wish: whoever works for long asks between two steps whether to stop.
 */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include "stop.h"

static atomic_bool asked;	/* lock-free, so that a signal handler may set it */

static void note_signal(int number)
{
	(void)number;
	asked = true;
}

static void handle(void (*handler)(int number))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = handler };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

/** stop_catch() - from now on SIGINT, SIGTERM and SIGHUP only make stop_asked() true */
void stop_catch(void)
{
	handle(note_signal);
}

/** stop_ignore() - for a step that must not be left half done */
void stop_ignore(void)
{
	handle(SIG_IGN);
}

bool stop_asked(void)
{
	return asked;
}

/**
 * stop_sleep() - wait, but not longer than until a stop is asked for
 * @milliseconds: how long
 *
 * Return: stop_asked().
 */
bool stop_sleep(unsigned int milliseconds)
{
	if (!asked)
		poll(NULL, 0, (int)milliseconds);
	return asked;
}
