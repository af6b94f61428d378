// SPDX-License-Identifier: GPL-2.0
/*
 * A machine for the tool, in memory: files and standard streams. See host.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>

#include "host.h"

#define NR_FILES	32
#define FIRST_FD	1000

struct host host;

/* --- what there is ---------------------------------------------------------------------------- */

static const struct node {
	const char *path;
	unsigned int minor;
} nodes[] = { { "/dev/sda", 0 }, { "/dev/sdb", 16 }, { "/dev/sdb1", 17 } };

#define NR_NODES	(sizeof(nodes) / sizeof(nodes[0]))
#define SSD		0
#define PARTITION	2

/* Files of one line; @unless and @only name flags of struct host. */
static const struct entry {
	const char *path;
	const char *text;
	unsigned int unless;
	unsigned int only;
} entries[] = {
	{ "/sys/dev/block/8:16/device/wwid", "naa.5000c500a1b2c3d4\n", HOST_NO_IDENTITY, 0 },
	{ "/sys/dev/block/8:17/wwid", "naa.5000c500a1b2c3d4\n", 0, HOST_TWINS },
	{ "/sys/dev/block/8:17/partition", "1\n", HOST_TWINS, 0 },
	{ "/sys/dev/block/8:17/../dev", "8:16\n", HOST_TWINS, 0 },
	{ "/sys/dev/block/8:16/sdb1/partition", "1\n", HOST_TWINS, 0 },
	{ "/sys/dev/block/8:16/sdb1/dev", "8:17\n", HOST_TWINS, 0 },
	{ "/sys/class/block/sda/dev", "8:0\n", 0, 0 },
	{ "/sys/class/block/sdb/dev", "8:16\n", 0, 0 },
	{ "/sys/class/block/sdb1/dev", "8:17\n", 0, 0 },
	{ "/sys/dev/block/8:0/holders/dm-0/dev", "253:0\n", 0, HOST_SSD_HELD },
	{ "/sys/dev/block/253:0/dm/name", "old\n", 0, 0 },
	{ "/sys/dev/block/253:0/dm/uuid", "FLASHCACHE-1\n", 0, 0 },
};

#define NR_ENTRIES	(sizeof(entries) / sizeof(entries[0]))

static const char * const block_names[] = { "sda", "sdb", "sdb1" };

static bool is_text(const char *path)
{
	return !strcmp(path, "/dev/kmsg") || !strcmp(path, "/proc/self/mountinfo") ||
	       !strcmp(path, "/proc/swaps") || !strcmp(path, "/etc/flashcachetab") || !strncmp(path, "/run/udev/data/", 15);
}

static int find_node(const char *path)
{
	size_t i;

	for (i = 0; i < NR_NODES; i++)
		if (!strcmp(path, nodes[i].path))
			return (int)i;
	return -1;
}

static const char *entry_text(const char *path, char *room, size_t len)
{
	unsigned int minor_nr;
	size_t i;

	if (sscanf(path, "/sys/dev/block/8:%u/size", &minor_nr) == 1 && strstr(path, "/size")) {
		snprintf(room, len, "%llu\n", (unsigned long long)
			 (minor_nr ? host.disk_sectors : host.ssd_sectors));
		return room;
	}
	for (i = 0; i < NR_ENTRIES; i++)
		if (!strcmp(path, entries[i].path) && !(host.how & entries[i].unless) &&
		    (host.how & entries[i].only) == entries[i].only)
			return entries[i].text;
	return NULL;
}

/* --- open files ------------------------------------------------------------------------------- */

static struct file {
	bool used;
	int node;		/* -1: text */
	char text[4096];
	size_t len;
	size_t at;
} files[NR_FILES];

/* Standard input: nothing in it. */
static struct file standard = { .used = true, .node = -1 };

/* What a tool that was killed has left open. */
void host_close_all(void)
{
	memset(files, 0, sizeof(files));
}

static struct file *file_of(int fd)
{
	if (!fd)
		return &standard;
	if (fd < FIRST_FD || fd >= FIRST_FD + NR_FILES || !files[fd - FIRST_FD].used)
		abort();	/* no file descriptor of ours: it could be the fuzzer's */
	return &files[fd - FIRST_FD];
}

static int new_file(int node, const char *text, size_t len)
{
	int i;

	for (i = 0; i < NR_FILES && files[i].used; i++)
		;
	if (i == NR_FILES)
		abort();	/* the tool does not close what it opens */
	files[i] = (struct file){ .used = true, .node = node };
	files[i].len = len < sizeof(files[i].text) ? len : sizeof(files[i].text);
	if (text)
		memcpy(files[i].text, text, files[i].len);
	host.open++;
	return FIRST_FD + i;
}

