/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A block trace: csv lines time_us,op,offset,length (bytes; op r or w), with or without a heading.
 */
#ifndef FC_TEST_TRACE_H
#define FC_TEST_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct request {
	uint64_t sector;
	uint32_t nr;
	int write;
};

struct trace {
	struct request *requests;
	size_t nr;
	uint64_t end;		/* the sector after the last one touched */
	uint32_t longest;	/* sectors */
};

/* Read at most limit requests; does not return when a line is wrong. */
void trace_read(struct trace *trace, FILE *file, size_t limit);
void trace_free(struct trace *trace);

#endif
