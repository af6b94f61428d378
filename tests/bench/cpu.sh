#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# cpu.sh: what an I/O of 4 KiB costs in instructions, inside the VM, in virtual time. Both legs are
# memory, the queue is 32 deep, and one job never waits.
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

SPAN_MB=128
FLASH_MB=512
WORDS=(--size="${SPAN_MB}M" --bs=4k --iodepth=32)

hit_job()
{
	local target=$1 job=$2
	wanted "$job" || return 0
	watch "$target"
	measure "$target" "$job" "$DEV" "${WORDS[@]}" "${@:3}"
	prove_hits "$target" "$job"
}

# Each block once, clean before.
new_job()
{
	local target=$1 job=$2
	wanted "$job" || return 0
	target_clean "$target"
	watch "$target"
	measure_pass "$target" "$job" "$DEV" "${WORDS[@]}" --rw=randwrite --norandommap=0
	prove_hits "$target" "$job"
	prove "$target" "$job" dirty_write_hits -eq 0
}

cached()
{
	local target=$1 e=$2
	any randread_hit_"$e" randwrite_new_"$e" randwrite_hit_"$e" randrw7030_hit_"$e" || return 0
	target_up "$target" writeback
	target_warm "$target"
	hit_job "$target" randread_hit_"$e" --rw=randread
	new_job "$target" randwrite_new_"$e"
	if any randwrite_hit_"$e" randrw7030_hit_"$e"; then
		_span --rw=write --bs=64k --iodepth=4
	fi
	hit_job "$target" randwrite_hit_"$e" --rw=randwrite
	hit_job "$target" randrw7030_hit_"$e" --rw=randrw --rwmixread=70
	target_down "$target"
}

# Nothing is brought in. KIND says why: bypass or stream.
bypassed()
{
	local target=$1 e=$2 kind=$3 job=randread_miss_$3_$2
	wanted "$job" || return 0
	target_up "$target" "$kind"
	watch "$target"
	measure "$target" "$job" "$DEV" "${WORDS[@]}" --rw=randread
	prove "$target" "$job" read_hits -eq 0
	prove "$target" "$job" fills -eq 0
	prove "$target" "$job" disk_reads -gt 0
	target_down "$target"
}

written_through()
{
	local target=$1 e=$2 job=writethrough_randwrite_$2
	wanted "$job" && [ "$target" != dm-writecache ] || return 0
	target_up "$target" writethrough
	target_warm "$target"
	watch "$target"
	measure "$target" "$job" "$DEV" "${WORDS[@]}" --rw=randwrite
	prove "$target" "$job" disk_writes -gt 0
	prove "$target" "$job" uncached_writes -eq 0
	target_down "$target"
}

bench_options "$@"
load_module
legs_of_memory "$FLASH_MB"
for target in $TARGETS; do
	target_there "$target" || { note "$target is not there"; continue; }
	for e in uring aio; do
		cached "$target" "$e"
		bypassed "$target" "$e" bypass
		[[ $target =~ ^(dm-writecache|dm-cache|bcache)$ ]] || bypassed "$target" "$e" stream
		written_through "$target" "$e"
	done
done
check_clean
guest_end
