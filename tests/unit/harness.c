// SPDX-License-Identifier: GPL-2.0
/*
 * unit [NAME...]: runs the unit tests, all of them or those whose name contains one of the words,
 * and prints `ok - name` or `not ok - name` for each. SEED in the environment changes what the
 * random ones do.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

static struct test *tests;
static jmp_buf out;
static u64 state = 1;

/* Keeps the list sorted by name, so that the order does not depend on the linker. */
void test_add(struct test *test)
{
	struct test **link = &tests;

	while (*link && strcmp((*link)->name, test->name) < 0)
		link = &(*link)->next;
	test->next = *link;
	*link = test;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	longjmp(out, 1);
}

void test_seed(u64 seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	if (!state)
		state = 1;
}

u64 test_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dull;
}

u32 test_below(u32 limit)
{
	return (u32)((test_random() >> 32) * limit >> 32);
}

bool test_chance(u32 percent)
{
	return test_below(100) < percent;
}

static bool passes(const struct test *test)
{
	if (setjmp(out))
		return false;
	test->run();
	return true;
}

static bool run(const struct test *test, u64 seed)
{
	const char *c;
	bool good;

	for (c = test->name; *c; c++)
		seed = seed * 31 + (u8)*c;
	test_seed(seed);
	good = passes(test);
	printf("%s - %s\n", good ? "ok" : "not ok", test->name);
	fflush(stdout);
	return good;
}

static bool wanted(const struct test *test, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(test->name, argv[i]))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	const char *word = getenv("SEED");
	u64 seed = word ? strtoull(word, NULL, 0) : 1;
	const struct test *test;
	int bad = 0, nr = 0;

	if (word)
		printf("# SEED=%s\n", word);
	for (test = tests; test; test = test->next) {
		if (!wanted(test, argc, argv))
			continue;
		nr++;
		bad += !run(test, seed);
	}
	/* What a failed test left behind is no leak worth a report. */
	fflush(stdout);
	if (bad || !nr)
		_exit(1);
	return 0;
}
