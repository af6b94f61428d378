/* SPDX-License-Identifier: GPL-2.0 */
/* The device under test, and the manners that all test programs share. */
#ifndef FC_TEST_DEVICE_H
#define FC_TEST_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* Exit codes of all test programs. */
enum { EXIT_OK = 0, EXIT_USAGE = 1, EXIT_MISMATCH = 2, EXIT_IO = 3 };

struct device {
	const char *path;
	int fd;
	int is_block;
	uint64_t sectors;	/* its size */
	uint32_t unit;		/* sectors in a logical block, the least that is read or written */
};

extern const char *program;	/* for messages, set by main() */

/* Print "program: message" and exit with code. */
void die(int code, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/*
 * A block device or a file, opened O_DIRECT (a file on tmpfs: without). Does not return on
 * failure.
 */
void device_open(struct device *dev, const char *path);

/* Read nr sectors; 0 or a negative error number. */
int device_read(const struct device *dev, uint64_t sector, uint32_t nr, void *buf);

/* Discard sectors (punch a hole where the device is a file); 0 or a negative error number. */
int device_discard(const struct device *dev, uint64_t sector, uint64_t nr);

void *alloc_pages(size_t bytes);

/* what: the option that gave the number, for the message when it is no multiple of the block. */
uint64_t bytes_to_sectors(const char *what, uint64_t bytes, const struct device *dev);

#endif
