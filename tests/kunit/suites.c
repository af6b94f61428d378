// SPDX-License-Identifier: GPL-2.0
/*
 * The unit tests' harness in the kernel: each TEST() registers itself when the module is loaded, and
 * becomes a case of the suite that the first word of its name says.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../unit/harness.h"

/* An empty case ends an array of them. */
#define MAX_CASES	128

static unsigned long long seed = 1;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "what random numbers begin with");

static char *fail = "";
module_param(fail, charp, 0444);
MODULE_PARM_DESC(fail, "a case that is to fail, to see that it is noticed");

static char *only = "";
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "what the names of the cases to be run begin with");

static struct test *tests;
static struct kunit *current_case;
static u64 state = 1;

/* Constructors run before module_init(). */
void test_add(struct test *test)
{
	test->next = tests;
	tests = test;
}

/* KUnit runs one case at a time, each in a thread of its own: what is thrown ends that. */
void test_fail(const char *file, int line, const char *fmt, ...)
{
	struct va_format what;
	va_list args;

	va_start(args, fmt);
	what.fmt = fmt;
	what.va = &args;
	kunit_err(current_case, "%s:%d: %pV\n", file, line, &what);
	va_end(args);
	kunit_set_failure(current_case);
	kunit_try_catch_throw(&current_case->try_catch);
}

void test_seed(u64 number)
{
	state = (number + 1) * 0x9e3779b97f4a7c15ull;
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

static void run(struct kunit *kunit)
{
	const struct test *test;
	u64 number = seed;
	const char *c;

	for (test = tests; test && strcmp(test->name, kunit->name); test = test->next)
		;
	KUNIT_ASSERT_NOT_NULL(kunit, test);
	for (c = test->name; *c; c++)
		number = number * 31 + (u8)*c;
	test_seed(number);
	current_case = kunit;
	KUNIT_EXPECT_STRNEQ(kunit, fail, test->name);
	test->run();
}

#define SUITE(word)								\
	static struct kunit_case word##_cases[MAX_CASES];			\
	static struct kunit_suite word##_suite = {				\
		.name = "flashcache-" #word, .test_cases = word##_cases		\
	};

SUITE(clean)
SUITE(desk)
SUITE(format)
SUITE(geometry)
SUITE(ledger)
SUITE(map)
SUITE(part)
SUITE(replace)
SUITE(seq)

static struct kunit_suite * const all[] = {
	&clean_suite, &desk_suite, &format_suite, &geometry_suite, &ledger_suite, &map_suite,
	&part_suite, &replace_suite, &seq_suite,
};

static struct kunit_suite *suite_of(const struct test *test)
{
	size_t skip = strlen("flashcache-"), len = strcspn(test->name, "_"), i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (strlen(all[i]->name + skip) == len &&
		    !strncmp(all[i]->name + skip, test->name, len))
			return all[i];
	return NULL;
}

static int add_case(const struct test *test)
{
	struct kunit_suite *suite = suite_of(test);
	size_t i = 0;

	while (suite && suite->test_cases[i].run_case)
		i++;
	if (!suite || i + 1 >= MAX_CASES) {
		pr_err("no suite with room for the test %s\n", test->name);
		return -EINVAL;
	}
	suite->test_cases[i] = (struct kunit_case){ .run_case = run, .name = test->name };
	return 0;
}

/*
 * Not by kunit_test_suites(): some kernels run such suites before a module's constructors, others
 * after its init.
 */
static int __init suites_init(void)
{
	const struct test *test;
	int r;

	for (test = tests; test; test = test->next) {
		if (strncmp(test->name, only, strlen(only)))
			continue;
		r = add_case(test);
		if (r)
			return r;
	}
	return __kunit_test_suites_init(all, ARRAY_SIZE(all));
}

static void __exit suites_exit(void)
{
	__kunit_test_suites_exit((struct kunit_suite **)all, ARRAY_SIZE(all));
}

module_init(suites_init);
module_exit(suites_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("flashcache: unit tests of the core");
