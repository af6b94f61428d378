// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: two images made by the module itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "images.h"

struct image crashed, orderly;
u32 newest[DISK_SECTORS], before_last[DISK_SECTORS];
u64 last_commit[2];

static u32 version;
static int fd;

static _Noreturn void die(const char *what)
{
	printf("not ok - genuine images: %s: %s\n", what, machine_log());
	exit(1);
}

static u8 *room(void)
{
	static u8 *buf;

	if (!buf && posix_memalign((void **)&buf, FCD_BLOCK_SIZE, DISK_ROOM))
		die("memory");
	return buf;
}

/* One write, all of one version. */
static void put(u64 sector, u32 nr)
{
	const size_t len = (size_t)nr * SECTOR_SIZE;
	u64 i;

	stamp_write(room(), TAG, sector, nr, version);
	if (pwrite(fd, room(), len, (off_t)sector * SECTOR_SIZE) != (ssize_t)len)
		die("write");
	for (i = sector; i < sector + nr; i++)
		newest[i] = version;
}

static void get(u64 sector, u32 nr)
{
	const size_t len = (size_t)nr * SECTOR_SIZE;

	if (pread(fd, room(), len, (off_t)sector * SECTOR_SIZE) != (ssize_t)len)
		die("read");
}

/* @nr writes of @size sectors, @step apart, and a commit. */
static void put_many(u64 sector, u32 nr, u32 size, u32 step)
{
	version++;
	for (; nr--; sector += step)
		put(sector, size);
	if (fsync(fd))
		die("flush");
}

static void take(struct image *image)
{
	const char *why;
	bool none;

	image_alloc(image);
	machine_read(image);
	why = fc_super_pick(&image->sb, image_block(image, 0), image_block(image, 1), &none);
	if (why)
		die(why);
}

static void fresh_disk(struct image *image)
{
	image_alloc(image);
	stamp_write(image->disk, TAG, 0, DISK_SECTORS, 1);
	machine_write(image);
}

static void use_cache(void)
{
	u32 i;

	put_many(0, 60, 8, 16);			/* whole blocks */
	get(2048, 512);				/* clean ones */
	put_many(600, 30, 3, 11);		/* odd pieces, over borders of blocks */
	machine_message("do_sync 1");
	for (i = 0; i < 300 && machine_status("dirty"); i++)
		usleep(50000);
	put_many(1600, 12, 1, 8);
	put_many(0, 40, 8, 8);			/* dirty again, and others' neighbours */
	put_many(3000, 20, 5, 40);
	put_many(DISK_SECTORS - 9, 1, 9, 0);	/* the short block at the end */
	memcpy(before_last, newest, sizeof(newest));
	put_many(800, 4, 8, 64);
}

void genuine_make(void)
{
	u32 i;

	fresh_disk(&crashed);
	for (i = 0; i < DISK_SECTORS; i++)
		newest[i] = 1;
	version = 1;
	if (!machine_load(machine_flash, DISK_SECTORS,
			  "1 3 8 0 256 128 0 8 4 fast_remove 1 dirty_thresh_pct 95"))
		die("create");
	fd = machine_cache();
	use_cache();
	take(&crashed);
	close(fd);
	if (!machine_remove())
		die("remove");
	take(&orderly);
	last_commit[1] = image_log_end(&crashed);
	last_commit[0] = last_commit[1] - 1;
	printf("# genuine images: log from %llu to %llu, generation %llu\n",
	       (unsigned long long)crashed.sb.tail_seq, (unsigned long long)last_commit[1],
	       (unsigned long long)orderly.sb.table_gen);
}
