// SPDX-License-Identifier: GPL-2.0
/*
 * fullcache: write what the orderly stop of a full cache leaves on flash, without the data.
 *
 *	fullcache FLASH FLASH-SECTORS DISK-SECTORS [scattered]
 *
 * All slots hold a block, each fifth cluster is dirty. The blocks of a cluster lie next to one
 * another, or, when scattered, each as far away from the next as its set allows. Only the first copy of the table is written:
 * FLASH must be a device of zeros. The disk must be some four times as large, so that each set finds
 * enough blocks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "format.h"

#define TABLE_GEN	7
#define TAIL_SEQ	1000
#define BATCH		64	/* table blocks that are written at once */

static struct fc_super super = {
	.uuid = "0123456789abcdef", .seed = 0x1234567, .mode = 1, .policy = 2,
	.state = FCD_STATE_ORDERLY, .dirty_thresh_pct = 20, .tail_seq = TAIL_SEQ,
	.table_gen = TABLE_GEN, .name = "flashcache",
};

static u32 *clusters;		/* of each set, as many as it has room for */
static u32 per_set;
static int scattered;
static u8 batch[BATCH][FCD_BLOCK_SIZE] __attribute__((aligned(4096)));
static int fd;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void put(sector_t sector, const void *data, size_t bytes)
{
	if (pwrite(fd, data, bytes, (off_t)sector * 512) != (ssize_t)bytes)
		die("write");
}

/* The disk's clusters from the first on, each into its set as long as there is room. */
static void choose_clusters(void)
{
	struct fc_geo *geo = &super.geo;
	u32 size = 1u << geo->cluster_shift, cluster;
	u64 nr = (geo->disk_sectors >> geo->block_shift) / size;
	u64 left;
	u32 *used = calloc(geo->nr_sets, sizeof(*used));

	per_set = geo->assoc / size;
	left = (u64)geo->nr_sets * per_set;
	clusters = calloc(left, sizeof(*clusters));
	if (!used || !clusters)
		die("memory");
	for (cluster = 0; cluster < nr && left; cluster++) {
		struct fc_oblock b = { (u64)cluster * size };
		u32 set = fc_geo_set(geo, fc_geo_hash(geo, b));

		if (used[set] == per_set)
			continue;
		clusters[(u64)set * per_set + used[set]++] = cluster;
		left--;
	}
	free(used);
	if (left) {
		fprintf(stderr, "fullcache: the disk is too small\n");
		exit(2);
	}
}

/* Which block a slot holds: of each set, all blocks of its clusters. */
static struct fc_oblock block_of(u64 slot)
{
	const struct fc_geo *geo = &super.geo;
	u64 set = slot >> geo->assoc_shift, way = slot & (geo->assoc - 1);
	u64 cluster = scattered ? way % per_set : way >> geo->cluster_shift;
	u64 within = scattered ? way / per_set : way & ((1u << geo->cluster_shift) - 1);

	cluster = clusters[set * per_set + cluster];
	return (struct fc_oblock){ (cluster << geo->cluster_shift) | within };
}

static void fill_block(u8 *block, u64 index)
{
	const struct fc_geo *geo = &super.geo;
	u32 i;

	memset(block, 0, FCD_BLOCK_SIZE);
	for (i = 0; i < FCD_TABLE_ENTRIES; i++) {
		u64 slot = index * FCD_TABLE_ENTRIES + i;
		struct fc_entry entry = { .valid = 0xff };

		if (slot >= geo->nr_slots)
			break;
		entry.block = block_of(slot);
		entry.dirty = fc_geo_cluster(geo, entry.block) % 5 ? 0 : 0xff;
		fc_table_put(block, i, &entry);
	}
	super.table_sum += fc_table_seal(&super, block, index, TABLE_GEN);
}

static void write_table(void)
{
	u64 index = 0;

	while (index < super.geo.table_blocks) {
		u32 nr;

		for (nr = 0; nr < BATCH && index + nr < super.geo.table_blocks; nr++)
			fill_block(batch[nr], index + nr);
		put(fc_geo_table_sector(&super.geo, 0, index), batch, (size_t)nr * FCD_BLOCK_SIZE);
		index += nr;
	}
}

static void write_supers(void)
{
	struct fcd_super *raw = (struct fcd_super *)batch[0];

	for (super.seq = 41; super.seq <= 42; super.seq++) {
		fc_super_encode(&super, raw);
		put(super.seq % 2 * FCD_BLOCK_SECTORS, raw, FCD_BLOCK_SIZE);
	}
}

int main(int argc, char **argv)
{
	struct fc_geo_want geo = { 0 };
	const char *why;

	if (argc != 4 && (argc != 5 || strcmp(argv[4], "scattered")))
		return 2;
	scattered = argc == 5;
	geo.flash_sectors = strtoull(argv[2], NULL, 10);
	geo.disk_sectors = strtoull(argv[3], NULL, 10);
	if (fc_geo_init(&super.geo, &geo, &why)) {
		fprintf(stderr, "fullcache: %s\n", why);
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		die(argv[1]);
	choose_clusters();
	write_table();
	write_supers();
	if (fsync(fd))
		die("sync");
	return 0;
}
