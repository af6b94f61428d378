/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_TABLE_H
#define FC_UTILS_TABLE_H

#include "device.h"
#include "flashcache/format.h"

#define TABLE_LEN	4096
#define UUID_TEXT_LEN	37

/**
 * struct table - what a table line says; sizes in sectors, 0 = let the kernel choose
 * @disk: device to cache
 * @ssd: cache device
 * @name: of the mapped device
 * @mode: enum fc_mode
 * @persist: enum fc_persist
 * @block: cache block
 * @size: part of the SSD to use
 * @assoc: blocks in a set
 * @cluster: consecutive sectors of the disk that share a set
 * @md_block: metadata block, write-back only
 * @uuid: of the cache
 * @disk_id: identity of the disk, or ""
 * @policy: keyword, NULL = leave it
 * @admit: what may bring blocks into the cache, NULL = leave it
 * @ssd_wins: load although others have written the disk, and keep the dirty blocks
 */
struct table {
	const struct device *disk;
	const struct device *ssd;
	const char *name;
	unsigned int mode;
	unsigned int persist;
	u64 block;
	u64 size;
	u64 assoc;
	u64 cluster;
	u64 md_block;
	u8 uuid[FCD_UUID_LEN];
	char disk_id[FCD_ID_LEN];
	const char *policy;
	const char *admit;
	bool ssd_wins;
};

void table_params(const struct table *table, char text[TABLE_LEN]);
void table_show(u64 sectors, const char *params);
int __must_check table_start(const struct table *table, u64 sectors, bool verbose);
const char *table_mode_title(unsigned int mode);

#endif /* FC_UTILS_TABLE_H */
