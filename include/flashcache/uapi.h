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
#define FC_CLEAN_RATE_MAX	(1u << 30)	/* KiB a second */
#define FC_ADMIT_READS		1u
#define FC_ADMIT_WRITES		2u
#define FC_ADMIT_ALL		(FC_ADMIT_READS | FC_ADMIT_WRITES)
#define FC_PIDS_MAX		4096u
#define FC_PID_EXPIRY_MAX	(1u << 20)	/* seconds */
#define FC_ANY_MAX		0x7fffffffu	/* of the original's settings that had no limit */

/* Where a setting lies in the superblock, if it is kept; a number is a place in @settings. */
#define FC_NOT_KEPT		0
#define FC_KEPT_BY_NAME		(-1)		/* in a field of its own */

/*
 * Run-time settings: name, default, least, most, place in the superblock, meaning. The only list of
 * them: table keys, messages, sysctls, the status line and the user guide's table come from it.
 * Places never change and are never used again. Names without effect are those of the original
 * that have no counterpart here; scripts may set them.
 */
#define FC_TUNABLES(T) \
	T(reclaim_policy, FC_POLICY_S3FIFO, 0, 2, FC_KEPT_BY_NAME, \
	  "replacement: 0 FIFO, 1 LRU, 2 S3-FIFO") \
	T(cache_all, 1, 0, 1, 1, \
	  "0: nobody's requests are cached but those of the white list") \
	T(admit, FC_ADMIT_ALL, 0, FC_ADMIT_ALL, 2, \
	  "what may bring new blocks into the cache: 1 reads, 2 writes, 3 both, 0 nothing") \
	T(skip_seq_thresh_kb, 0, 0, FC_SKIP_SEQ_MAX, FC_KEPT_BY_NAME, \
	  "KiB; longer sequential streams pass by the cache; 0 off") \
	T(fill_ahead, 1, 0, 1, 16, \
	  "1: while there is free room, a read miss also brings the rest of its cluster") \
	T(max_fill_ios, 256, 1, 1024, 3, \
	  "fills and write-through copies in flight, up to 64 KiB of memory each") \
	T(dirty_thresh_pct, FC_DIRTY_THRESH_DEFAULT, FC_DIRTY_THRESH_MIN, FC_DIRTY_THRESH_MAX, \
	  FC_KEPT_BY_NAME, "per cent; a set with more dirty blocks is cleaned") \
	T(max_clean_ios_total, 4, 1, 256, 4, \
	  "cleaning runs of up to 256 KiB in flight; more than 16 is 16") \
	T(clean_rate_kb, 0, 0, FC_CLEAN_RATE_MAX, 5, \
	  "KiB a second that cleaning writes unless somebody waits for it; 0 no limit") \
	T(fallow_delay, FC_FALLOW_DELAY_DEFAULT, 0, FC_FALLOW_DELAY_MAX, FC_KEPT_BY_NAME, \
	  "seconds without requests after which cleaning begins; 0 off") \
	T(fallow_clean_speed, 2, 1, 100, 6, \
	  "blocks a set and second cleaned when idle") \
	T(fast_remove, 0, 0, 1, FC_NOT_KEPT, \
	  "1: removal of the device does not clean, dirty blocks stay on flash") \
	T(max_pids, 100, 1, FC_PIDS_MAX, 7, \
	  "processes in each list; one more drops the oldest") \
	T(do_pid_expiry, 0, 0, 1, 8, \
	  "1: processes leave the lists after some time") \
	T(pid_expiry_secs, 60, 1, FC_PID_EXPIRY_MAX, 9, \
	  "seconds after which they leave") \
	T(io_latency_hist, 0, 0, 1, FC_NOT_KEPT, \
	  "1: measure requests; any write clears what was measured") \
	T(max_clean_ios_set, 2, 0, FC_ANY_MAX, 10, "without effect") \
	T(clean_on_read_miss, 0, 0, 1, 11, "without effect") \
	T(clean_on_write_miss, 0, 0, 1, 12, "without effect") \
	T(new_style_write_merge, 0, 0, 1, 13, "without effect") \
	T(lru_hot_pct, 75, 0, 100, 14, "without effect") \
	T(lru_promote_thresh, 2, 0, FC_ANY_MAX, 15, "without effect")

/*
 * Orders: name, meaning. Messages and sysctls like settings, but they are done rather than kept;
 * 0 does nothing.
 */
#define FC_ORDERS(O) \
	O(do_sync, "1: clean everything, now; reads as 1 until that is done") \
	O(stop_sync, "1: stop that; reads as 1 until the next do_sync") \
	O(zero_stats, "1: set all counters and histograms to 0; reads as 0")

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
	C(memory_alloc_errors) \
	C(pid_adds) C(pid_dels) C(pid_drops) C(pid_expiry)

#endif /* FLASHCACHE_UAPI_H */
