// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel logs about us while we ask something of it.
 */
#include <fcntl.h>
#include <unistd.h>
#include "kernlog.h"
#include "tool.h"
#include "flashcache/uapi.h"

#define MAX_SHOWN	8
#define MAX_READ	1000	/* in case the kernel logs without end */

/**
 * kernlog_open() - remember where the kernel's log ends now
 *
 * Return: a handle, or -1 if the log cannot be read; the other functions accept that.
 */
int kernlog_open(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log >= 0 && lseek(log, 0, SEEK_END) < 0) {
		close(log);
		log = -1;
	}
	return log;
}

/* A record is "priority,sequence,time,flags;text", a newline and more that does not matter. */
static bool show_record(char *record)
{
	char *text = strchr(record, ';');
	char *end = text ? strchr(text, '\n') : NULL;

	if (end)
		*end = '\0';
	if (!text || !strstr(text, FC_TARGET_NAME))
		return false;
	note("the kernel says: %s", text + 1);
	return true;
}

/**
 * kernlog_show() - repeat what the kernel has logged about flashcache since kernlog_open()
 * @log: handle
 */
void kernlog_show(int log)
{
	char record[2048];
	int shown = 0, seen = 0;

	while (log >= 0 && shown < MAX_SHOWN && seen++ < MAX_READ) {
		ssize_t got = read(log, record, sizeof(record) - 1);

		if (got < 0 && errno == EPIPE)	/* records were lost, reading goes on after them */
			continue;
		if (got <= 0)
			break;
		record[got] = '\0';
		shown += show_record(record);
	}
}

void kernlog_close(int log)
{
	if (log >= 0)
		close(log);
}