static int no(int error)
{
	errno = error;
	return -1;
}

int host_open64(const char *path, int flags, ...)
{
	char room[32];
	const char *text = entry_text(path, room, sizeof(room));
	int node = find_node(path);

	if (text)
		return new_file(-1, text, strlen(text));
	if (is_text(path))
		return new_file(-1, host.text, host.text_len);
	if (node < 0)
		return no(ENOENT);
	if (flags & O_EXCL && host.how & (node == SSD ? HOST_SSD_BUSY : HOST_DISK_BUSY))
		return no(EBUSY);
	return new_file(node, NULL, 0);
}

int host_close(int fd)
{
	file_of(fd)->used = false;
	host.open--;
	return 0;
}

ssize_t host_read(int fd, void *buf, size_t len)
{
	struct file *f = file_of(fd);
	size_t left = f->len - f->at, line;
	char *end = memchr(f->text + f->at, '\n', left);

	/* A line at a time, as /dev/kmsg does. */
	line = end ? (size_t)(end - (f->text + f->at)) + 1 : left;
	if (len < line)
		line = len;
	memcpy(buf, f->text + f->at, line);
	f->at += line;
	return (ssize_t)line;
}

/* To a text, such as a device's uevent. */
ssize_t host_write(int fd, const void *buf, size_t len)
{
	if (file_of(fd)->node >= 0)
		abort();
	return (ssize_t)len;
}

int host_lockf64(int fd, int how, off_t len)
{
	file_of(fd);
	return 0;
}

off_t host_lseek64(int fd, off_t offset, int whence)
{
	file_of(fd);
	return 0;
}

static uint64_t bytes_of(const struct file *f)
{
	if (f->node < 0)
		return f->len;
	return (f->node == SSD ? host.ssd_sectors : host.disk_sectors) * 512;
}

ssize_t host_pread64(int fd, void *buf, size_t len, off_t offset)
{
	struct file *f = file_of(fd);
	uint64_t size = bytes_of(f), at = (uint64_t)offset;
	size_t have;

	if (f->node == SSD && host.how & HOST_SHORT_READ && size > 4096)
		size = 4096;
	if (offset < 0 || at >= size)
		return 0;
	if (len > size - at)
		len = size - at;
	memset(buf, 0, len);
	if (f->node == SSD && at < host.ssd_len) {
		have = host.ssd_len - at;
		memcpy(buf, host.ssd + at, have < len ? have : len);
	}
	return (ssize_t)len;
}

ssize_t host_pwrite64(int fd, const void *buf, size_t len, off_t offset)
{
	struct file *f = file_of(fd);

	if (host.how & HOST_WRITE_FAILS)
		return no(EIO);
	if (offset < 0 || (uint64_t)offset + len > bytes_of(f))
		abort();
	if (f->node == SSD)
		host.ssd_writes++;
	else
		host.disk_writes++;
	return (ssize_t)len;
}

int host_fsync(int fd)
{
	file_of(fd);
	return 0;
}

int host_mlockall(int flags)
{
	return 0;
}

int host_munlockall(void)
{
	return 0;
}

int host_ioctl(int fd, unsigned long request, void *arg)
{
	struct file *f = file_of(fd);
	bool ssd = f->node == SSD;

	if (f->node < 0)
		return no(ENOTTY);
	switch (request) {
	case BLKGETSIZE64:
		*(uint64_t *)arg = bytes_of(f);
		return 0;
	case BLKSSZGET:
		*(int *)arg = ssd && host.how & HOST_LARGE_SECTORS ? 4096 : 512;
		return 0;
	case BLKROGET:
		*(int *)arg = ssd && host.how & HOST_READ_ONLY;
		return 0;
	case BLKFLSBUF:
		return 0;
	default:
		return no(ENOTTY);
	}
}

static void fill_stat(struct stat *st, int node)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFBLK | 0600;
	st->st_rdev = makedev(8, nodes[node].minor);
}

int host_stat64(const char *path, struct stat *st)
{
	int node = find_node(path);

	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFREG | 0600;
	if (is_text(path))
		return 0;
	if (node < 0)
		return no(ENOENT);
	fill_stat(st, node);
	return 0;
}

int host_fstat64(int fd, struct stat *st)
{
	struct file *f = file_of(fd);

	if (f->node < 0)
		return no(EBADF);
	fill_stat(st, f->node);
	return 0;
}

