// SPDX-License-Identifier: GPL-2.0
/*
 * mkcache: write what a stopped cache leaves on an SSD, as the tests want it.
 *
 *	mkcache FILE KEY=NUMBER...      name=TEXT and id=TEXT are texts
 *	mkcache crc TEXT                the CRC32C of a text, to compare with published values
 *
 * Keys: flash, disk (sizes in sectors), mode, state; dirty, clean (entries in the table), log
 * (slots that the log makes dirty), freed (dirty slots of the table that the log frees), torn (slots
 * in a commit without its end), format, lost (1: superblock 0 is damaged, 2: both, 3: a table block,
 * 4: sum of the table), crafted (1: an impossible record in the log), former (1: the table's other
 * copies are of a cache that was there before, and look newer).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "format.h"

#define TAIL_SEQ	1000
#define TABLE_GEN	7

enum key {
	FLASH, DISK, MODE, STATE, DIRTY, CLEAN, LOG, FREED, TORN, FORMAT, LOST, CRAFTED, FORMER,
	NR_KEYS
};

static const char *const keys[NR_KEYS] = {
	"flash", "disk", "mode", "state", "dirty", "clean", "log", "freed", "torn", "format",
	"lost", "crafted", "former"
};

static u64 want[NR_KEYS] = {
	[FLASH] = 65536, [DISK] = 131072, [MODE] = 1, [STATE] = FCD_STATE_RUNNING,
	[FORMAT] = FCD_FORMAT,
};

static struct fc_super super = {
	.uuid = "0123456789abcdef", .seed = 0x1234567, .policy = 2, .dirty_thresh_pct = 20,
	.tail_seq = TAIL_SEQ, .table_gen = TABLE_GEN, .name = "testcache",
};

static const struct fc_super former = { .seed = 0x7654321 };

static struct fc_record *slots;		/* all that are used, in the order of their making */
static u64 nr_used;
static u64 log_seq = TAIL_SEQ;
static int fd;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void put(sector_t sector, const void *block)
{
	if (pwrite(fd, block, FCD_BLOCK_SIZE, (off_t)sector * 512) != FCD_BLOCK_SIZE)
		die("write");
}

/* Blocks 0, 1, ... of the disk, each in the next slot of its set. */
static void choose_slots(u64 nr)
{
	u32 *ways = calloc(super.geo.nr_sets, sizeof(*ways));

	slots = calloc(nr, sizeof(*slots));
	if (!ways || !slots)
		die("memory");
	for (nr_used = 0; nr_used < nr; nr_used++) {
		struct fc_oblock b = { nr_used };
		u32 set = fc_geo_set(&super.geo, fc_geo_hash(&super.geo, b));

		slots[nr_used].block = b;
		slots[nr_used].slot = fc_geo_slot(&super.geo, set, (u16)ways[set]++);
		slots[nr_used].dirty = 1;
	}
	free(ways);
}

static bool table_has(u64 i)
{
	return i < want[DIRTY] + want[CLEAN];
}

static void write_table_block(u64 index)
{
	u8 block[FCD_BLOCK_SIZE] __attribute__((aligned(8))) = { 0 };
	u64 i;

	for (i = 0; i < nr_used; i++) {
		struct fc_entry entry = { slots[i].block, 3, i < want[DIRTY], 0 };

		if (table_has(i) && slots[i].slot.n / FCD_TABLE_ENTRIES == index)
			fc_table_put(block, slots[i].slot.n % FCD_TABLE_ENTRIES, &entry);
	}
	super.table_sum += fc_table_seal(&super, block, index, TABLE_GEN - index % 2);
	if (want[LOST] == 3 && !index)
		block[100] ^= 1;
	put(fc_geo_table_sector(&super.geo, index % 2, index), block);
	/* In the other copy: one that is older, and one of a checkpoint that never ended. */
	memset(block, 0, sizeof(block));
	if (want[FORMER])
		fc_table_seal(&former, block, index, TABLE_GEN);
	else
		fc_table_seal(&super, block, index, index % 3 ? TABLE_GEN + 1 : 1);
	put(fc_geo_table_sector(&super.geo, !(index % 2), index), block);
}

/* One commit of @nr records from slot @first on, spread over blocks of at most 100. */
static void write_commit(u64 first, u64 nr, bool dirty, bool whole)
{
	u64 start = log_seq, done = 0, i;

	while (done < nr) {
		u8 block[FCD_BLOCK_SIZE] __attribute__((aligned(8))) = { 0 };
		u64 count = nr - done < 100 ? nr - done : 100;

		for (i = 0; i < count; i++) {
			struct fc_record rec = slots[first + done + i];

			rec.dirty = dirty;
			if (want[CRAFTED])
				rec.slot.n ^= super.geo.assoc;
			fc_log_put(block, (u32)i, &rec);
		}
		done += count;
		fc_log_seal(&super, block, log_seq, start, (u32)count, whole && done == nr);
		put(fc_geo_log_sector(&super.geo, log_seq), block);
		log_seq++;
	}
}

static void write_super(u64 seq, bool damaged)
{
	struct fcd_super raw;

	super.seq = seq;
	fc_super_encode(&super, &raw);
	if (want[FORMAT] != FCD_FORMAT) {
		raw.format = cpu_to_le32((u32)want[FORMAT]);
		raw.crc = cpu_to_le32(crc32c(~0u, &raw.format, sizeof(raw) - sizeof(raw.crc)));
	}
	if (damaged)
		raw.reserved[0] ^= 1;
	put(seq % 2 * FCD_BLOCK_SECTORS, &raw);
}

static void parse(char *arg)
{
	char *value = strchr(arg, '=');
	int i;

	if (value)
		*value++ = '\0';
	for (i = 0; value && i < NR_KEYS; i++)
		if (!strcmp(arg, keys[i]))
			want[i] = strtoull(value, NULL, 10);
	if (value && !strcmp(arg, "name"))
		strncpy(super.name, value, sizeof(super.name) - 1);
	if (value && !strcmp(arg, "id"))
		strncpy(super.disk_id, value, sizeof(super.disk_id) - 1);
}

static void write_cache(void)
{
	u64 in_table = want[DIRTY] + want[CLEAN], i;

	choose_slots(in_table + want[LOG] + want[TORN]);
	for (i = 0; i < super.geo.table_blocks; i++)
		write_table_block(i);
	write_commit(in_table, want[LOG], true, true);
	write_commit(0, want[FREED], false, true);
	write_commit(in_table + want[LOG], want[TORN], true, false);
	if (want[LOST] == 4)
		super.table_sum++;
	write_super(41, want[LOST] == 2);
	write_super(42, want[LOST] == 1 || want[LOST] == 2);
	if (fsync(fd))
		die("sync");
}

int main(int argc, char **argv)
{
	struct fc_geo_want geo = { 0 };
	const char *why;
	int i;

	if (argc == 3 && !strcmp(argv[1], "crc")) {
		printf("%08x\n", ~crc32c(~0u, argv[2], strlen(argv[2])));
		return 0;
	}
	if (argc < 2)
		return 2;
	for (i = 2; i < argc; i++)
		parse(argv[i]);
	geo.flash_sectors = want[FLASH];
	geo.disk_sectors = want[DISK];
	if (fc_geo_init(&super.geo, &geo, &why)) {
		fprintf(stderr, "mkcache: %s\n", why);
		return 2;
	}
	super.mode = (u32)want[MODE];
	super.state = (u32)want[STATE];
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		die(argv[1]);
	write_cache();
	return 0;
}
