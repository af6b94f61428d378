// SPDX-License-Identifier: GPL-2.0
/*
 * cut.so: a power cut for a program that writes files, by LD_PRELOAD.
 *
 *	CUT_AT=N CUT_SEED=S LD_PRELOAD=cut.so PROGRAM ...
 *
 * At the Nth pwrite() the power goes: of this write, and of all that was not followed by an fsync()
 * of its file, any sectors or any whole writes are lost; the program ends with status 99. With CUT_AT=0
 * the number of writes is told, on standard error, and which files were written before they were
 * flushed for the first time: what was read from them might have been lost by then. With CUT_DEAF the
 * devices do not heed fsync().
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR		512
#define MAX_SECTORS	(1 << 16)

/* What a sector held before it was written, while that is not durable. */
struct old {
	int fd;
	unsigned long write;
	off_t offset;
	char data[SECTOR];
};

#define MAX_FDS		256

static char flushed[MAX_FDS];	/* since they were opened; or told that they are not */
static struct old *olds;
static size_t nr_olds;
static unsigned long writes;
static uint64_t dice;

static ssize_t (*real_pwrite)(int fd, const void *buf, size_t len, off_t offset);
static int (*real_fsync)(int fd);

static __attribute__((constructor)) void begin(void)
{
	const char *seed = getenv("CUT_SEED");

	dice = seed ? strtoull(seed, NULL, 10) + 1 : 1;
	olds = calloc(MAX_SECTORS, sizeof(*olds));
	real_pwrite = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
	real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
}

static int only_told(void)
{
	return getenv("CUT_AT") && !atol(getenv("CUT_AT"));
}

static void tell_unflushed(int fd)
{
	char link[64], path[4096] = "";

	if (fd >= MAX_FDS || flushed[fd])
		return;
	flushed[fd] = 1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) > 0)
		fprintf(stderr, "cut: not flushed before: %s\n", path);
}

static __attribute__((destructor)) void end(void)
{
	if (only_told())
		fprintf(stderr, "cut: %lu writes\n", writes);
}

static int coin(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice >> 20 & 1;
}

static void remember(int fd, size_t len, off_t offset)
{
	size_t i;

	for (i = 0; i < len; i += SECTOR) {
		struct old *old = &olds[nr_olds++];

		if (nr_olds == MAX_SECTORS)
			abort();
		old->fd = fd;
		old->write = writes;
		old->offset = offset + (off_t)i;
		if (pread(fd, old->data, SECTOR, old->offset) < 0)
			abort();
	}
}

/*
 * Either each sector for itself is lost or not, or each write as a whole. Backwards, so that the oldest
 * content of a sector that was written twice can come back.
 */
static _Noreturn void cut(void)
{
	unsigned long write = ~0ul;
	int whole = coin(), lost = 0;

	while (nr_olds--) {
		const struct old *old = &olds[nr_olds];

		if (!whole || old->write != write)
			lost = coin();
		write = old->write;
		if (lost)
			real_pwrite(old->fd, old->data, SECTOR, old->offset);
	}
	_exit(99);
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off_t offset)
{
	ssize_t put;

	if (only_told())
		tell_unflushed(fd);
	remember(fd, len, offset);
	put = real_pwrite(fd, buf, len, offset);
	if (++writes == strtoul(getenv("CUT_AT") ? getenv("CUT_AT") : "0", NULL, 10))
		cut();
	return put;
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t offset)
{
	return pwrite64(fd, buf, len, offset);
}

int fsync(int fd)
{
	size_t i, kept = 0;

	if (fd < MAX_FDS)
		flushed[fd] = 1;
	if (getenv("CUT_DEAF"))
		return real_fsync(fd);
	for (i = 0; i < nr_olds; i++)
		if (olds[i].fd != fd)
			olds[kept++] = olds[i];
	nr_olds = kept;
	return real_fsync(fd);
}
