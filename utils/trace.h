/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_TRACE_H
#define FC_UTILS_TRACE_H

#include "env.h"

/**
 * struct trace_request - a request
 * @sector: first sector
 * @nr: sectors
 * @write: it is a write
 * @event: where a request is told of several times: which of these
 */
struct trace_request {
	u64 sector;
	u32 nr;
	u8 write;
	u8 event;
};

/**
 * struct trace - requests in their order
 * @path: where they come from, for messages
 * @format: in words
 * @at: the requests
 * @nr: number of them
 * @room: how many @at has room for
 * @lines: lines read
 * @others: lines that belong to another device
 * @device: the device, where the trace has several
 * @files: names, where the trace has files; each is taken for a part of the disk
 * @nr_files: number of them
 */
struct trace {
	const char *path;
	const char *format;
	struct trace_request *at;
	u64 nr;
	u64 room;
	u64 lines;
	u64 others;
	char device[24];
	char **files;
	unsigned int nr_files;
};

int __must_check trace_read(struct trace *t, const char *path, const char *device);
void trace_free(struct trace *t);

/* For the formats. */
int __must_check trace_add(struct trace *t, bool write, u64 sector, u64 nr, u8 event);
int trace_bad_line(const struct trace *t, const char *line);

/* Formats: 1 taken, 0 nothing in it, -1 an error that has been told. */
typedef int (*trace_line_fn)(struct trace *t, const char *line);
int trace_line_csv(struct trace *t, const char *line);
int trace_line_blkparse(struct trace *t, const char *line);
int trace_line_fio2(struct trace *t, const char *line);
int trace_line_fio3(struct trace *t, const char *line);
bool trace_is_blkparse(const char *line);

/* blkparse tells of a request when it comes, when it is sent, and when it is done. */
enum { TRACE_QUEUED, TRACE_ISSUED, TRACE_COMPLETED, TRACE_EVENTS };

#endif /* FC_UTILS_TRACE_H */
