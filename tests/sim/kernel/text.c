// SPDX-License-Identifier: GPL-2.0
/*
 * What the module takes from the kernel to read and write text, as exact as the kernel is.
 */
#include <stdarg.h>
#include <stdio.h>

#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/uuid.h>

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return (size_t)n < size ? n : size ? (int)size - 1 : 0;
}

void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	size_t room = m->size - m->count;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(m->buf + m->count, room, fmt, args);
	va_end(args);
	m->count += (size_t)n < room ? (size_t)n : room;
}

void seq_putc(struct seq_file *m, char c)
{
	seq_printf(m, "%c", c);
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

	for (; size; size--, at++)
		if (*at != (u8)c)
			return (void *)at;
	return NULL;
}

/* --- numbers: digits, perhaps with a plus before and a newline behind ------------------------- */

static int parse(const char *s, unsigned int base, u64 most, u64 *to)
{
	u64 value = 0;

	s += *s == '+';
	if (base != 10 || !isdigit((u8)*s))
		return -EINVAL;
	for (; isdigit((u8)*s); s++)
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (u64)(*s - '0'), &value))
			return -ERANGE;
	s += *s == '\n';
	if (*s)
		return -EINVAL;
	if (value > most)
		return -ERANGE;
	*to = value;
	return 0;
}

int kstrtou64(const char *s, unsigned int base, u64 *to)
{
	return parse(s, base, U64_MAX, to);
}

int kstrtou32(const char *s, unsigned int base, u32 *to)
{
	u64 n;
	int r = parse(s, base, U32_MAX, &n);

	if (!r)
		*to = (u32)n;
	return r;
}

int kstrtouint(const char *s, unsigned int base, unsigned int *to)
{
	return kstrtou32(s, base, to);
}

int kstrtou8(const char *s, unsigned int base, u8 *to)
{
	u64 n;
	int r = parse(s, base, 255, &n);

	if (!r)
		*to = (u8)n;
	return r;
}

/* The kernel looks at the first letter, and at the second of "on" and "off". */
int kstrtobool(const char *s, bool *to)
{
	char first = (char)tolower((u8)s[0]), second = first ? (char)tolower((u8)s[1]) : 0;
	bool yes = strchr("yt1", first) || (first == 'o' && second == 'n');
	bool no = strchr("nf0", first) || (first == 'o' && second == 'f');

	if (!first || (!yes && !no))
		return -EINVAL;
	*to = yes;
	return 0;
}

/* What follows the 36 characters does not count. */
int uuid_parse(const char *s, uuid_t *to)
{
	u32 i, nibble = 0;

	memset(to, 0, sizeof(*to));
	for (i = 0; i < 36; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (s[i] != '-')
				return -EINVAL;
			continue;
		}
		if (!isxdigit((u8)s[i]))
			return -EINVAL;
		to->b[nibble / 2] = (u8)(to->b[nibble / 2] << 4 |
			(isdigit((u8)s[i]) ? s[i] - '0' : tolower((u8)s[i]) - 'a' + 10));
		nibble++;
	}
	return 0;
}
