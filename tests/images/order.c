// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: devices that do not fit, and points of docs/crash-consistency.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "images.h"

static struct image image;

/* --- devices and lines ------------------------------------------------------------------------ */

static void short_flash(void)
{
	static const u64 sizes[] = { 1, 8, 15, 16, 17, 1000, 2048, FLASH_SECTORS - 1 };
	char name[96];
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *path = machine_shorten(sizes[i]);

		snprintf(name, sizeof(name), "device: %llu sectors of flash left",
			 (unsigned long long)sizes[i]);
		judge_line(name, &orderly, path, DISK_SECTORS, "1 1", &REFUSED("flashcache"));
		machine_unshorten();
	}
}

static void lines(void)
{
	static const struct { u64 disk; const char *words, *refused; } cases[] = {
		{ DISK_SECTORS, "1 2", "a cache exists already" },
		{ DISK_SECTORS, "1 1 16", "the block size in the table is not that of the cache" },
		{ DISK_SECTORS, "1 1 0 0 512", "the associativity in the table is not" },
		{ DISK_SECTORS, "1 1 0 0 0 256", "the disk associativity in the table is not" },
		{ DISK_SECTORS, "1 1 0 6000", "the cache size in the table is not" },
		{ DISK_SECTORS, "1 1 0 0 0 0 0 8 2 uuid 00112233-4455-6677-8899-aabbccddeeff",
		  "the cache device holds another cache" },
		{ DISK_SECTORS - 1, "1 1", "the table is shorter than the disk" },
		{ 1, "1 1", "the table is shorter than the disk" },
		{ DISK_SECTORS + 3, "1 1 0 0 0 0 0 8 2 fast_remove 1", NULL },
		{ DISK_SECTORS, "1 0 0 0 0 0 0 8 2 fast_remove 1", "Invalid cache persistence" },
		{ DISK_SECTORS, "2 1 0 0 0 0 0 8 2 fast_remove 1", NULL },
		{ DISK_SECTORS, "3", NULL },
	};
	char name[160];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(name, sizeof(name), "line: %s, disk of %llu", cases[i].words,
			 (unsigned long long)cases[i].disk);
		judge_line(name, &orderly, machine_flash, cases[i].disk, cases[i].words,
			   &REFUSED(cases[i].refused));
	}
}

/* The cache was away while somebody wrote to the disk. */
static void changed_disk(void)
{
	struct expect cold = { NULL, SERVE_OWN, 0, 0 };
	u64 slot;

	image_copy(&image, &orderly);
	stamp_write(image.disk, TAG, 0, 1, 999);
	judge("disk: written without its cache, which has dirty blocks", &image,
	      &REFUSED("the disk was written without its cache"));
	for (slot = 0; slot < image.sb.geo.nr_slots; slot++) {
		union block *block = image_table(&image, slot / FCD_TABLE_ENTRIES);

		image_entry(&image, slot)->dirty = 0;
		image_seal(&image, block);
	}
	image_mend(&image);
	judge("disk: written without its cache, which has clean blocks", &image, &cold);
}

void device_cases(void)
{
	short_flash();
	lines();
	changed_disk();
}

/* --- point 3: half a commit ------------------------------------------------------------------- */

/* The last record of a block in the log. */
static struct fc_record find_record(u64 block)
{
	struct fc_record rec, found = { { 0 }, { 0 }, 0, false };
	u64 seq, end = image_log_end(&image);
	u32 i;

	for (seq = image.sb.tail_seq; seq < end; seq++) {
		const union block *b = image_log(&image, seq);

		for (i = 0; i < le32_to_cpu(b->log.nr); i++)
			if (fc_log_get(&image.sb, b, i, &rec) && rec.block.n == block)
				found = rec;
	}
	if (!found.dirty)
		printf("not ok - no dirty record of block %llu\n", (unsigned long long)block);
	return found;
}

/* It frees a dirty block. Without its end it must not. */
static void half_commit(void)
{
	struct fc_record rec;
	bool loaded;

	image_copy(&image, &crashed);
	rec = find_record(100);
	rec.dirty = 0;
	image_commit(&image, &rec, 1, false);
	judge("point 3: half a commit does not count", &image, &LOADS);
	image_copy(&image, &crashed);
	image_commit(&image, &rec, 1, true);
	if (judge_quietly(&image, &LOADS, &loaded))
		printf("ok - point 3: the same commit with its end does\n");
	else
		printf("not ok - point 3: the same commit with its end does not\n");
}

/* --- point 20: damage to a copy does not bring "orderly" back --------------------------------- */

static void wait_clean(void)
{
	int i;

	for (i = 0; i < 300 && machine_status("dirty"); i++)
		usleep(50000);
}

/*
 * A cache that was stopped in order is loaded, and a block that is clean in its table is written
 * past it. Then power fails, and one copy of the superblock is lost.
 */
static void write_past(u64 sector)
{
	u8 *buf;
	int fd;

	if (posix_memalign((void **)&buf, FCD_BLOCK_SIZE, FCD_BLOCK_SIZE))
		exit(2);
	machine_message("cache_mode writearound");
	wait_clean();
	fd = machine_cache();
	stamp_write(buf, TAG, sector, BLOCK_SECTORS, 1000);
	if (pwrite(fd, buf, FCD_BLOCK_SIZE, (off_t)sector * SECTOR_SIZE) != FCD_BLOCK_SIZE ||
	    fsync(fd))
		printf("not ok - point 20: cannot write\n");
	close(fd);
	free(buf);
}

static void orderly_comes_back(void)
{
	const u64 sector = 2048;	/* read into the cache when it was made */
	struct expect cold = { NULL, SERVE_NEWEST, 0, 0 };
	static u32 kept[BLOCK_SECTORS];
	u32 i, k;

	machine_write(&orderly);
	if (!machine_load(machine_flash, DISK_SECTORS, "1 1 0 0 0 0 0 8 2 fast_remove 1"))
		printf("not ok - point 20: %s\n", machine_log());
	write_past(sector);
	image_copy(&image, &orderly);
	machine_read(&image);
	if (!machine_remove())
		printf("not ok - point 20: cannot remove\n");
	memcpy(kept, newest + sector, sizeof(kept));
	for (i = 0; i < BLOCK_SECTORS; i++)
		newest[sector + i] = 1000;
	judge("point 20: a crash after a load", &image, &cold);
	for (k = 0; k < 2; k++) {
		static struct image damaged;

		image_copy(&damaged, &image);
		memset(image_block(&damaged, k), 0x77, sizeof(union block));
		judge(k ? "point 20: and superblock 1 lost" : "point 20: and superblock 0 lost",
		      &damaged, &cold);
	}
	memcpy(newest + sector, kept, sizeof(kept));
}

void order_cases(void)
{
	half_commit();
	orderly_comes_back();
}
