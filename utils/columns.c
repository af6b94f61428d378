// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of text.
 */
#include <stdarg.h>
#include <stdlib.h>
#include "columns.h"
#include "tool.h"

static bool grow(struct columns *c)
{
	size_t room = c->room ? 2 * c->room : 64;
	char **cells = realloc(c->cells, room * sizeof(*cells));

	if (!cells)
		return false;
	c->cells = cells;
	c->room = room;
	return true;
}

/** columns_add() - add the next cell; rows fill up by themselves */
void columns_add(struct columns *c, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	if (c->nr == c->room && !grow(c))
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	c->cells[c->nr++] = text;
}

static const char *cell(const struct columns *c, size_t i)
{
	return c->cells[i] ? c->cells[i] : "";
}

static int width_of(const struct columns *c, size_t column, size_t columns)
{
	size_t i, width = 0;

	for (i = column; i < c->nr; i += columns)
		if (strlen(cell(c, i)) > width)
			width = strlen(cell(c, i));
	return (int)width;
}

static void print_cell(const struct columns *c, size_t i, size_t columns, FILE *to)
{
	size_t column = i % columns;
	bool last = column + 1 == columns || i + 1 == c->nr;
	int width = width_of(c, column, columns);

	if (c->align[column] == 'l')
		width = last ? 0 : -width;
	fprintf(to, "%*s%s", width, cell(c, i), last ? "\n" : "  ");
}

/**
 * columns_print() - print the table and forget it
 * @c: table
 * @to: where to
 */
void columns_print(struct columns *c, FILE *to)
{
	size_t columns = strlen(c->align), i;

	for (i = 0; i < c->nr; i++)
		print_cell(c, i, columns, to);
	for (i = 0; i < c->nr; i++)
		free(c->cells[i]);
	free(c->cells);
	*c = (struct columns){ .align = c->align };
}
