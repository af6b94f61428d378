// SPDX-License-Identifier: GPL-2.0
/* Parsing of command lines by a table. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "options.h"

static void check_bounds(const char *what, uint64_t value, uint64_t min, uint64_t max)
{
	if (max && (value < min || value > max))
		die(EXIT_USAGE, "%s: %" PRIu64 " is not between %" PRIu64 " and %" PRIu64, what,
		    value, min, max);
}

/* The digits at the head of text; end is set behind them. */
static uint64_t parse_digits(const char *what, const char *text, char **end)
{
	uint64_t value;

	errno = 0;
	value = strtoull(text, end, 10);
	if (!isdigit((unsigned char)text[0]) || errno)
		die(EXIT_USAGE, "%s: '%s' is not a number", what, text);
	return value;
}

uint64_t parse_number(const char *what, const char *text, uint64_t min, uint64_t max)
{
	char *end;
	uint64_t value = parse_digits(what, text, &end);

	if (*end)
		die(EXIT_USAGE, "%s: '%s' is not a number", what, text);
	check_bounds(what, value, min, max);
	return value;
}

static uint64_t parse_size(const char *what, const char *text, uint64_t min, uint64_t max)
{
	static const char suffixes[] = "kmgt";
	char *end;
	uint64_t value = parse_digits(what, text, &end);
	const char *suffix = *end ? strchr(suffixes, tolower((unsigned char)*end)) : NULL;

	if (*end && (!suffix || end[1]))
		die(EXIT_USAGE, "%s: '%s' is not a size", what, text);
	if (suffix)
		value <<= 10 * (suffix - suffixes + 1);
	check_bounds(what, value, min, max);
	return value;
}

static void set(const struct option_rule *rule, const char *text)
{
	switch (rule->kind) {
	case OPTION_FLAG:
		*(int *)rule->to = 1;
		break;
	case OPTION_TEXT:
		*(const char **)rule->to = text;
		break;
	case OPTION_NUMBER:
		*(uint64_t *)rule->to = parse_number(rule->name, text, rule->min, rule->max);
		break;
	case OPTION_SIZE:
		*(uint64_t *)rule->to = parse_size(rule->name, text, rule->min, rule->max);
		break;
	}
}

static const struct option_rule *find(const struct option_rule *rules, const char *name)
{
	for (; rules->name; rules++) {
		if (!strcmp(rules->name, name))
			return rules;
	}
	die(EXIT_USAGE, "there is no option %s (%s --help)", name, program);
}

/* Returns the last argument that belongs to the option. */
static char **take_option(const struct option_rule *rules, const char *usage, char **arg)
{
	const struct option_rule *rule;

	if (!strcmp(*arg, "--help")) {
		fputs(usage, stdout);
		exit(EXIT_OK);
	}
	rule = find(rules, *arg);
	if (rule->kind != OPTION_FLAG && !*++arg)
		die(EXIT_USAGE, "%s needs a value", rule->name);
	set(rule, *arg);
	return arg;
}

void options_parse(const struct option_rule *rules, const char *usage, char **argv,
		   const char **words, unsigned int nr)
{
	unsigned int found = 0;
	char **arg;

	for (arg = argv + 1; *arg; arg++) {
		if ((*arg)[0] == '-')
			arg = take_option(rules, usage, arg);
		else if (found++ < nr)
			words[found - 1] = *arg;
	}
	if (found != nr)
		die(EXIT_USAGE, "%u words were given, %u are wanted (%s --help)", found, nr, program);
}
