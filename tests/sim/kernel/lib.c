// SPDX-License-Identifier: GPL-2.0
/*
 * What the module takes from the kernel's library.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"

/* --- messages --------------------------------------------------------------------------------- */

bool kernel_traces;	/* messages are printed, and what the devices do is told */
static char last_error[256];

/** kernel_messages() - shall the module's messages be printed? */
void kernel_messages(bool show)
{
	kernel_traces = show;
	last_error[0] = '\0';
}

/** kernel_last_error() - what the module said last that began with "error" */
const char *kernel_last_error(void)
{
	return last_error;
}

void sim_printk(const char *fmt, ...)
{
	char line[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (!strncmp(line, "error", 5))
		memcpy(last_error, line, sizeof(line));
	if (kernel_traces)
		printf("#   %u: %s\n", mach ? mach->depth : 0, line);
}

void sim_warn(const char *what, const char *file, int line)
{
	sim_fail("warning at %s:%d: %s", file, line, what);
}

u64 ktime_get_ns(void)
{
	return jiffies * (1000000000ull / HZ);
}

/* --- the rest --------------------------------------------------------------------------------- */

void get_random_bytes(void *buf, size_t len)
{
	u8 *at = buf;

	while (len--)
		*at++ = (u8)(rng_next(&mach->rng) >> 56);
}

void sort(void *base, size_t nr, size_t size, int (*cmp)(const void *, const void *), void *unused)
{
	(void)unused;
	qsort(base, nr, size, cmp);
}