int host_access(const char *path, int mode)
{
	char room[32];

	return entry_text(path, room, sizeof(room)) ? 0 : no(ENOENT);
}

ssize_t host_readlink(const char *path, char *buf, size_t len)
{
	char target[64];
	size_t i, got;

	for (i = 0; i < NR_NODES; i++) {
		snprintf(target, sizeof(target), "/sys/dev/block/8:%u", nodes[i].minor);
		if (strcmp(path, target))
			continue;
		snprintf(target, sizeof(target), "../../devices/block/%s", block_names[i]);
		got = strlen(target) < len ? strlen(target) : len;
		memcpy(buf, target, got);
		return (ssize_t)got;
	}
	return no(ENOENT);
}

FILE *host_fopen64(const char *path, const char *mode)
{
	if (!is_text(path) || !host.text_len) {
		errno = ENOENT;
		return NULL;
	}
	return fmemopen((void *)host.text, host.text_len, "r");
}

/* --- directories: of names -------------------------------------------------------------------- */

static struct listing {
	const char * const *names;
	size_t nr;
	struct dirent entry;
} listing;

DIR *host_opendir(const char *path)
{
	static const char * const partitions[] = { "holders", "sdb1" };
	static const char * const holders[] = { "dm-0" };

	listing.nr = 0;
	if (!strcmp(path, "/sys/class/block")) {
		listing.names = block_names;
		listing.nr = NR_NODES;
	} else if (!strcmp(path, "/sys/dev/block/8:16")) {
		listing.names = partitions;
		listing.nr = 2;
	} else if (!strcmp(path, "/sys/dev/block/8:0/holders")) {
		listing.names = holders;
		listing.nr = 1;
	} else {
		errno = ENOENT;
		return NULL;
	}
	/* The tool looks into one directory while it is in another. */
	return (DIR *)memcpy(malloc(sizeof(listing)), &listing, sizeof(listing));
}

struct dirent *host_readdir64(DIR *dir)
{
	struct listing *l = (struct listing *)dir;

	if (!l->nr)
		return NULL;
	snprintf(l->entry.d_name, sizeof(l->entry.d_name), "%s", *l->names++);
	l->nr--;
	return &l->entry;
}

int host_closedir(DIR *dir)
{
	free(dir);
	return 0;
}

/* --- standard streams ------------------------------------------------------------------------- */

static int print(FILE *to, const char *fmt, va_list args)
{
	static char line[65536];
	int len = vsnprintf(line, sizeof(line), fmt, args);

	if (to == stderr) {
		snprintf(host.said + host.errors, sizeof(host.said) - host.errors, "%s", line);
		host.errors = strlen(host.said);
	} else if (to != stdout) {
		abort();
	}
	return len;
}

int host_vfprintf(FILE *to, const char *fmt, va_list args)
{
	return print(to, fmt, args);
}

int host_fprintf(FILE *to, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = print(to, fmt, args);
	va_end(args);
	return len;
}

int host_printf(const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = print(stdout, fmt, args);
	va_end(args);
	return len;
}

int host_fputs(const char *text, FILE *to)
{
	return host_fprintf(to, "%s", text);
}

int host_puts(const char *text)
{
	return host_printf("%s\n", text);
}

int host_fputc(int c, FILE *to)
{
	return host_fprintf(to, "%c", c);
}

int host_putchar(int c)
{
	return host_printf("%c", c);
}

size_t host_fwrite(const void *text, size_t size, size_t nr, FILE *to)
{
	host_fprintf(to, "%.*s", (int)(size * nr), (const char *)text);
	return nr;
}

int host_fflush(FILE *to)
{
	return 0;
}

char *host_fgets(char *line, int len, FILE *from)
{
	if (from != stdin)
		return fgets(line, len, from);
	snprintf(line, (size_t)len, "%s\n", host.how & HOST_YES ? "yes" : "no");
	return line;
}

/* --- the rest --------------------------------------------------------------------------------- */

unsigned int host_geteuid(void)
{
	return host.how & HOST_NOT_ROOT ? 1000 : 0;
}

int host_sysinfo(struct sysinfo *info)
{
	memset(info, 0, sizeof(*info));
	info->totalram = 1 << 20;
	info->mem_unit = 1024;
	return 0;
}

/* The same each time, so that an input always does the same. */
void host_uuid_generate(unsigned char *uuid)
{
	memset(uuid, 0x5a, 16);
}
