#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# speedup.sh: what people buy a cache for, inside the VM, in virtual time: 4 KiB, 70 % reads,
# three quarters of it in a hundredth of 256 MiB, eight at a time; a disk of 8 ms, one at a time; a
# cache of 128 MiB on flash of 80 us. 60 s count, after 120 s of warming.
# Jobs of flashcache: MODE_POLICY, the dirty limit in per cent behind writeback. Peers have no such
# limit; theirs stand beside writeback80. writeback80_demand is writeback80_s3fifo without fill_ahead.
# Counted beside: longest and 99th percentile of requests, hit ratio of reads, blocks dirty.
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

DISK_MB=256
FLASH_MB=130
WARMING=120
SECONDS_MEASURED=60
DM_CACHE_META_MB=2

# The disk takes 8 ms wherever it is told to go. Sorted requests gain nothing on it, and some would
# wait for the longer; so the oldest goes first, as it does in a drive.
in_order()
{
	local sched
	sched=/sys/class/block/$(basename "$1")/queue/iosched
	echo 1 >"$sched/fifo_batch"
	echo 0 >"$sched/read_expire"
	echo 0 >"$sched/write_expire"
	echo 1 >"$sched/writes_starved"
}

mix()
{
	fio_job "$1" "$DEV" --ioengine=libaio --iodepth=8 --bs=4k --rw=randrw --rwmixread=70 \
		--random_distribution=zoned:75/1:25/99 --time_based --runtime="$2" \
		--randseed="$((SEED + $2))"
}

# measured TARGET JOB: warm, then measure.
measured()
{
	local target=$1 job=$2
	mix warming "$WARMING"
	watch "$target"
	if ! mix "$job" "$SECONDS_MEASURED"; then
		not_ok "$target $job: fio failed"
		return 0
	fi
	look "$target"
	value "$target" "$job" "$(fio_iops "$job")"
	count_of "$target" "$job" longest_read_us "$(fio_max "$job" read)"
	count_of "$target" "$job" longest_write_us "$(fio_max "$job" write)"
	count_of "$target" "$job" p99_read_us "$(fio_percentile "$job" read 99)"
	count_of "$target" "$job" p99_write_us "$(fio_percentile "$job" write 99)"
	[ "$target" = flashcache ] || return 0
	count_of "$target" "$job" read_hit_permille \
		$((1000 * $(moved read_hit_blocks) / ($(moved read_blocks) + 1)))
	count_of "$target" "$job" dirty_blocks "$(fc_status flashcache dirty)"
	count_of "$target" "$job" disk_writes "$(moved disk_writes)"
	prove "$target" "$job" read_hits -gt 0
}

flashcache_jobs()
{
	local mode policy kind
	for policy in s3fifo lru fifo; do
		for mode in writethrough writeback20 writeback80; do
			wanted "${mode}_$policy" || continue
			kind=${mode%[28]0}
			FLASHCACHE_WORDS=(policy "$policy")
			[ "$kind" = writethrough ] ||
				FLASHCACHE_WORDS+=(dirty_thresh_pct "${mode#writeback}")
			target_up flashcache "$kind"
			measured flashcache "${mode}_$policy"
			target_down flashcache
		done
	done
	wanted writeback80_demand || return 0
	FLASHCACHE_WORDS=(dirty_thresh_pct 80 fill_ahead 0)
	target_up flashcache writeback
	measured flashcache writeback80_demand
	target_down flashcache
}

# peer_job TARGET KIND JOB
peer_job()
{
	wanted "$3" || return 0
	target_up "$1" "$2"
	measured "$1" "$3"
	target_down "$1"
}

bench_options "$@"
load_module
DISK=$(make_null_blk disk "$DISK_MB" 8000000 1)
in_order "$DISK"
FLASH=$(make_null_blk flash "$FLASH_MB" 80000 64)
BCACHE_WRITEBACK=yes
for target in $TARGETS; do
	target_there "$target" || { note "$target is not there"; continue; }
	case "$target" in
	raw)
		WARMING=1
		peer_job raw writethrough disk
		SECONDS_MEASURED=1
		peer_job raw writeback flash
		WARMING=120
		SECONDS_MEASURED=60
		;;
	linear) ;;
	flashcache) flashcache_jobs ;;
	dm-writecache) peer_job dm-writecache writeback writeback80_s3fifo ;;
	*)
		peer_job "$target" writethrough writethrough_s3fifo
		peer_job "$target" writeback writeback80_s3fifo
		;;
	esac
done
check_clean
guest_end
