/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unit tests' own harness: tests register themselves, a failed check ends its test.
 */
#ifndef FC_UNIT_HARNESS_H
#define FC_UNIT_HARNESS_H

#include <stdarg.h>

#include "env.h"

/* One test of the list that the constructors build. */
struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

void test_add(struct test *test);
_Noreturn __attribute__((format(printf, 3, 4)))
void test_fail(const char *file, int line, const char *fmt, ...);

/* Numbers that repeat: from SEED in the environment, 1 without it, and the test's name. */
u64 test_random(void);
u32 test_below(u32 limit);
bool test_chance(u32 percent);
void test_seed(u64 seed);

#define TEST(id)								\
	static void id(void);							\
	static struct test test_of_##id = { .name = #id, .run = id };		\
	static __attribute__((constructor)) void register_##id(void)		\
	{									\
		test_add(&test_of_##id);					\
	}									\
	static void id(void)

#define CHECK(cond)								\
	do {									\
		if (!(cond))							\
			test_fail(__FILE__, __LINE__, "%s", #cond);		\
	} while (0)

#define CHECK_EQ(got, want)							\
	do {									\
		unsigned long long got_ = (got), want_ = (want);		\
										\
		if (got_ != want_)						\
			test_fail(__FILE__, __LINE__, "%s is %llu (%#llx), not %llu (%#llx)", \
				  #got, got_, got_, want_, want_);		\
	} while (0)

#define CHECK_STR(got, want)							\
	do {									\
		const char *s_ = (got);						\
										\
		if (!s_ || strcmp(s_, (want)))					\
			test_fail(__FILE__, __LINE__, "%s is '%s', not '%s'", #got,	\
				  s_ ? s_ : "(null)", (want));			\
	} while (0)

#define CHECK_HAS(got, part)							\
	do {									\
		const char *s_ = (got);						\
										\
		if (!s_ || !strstr(s_, (part)))					\
			test_fail(__FILE__, __LINE__, "%s is '%s', without '%s'", #got, \
				  s_ ? s_ : "(null)", (part));			\
	} while (0)

#endif /* FC_UNIT_HARNESS_H */
