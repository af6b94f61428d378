#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# fsync.sh: durable writes: 4 KiB, random, fsync after each, by one job and by eight, inside the VM,
# in virtual time. The flash needs 80 us an I/O and the disk 8 ms. NEW blocks are not cached before,
# then the same are written AGAIN.
#
# The first four jobs have a flash with a volatile cache, so that an fsync costs a flush. Those with
# _plp have one without, like drives with protection against power loss.
# Counted beside: KiB and flushes that reached the flash, for 1000 fsyncs; 4000 KiB are the data.
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

FLASH_MB=160

# What the flash has got so far: sectors, flushes.
flash_io() { awk '{ print $7, $16 }' "/sys/class/block/$(basename "$FLASH")/stat"; }

# count_flash TARGET JOB BEFORE: for 1000 fsyncs.
count_flash()
{
	local target=$1 job=$2 syncs
	local -a a b
	read -r -a a <<<"$3"
	read -r -a b <<<"$(flash_io)"
	syncs=$((1000 * $(fio_field "$job" 47) / 4))
	count_of "$target" "$job" flash_kib_per_1000 $((1000000 * (b[0] - a[0]) / 2 / syncs))
	count_of "$target" "$job" flash_flushes_per_1000 $((1000000 * (b[1] - a[1]) / syncs))
	[ "$target" = flashcache ] || return 0
	count_of "$target" "$job" commits_per_1000 $((1000000 * $(moved log_commits) / syncs))
	count_of "$target" "$job" log_blocks_per_1000 $((1000000 * $(moved log_blocks) / syncs))
}

# job TARGET JOB FIO-WORD...: psync, as databases do.
job()
{
	local target=$1 name=$2 before
	shift 2
	wanted "$name" || return 0
	before=$(flash_io)
	watch "$target"
	if ! fio_job "$name" "$DEV" --ioengine=psync --rw=randwrite --bs=4k --fsync=1 \
		--end_fsync=1 --norandommap=0 --group_reporting "$@"; then
		not_ok "$target $name: fio failed"
		return 0
	fi
	look "$target"
	value "$target" "$name" "$(fio_iops "$name")"
	count_flash "$target" "$name" "$before"
	prove "$target" "$name" disk_writes -eq 0
	prove "$target" "$name" disk_reads -eq 0
}

jobs_on()
{
	local target=$1 plp=$2
	local one=(--size=12m) eight=(--numjobs=8 --size=4m --offset=32m --offset_increment=4m)
	target_up "$target" writeback
	job "$target" "new_1$plp" "${one[@]}"
	prove_new "$target" "new_1$plp"
	job "$target" "redirty_1$plp" "${one[@]}"
	prove_again "$target" "redirty_1$plp"
	job "$target" "new_8$plp" "${eight[@]}"
	prove_new "$target" "new_8$plp"
	job "$target" "redirty_8$plp" "${eight[@]}"
	prove_again "$target" "redirty_8$plp"
	target_down "$target"
}

prove_new() { ! wanted "$2" || prove "$1" "$2" write_hits -eq 0; }

# Nothing new, so nothing for the ledger.
prove_again()
{
	wanted "$2" || return 0
	prove "$1" "$2" log_blocks -eq 0
	prove "$1" "$2" dirty_write_hits -gt 0
}

bench_options "$@"
load_module
DISK=$(make_null_blk disk 256 8000000 1)
for plp in '' _plp; do
	FLASH=$(make_null_blk flash $FLASH_MB 80000 64 512 0 "$([ "$plp" ] && echo 0 || echo 256)")
	dd if=/dev/zero of="$FLASH" bs=1M count=$FLASH_MB oflag=direct status=none
	# The first job of a boot pays for what all others find in memory.
	fio_job first "$FLASH" --ioengine=psync --rw=randwrite --bs=4k --fsync=1 --size=64k
	for target in $TARGETS; do
		target_there "$target" || { note "$target is not there"; continue; }
		jobs_on "$target" "$plp"
	done
	remove_null_blk flash
done
check_clean
guest_end
