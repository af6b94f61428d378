/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_NEWCACHE_H
#define FC_UTILS_NEWCACHE_H

#include "device.h"
#include "table.h"

/**
 * struct newcache - a cache that is to be made, as the user wants it; sizes in sectors
 * @verbose: print the table line to stderr
 * @force: overwrite what is on the SSD, answer all questions with yes
 * @mode: enum fc_mode, 0 = not said
 * @block: cache block
 * @md_block: metadata block
 * @size: part of the SSD to use, 0 = all
 * @assoc: blocks in a set
 * @cluster: consecutive sectors of the disk that share a set, 0 = default
 * @name: of the mapped device
 * @ssd_path: as the user gave it
 * @disk_path: as the user gave it, or found by the tool
 * @ssd: the SSD
 * @disk: the disk
 */
struct newcache {
	bool verbose;
	bool force;
	unsigned int mode;
	u64 block;
	u64 md_block;
	u64 size;
	u64 assoc;
	u64 cluster;
	const char *name;
	const char *ssd_path;
	const char *disk_path;
	struct device ssd;
	struct device disk;
};

#define NEWCACHE_INIT { \
	.block = FC_BLOCK_DEFAULT, .assoc = FC_ASSOC_DEFAULT, .ssd.fd = -1, .disk.fd = -1, \
}

int __must_check newcache_option(struct newcache *c, int option, const char *text);
int __must_check newcache_open_ssd(struct newcache *c);
int __must_check newcache_check(struct newcache *c);
int __must_check newcache_erase(struct newcache *c);
void newcache_table(const struct newcache *c, struct table *table);

#endif /* FC_UTILS_NEWCACHE_H */
