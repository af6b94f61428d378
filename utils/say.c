// SPDX-License-Identifier: GPL-2.0
/*
 * What the tool says and asks.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include "tool.h"

const char *tool_name = "flashcache";

/* What is said while a device is suspended: standard error may be a file on that very device. */
static bool held;
static char kept[1024];

static void print_line(const char *fmt, va_list args)
{
	size_t len = strlen(kept);
	int more;

	if (held) {
		more = snprintf(kept + len, sizeof(kept) - len, "%s: ", tool_name);
		len += (size_t)more < sizeof(kept) - len ? (size_t)more : 0;
		more = vsnprintf(kept + len, sizeof(kept) - len, fmt, args);
		len += (size_t)more < sizeof(kept) - len ? (size_t)more : 0;
		snprintf(kept + len, sizeof(kept) - len, "\n");
		return;
	}
	fflush(stdout);
	fprintf(stderr, "%s: ", tool_name);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

/** say_later() - keep what is said until say_now() */
void say_later(void)
{
	held = true;
}

/** say_now() - say what was kept, and speak at once from now on */
void say_now(void)
{
	held = false;
	fflush(stdout);
	fprintf(stderr, "%s", kept);
	kept[0] = '\0';
}

/**
 * fail() - say what is wrong and what to do about it
 * @fmt: one line without its end
 *
 * Return: -1, so that a caller can `return fail(...)`.
 */
int fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
	return -1;
}

/** note() - tell something that is no error; like fail() otherwise */
void note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
}

/**
 * ask() - ask a yes/no question
 * @fmt: the question without its end
 *
 * Return: true only if a line came from standard input that begins with a lower-case y.
 */
bool ask(const char *fmt, ...)
{
	char answer[64];
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (y/n): ");
	return fgets(answer, sizeof(answer), stdin) && answer[0] == 'y';
}

/**
 * usage_error() - say what is wrong with the command line, then how to call it
 * @usage: the first lines of the help
 * @fmt: what is wrong, NULL when it has been said already
 *
 * Return: exit status 1.
 */
int usage_error(const char *usage, const char *fmt, ...)
{
	va_list args;

	if (fmt) {
		va_start(args, fmt);
		print_line(fmt, args);
		va_end(args);
	}
	fputs(usage, stderr);
	fprintf(stderr, "Try '%s -h' for help.\n", tool_name);
	return 1;
}

/**
 * parse_one_word() - the command line of a command that has no options but help, and one operand
 * @argc: of the command
 * @argv: of the command; the operand is then at optind
 * @usage: the first lines of the help
 * @help: the rest
 * @missing: said when there is not one operand
 *
 * Return: -1 to go on, else an exit status.
 */
int parse_one_word(int argc, char **argv, const char *usage, const char *help,
		   const char *missing)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option = getopt_long(argc, argv, "h", long_options, NULL);

	if (option == 'h') {
		printf("%s%s", usage, help);
		return 0;
	}
	if (option != -1)
		return usage_error(usage, NULL);
	return argc - optind == 1 ? -1 : usage_error(usage, "%s", missing);
}
