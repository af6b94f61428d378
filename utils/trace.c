// SPDX-License-Identifier: GPL-2.0
/*
 * Traces of block I/O: what format, and the requests.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "input.h"
#include "simulate.h"
#include "stop.h"
#include "tool.h"
#include "trace.h"

#define LINE_LEN	4096
#define MAX_SECTORS	(1 << 21)	/* 1 GiB: the kernel's largest request is much shorter */

/** trace_bad_line() - say that a line cannot be understood */
int trace_bad_line(const struct trace *t, const char *line)
{
	return fail("%s, line %" PRIu64 ": not a line of %s: %.60s", t->path, t->lines, t->format,
		    line);
}

/** trace_add() - add a request */
int trace_add(struct trace *t, bool write, u64 sector, u64 nr, u8 event)
{
	struct trace_request *at = t->at;

	if (sector >= SIMULATE_DISK || nr > UINT32_MAX || sector + nr > SIMULATE_DISK)
		return fail("%s, line %" PRIu64 ": the request lies beyond any disk", t->path,
			    t->lines);
	if (nr > MAX_SECTORS)
		return fail("%s, line %" PRIu64 ": a request of %" PRIu64 " sectors: none is that long",
			    t->path, t->lines, nr);
	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 65536;
		at = realloc(at, t->room * sizeof(*at));
		if (!at)
			return fail("not enough memory for a trace of %" PRIu64 " requests", t->nr);
		t->at = at;
	}
	at[t->nr++] = (struct trace_request){ sector, (u32)nr, write, event };
	return 1;
}

/* Chooses the format by the first line that is not empty. */
static trace_line_fn detect(struct trace *t, const char *line, bool *taken)
{
	*taken = true;
	if (!strncmp(line, "fio version 2 iolog", 19)) {
		t->format = "an fio log, version 2";
		return trace_line_fio2;
	}
	if (!strncmp(line, "fio version 3 iolog", 19)) {
		t->format = "an fio log, version 3";
		return trace_line_fio3;
	}
	*taken = false;
	if (trace_is_blkparse(line)) {
		t->format = "blkparse's output";
		return trace_line_blkparse;
	}
	t->format = "time_us,op,offset,length";
	*taken = !strncmp(line, "time", 4);
	return trace_line_csv;
}

static int read_lines(struct trace *t, struct input *in)
{
	trace_line_fn take = NULL;
	char line[LINE_LEN];
	bool taken = false;
	int got;

	while ((got = input_line(in, line, sizeof(line))) > 0) {
		t->lines++;
		if (stop_asked())
			return fail("stopped");
		if (!line[strspn(line, " \t\r")])
			continue;
		if (!take) {
			take = detect(t, line, &taken);
			if (taken)
				continue;
		}
		if (take(t, line) < 0)
			return -1;
	}
	return got;
}

/* Of several events for one request only those of the earliest kind count. */
static void choose_event(struct trace *t)
{
	u64 seen[TRACE_EVENTS] = { 0 }, i, kept = 0;
	u8 event = 0;

	for (i = 0; i < t->nr; i++)
		seen[t->at[i].event]++;
	while (event < TRACE_EVENTS - 1 && !seen[event])
		event++;
	for (i = 0; i < t->nr; i++)
		if (t->at[i].event == event)
			t->at[kept++] = t->at[i];
	t->nr = kept;
}

/**
 * trace_read() - read a trace
 * @t: filled; trace_free() on it is always allowed afterwards
 * @path: file, "-" is standard input; may be compressed by xz
 * @device: the device that counts, where there are several; NULL: the first one
 */
int trace_read(struct trace *t, const char *path, const char *device)
{
	struct input *in;
	int ret;

	*t = (struct trace){ .path = strcmp(path, "-") ? path : "standard input" };
	if (device && strlen(device) >= sizeof(t->device))
		return fail("%s: not a device of a trace, such as 8,0", device);
	if (device)
		strcpy(t->device, device);
	in = input_open(path);
	if (!in)
		return -1;
	ret = read_lines(t, in);
	input_close(in);
	if (ret)
		return -1;
	choose_event(t);
	if (!t->nr && device)
		return fail("%s has no reads or writes of device %s", t->path, device);
	return t->nr ? 0 : fail("%s has no reads or writes in it", t->path);
}

void trace_free(struct trace *t)
{
	while (t->nr_files)
		free(t->files[--t->nr_files]);
	free(t->files);
	free(t->at);
	t->at = NULL;
	t->files = NULL;
}
