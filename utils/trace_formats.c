// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of traces.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "device.h"
#include "simulate.h"
#include "tool.h"
#include "trace.h"

#define FILE_SHIFT	40	/* a file's part of the disk, in sectors */
#define MAX_FILES	64u

/* Requests are of bytes here; sectors that are touched count. */
static int add_bytes(struct trace *t, bool write, u64 offset, u64 length, u64 base)
{
	u64 first = offset / SECTOR_SIZE, end;

	if (!length)
		return 0;
	/* Each for itself, so that their sum cannot wrap. */
	if (offset / SECTOR_SIZE >= SIMULATE_DISK || length / SECTOR_SIZE >= SIMULATE_DISK)
		return fail("%s, line %" PRIu64 ": the request lies beyond any disk", t->path,
			    t->lines);
	end = (offset + length + SECTOR_SIZE - 1) / SECTOR_SIZE;
	return trace_add(t, write, base + first, end - first, 0);
}

/** trace_line_csv() - "time_us,op,offset,length", op is r or w */
int trace_line_csv(struct trace *t, const char *line)
{
	u64 offset, length;
	char op, rest;
	int nr;

	nr = sscanf(line, "%*[^,],%c,%" SCNu64 ",%" SCNu64 "%c", &op, &offset, &length, &rest);
	if (nr < 3 || (nr == 4 && rest != ',' && rest != '\r') || !strchr("rRwW", op) ||
	    strchr(line, '-'))
		return trace_bad_line(t, line);
	return add_bytes(t, op == 'w' || op == 'W', offset, length, 0);
}

/* "8,0 3 1 0.000000000 697 Q W 223490 + 8 [name]" */
struct blk_line {
	char device[24];
	char action[4];
	char op[16];
	u64 sector;
	u64 nr;
};

static bool parse_blk(const char *line, struct blk_line *b)
{
	return sscanf(line, " %23[0-9,] %*u %*u %*f %*d %3s %15s %" SCNu64 " + %" SCNu64, b->device,
		      b->action, b->op, &b->sector, &b->nr) == 5;
}

/** trace_is_blkparse() - does a line look like one of blkparse? */
bool trace_is_blkparse(const char *line)
{
	unsigned int major_nr, minor_nr, cpu;
	char action[4];

	return sscanf(line, " %u,%u %u %*u %*f %*d %3s", &major_nr, &minor_nr, &cpu, action) == 4;
}

static int event_of(const char *action)
{
	static const char *const actions[TRACE_EVENTS] = { "Q", "D", "C" };
	int i;

	for (i = 0; i < TRACE_EVENTS; i++)
		if (!strcmp(action, actions[i]))
			return i;
	return -1;
}

/* At its end blkparse prints a summary, which is no line of the trace. */
int trace_line_blkparse(struct trace *t, const char *line)
{
	struct blk_line b;
	int event;

	if (!parse_blk(line, &b))
		return 0;
	event = event_of(b.action);
	/* Discards and flushes read and write nothing. */
	if (event < 0 || !b.nr || strchr(b.op, 'D') || !strpbrk(b.op, "RW"))
		return 0;
	if (!t->device[0])
		strcpy(t->device, b.device);
	if (strcmp(t->device, b.device)) {
		t->others++;
		return 0;
	}
	return trace_add(t, strchr(b.op, 'W'), b.sector, b.nr, (u8)event);
}

/* Where a file's part of the disk begins. Return: false when there are too many files. */
static bool file_base(struct trace *t, const char *name, u64 *base)
{
	unsigned int i;
	char **files;

	for (i = 0; i < t->nr_files; i++)
		if (!strcmp(t->files[i], name))
			break;
	*base = (u64)i << FILE_SHIFT;
	if (i < t->nr_files)
		return true;
	if (i == MAX_FILES)
		return false;
	files = realloc(t->files, (i + 1) * sizeof(*files));
	if (!files)
		return false;
	t->files = files;
	files[i] = strdup(name);
	if (files[i])
		t->nr_files++;
	return files[i];
}

static int add_fio(struct trace *t, const char *line)
{
	char name[1024], action[16];
	u64 offset, length, base;
	int nr;

	nr = sscanf(line, "%1023s %15s %" SCNu64 " %" SCNu64, name, action, &offset, &length);
	if (nr < 2)
		return trace_bad_line(t, line);
	if (strcmp(action, "read") && strcmp(action, "write"))
		return 0;
	if (nr < 4)
		return trace_bad_line(t, line);
	if (!file_base(t, name, &base))
		return fail("%s, line %" PRIu64 ": more than %u files", t->path, t->lines,
			    MAX_FILES);
	if ((offset + length) / SECTOR_SIZE >> FILE_SHIFT)
		return fail("%s, line %" PRIu64 ": the request lies beyond any disk", t->path,
			    t->lines);
	return add_bytes(t, action[0] == 'w', offset, length, base);
}

/** trace_line_fio2() - "file action [offset length]" */
int trace_line_fio2(struct trace *t, const char *line)
{
	return add_fio(t, line);
}

/** trace_line_fio3() - "time file action [offset length]" */
int trace_line_fio3(struct trace *t, const char *line)
{
	int skip = 0;

	if (sscanf(line, "%*u %n", &skip) < 0 || !skip)
		return trace_bad_line(t, line);
	return add_fio(t, line + skip);
}
