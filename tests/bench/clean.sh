#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# clean.sh: writing back, inside the VM, in virtual time. 64 MiB are written in random order through
# a cache, each block as often as chance has it, so that two thirds are dirty; a disk of 8 ms.
#   writes_per_run   disk writes for each run of dirty blocks that follow each other on the disk
#   ascending        of 1000 disk writes, how many go to a higher address than the one before
#   seconds          until all was clean
#   read_p99_alone, read_p99_cleaning   reads of the disk by one job, us: without, and during that
# Cleaning is ordered by the means of each: do_sync, flush, idle time (dm-cache), writeback_running.
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

SPAN_MB=64
TRACE=/sys/kernel/tracing
READ_SECONDS=10

need_tracing() { mountpoint -q $TRACE || mount -t tracefs tracefs $TRACE; }

# What is sent to the disk, before any scheduler: one line an I/O.
trace_on()
{
	local device
	device=$(cat "/sys/class/block/$(basename "$DISK")/dev")
	device=$((${device%:*} << 20 | ${device#*:}))
	echo 16384 >$TRACE/buffer_size_kb
	echo "dev == $device" >$TRACE/events/block/block_bio_queue/filter
	echo >$TRACE/trace
	echo 1 >$TRACE/events/block/block_bio_queue/enable
	echo 1 >$TRACE/tracing_on
}

# trace_off FILE: sector and length of each write.
trace_off()
{
	echo 0 >$TRACE/events/block/block_bio_queue/enable
	sed -nE 's/.*block_bio_queue: [0-9]+,[0-9]+ W[A-Z]* ([0-9]+) \+ ([0-9]+) .*/\1 \2/p' \
		$TRACE/trace | awk '$2 > 0' >"$1"
	echo >$TRACE/trace
}

# dirty_span TARGET: $STAGE/dirty gets the blocks, sorted.
dirty_span()
{
	fio_job fill "$DEV" --ioengine=libaio --iodepth=8 --rw=randwrite --bs=4k \
		--size="${SPAN_MB}M" --write_iolog="$STAGE/iolog"
	awk '$2 == "write" || $3 == "write" { print $(NF - 1) / 4096 }' "$STAGE/iolog" |
		sort -nu >"$STAGE/dirty"
}

runs() { awk 'NR == 1 || $1 != last + 1 { n++ } { last = $1 } END { print n }' "$STAGE/dirty"; }

# Seconds since the boot, in hundredths.
now() { cut -d' ' -f1 /proc/uptime | tr -d .; }

judge_writes()
{
	local target=$1 n
	n=$(wc -l <"$STAGE/writes")
	count_of "$target" writes_per_run disk_writes "$n"
	count_of "$target" writes_per_run runs "$(runs)"
	count_of "$target" writes_per_run dirty_blocks "$(wc -l <"$STAGE/dirty")"
	count_of "$target" writes_per_run mean_kib \
		"$(awk '{ s += $2 } END { printf "%.1f", s / 2 / NR }' "$STAGE/writes")"
	value "$target" writes_per_run "$(awk -v n="$n" -v r="$(runs)" 'BEGIN { printf "%.3f", n / r }')"
	value "$target" ascending "$(awk 'NR > 1 && $1 > last { n++ } { last = $1 }
		END { printf "%d", (NR > 1 ? 1000 * n / (NR - 1) : 0) }' "$STAGE/writes")"
}

cleaned()
{
	local target=$1 start
	trace_on
	start=$(now)
	target_clean "$target"
	value "$target" seconds "$(awk -v t=$(($(now) - start)) 'BEGIN { print t / 100 }')"
	trace_off "$STAGE/writes"
	judge_writes "$target"
}

# cold_reads TARGET JOB OFFSET: what is there was never read before.
cold_reads()
{
	fio_job "$2" "$DEV" --ioengine=psync --rw=randread --bs=4k --offset="$3" --size=64m \
		--norandommap=0 --time_based --runtime="$READ_SECONDS"
	value "$1" "$2" "$(fio_percentile "$2" read 99)"
	count_of "$1" "$2" reads "$(($(fio_field "$2" 6) / 4))"
	count_of "$1" "$2" longest_us "$(fio_max "$2" read)"
}

read_while_cleaning()
{
	local target=$1 cleaning
	cold_reads "$target" read_p99_alone 128m
	target_clean "$target" &
	cleaning=$!
	cold_reads "$target" read_p99_cleaning 192m
	kill -0 "$cleaning" 2>/dev/null || note "$target: was clean before the reads had ended"
	wait "$cleaning" || true
}

bench_options "$@"
# Cold reads are to be cold.
FLASHCACHE_WORDS+=(fill_ahead 0)
need_tracing
load_module
DISK=$(make_null_blk disk 256 8000000 1)
FLASH=$(make_null_blk flash 256 80000 64)
for target in $TARGETS; do
	[[ $target != raw && $target != linear ]] || continue
	target_there "$target" || { note "$target is not there"; continue; }
	target_up "$target" writeback
	dirty_span
	cleaned "$target"
	dirty_span
	read_while_cleaning "$target"
	target_down "$target"
done
check_clean
guest_end
