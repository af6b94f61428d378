// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: loads an image and judges what comes of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "images.h"

static int failures;
static char complaint[512];

static const char *complain(const char *what, const char *detail)
{
	char *c;

	snprintf(complaint, sizeof(complaint), "%s%s%.300s", what, *detail ? ": " : "", detail);
	for (c = complaint; *c; c++)
		if (*c == '\n')
			*c = c[1] ? '|' : '\0';
	return complaint;
}

/* --- what is read ----------------------------------------------------------------------------- */

static bool may_be(u64 sector, u32 version, enum serve serve, bool last_missing)
{
	switch (serve) {
	case SERVE_OWN:
		return true;
	case SERVE_LAST:
		return version == (last_missing ? before_last : newest)[sector];
	default:
		return version == newest[sector];
	}
}

static const char *check_sectors(const u8 *buf, enum serve serve)
{
	bool last_missing = false;
	char where[64];
	u64 sector;

	/* All or nothing: the first sector of the last commit tells which. */
	for (sector = 0; sector < DISK_SECTORS; sector++) {
		struct stamp s = stamp_read(buf + sector * SECTOR_SIZE, TAG, sector);

		if (newest[sector] != before_last[sector]) {
			last_missing = s.kind == STAMP_GOOD && s.gen == before_last[sector];
			break;
		}
	}
	for (sector = 0; sector < DISK_SECTORS; sector++) {
		struct stamp s = stamp_read(buf + sector * SECTOR_SIZE, TAG, sector);

		snprintf(where, sizeof(where), "%llu, version %u of %u",
			 (unsigned long long)sector, s.gen, newest[sector]);
		if (s.kind != STAMP_GOOD)
			return complain("foreign data in sector", where);
		if (!may_be(sector, s.gen, serve, last_missing))
			return complain("wrong data in sector", where);
	}
	return NULL;
}

static const char *check_data(enum serve serve)
{
	static u8 *buf;
	const size_t len = (size_t)DISK_SECTORS * SECTOR_SIZE;
	int fd = machine_cache();
	ssize_t got;

	if (!buf && posix_memalign((void **)&buf, FCD_BLOCK_SIZE, DISK_ROOM))
		return "no memory";
	got = pread(fd, buf, len, 0);
	close(fd);
	return got == (ssize_t)len ? check_sectors(buf, serve) : "the cache cannot be read";
}

/* --- what comes of a load --------------------------------------------------------------------- */

static const char *check_refused(const struct image *image, const struct expect *expect)
{
	const char *log = machine_log();

	if (!expect->refused)
		return complain("refused", log);
	if (!*log)
		return "refused without a reason";
	if (!strstr(log, expect->refused))
		return complain("refused for another reason", log);
	if (!machine_flash_is(image))
		return "refused, but the flash has changed";
	return NULL;
}

static const char *check_loaded(const struct expect *expect)
{
	u64 cached = machine_status("cached"), dirty = machine_status("dirty");
	const char *wrong = NULL;
	char counts[64];

	snprintf(counts, sizeof(counts), "cached %llu, dirty %llu", (unsigned long long)cached,
		 (unsigned long long)dirty);
	if (expect->refused && *expect->refused)
		wrong = complain("it was loaded", counts);
	else if (cached > expect->max_cached || dirty > expect->max_dirty || dirty > cached)
		wrong = complain("too much is in the cache", counts);
	if (!wrong)
		wrong = check_data(expect->serve);
	if (!machine_remove())
		return "it cannot be removed";
	return wrong;
}

/* What could be loaded and stopped can be loaded once more. */
static const char *check_again(const struct expect *expect, const char *flash, u64 disk_sectors)
{
	const char *wrong;

	if (!machine_load(flash, disk_sectors, "1 1 0 0 0 0 0 8 2 fast_remove 1"))
		return complain("it cannot be loaded again", machine_log());
	wrong = disk_sectors == DISK_SECTORS ? check_data(expect->serve) : NULL;
	return machine_remove() ? wrong : "it cannot be removed again";
}

static const char *judge_load(const struct image *image, const char *flash, u64 disk_sectors,
			      const char *words, const struct expect *expect, bool *loaded)
{
	const char *wrong;

	machine_write(image);
	*loaded = machine_load(flash, disk_sectors, words);
	if (!*loaded)
		return check_refused(image, expect);
	if (disk_sectors != DISK_SECTORS)
		return machine_remove() ? NULL : "it cannot be removed";
	wrong = check_loaded(expect);
	return wrong ? wrong : check_again(expect, flash, disk_sectors);
}

static void say(const char *name, const char *wrong)
{
	failures += !!wrong;
	if (wrong)
		printf("not ok - %s: %s\n", name, wrong);
	else
		printf("ok - %s\n", name);
	fflush(stdout);
}

#define LINE "1 1 0 0 0 0 0 8 2 fast_remove 1"

void judge(const char *name, const struct image *image, const struct expect *expect)
{
	bool loaded;

	say(name, judge_load(image, machine_flash, DISK_SECTORS, LINE, expect, &loaded));
}

void judge_line(const char *name, const struct image *image, const char *flash, u64 disk_sectors,
		const char *words, const struct expect *expect)
{
	bool loaded;

	say(name, judge_load(image, flash, disk_sectors, words, expect, &loaded));
}

const char *judge_quietly(const struct image *image, const struct expect *expect, bool *loaded)
{
	return judge_load(image, machine_flash, DISK_SECTORS, LINE, expect, loaded);
}

int judge_failures(void)
{
	return failures;
}
