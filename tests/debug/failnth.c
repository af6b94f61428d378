// SPDX-License-Identifier: GPL-2.0
/*
 * failnth N COMMAND NAME [WORDS]: one ioctl of device-mapper, in which the kernel lets the N-th
 * allocation fail (0: none). COMMAND: load (WORDS: a table line), clear, suspend, resume, message
 * (WORDS: the message).
 *
 * Prints "whole" when there were fewer allocations than that, "done" when it succeeded in spite of
 * the failure, "failed: REASON" when it did not. Exit: 0; 1 for anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROOM	16384

static union {
	struct dm_ioctl head;
	char room[ROOM];
} arg;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "failnth: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void put_table(const char *line)
{
	struct dm_target_spec *spec = (void *)(arg.room + sizeof(arg.head));
	unsigned long long start, length;
	int words;

	if (sscanf(line, "%llu %llu %15s %n", &start, &length, spec->target_type, &words) != 3)
		die("table line");
	spec->sector_start = start;
	spec->length = length;
	snprintf((char *)(spec + 1), ROOM - sizeof(arg.head) - sizeof(*spec), "%s", line + words);
	arg.head.target_count = 1;
}

static void put_message(const char *text)
{
	struct dm_target_msg *msg = (void *)(arg.room + sizeof(arg.head));

	snprintf(msg->message, ROOM - sizeof(arg.head) - sizeof(*msg), "%s", text);
}

static unsigned long prepare(const char *command, const char *name, const char *words)
{
	arg.head.version[0] = DM_VERSION_MAJOR;
	arg.head.data_size = ROOM;
	arg.head.data_start = sizeof(arg.head);
	snprintf(arg.head.name, sizeof(arg.head.name), "%s", name);
	if (!strcmp(command, "load")) {
		put_table(words);
		return DM_TABLE_LOAD;
	}
	if (!strcmp(command, "message")) {
		put_message(words);
		return DM_TARGET_MSG;
	}
	if (!strcmp(command, "clear"))
		return DM_TABLE_CLEAR;
	if (!strcmp(command, "suspend"))
		arg.head.flags = DM_SUSPEND_FLAG;
	else if (strcmp(command, "resume"))
		die("command");
	return DM_DEV_SUSPEND;
}

/* The kernel's counter of this thread: 0 also says that the failure has happened. */
static void set_nth(int fd, const char *n)
{
	if (pwrite(fd, n, strlen(n), 0) != (ssize_t)strlen(n))
		die("fail-nth");
}

static long left(int fd)
{
	char text[32] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		die("fail-nth");
	return strtol(text, NULL, 10);
}

int main(int argc, char **argv)
{
	int control, nth, error;
	unsigned long command;
	long rest;

	if (argc < 4) {
		fprintf(stderr, "usage: failnth N COMMAND NAME [WORDS]\n");
		return 1;
	}
	command = prepare(argv[2], argv[3], argc > 4 ? argv[4] : "");
	control = open("/dev/mapper/control", O_RDWR);
	if (control < 0)
		die("/dev/mapper/control");
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0)
		die("/proc/thread-self/fail-nth");
	set_nth(nth, argv[1]);
	error = ioctl(control, command, &arg) ? errno : 0;
	rest = left(nth);
	set_nth(nth, "0");
	errno = error;
	if (error && (rest || !strtol(argv[1], NULL, 10)))
		die(argv[2]);
	if (error)
		printf("failed: %s\n", strerror(error));
	else
		puts(rest || !strtol(argv[1], NULL, 10) ? "whole" : "done");
	return 0;
}
