// SPDX-License-Identifier: GPL-2.0
/* Reading of block traces. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "stamp.h"
#include "trace.h"

static int parse_line(const char *line, struct request *r)
{
	uint64_t offset, length;
	char op, end;

	if (sscanf(line, "%*u,%c,%" SCNu64 ",%" SCNu64 "%c", &op, &offset, &length, &end) != 4 ||
	    end != '\n' || (op != 'r' && op != 'w'))
		return -1;
	if (offset % SECTOR_SIZE || length % SECTOR_SIZE || !length || length > INT32_MAX)
		return -1;
	r->sector = offset >> SECTOR_SHIFT;
	r->nr = length >> SECTOR_SHIFT;
	r->write = op == 'w';
	return 0;
}

static void append(struct trace *trace, const struct request *r)
{
	static size_t room;

	if (trace->nr == room) {
		room = room ? room * 2 : 1 << 16;
		trace->requests = realloc(trace->requests, room * sizeof(*trace->requests));
		if (!trace->requests)
			die(EXIT_USAGE, "no memory for %zu requests", room);
	}
	trace->requests[trace->nr++] = *r;
	if (r->sector + r->nr > trace->end)
		trace->end = r->sector + r->nr;
	if (r->nr > trace->longest)
		trace->longest = r->nr;
}

void trace_read(struct trace *trace, FILE *file, size_t limit)
{
	char line[256];
	struct request r;
	size_t number = 0;

	*trace = (struct trace){ .requests = NULL };
	while (trace->nr < limit && fgets(line, sizeof(line), file)) {
		if (!number++ && !strncmp(line, "time_us,", 8))
			continue;
		if (parse_line(line, &r))
			die(EXIT_USAGE,
			    "line %zu of the trace is not time_us,r|w,offset,length in sectors: %s",
			    number, line);
		append(trace, &r);
	}
	if (!trace->nr)
		die(EXIT_USAGE, "the trace is empty");
}

void trace_free(struct trace *trace)
{
	free(trace->requests);
	trace->requests = NULL;
}
