// SPDX-License-Identifier: GPL-2.0
/*
 * The knobs as the code has them.
 *
 *	knobs list	settings: name, default, least, most, kept or lost at a stop
 *	knobs orders	names of the orders
 *	knobs table	all of them as rows of the user guide's table
 */
#include <stdio.h>
#include <string.h>

#include "flashcache/uapi.h"

struct setting {
	const char *name;
	unsigned int standard, least, most;
	int kept;
	const char *help;
};

struct order {
	const char *name, *help;
};

#define SETTING(name, standard, least, most, kept, help) \
	{ #name, standard, least, most, kept, help },
#define ORDER(name, help) { #name, help },

static const struct setting settings[] = { FC_TUNABLES(SETTING) };
static const struct order orders[] = { FC_ORDERS(ORDER) };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void list(void)
{
	size_t i;

	for (i = 0; i < COUNT(settings); i++) {
		const struct setting *s = &settings[i];

		printf("%s %u %u %u %s\n", s->name, s->standard, s->least, s->most,
		       s->kept == FC_NOT_KEPT ? "lost" : "kept");
	}
}

static void list_orders(void)
{
	size_t i;

	for (i = 0; i < COUNT(orders); i++)
		puts(orders[i].name);
}

static void table(void)
{
	size_t i;

	for (i = 0; i < COUNT(settings); i++) {
		const struct setting *s = &settings[i];

		printf("| `%s` | %u | %u%s%u | %s | %s |\n", s->name, s->standard, s->least,
		       s->most == s->least + 1 ? ", " : " to ", s->most,
		       s->kept == FC_NOT_KEPT ? "no" : "yes", s->help);
	}
	for (i = 0; i < COUNT(orders); i++)
		printf("| `%s` | | 0, 1 | order | %s |\n", orders[i].name, orders[i].help);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "list"))
		list();
	else if (!strcmp(what, "orders"))
		list_orders();
	else if (!strcmp(what, "table"))
		table();
	else
		return 1;
	return 0;
}
