// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages: changing images.
 */
#include <stdio.h>
#include <stdlib.h>

#include "images.h"

static u8 *room(size_t bytes)
{
	u8 *to;

	if (posix_memalign((void **)&to, FCD_BLOCK_SIZE, bytes)) {
		perror("memory");
		exit(2);
	}
	return to;
}

void image_alloc(struct image *image)
{
	if (image->flash)
		return;
	image->flash = room(FLASH_BYTES);
	image->disk = room(DISK_ROOM);
	memset(image->flash, 0, FLASH_BYTES);
	memset(image->disk, 0, DISK_ROOM);
}

void image_copy(struct image *to, const struct image *from)
{
	image_alloc(to);
	memcpy(to->flash, from->flash, FLASH_BYTES);
	memcpy(to->disk, from->disk, DISK_ROOM);
	to->sb = from->sb;
}

union block *image_block(struct image *image, u64 index)
{
	return (union block *)image->flash + index;
}

union block *image_table(struct image *image, u64 index)
{
	const struct fc_super *sb = &image->sb;
	union block *best = NULL;
	u64 gen, best_gen = 0;
	u32 crc, copy;

	for (copy = 0; copy < 2; copy++) {
		u64 at = fc_geo_table_sector(&sb->geo, copy, index) / FCD_BLOCK_SECTORS;
		union block *block = image_block(image, at);

		if (fc_table_open(sb, block, index, &gen, &crc) != FC_FOUND_GOOD ||
		    gen > sb->table_gen || (best && gen < best_gen))
			continue;
		best = block;
		best_gen = gen;
	}
	return best;
}

struct fcd_table_entry *image_entry(struct image *image, u64 slot)
{
	union block *block = image_table(image, slot / FCD_TABLE_ENTRIES);

	return (struct fcd_table_entry *)(block->bytes + sizeof(block->table)) +
	       slot % FCD_TABLE_ENTRIES;
}

union block *image_log(struct image *image, u64 seq)
{
	return image_block(image, fc_geo_log_sector(&image->sb.geo, seq) / FCD_BLOCK_SECTORS);
}

u64 image_log_end(struct image *image)
{
	u64 seq = image->sb.tail_seq, first = seq;
	bool last;
	u32 nr;

	while (fc_log_open(&image->sb, image_log(image, seq), seq, first, &nr, &last) ==
	       FC_FOUND_GOOD) {
		seq++;
		if (last)
			first = seq;
	}
	return first;
}

static u32 crc_of(u32 seed, const union block *block)
{
	return crc32c(~seed, block->bytes + 4, FCD_BLOCK_SIZE - 4);
}

void image_seal(struct image *image, union block *block)
{
	bool super = block < image_block(image, FCD_SUPER_COPIES);

	block->log.crc = cpu_to_le32(crc_of(super ? 0 : image->sb.seed, block));
}

void image_mend(struct image *image)
{
	u64 sum = 0, i;

	for (i = 0; i < image->sb.geo.table_blocks; i++)
		sum += le32_to_cpu(image_table(image, i)->table.crc);
	for (i = 0; i < FCD_SUPER_COPIES; i++) {
		union block *block = image_block(image, i);

		block->super.table_sum = cpu_to_le64(sum);
		image_seal(image, block);
	}
}

void image_commit(struct image *image, const struct fc_record *recs, u32 nr, bool last)
{
	u64 seq = image_log_end(image);
	union block *block = image_log(image, seq);
	u32 i;

	memset(block, 0, sizeof(*block));
	for (i = 0; i < nr; i++)
		fc_log_put(block, i, &recs[i]);
	fc_log_seal(&image->sb, block, seq, seq, nr, last);
}
