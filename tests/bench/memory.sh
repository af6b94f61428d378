#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# memory.sh: what a cache costs beside its data, inside the VM, in virtual time; by size, in GiB:
#   bytes_a_block_N    memory that comes back when it is removed, for a block of 4 KiB (dm-cache: of
#                      its 32 KiB); _fixed: KiB that even the smallest takes
#   create_s_N         seconds to make it; flash reads and writes 1 GB/s, 64 KiB at a time
#   load_s_N, stop_s_N to load one that is full, a fifth of it dirty, and to stop it in order after
#                      a second of random writes
#   md_permille        metadata written, for 1 GiB of random writes of 4 KiB without fsync, of 1000
#                      bytes; md_permille_cleaned: with the default dirty limit, so with cleaning
# The disk is a device of zeros. Flash keeps what is written to it, so metadata is read back.
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

FULLCACHE=$ROOT/out/bin/fullcache
SIZES="1 16 256"

# With what the CPUs have in their own lists, which is not in MemFree.
free_kib()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 1
	awk '$1 == "MemFree:" { kib += $2 } $1 == "count:" { kib += 4 * $2 } END { print kib }' \
		/proc/meminfo /proc/zoneinfo
}

# Programs come from the host, through 9p, each time that caches were dropped. While the guest waits
# for that its clock runs away; so they are fetched before.
fetch_programs()
{
	dmsetup info >/dev/null
	sectors "$FLASH" >/dev/null
	echo | cut -d' ' -f1 | awk '{ print }' | cat >/dev/null
}

# timed CMD...: seconds into $took.
timed()
{
	local a b
	fetch_programs
	a=$(cut -d' ' -f1 /proc/uptime)
	"$@"
	b=$(cut -d' ' -f1 /proc/uptime)
	took=$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.2f", b - a }')
}

# removal TARGET: memory that it gives back, KiB, into $freed. Nothing is written meanwhile.
removal()
{
	local before
	dmsetup suspend "$1"
	before=$(free_kib)
	target_down "$1"
	freed=$(($(free_kib) - before))
}

blocks_of()
{
	case "$1" in
	flashcache) fc_status flashcache blocks ;;
	dm-writecache) dmsetup status dm-writecache | awk '{ print $5 }' ;;
	dm-cache) dmsetup status dm-cache | awk '{ split($7, a, "/"); print a[2] }' ;;
	esac
}

# made TARGET GIB: create it, remove it.
made()
{
	local blocks
	slow_flash "$(($2 * 1024))"
	[ "$1" != flashcache ] || wanted "create_s_$2" || wanted "bytes_a_block_$2" || return 0
	timed target_up "$1" writeback
	value "$1" "create_s_$2" "$took"
	blocks=$(blocks_of "$1")
	removal "$1"
	value "$1" "bytes_a_block_$2" \
		"$(awk -v k="$freed" -v n="$blocks" 'BEGIN { printf "%.2f", 1024 * k / n }')"
	count_of "$1" "bytes_a_block_$2" blocks "$blocks"
}

fixed()
{
	local blocks
	slow_flash 64
	target_up "$1" writeback
	blocks=$(blocks_of "$1")
	removal "$1"
	value "$1" bytes_a_block_fixed $((freed))
	count_of "$1" bytes_a_block_fixed blocks "$blocks"
	remove_null_blk flash
}

load_full()
{
	fc_create flashcache "$DISK" "$FLASH" 1 1
}

stop()
{
	fc_message flashcache fast_remove 1
	dmsetup remove flashcache
}

loaded()
{
	wanted "load_s_$1" || return 0
	"$FULLCACHE" "$FLASH" "$(sectors "$FLASH")" "$(sectors "$DISK")"
	timed load_full
	value flashcache "load_s_$1" "$took"
	check_num "all of $1 GiB are cached" "$(fc_status flashcache cached)" -eq \
		"$(fc_status flashcache blocks)"
	fc_message flashcache dirty_thresh_pct 95
	fio_job writes "$DEV" --ioengine=libaio --iodepth=32 --rw=randwrite --bs=4k --size=100% \
		--time_based --runtime=1
	timed stop
	value flashcache "stop_s_$1" "$took"
}

# ledger JOB [WORD...]
ledger()
{
	wanted "$1" || return 0
	slow_flash 2048
	FLASHCACHE_WORDS=("${@:2}")
	target_up flashcache writeback
	watch flashcache
	fio_job writes "$DEV" --ioengine=libaio --iodepth=32 --rw=randwrite --bs=4k --size=1g
	sleep 10
	look flashcache
	value flashcache "$1" "$(awk -v m="$(moved md_bytes)" 'BEGIN { printf "%.2f", m / 1073741.824 }')"
	count_of flashcache "$1" md_bytes "$(moved md_bytes)"
	count_of flashcache "$1" log_commits "$(moved log_commits)"
	count_of flashcache "$1" checkpoints "$(moved checkpoints)"
	count_of flashcache "$1" cleanings "$(moved cleanings)"
	prove flashcache "$1" writes -ge 262144
	stop
	remove_null_blk flash
}

bench_options "$@"
load_module
for target in $TARGETS; do
	case "$target" in
	flashcache | dm-writecache | dm-cache) ;;
	*) continue ;;
	esac
	target_there "$target"
	zero_disk 4096
	fixed "$target"
	dmsetup remove zero
	for size in $SIZES; do
		[ "$target" = flashcache ] || [ "$size" -lt 256 ] || continue
		zero_disk $((size * 4096))
		made "$target" "$size"
		remove_null_blk flash
		if [ "$target" = flashcache ]; then
			slow_flash "$((size * 1024))"
			loaded "$size"
			remove_null_blk flash
		fi
		dmsetup remove zero
	done
done
if [[ $TARGETS == *flashcache* ]]; then
	zero_disk 4096
	ledger md_permille dirty_thresh_pct 95 fallow_delay 0
	ledger md_permille_cleaned fallow_delay 0
fi
check_clean
guest_end
