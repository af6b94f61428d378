// SPDX-License-Identifier: GPL-2.0
/*
 * The superblocks on an SSD.
 */
#include <unistd.h>
#include "store.h"
#include "tool.h"

#define SUPER_AREA	(FCD_SUPER_COPIES * FCD_BLOCK_SIZE)

/* The original's superblock has no magic, only this word; written by little-endian machines. */
#define ORIGINAL_STATE_OFFSET	16

static const struct {
	u32 word;
	const char *what;
} original_states[] = {
	{ 0xdeadbeef, "it holds a cache of the original flashcache, in use or left by a crash" },
	{ 0xfacecafe, "it holds a cache of the original flashcache, all blocks clean" },
	{ 0xcafefeed, "it holds a cache of the original flashcache with dirty blocks" },
	{ 0xc8249756, "it holds a cache of the original flashcache that could not be stored" },
};

static const char *find_original(const u8 *block)
{
	__le32 raw;
	size_t i;

	memcpy(&raw, block + ORIGINAL_STATE_OFFSET, sizeof(raw));
	for (i = 0; i < sizeof(original_states) / sizeof(original_states[0]); i++)
		if (le32_to_cpu(raw) == original_states[i].word)
			return original_states[i].what;
	return NULL;
}

/* Anybody could have written these strings: no control characters to the terminal. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

static enum store_kind kind_of(const u8 *copy0, const u8 *copy1)
{
	struct fc_super unused;
	enum fc_found a = fc_super_decode(&unused, (const struct fcd_super *)copy0);
	enum fc_found b = fc_super_decode(&unused, (const struct fcd_super *)copy1);

	if (a == FC_FOUND_NEWER || b == FC_FOUND_NEWER)
		return STORE_NEWER;
	if (a == FC_FOUND_GOOD || b == FC_FOUND_GOOD)
		return STORE_CACHE;
	if (a == FC_FOUND_DAMAGED || b == FC_FOUND_DAMAGED)
		return STORE_DAMAGED;
	return find_original(copy0) ? STORE_ORIGINAL : STORE_NONE;
}

union area {
	struct fcd_super super;	/* for its alignment */
	u8 bytes[SUPER_AREA];
};

static void judge(struct store *store, const union area *raw)
{
	const u8 *copy1 = raw->bytes + FCD_BLOCK_SIZE;
	bool none;

	store->kind = kind_of(raw->bytes, copy1);
	store->why = fc_super_pick(&store->super, raw->bytes, copy1, &none);
	if (store->kind == STORE_ORIGINAL)
		store->why = find_original(raw->bytes);
	make_printable(store->super.name);
	make_printable(store->super.disk_id);
}

/**
 * store_read() - find out what cache is on an SSD
 * @ssd: open
 * @store: filled
 *
 * Return: 0 whatever is there, -1 if it cannot be read.
 */
int store_read(const struct device *ssd, struct store *store)
{
	union area raw;

	memset(store, 0, sizeof(*store));
	if (ssd->sectors < SUPER_AREA / SECTOR_SIZE)
		return 0;
	if (device_read(ssd, 0, raw.bytes, sizeof(raw)))
		return -1;
	judge(store, &raw);
	return 0;
}

/** store_peek() - like store_read(), but says nothing when a device cannot be read */
int store_peek(const struct device *ssd, struct store *store)
{
	union area raw;

	memset(store, 0, sizeof(*store));
	if (pread(ssd->fd, raw.bytes, sizeof(raw), 0) != sizeof(raw))
		return -1;
	judge(store, &raw);
	return 0;
}

/**
 * store_wipe() - make an SSD forget its cache
 * @ssd: open for writing
 *
 * Log and table stay, but nothing refers to them and their seed is gone.
 */
int store_wipe(const struct device *ssd)
{
	static const u8 zeros[SUPER_AREA];

	return device_write(ssd, 0, zeros, sizeof(zeros));
}
