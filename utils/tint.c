// SPDX-License-Identifier: GPL-2.0
/*
 * Colours, only where somebody sees them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tint.h"

static int colours(void)
{
	const char *terminal = getenv("TERM"), *off = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(off && off[0]) && terminal && strcmp(terminal, "dumb");
}

/** tint() - what switches standard output to a colour: nothing if it is no terminal */
const char *tint(enum tint which)
{
	static const char *const codes[] = { "\033[0m", "\033[1m", "\033[32m", "\033[33m",
					     "\033[31m" };

	return colours() ? codes[which] : "";
}

enum tint tint_of_health(const char *health)
{
	if (!strcmp(health, "ok"))
		return TINT_GOOD;
	return strcmp(health, "degraded") ? TINT_BAD : TINT_WARN;
}
