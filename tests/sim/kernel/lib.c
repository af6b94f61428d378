// SPDX-License-Identifier: GPL-2.0
/*
 * What the module takes from the kernel's library.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"

/* --- messages --------------------------------------------------------------------------------- */

static bool shown;
static char last_error[256];

/** kernel_messages() - shall the module's messages be printed? */
void kernel_messages(bool show)
{
	shown = show;
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
	if (shown)
		printf("#   kernel, depth %u: %s\n", mach ? mach->depth : 0, line);
}

void sim_warn(const char *what, const char *file, int line)
{
	sim_fail("warning at %s:%d: %s", file, line, what);
}

u64 ktime_get_ns(void)
{
	return jiffies * (1000000000ull / HZ);
}

/* --- text ------------------------------------------------------------------------------------- */

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return n < (int)size ? n : (int)size - 1;
}

long strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (!size)
		return -E2BIG;
	if (len == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(to, from, len + 1);
	return (long)len;
}

void *memchr_inv(const void *p, int c, size_t size)
{
	const u8 *at = p;

	for (; size--; at++)
		if (*at != (u8)c)
			return (void *)at;
	return NULL;
}

int kstrtou64(const char *s, unsigned int base, u64 *to)
{
	char *end;

	errno = 0;
	*to = strtoull(s, &end, (int)base);
	return *s == '-' || end == s || *end || errno ? -EINVAL : 0;
}

int kstrtou32(const char *s, unsigned int base, u32 *to)
{
	u64 n;

	if (kstrtou64(s, base, &n) || n > U32_MAX)
		return -EINVAL;
	*to = (u32)n;
	return 0;
}

int kstrtouint(const char *s, unsigned int base, unsigned int *to)
{
	return kstrtou32(s, base, to);
}

int kstrtou8(const char *s, unsigned int base, u8 *to)
{
	u64 n;

	if (kstrtou64(s, base, &n) || n > 255)
		return -EINVAL;
	*to = (u8)n;
	return 0;
}

int kstrtobool(const char *s, bool *to)
{
	*to = *s == '1';
	return *s == '0' || *s == '1' ? 0 : -EINVAL;
}

int uuid_parse(const char *s, uuid_t *to)
{
	u32 nibble = 0;

	memset(to, 0, sizeof(*to));
	for (; *s; s++) {
		if (*s == '-')
			continue;
		if (!isxdigit((u8)*s) || nibble == 32)
			return -EINVAL;
		to->b[nibble / 2] |= (u8)((isdigit((u8)*s) ? *s - '0' : (*s | 32) - 'a' + 10)
				     << (nibble & 1 ? 0 : 4));
		nibble++;
	}
	return nibble == 32 ? 0 : -EINVAL;
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
