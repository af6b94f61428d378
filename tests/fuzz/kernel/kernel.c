// SPDX-License-Identifier: GPL-2.0
/*
 * As much of the kernel as the fuzzed files need: numbers and strings, lists, devices, the log.
 */
#include <stdarg.h>

#include "harness.h"
#include "kernel/kernel.h"

struct target_type *fuzz_target;
struct block_device fuzz_bdevs[26];
unsigned int fuzz_open_devices;
char fuzz_error[1024];
unsigned int fuzz_errors;

/* --- numbers: digits, perhaps with a plus before and a newline behind ------------------------- */

static int parse(const char *text, u64 most, u64 *to)
{
	u64 value = 0;

	text += *text == '+';
	if (!isdigit((u8)*text))
		return -EINVAL;
	for (; isdigit((u8)*text); text++)
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (u64)(*text - '0'), &value))
			return -ERANGE;
	text += *text == '\n';
	if (*text)
		return -EINVAL;
	if (value > most)
		return -ERANGE;
	*to = value;
	return 0;
}

int kstrtou64(const char *text, unsigned int base, u64 *to)
{
	CHECK_EQ(base, 10);
	return parse(text, ~0ull, to);
}

int kstrtou32(const char *text, unsigned int base, u32 *to)
{
	u64 value;
	int r = parse(text, ~0u, &value);

	CHECK_EQ(base, 10);
	if (!r)
		*to = (u32)value;
	return r;
}

int kstrtou8(const char *text, unsigned int base, u8 *to)
{
	u64 value;
	int r = parse(text, 255, &value);

	CHECK_EQ(base, 10);
	if (!r)
		*to = (u8)value;
	return r;
}

/* The kernel looks at the first letter, and at the second of "on" and "off". */
int kstrtobool(const char *text, bool *to)
{
	char first = (char)tolower(text[0]), second = first ? (char)tolower(text[1]) : 0;
	bool yes = strchr("yt1", first) || (first == 'o' && second == 'n');
	bool no = strchr("nf0", first) || (first == 'o' && second == 'f');

	if (!first || (!yes && !no))
		return -EINVAL;
	*to = yes;
	return 0;
}

/* --- strings ---------------------------------------------------------------------------------- */

ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (!size)
		return -E2BIG;
	memcpy(to, from, len < size ? len : size - 1);
	to[len < size ? len : size - 1] = '\0';
	return len < size ? (ssize_t)len : -E2BIG;
}

int scnprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(to, size, fmt, args);
	va_end(args);
	return (size_t)len < size ? len : size ? (int)size - 1 : 0;
}

void *memchr_inv(const void *from, int c, size_t size)
{
	const u8 *at = from;

	for (; size; size--, at++)
		if (*at != (u8)c)
			return (void *)at;
	return NULL;
}

int uuid_parse(const char *text, uuid_t *to)
{
	unsigned int i, nibble = 0;

	memset(to, 0, sizeof(*to));
	for (i = 0; i < 36; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (text[i] != '-')
				return -EINVAL;
			continue;
		}
		if (!isxdigit((u8)text[i]))
			return -EINVAL;
		to->b[nibble / 2] = (u8)(to->b[nibble / 2] << 4 |
			(isdigit((u8)text[i]) ? text[i] - '0' : tolower(text[i]) - 'a' + 10));
		nibble++;
	}
	return 0;
}

/* As test_seed() has it, so that an input always does the same. */
void get_random_bytes(void *to, size_t size)
{
	u8 *at = to;

	while (size--)
		*at++ = (u8)test_below(256);
}

/* --- locks and lists -------------------------------------------------------------------------- */

void mutex_lock(struct mutex *m)
{
	CHECK(!m->locked);
	m->locked = true;
}

void mutex_unlock(struct mutex *m)
{
	CHECK(m->locked);
	m->locked = false;
}

void bio_list_add(struct bio_list *list, struct bio *bio)
{
	bio->bi_next = NULL;
	if (list->tail)
		list->tail->bi_next = bio;
	else
		list->head = bio;
	list->tail = bio;
}

void bio_list_merge(struct bio_list *list, struct bio_list *from)
{
	if (!from->head)
		return;
	if (list->tail)
		list->tail->bi_next = from->head;
	else
		list->head = from->head;
	list->tail = from->tail;
}

struct bio *bio_list_pop(struct bio_list *list)
{
	struct bio *bio = list->head;

	if (bio)
		list->head = bio->bi_next;
	if (!list->head)
		list->tail = NULL;
	return bio;
}

/* --- device-mapper ---------------------------------------------------------------------------- */

int dm_get_device(struct dm_target *ti, const char *path, unsigned int mode, struct dm_dev **dev)
{
	if (path[0] < 'a' || path[0] > 'z' || path[1] || !fuzz_bdevs[path[0] - 'a'].sectors)
		return -ENODEV;
	*dev = calloc(1, sizeof(**dev));
	CHECK(*dev);
	(*dev)->bdev = &fuzz_bdevs[path[0] - 'a'];
	strcpy((*dev)->name, path);
	fuzz_open_devices++;
	return 0;
}

void dm_put_device(struct dm_target *ti, struct dm_dev *dev)
{
	CHECK(fuzz_open_devices);
	fuzz_open_devices--;
	free(dev);
}

int dm_register_target(struct target_type *type)
{
	fuzz_target = type;
	return 0;
}

void dm_unregister_target(struct target_type *type)
{
	fuzz_target = NULL;
}

/* --- the log ---------------------------------------------------------------------------------- */

void fuzz_log(bool error, const char *fmt, ...)
{
	char line[sizeof(fuzz_error)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (getenv("FUZZ_VERBOSE"))
		fprintf(stderr, "%s: %s\n", error ? "error" : "log", line);
	if (!error)
		return;
	strcpy(fuzz_error, line);
	fuzz_errors++;
}
