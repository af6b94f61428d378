// SPDX-License-Identifier: GPL-2.0
/*
 * A machine for the tool, in memory: time, signals, terminals, threads, and files that cannot be
 * written. See host.h.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "host.h"

/* A command that waits for something is killed after so many waits. */
#define PATIENCE 4

jmp_buf host_killed;

int host_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	return 0;
}

int host_poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	if (++host.waits == PATIENCE)
		longjmp(host_killed, 1);
	return 0;
}

int host_nanosleep(const struct timespec *time, struct timespec *left)
{
	return host_poll(NULL, 0, 0);
}

/* A second goes by with each look at the clock. */
int host_clock_gettime(clockid_t clock, struct timespec *now)
{
	now->tv_sec = 1000000 + host.seconds++;
	now->tv_nsec = 0;
	return 0;
}

time_t host_time(time_t *now)
{
	time_t t = 1700000000 + (time_t)host.seconds++;

	if (now)
		*now = t;
	return t;
}

int host_isatty(int fd)
{
	return 0;
}

/* No terminal, so nothing of curses is ever called. */
void *host_newterm(const char *type, FILE *to, FILE *from)
{
	return NULL;
}

/* Simulations run in the thread that they began in. */
int host_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			void *arg)
{
	*thread = 0;
	fn(arg);
	return 0;
}

int host_pthread_join(pthread_t thread, void **result)
{
	return 0;
}

static int read_only(void)
{
	errno = EROFS;
	return -1;
}

int host_mkstemp64(char *path)
{
	return read_only();
}

FILE *host_fdopen(int fd, const char *mode)
{
	errno = EBADF;
	return NULL;
}

int host_fchmod(int fd, unsigned int mode)
{
	return read_only();
}

int host_rename(const char *from, const char *to)
{
	return read_only();
}

int host_unlink(const char *path)
{
	return read_only();
}

int host_flock(int fd, int how)
{
	return 0;
}

int host_fcntl64(int fd, int command, ...)
{
	return 0;
}

int host_posix_fadvise64(int fd, long offset, long len, int advice)
{
	return 0;
}
