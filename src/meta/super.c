// SPDX-License-Identifier: GPL-2.0
/*
 * Superblocks: reading, writing, making a new cache.
 */
#include <linux/random.h>
#include <linux/vmalloc.h>

#include "cache.h"
#include "dm/tunable.h"

#define DM_MSG_PREFIX "flashcache"

/**
 * fc_super_write() - write what struct fc_meta's @sb says
 * @c: cache
 *
 * Into the copy that is not the newest, with all that completed on flash before it.
 *
 * Context: process, sleeps; one at a time. Return: 0 or -EIO.
 */
int fc_super_write(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	sector_t sector;

	m->sb.seq++;
	fc_super_encode(&m->sb, m->buf);
	sector = (m->sb.seq % FCD_SUPER_COPIES) * FCD_BLOCK_SECTORS;
	return fc_meta_write(c, REQ_PREFLUSH | REQ_FUA, sector, m->buf, 1);
}

/**
 * fc_super_read() - find the superblock that counts
 * @c: cache
 * @sb: filled on success
 * @why: on failure, what is wrong
 *
 * Context: process, sleeps. Return: 0, -EIO, -ENOENT when there is none, -EINVAL when it is of no
 * use.
 */
int fc_super_read(struct fc_cache *c, struct fc_super *sb, const char **why)
{
	char *buf = c->meta.buf;
	bool none;
	int r;

	*why = "the cache device cannot be read";
	r = fc_submit_sync(c, FC_SSD_DEV, REQ_OP_READ, 0, buf,
			   FCD_SUPER_COPIES * FCD_BLOCK_SECTORS);
	if (r)
		return r;
	*why = fc_super_pick(sb, buf, buf + FCD_BLOCK_SIZE, &none);
	if (none)
		return -ENOENT;
	return *why ? -EINVAL : 0;
}

/**
 * fc_super_blank() - is there nothing where the superblocks would be?
 * @c: cache, right after fc_super_read()
 */
bool fc_super_blank(struct fc_cache *c)
{
	return !memchr_inv(c->meta.buf, 0, FCD_SUPER_COPIES * FCD_BLOCK_SIZE);
}

/**
 * fc_super_print_disk() - what the disk looks like
 * @c: cache
 * @print: CRC32C of its first FCD_PRINT_SECTORS
 *
 * Context: process, sleeps. Return: 0 or -EIO.
 */
int fc_super_print_disk(struct fc_cache *c, u32 *print)
{
	u32 sectors = min_t(sector_t, FCD_PRINT_SECTORS, c->core.geo.disk_sectors);
	int r;

	BUILD_BUG_ON(FCD_PRINT_SECTORS > FC_META_BUF_BLOCKS * FCD_BLOCK_SECTORS);
	r = fc_submit_sync(c, FC_DISK_DEV, REQ_OP_READ, 0, c->meta.buf, sectors);
	if (!r)
		*print = crc32c(~0u, c->meta.buf, sectors << SECTOR_SHIFT);
	return r;
}

static void new_super(struct fc_cache *c, const struct fc_geo *geo)
{
	struct fc_super *sb = &c->meta.sb;

	memset(sb, 0, sizeof(*sb));
	sb->geo = *geo;
	sb->state = FCD_STATE_ORDERLY;
	memcpy(sb->uuid, c->cfg.uuid, sizeof(sb->uuid));
	if (!memchr_inv(sb->uuid, 0, sizeof(sb->uuid)))
		get_random_bytes(sb->uuid, sizeof(sb->uuid));
	/*
	 * With all ones the CRC of a block of zeros would be zero, and empty flash be taken for
	 * ours.
	 */
	do {
		get_random_bytes(&sb->seed, sizeof(sb->seed));
	} while (sb->seed == ~0u);
	sb->mode = c->cfg.mode;
	fc_tunables_keep(&c->tune, sb);
	sb->tail_seq = 1;
	sb->table_gen = 1;
	strscpy(sb->name, c->cfg.name, sizeof(sb->name));
	strscpy(sb->disk_id, c->cfg.disk_id, sizeof(sb->disk_id));
}

/* An empty table: copy 0 is valid, copy 1 is whatever was there and cannot be taken for ours. */
static int write_empty_table(struct fc_cache *c)
{
	struct fc_meta *m = &c->meta;
	const struct fc_geo *geo = &m->sb.geo;
	u64 index = 0;
	int r = 0;

	while (index < geo->table_blocks && !r) {
		u32 nr = min_t(u64, geo->table_blocks - index, FC_META_BUF_BLOCKS), i;

		memset(m->buf, 0, nr * FCD_BLOCK_SIZE);
		for (i = 0; i < nr; i++)
			m->sb.table_sum += fc_table_seal(&m->sb, m->buf + i * FCD_BLOCK_SIZE,
							 index + i, m->sb.table_gen);
		r = fc_meta_write(c, 0, fc_geo_table_sector(geo, 0, index), m->buf, nr);
		index += nr;
		cond_resched();
	}
	return r;
}

static int wipe_super(struct fc_cache *c, u64 seq)
{
	memset(c->meta.buf, 0, FCD_BLOCK_SIZE);
	return fc_meta_write(c, REQ_FUA, (seq % FCD_SUPER_COPIES) * FCD_BLOCK_SECTORS,
			     c->meta.buf, 1);
}

/**
 * fc_super_create() - make the cache device hold an empty cache
 * @c: cache
 * @old_seq: of the superblock that counted up to now, if any
 *
 * A former cache's superblocks go first, the older one before the newer, so that the older never
 * counts; ours come last, so that an interrupted creation leaves no cache.
 *
 * Context: process, sleeps. Return: 0, -EIO or -EINVAL.
 */
int fc_super_create(struct fc_cache *c, u64 old_seq)
{
	const char *why;
	struct fc_geo geo;
	int r;

	r = fc_geo_init(&geo, &c->cfg.want, &why);
	if (r) {
		DMERR("%s", why);
		return r;
	}
	new_super(c, &geo);
	r = wipe_super(c, old_seq + 1);
	if (!r)
		r = wipe_super(c, old_seq);
	if (!r)
		r = write_empty_table(c);
	if (!r)
		r = fc_super_write(c);
	return r ? r : fc_super_write(c);
}
