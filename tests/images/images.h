/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: fcimages: crafted and damaged flash images, loaded by the real module.
 *
 * Two genuine images are made first, by the module itself: one as a crash leaves it, one of an
 * orderly stop, both with dirty and clean blocks. Each case changes a copy of one of them, writes
 * it to the cache device and loads it. Every sector is stamped with its address and the number of
 * the write, so that what is read tells what it is.
 */
#ifndef FC_IMAGES_IMAGES_H
#define FC_IMAGES_IMAGES_H

#include "format.h"
#include "../func/stamp.h"

#define TAG		0x1234	/* of all stamps */
#define BLOCK_SECTORS	8u
#define ASSOC		256u
#define NR_SETS		2u
#define FLASH_SECTORS	(FCD_DATA_ALIGN + NR_SETS * ASSOC * BLOCK_SECTORS)
#define FLASH_BYTES	((size_t)FLASH_SECTORS * SECTOR_SIZE)
#define DISK_SECTORS	(4096u - 3u)	/* its last block is short */
#define DISK_ROOM	(4096u * (size_t)SECTOR_SIZE)
#define META_BLOCKS	(2u + 64u + 2u * 3u)

/* A block of metadata. */
union block {
	u8 bytes[FCD_BLOCK_SIZE];
	struct fcd_super super;
	struct fcd_log_head log;
	struct fcd_table_head table;
};

/**
 * struct image - a cache device and its disk
 * @flash: FLASH_BYTES
 * @disk: DISK_ROOM
 * @sb: superblock that counts
 */
struct image {
	u8 *flash;
	u8 *disk;
	struct fc_super sb;
};

/* Genuine ones; constant once made. */
extern struct image crashed, orderly;

/* What each sector should hold: the last write to it that was flushed, and the one before. */
extern u32 newest[DISK_SECTORS], before_last[DISK_SECTORS];
/* Log blocks of the last commit in @crashed: first, and behind the last. */
extern u64 last_commit[2];

/* What a load may serve. */
enum serve {
	SERVE_NEWEST,		/* what was flushed last */
	SERVE_LAST,		/* the same, but the last commit may be missing as a whole */
	SERVE_OWN,		/* anything that was ever written to that sector */
};

/**
 * struct expect - what must come of a load
 * @refused: part of the reason; NULL when it must load; "" when it may do either
 * @serve: what may be read
 * @max_cached: blocks that may be cached, with @max_dirty; ~0: any number
 */
struct expect {
	const char *refused;
	enum serve serve;
	u64 max_cached;
	u64 max_dirty;
};

#define LOADS		((struct expect){ NULL, SERVE_NEWEST, ~0ull, ~0ull })
#define REFUSED(why)	((struct expect){ why, SERVE_NEWEST, ~0ull, ~0ull })

/* --- machine.c: devices and the kernel's log -------------------------------------------------- */

void machine_open(const char *disk, const char *flash);
void machine_write(const struct image *image);
void machine_read(struct image *image);
bool machine_flash_is(const struct image *image);
/* words: of the table line behind the cache's name; Return: loaded. */
bool machine_load(const char *flash, u64 disk_sectors, const char *words);
bool machine_remove(void);
void machine_message(const char *text);
u64 machine_status(const char *field);
int machine_cache(void);
/* What the kernel has logged about flashcache since the last load began. */
const char *machine_log(void);
/* A shorter view of the cache device. */
const char *machine_shorten(u64 sectors);
void machine_unshorten(void);

extern const char *machine_flash;

/* --- genuine.c -------------------------------------------------------------------------------- */

void genuine_make(void);

/* --- edit.c: images --------------------------------------------------------------------------- */

void image_alloc(struct image *image);
void image_copy(struct image *to, const struct image *from);
union block *image_block(struct image *image, u64 index);
union block *image_table(struct image *image, u64 index);	/* the copy that counts */
union block *image_log(struct image *image, u64 seq);
struct fcd_table_entry *image_entry(struct image *image, u64 slot);
u64 image_log_end(struct image *image);
void image_seal(struct image *image, union block *block);
/* Makes all of it fit again: CRCs of the table, its sum, both superblocks. */
void image_mend(struct image *image);
/* Adds a commit of one block at the log's end. */
void image_commit(struct image *image, const struct fc_record *recs, u32 nr, bool last);

/* --- judge.c ---------------------------------------------------------------------------------- */

/* Writes and loads it, and says ok or not ok. */
void judge(const char *name, const struct image *image, const struct expect *expect);
/* The same with another table line or device. */
void judge_line(const char *name, const struct image *image, const char *flash, u64 disk_sectors,
		const char *words, const struct expect *expect);
/* The same without a line of its own; Return: NULL, or what is wrong. */
const char *judge_quietly(const struct image *image, const struct expect *expect, bool *loaded);
int judge_failures(void);

void super_cases(void);
void table_cases(void);
void log_cases(void);
void device_cases(void);
void order_cases(void);
void flips(u64 seed, u32 nr);

#endif /* FC_IMAGES_IMAGES_H */
