/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Words that users meet.
 *
 * Table keywords, messages, status fields and limits, each named once, for the module and the
 * tools.
 */
#ifndef FLASHCACHE_UAPI_H
#define FLASHCACHE_UAPI_H

#define FC_TARGET_NAME		"flashcache"

enum fc_mode { FC_MODE_WRITEBACK = 1, FC_MODE_WRITETHROUGH = 2, FC_MODE_WRITEAROUND = 3 };
#define FC_MODE_NAMES		{ NULL, "writeback", "writethrough", "writearound" }

enum fc_policy { FC_POLICY_FIFO = 0, FC_POLICY_LRU = 1, FC_POLICY_S3FIFO = 2 };
#define FC_POLICY_NAMES		{ "fifo", "lru", "s3fifo" }

enum fc_persist { FC_PERSIST_AUTO = 0, FC_PERSIST_LOAD = 1, FC_PERSIST_CREATE = 2,
		  FC_PERSIST_FORCE = 3 };

/* Limits and defaults; sectors are 512 bytes. */
#define FC_BLOCK_MIN		8u		/* 4 KiB */
#define FC_BLOCK_MAX		128u		/* 64 KiB */
#define FC_BLOCK_DEFAULT	8u
#define FC_ASSOC_MIN		256u
#define FC_ASSOC_MAX		8192u
#define FC_ASSOC_DEFAULT	512u
#define FC_CLUSTER_DEFAULT	16u		/* blocks */
#define FC_CLUSTER_MAX		2048u		/* blocks */
#define FC_DIRTY_THRESH_MIN	10u
#define FC_DIRTY_THRESH_MAX	95u
#define FC_DIRTY_THRESH_DEFAULT	20u
#define FC_FALLOW_DELAY_DEFAULT	900u		/* seconds */
#define FC_FALLOW_DELAY_MAX	(1u << 20)
#define FC_SKIP_SEQ_MAX		(1u << 30)	/* KiB */

/*
 * Run-time settings: name, default, least, most. The same names are messages, table keys and,
 * later, sysctls.
 */
#define FC_TUNABLES(T) \
	T(reclaim_policy, FC_POLICY_S3FIFO, 0, 2) \
	T(dirty_thresh_pct, FC_DIRTY_THRESH_DEFAULT, FC_DIRTY_THRESH_MIN, FC_DIRTY_THRESH_MAX) \
	T(skip_seq_thresh_kb, 0, 0, FC_SKIP_SEQ_MAX) \
	T(fallow_delay, FC_FALLOW_DELAY_DEFAULT, 0, FC_FALLOW_DELAY_MAX) \
	T(fallow_clean_speed, 2, 1, 100) \
	T(max_clean_ios_total, 4, 1, 256) \
	T(fast_remove, 0, 0, 1)

/*
 * Counters of the status line, in its order. Each counts from load or zero_stats.
 * "reads" and "writes" count requests as they reach the target after device-mapper's cuts.
 */
#define FC_COUNTERS(C) \
	C(reads) C(writes) \
	C(read_hits) C(read_partial_hits) C(write_hits) C(dirty_write_hits) \
	C(read_hit_blocks) C(read_blocks) C(write_hit_blocks) C(write_blocks) \
	C(fills) C(fill_skips) C(replacements) C(no_room) \
	C(uncached_reads) C(uncached_writes) C(uncached_seq_reads) C(uncached_seq_writes) \
	C(disk_reads) C(disk_writes) C(ssd_reads) C(ssd_writes) C(disk_flushes) C(ssd_flushes) \
	C(flushes) C(fuas) C(discards) C(discard_blocks) \
	C(cleanings) C(clean_writes) \
	C(log_commits) C(log_blocks) C(checkpoints) C(table_blocks) C(md_bytes) \
	C(parked) C(nowait_retries) \
	C(disk_read_errors) C(disk_write_errors) C(ssd_read_errors) C(ssd_write_errors) \
	C(memory_alloc_errors)

#endif /* FLASHCACHE_UAPI_H */
