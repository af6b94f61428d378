// SPDX-License-Identifier: GPL-2.0
/*
 * seeds: inputs for the fuzzers to start from.
 *
 *	seeds text FILE DIR	each line of FILE becomes a file in DIR; %XX stands for a byte,
 *				a line that begins with ## is a remark
 *	seeds TARGET DIR	inputs of super, table, log or image, made by the format's own code
 */
#include <stdio.h>
#include <stdlib.h>

#include "format.h"
#include "fuzz.h"
#include "flashcache/uapi.h"

#define ROOM 16384

static const char *dir;
static int nr_files;

static u8 input[ROOM];
static size_t len;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void add(const void *bytes, size_t nr)
{
	CHECK(len + nr <= sizeof(input));
	memcpy(input + len, bytes, nr);
	len += nr;
}

static void add_number(u64 number, size_t bytes)
{
	__le64 raw = cpu_to_le64(number);

	add(&raw, bytes);
}

/* What was added up to now is an input. */
static void write_out(void)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%03d", dir, nr_files++);
	file = fopen(path, "w");
	if (!file || fwrite(input, 1, len, file) != len || fclose(file))
		die(path);
	len = 0;
}

/* --- lines of text ---------------------------------------------------------------------------- */

static void add_line(const char *line)
{
	unsigned int byte;
	int used;

	for (; *line && *line != '\n'; line++) {
		if (*line == '%' && sscanf(line, "%%%2x%n", &byte, &used) == 1 && used == 3) {
			add_number(byte, 1);
			line += 2;
		} else {
			add(line, 1);
		}
	}
}

static int make_text(const char *path)
{
	char line[ROOM];
	FILE *file = fopen(path, "r");

	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "##", 2))
			continue;
		add_line(line);
		write_out();
	}
	fclose(file);
	return 0;
}

/* --- superblocks ------------------------------------------------------------------------------ */

static void add_super(u64 flash, u64 disk, u32 block, u32 state, u64 seq)
{
	struct fc_geo_want want = { .block_sectors = block, .flash_sectors = flash,
				    .disk_sectors = disk };
	struct fc_super sb = { .seq = seq, .seed = 0x12345678, .state = state, .mode = 1,
			       .policy = FC_POLICY_S3FIFO, .tail_seq = 65, .table_gen = 2,
			       .dirty_thresh_pct = 20, .fallow_delay = 900, .name = "name",
			       .disk_id = "WWID=x" };
	struct fcd_super raw;
	const char *why;

	CHECK(!fc_geo_init(&sb.geo, &want, &why));
	fc_super_encode(&sb, &raw);
	add(&raw, offsetof(struct fcd_super, reserved));
}

static void make_super(void)
{
	static const u64 flash[] = { 6144, 98304, 1ull << 31, 1ull << 40 };
	u32 i, mend;

	for (i = 0; i < 4; i++) {
		for (mend = 0; mend < 4; mend++) {
			add_number(mend | (3 - mend) << 2, 1);
			add_super(flash[i], flash[i] * 4 + i, 8u, FCD_STATE_RUNNING, 4);
			add_super(flash[i] * 16, flash[i], 8u << i, FCD_STATE_ORDERLY, 3 + mend);
			write_out();
		}
	}
}

/* --- tables and logs: see rig.c, table.c and log.c for what the bytes mean -------------------- */

static void add_rig(u8 flags, u8 shape)
{
	add_number(flags, 1);
	add_number(shape, 1);
	add_number(1000, 2);
}

static void make_table(void)
{
	u32 shape, nr, i;

	for (shape = 0; shape < 256; shape += 37) {
		for (nr = 0; nr <= 12; nr += 4) {
			add_rig((u8)nr, (u8)shape);
			for (i = 0; i < 2 + (shape & 3); i++)
				add_number(0, 1);
			add_number(nr, 2);
			for (i = 0; i < nr; i++) {
				add_number(i * 7, 2);
				add_number(i, 6);
				add_number(i & 7, 2);
				add_number(0x3f, 2);
				add_number(i & 1 ? 0x15 : 0, 2);
				add_number(0, 4);
			}
			add_number(nr * 8, 8);
			add_number(0x41, 1);
			write_out();
		}
	}
}

/* Commits of @each blocks with two records a block. */
static void make_log(void)
{
	u32 shape, each, i;

	for (shape = 0; shape < 256; shape += 37) {
		for (each = 1; each < 4; each++) {
			add_rig(each, (u8)shape);
			add_number(0, 1);
			add_number(6, 1);
			for (i = 0; i < 6; i++) {
				add_number((i + 1) % each == 0, 1);
				add_number(2, 1);
				add_number(1, 1);
				add_number(i, 2);
				add_number(i * 3, 2);
				add_number(0x0f, 2);
				add_number(0, 1);
				add_number(i, 5);
				add_number(0, 1);
				add_number(i * 2, 6);
				add_number(i & 1, 8);
			}
			write_out();
		}
	}
}

/* Writes an entry behind the last slot into the last block of a copy of the table. */
static void add_behind(u32 sets, u32 copy)
{
	u32 slots = sets * 256, blocks = (slots - 1) / FCD_TABLE_ENTRIES + 1;
	u32 at = FCD_BLOCK_SIZE - (blocks * FCD_TABLE_ENTRIES - slots) *
		 (u32)sizeof(struct fcd_table_entry);

	add_number(0x93, 1);
	add_number(2 + 64 + copy * blocks + blocks - 1, 1);
	add_number(at, 2);
	add_number(1, offsetof(struct fcd_table_entry, valid));
	add_number(1, 2);
}

/* Each kind of genuine image, as it is and in each kind of line. */
static void make_image(void)
{
	u32 i;

	for (i = 0; i < 128; i += 3) {
		add_number(i, 1);
		add_number(i < 96 ? 0 : i, 1);
		add_number(i & 3, 1);
		add_number(0x12, 1);
		add_number(2 + i % 70, 1);
		add_number(8 + i, 2);
		add_number(0xff, 1);
		write_out();
	}
	for (i = 0; i < 8; i++) {
		add_number(i, 1);
		add_number(0, 1);
		add_number(1, 1);
		add_behind(1 + i % 4, 0);
		add_behind(1 + i % 4, 1);
		write_out();
	}
	/* Power fails at this and that write of a load, of a creation, of the life that follows. */
	for (i = 0; i < 40; i++) {
		add_number(i * 5, 1);
		add_number(i & 1, 1);
		add_number(4, 1);
		add_number(i, 1);
		add_number(i < 16 ? i / 2 : i, 1);
		add_number(i / 2, 1);
		write_out();
	}
}

int main(int argc, char **argv)
{
	dir = argv[argc - 1];
	if (argc == 4 && !strcmp(argv[1], "text"))
		return make_text(argv[2]);
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "super"))
		make_super();
	else if (!strcmp(argv[1], "table"))
		make_table();
	else if (!strcmp(argv[1], "log"))
		make_log();
	else if (!strcmp(argv[1], "image"))
		make_image();
	else
		return 2;
	return 0;
}

/* Only the checks of common.c are wanted here. */
void fuzz_one(struct fuzz_in *in)
{
}
