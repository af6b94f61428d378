// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: superblocks.
 */
#include <stdio.h>

#include "images.h"

#define BOTH	3u
#define NEWEST	4u	/* the copy that counts, whichever that is */
#define OLDEST	8u

static const char damaged[] = "both superblocks are damaged";
static const char far_numbers[] = "numbers that no cache reaches";

/**
 * struct poke - a number in superblocks, put there with a right CRC
 * @name: for the result line
 * @offset: in struct fcd_super
 * @size: bytes
 * @value: number
 * @refused: as in struct expect
 */
struct poke {
	const char *name;
	size_t offset;
	size_t size;
	u64 value;
	const char *refused;
};

#define AT(field) offsetof(struct fcd_super, field), sizeof(((struct fcd_super *)0)->field)

static const struct poke pokes[] = {
	{ "state 0", AT(state), 0, damaged },
	{ "state 3", AT(state), 3, damaged },
	{ "mode 0", AT(mode), 0, damaged },
	{ "mode 4", AT(mode), 4, damaged },
	{ "policy 3", AT(policy), 3, damaged },
	{ "block size 0", AT(block_sectors), 0, damaged },
	{ "block size 4", AT(block_sectors), 4, damaged },
	{ "block size 9", AT(block_sectors), 9, damaged },
	{ "block size 16", AT(block_sectors), 16, damaged },
	{ "block size 256", AT(block_sectors), 256, damaged },
	{ "block size 2^32 - 1", AT(block_sectors), ~0u, damaged },
	{ "associativity 0", AT(assoc), 0, damaged },
	{ "associativity 128", AT(assoc), 128, damaged },
	{ "associativity 300", AT(assoc), 300, damaged },
	{ "associativity 512", AT(assoc), 512, damaged },
	{ "associativity 16384", AT(assoc), 16384, damaged },
	{ "associativity 2^31", AT(assoc), 1u << 31, damaged },
	{ "cluster 0", AT(cluster_blocks), 0, damaged },
	{ "cluster 3", AT(cluster_blocks), 3, damaged },
	{ "cluster 512, more than a set", AT(cluster_blocks), 512, damaged },
	{ "cluster 2^31", AT(cluster_blocks), 1u << 31, damaged },
	{ "no sets", AT(nr_sets), 0, damaged },
	{ "a set more", AT(nr_sets), NR_SETS + 1, damaged },
	{ "2^32 sets more", AT(nr_sets), NR_SETS + (1ull << 32), damaged },
	{ "no log", AT(log_blocks), 0, damaged },
	{ "a log of 65", AT(log_blocks), 65, damaged },
	{ "a log of 2^63", AT(log_blocks), 1ull << 63, damaged },
	{ "no table", AT(table_blocks), 0, damaged },
	{ "a table of 4", AT(table_blocks), 4, damaged },
	{ "a table of 2^61", AT(table_blocks), 1ull << 61, damaged },
	{ "data at 0", AT(data_start), 0, damaged },
	{ "data at 2056", AT(data_start), 2056, damaged },
	{ "data at 2^64 - 1", AT(data_start), ~0ull, damaged },
	{ "no flash", AT(flash_sectors), 0, damaged },
	{ "flash of a sector", AT(flash_sectors), 1, damaged },
	{ "flash without the last set", AT(flash_sectors), FLASH_SECTORS - 1, damaged },
	{ "flash of 2^50 sectors", AT(flash_sectors), 1ull << 50, damaged },
	{ "flash of 2^64 - 1 sectors", AT(flash_sectors), ~0ull, damaged },
	{ "a sector more of flash than there is", AT(flash_sectors), FLASH_SECTORS + 1,
	  "the cache device is smaller than the cache on it" },
	{ "no disk", AT(disk_sectors), 0, damaged },
	{ "a disk of 2^60 sectors", AT(disk_sectors), 1ull << 60, damaged },
	{ "a disk of 2^64 - 1 sectors", AT(disk_sectors), ~0ull, damaged },
	{ "a disk of a sector more", AT(disk_sectors), DISK_SECTORS + 1,
	  "the table is shorter than the disk" },
	{ "a disk of one sector", AT(disk_sectors), 1, "" },
	{ "tail of the log at 2^63", AT(tail_seq), 1ull << 63, damaged },
	{ "tail of the log at 2^63 - 1", AT(tail_seq), ~0ull >> 1, far_numbers },
	{ "generation 2^63", AT(table_gen), 1ull << 63, damaged },
	{ "generation 2^63 - 1", AT(table_gen), ~0ull >> 1, far_numbers },
	{ "sequence 2^63", AT(seq), 1ull << 63, damaged },
	{ "sequence 2^63 - 1", AT(seq), ~0ull >> 1, far_numbers },
	{ "generation 0", AT(table_gen), 0, "the table is damaged" },
	{ "sum of the table 0", AT(table_sum), 0, "the table is not the one" },
	{ "threshold 9", AT(dirty_thresh_pct), 9, damaged },
	{ "threshold 96", AT(dirty_thresh_pct), 96, damaged },
	{ "sequential threshold above its limit", AT(skip_seq_thresh_kb), (1u << 30) + 1, damaged },
	{ "fallow delay above its limit", AT(fallow_delay), (1u << 20) + 1, damaged },
	{ "another seed", AT(seed), 0x7654321, "the table is damaged" },
	{ "seed of all ones", AT(seed), ~0u, "the table is damaged" },
	{ "format 5", AT(format), 5, "a format that this version does not know" },
	{ "format 0", AT(format), 0, "a format that this version does not know" },
	{ "all flags", AT(flags), ~0u, "" },
	{ "something reserved", offsetof(struct fcd_super, reserved) + 7, 8, 0x55, NULL },
};

