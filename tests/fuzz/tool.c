// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the tool's arguments.
 *
 * Input: two bytes that say how the machine is (host.h), one for sizes, one for what is on the SSD;
 * a line with the tool's name and arguments, taken apart as device-mapper would; then lines that
 * the kernel's log, the mount table and udev hold. The tool succeeds or says why not. It writes
 * nothing but to the SSD, and there only when it is told so. What it gives to the kernel is a line
 * that the module understands.
 */
#include <getopt.h>

#include "dm/dm.h"
#include "host.h"
#include "scene.h"

#define MAX_WORDS	20
#define KILLED		15

static u8 ssd[SCENE_BLOCKS * FCD_BLOCK_SIZE];
static const struct scene *scene;

static void choose_sizes(u8 how)
{
	static const u64 disks[] = { 98304, 1, 4096, 1ull << 31, 1ull << 40, 1ull << 52, 98311 };
	static const u64 ssds[] = { 65536, 1, 6144, 1ull << 31, 1ull << 40, 1ull << 52, 4097 };

	host.disk_sectors = disks[(how & 15) % ARRAY_SIZE(disks)];
	host.ssd_sectors = ssds[(how >> 4) % ARRAY_SIZE(ssds)];
}

/* Nothing, a genuine cache for just these devices, one with a byte changed, noise. */
static void choose_contents(struct fuzz_in *in, u8 how)
{
	memset(ssd, 0, sizeof(ssd));
	scene = NULL;
	host.ssd = ssd;
	host.ssd_len = sizeof(ssd);
	if (how < 64) {
		if (how & 1)
			memset(ssd, how, 8192);
		return;
	}
	scene = scene_get(how);
	memcpy(ssd, scene->flash, scene->nr_blocks * FCD_BLOCK_SIZE);
	host.disk_sectors = scene->disk_sectors;
	host.ssd_sectors = scene->flash_sectors;
	if (how >= 192) {
		u16 at = fuzz_u16(in);

		ssd[at % 8192] ^= fuzz_u8(in);
		if (at & 0x8000) {
			fuzz_seal(0, (union fuzz_block *)ssd);
			fuzz_seal(0, (union fuzz_block *)(ssd + FCD_BLOCK_SIZE));
		}
		scene = NULL;
	}
}

/* Might -f be among the options? */
static bool may_force(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (argv[i][0] == '-' && (strchr(argv[i], 'f') || argv[i][1] == '-'))
			return true;
	return false;
}

static u64 dirty_in_scene(void)
{
	u64 i, nr = 0;

	for (i = 0; i < scene->sb.geo.nr_slots; i++)
		nr += !!scene->now[i].dirty;
	return nr;
}

/* The command that writes dirty blocks to the disk without the module. */
static bool writes_back(int argc, char **argv)
{
	return strstr(argv[0], "writeback") || (argc > 1 && strstr(argv[1], "writeback"));
}

/* Otherwise without -f only a cache without dirty blocks is written over, by destroy. */
static void check_writes(bool forced, bool back)
{
	CHECK(!host.disk_writes || (back && !(host.how & HOST_DISK_BUSY)));
	if (!host.ssd_writes && !host.wiped)
		return;
	CHECK(!(host.how & (HOST_SSD_BUSY | HOST_READ_ONLY)));
	if (back)
		return;
	if (forced)
		return;
	CHECK(!host.wiped && !host.created);
	CHECK(!scene || !dirty_in_scene());
}

/* The first two words are devices; the module's stand-in knows them as a and b. */
static void check_table(void)
{
	char *argv[SPLIT_WORDS + 1];
	int argc = split_words(host.params, argv, SPLIT_WORDS);
	const char *why = NULL;
	struct dm_target *ti;

	CHECK(argc > 11);
	CHECK(!strncmp(argv[0], "/dev/sdb", 8));
	CHECK_STR(argv[1], "/dev/sda");
	CHECK_STR(argv[2], host.name);
	argv[0] = "a";
	argv[1] = "b";
	fuzz_devs[0].sectors = host.disk_sectors;
	fuzz_devs[1].sectors = host.ssd_sectors;
	ti = split_make(argc, argv, host.sectors, &why);
	if (!ti)
		test_fail(__FILE__, __LINE__, "the module refuses the line: %s", why);
	split_free(ti);
}

void fuzz_one(struct fuzz_in *in)
{
	char line[SPLIT_LINE], text[SPLIT_LINE], *argv[MAX_WORDS + 1], *end;
	bool forced, back;
	int argc, r;
	u8 sizes;

	memset(&host, 0, sizeof(host));
	host_close_all();
	host.how = fuzz_u16(in);
	sizes = fuzz_u8(in);
	choose_sizes(sizes);
	choose_contents(in, fuzz_u8(in));
	host.text_len = in->left < sizeof(text) ? in->left : sizeof(text);
	fuzz_bytes(in, text, sizeof(text));
	memcpy(line, text, sizeof(line));
	line[sizeof(line) - 1] = '\0';
	end = strchr(line, '\n');
	if (end) {
		*end = '\0';
		host.text = text + (end + 1 - line);
		host.text_len -= (size_t)(end + 1 - line);
	} else {
		host.text_len = 0;
	}
	argc = split_words(line, argv, MAX_WORDS);
	if (!argc)
		return;
	forced = may_force(argc, argv);
	back = writes_back(argc, argv);
	optind = 0;
	opterr = 0;
	r = setjmp(host_killed) ? KILLED : tool_main(argc, argv);
	/* 1 is for what went wrong; more is for findings of a command. */
	CHECK(r >= 0 && r < 16);
	CHECK(r == KILLED || !host.open);
	CHECK(r != 1 || host.errors);
	CHECK(!r || r == KILLED || !host.created);
	check_writes(forced, back);
	if (host.created)
		check_table();
}
