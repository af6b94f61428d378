/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: A machine for the tool, all of it in memory: an SSD /dev/sda, a disk /dev/sdb with a
 * partition /dev/sdb1, their entries under /sys, device-mapper, libblkid, standard output.
 *
 * The build renames every call out of the tool's objects that could reach the machine it runs on
 * (NAME becomes host_NAME, see HOST_CALLS in the Makefile) and refuses objects that call anything
 * else. So the fuzzer cannot touch a device, a file or the kernel, whatever arguments it finds.
 */
#ifndef FC_FUZZ_HOST_H
#define FC_FUZZ_HOST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct host.how: what is so on this machine */
#define HOST_SSD_BUSY		(1u << 0)	/* opening it exclusively fails */
#define HOST_DISK_BUSY		(1u << 1)
#define HOST_SSD_HELD		(1u << 2)	/* by a mapped device that is a running cache */
#define HOST_READ_ONLY		(1u << 3)	/* the SSD is */
#define HOST_LARGE_SECTORS	(1u << 4)	/* the SSD has sectors of 4096 bytes */
#define HOST_NO_IDENTITY	(1u << 5)	/* the disk has no WWID */
#define HOST_TWINS		(1u << 6)	/* the partition has the disk's */
#define HOST_NO_MODULE		(1u << 7)
#define HOST_NAME_TAKEN		(1u << 8)
#define HOST_REFUSED		(1u << 9)	/* the kernel refuses the table */
#define HOST_SIGNATURE		(1u << 10)	/* a file system is on the SSD */
#define HOST_NOT_ROOT		(1u << 11)
#define HOST_YES		(1u << 12)	/* the user answers yes */
#define HOST_WRITE_FAILS	(1u << 13)
#define HOST_SHORT_READ		(1u << 14)	/* reading the SSD ends early */

/**
 * struct host - the machine, and what was done to it
 * @how: HOST_*
 * @ssd_sectors: size
 * @disk_sectors: size
 * @ssd: the SSD's first @ssd_len bytes; zeros behind
 * @ssd_len: see @ssd
 * @text: lines of the kernel's log, of the mount table, of udev's data; not ended by a zero
 * @text_len: see @text
 * @ssd_writes: writes to the SSD that came through
 * @disk_writes: writes to anything else
 * @wiped: signatures were erased
 * @created: a mapped device was made
 * @name: its name
 * @params: its table line
 * @sectors: its length
 * @said: standard error
 * @errors: characters of it
 * @open: open files
 * @waits: how often the tool has waited for something
 * @seconds: how long it has run
 */
struct host {
	unsigned int how;
	uint64_t ssd_sectors, disk_sectors;
	uint8_t *ssd;
	size_t ssd_len;
	const char *text;
	size_t text_len;
	unsigned int ssd_writes, disk_writes, wiped;
	bool created;
	char name[256], params[8192];
	uint64_t sectors;
	char said[8192];
	size_t errors;
	int open;
	unsigned int waits, seconds;
};

extern struct host host;
/* Where to go on when the tool was killed. */
extern jmp_buf host_killed;

void host_close_all(void);

/* The tool's main(), under another name. */
int tool_main(int argc, char **argv);

#endif /* FC_FUZZ_HOST_H */