static void poke_number(u8 *to, size_t size, u64 value)
{
	__le64 raw = cpu_to_le64(value);

	memcpy(to, &raw, size);
}

static void poke_all(const char *kind, const struct image *genuine)
{
	static struct image image;
	char name[128];
	size_t i;
	u32 k;

	for (i = 0; i < sizeof(pokes) / sizeof(pokes[0]); i++) {
		const struct poke *p = &pokes[i];

		image_copy(&image, genuine);
		for (k = 0; k < 2; k++) {
			union block *block = image_block(&image, k);

			poke_number(block->bytes + p->offset, p->size, p->value);
			image_seal(&image, block);
		}
		snprintf(name, sizeof(name), "super, %s: %s", kind, p->name);
		judge(name, &image, &REFUSED(p->refused));
	}
}

static void unterminated(void)
{
	static struct image image;
	u32 k;

	image_copy(&image, &crashed);
	for (k = 0; k < 2; k++) {
		memset(image_block(&image, k)->super.name, 'x', FCD_NAME_LEN);
		image_seal(&image, image_block(&image, k));
	}
	judge("super: a name without an end", &image, &REFUSED(damaged));
	image_copy(&image, &crashed);
	for (k = 0; k < 2; k++) {
		memset(image_block(&image, k)->super.disk_id, 'x', FCD_ID_LEN);
		image_seal(&image, image_block(&image, k));
	}
	judge("super: an identity without an end", &image, &REFUSED(damaged));
}

/* Sizes that belong together, of a device that is much larger than this one. */
static void large(u64 flash_sectors)
{
	static struct image image;
	struct fc_geo_want want = { .block_sectors = 8, .assoc = 256, .disk_sectors = DISK_SECTORS,
				    .flash_sectors = flash_sectors };
	const char *why;
	char name[64];
	u32 k;

	image_copy(&image, &crashed);
	snprintf(name, sizeof(name), "super: all sizes for a flash of %llu sectors",
		 (unsigned long long)flash_sectors);
	if (fc_geo_init(&image.sb.geo, &want, &why))
		printf("not ok - %s: %s\n", name, why);
	for (k = 0; k < 2; k++) {
		image.sb.seq++;
		fc_super_encode(&image.sb, &image_block(&image, image.sb.seq % 2)->super);
	}
	judge(name, &image, &REFUSED("the cache device is smaller than the cache on it"));
}

/* One copy or both in other ways; @what is done to those in @copies. */
static void lose(const char *name, const struct image *genuine, u32 copies, int what,
		 const struct expect *expect)
{
	static struct image image;
	u32 k;

	image_copy(&image, genuine);
	for (k = 0; k < 2; k++) {
		union block *block = image_block(&image, k);
		bool counts = image.sb.seq % 2 == k;

		if (!(copies & (1u << k)) && !(copies & (counts ? NEWEST : OLDEST)))
			continue;
		if (what == 0)
			memset(block, 0, sizeof(*block));
		else if (what == 1)
			memset(block, 0x5a, sizeof(*block));
		else
			block->bytes[3000] ^= 0x10;
	}
	judge(name, &image, expect);
}

static void lost_copies(const char *kind, const struct image *genuine)
{
	static const char * const ways[] = { "blank", "noise", "with a bit turned" };
	char name[128];
	int way;

	for (way = 0; way < 3; way++) {
		snprintf(name, sizeof(name), "super, %s: both copies %s", kind, ways[way]);
		lose(name, genuine, BOTH, way, &REFUSED(way < 2 ? "no flashcache found" : damaged));
		snprintf(name, sizeof(name), "super, %s: the newest copy %s", kind, ways[way]);
		lose(name, genuine, NEWEST, way, &LOADS);
		snprintf(name, sizeof(name), "super, %s: the older copy %s", kind, ways[way]);
		lose(name, genuine, OLDEST, way, &LOADS);
	}
}

void super_cases(void)
{
	poke_all("after a crash", &crashed);
	poke_all("after a stop", &orderly);
	unterminated();
	large(1ull << 31);
	large(1ull << 40);
	large((1ull << 43) - 1);
	lost_copies("after a crash", &crashed);
	lost_copies("after a stop", &orderly);
}
