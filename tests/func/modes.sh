#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# modes.sh MODE...: reads, writes, part-block, large and unaligned I/O, discards and flushes in each
# mode; first one by one with a look at the counters, then all at once by fio and fcx.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

MIB=$((1 << 20))

# Does a write leave its data in the cache?
writes_cached() { [ "$MODE" != writearound ]; }

# check_write DESC OFFSET LENGTH: where the data of one write goes.
check_write()
{
	mark
	check "$1" put "$2" "$3"
	look
	if [ "$MODE" = writeback ]; then
		expect "$1 leaves the disk alone" disk_writes -eq 0
		expect "$1 goes to flash" ssd_writes -ge 1
		expect "$1 makes dirty blocks" dirty -ge 1
	else
		expect "$1 goes to disk" disk_writes -ge 1
		expect "$1 makes no dirty block" dirty -eq 0
	fi
	if [ "$MODE" = writearound ]; then
		expect "$1 passes the cache by" ssd_writes -eq 0
	else
		expect "$1 is in the cache" ssd_writes -ge 1
	fi
	expect "$1 reads nothing from disk" disk_reads -eq 0
}

# check_hit DESC OFFSET LENGTH: a read that the cache serves alone.
check_hit()
{
	mark
	check "$1" get "$2" "$3"
	look
	expect "$1 hits" read_hits -ge 1
	expect "$1 is all hits" read_hits -eq "$(moved reads)"
	expect "$1 leaves the disk alone" disk_reads -eq 0
	expect "$1 reads flash" ssd_reads -ge 1
}

check_miss()
{
	mark
	check "$1" get "$2" "$3"
	look
	expect "$1 does not hit" read_hits -eq 0
	expect "$1 reads the disk" disk_reads -ge 1
	settle
	expect "$1 fills" fills -ge 1
}

# check_read_back DESC OFFSET LENGTH: what was just written.
check_read_back()
{
	if writes_cached; then
		check_hit "$@"
	else
		check_miss "$@"
		check_hit "$1 again" "$2" "$3"
	fi
}

whole_blocks()
{
	check_write "whole block written" $MIB 4096
	check_read_back "whole block read back" $MIB 4096
	check_miss "cold block read" $((2 * MIB)) 4096
	check_hit "warm block read" $((2 * MIB)) 4096
	mark
	check "hit block overwritten" put $((2 * MIB)) 4096
	look
	if writes_cached; then
		expect "hit block overwritten" write_hits -eq 1
	fi
	check_read_back "overwritten block read" $((2 * MIB)) 4096
}

# One sector, and some in the middle of a block; what is missing comes from the disk.
parts_of_blocks()
{
	check_write "one sector written" $((3 * MIB + 512)) 512
	check_read_back "one sector read back" $((3 * MIB + 512)) 512
	check_write "two sectors written" $((3 * MIB + 65536 + 1024)) 1024
	mark
	check "block that is cached in part" get $((3 * MIB + 65536)) 4096
	look
	expect "block that is cached in part" disk_reads -ge 1
	if writes_cached; then
		expect "block that is cached in part" read_partial_hits -eq 1
	fi
	mark
	check "cold sector read" get $((3 * MIB + 131072 + 1536)) 512
	settle
	check_hit "rest of its block" $((3 * MIB + 131072)) 4096
}

large()
{
	check_write "1 MiB written" $((4 * MIB)) $MIB
	check_read_back "1 MiB read back" $((4 * MIB)) $MIB
	mark
	check "1 MiB of hits" get $((4 * MIB)) $MIB
	look
	expect "large bios are not chopped into blocks" reads -le 32
}

# 6656 bytes at an odd sector, as a partition that starts at sector 63 makes them.
unaligned()
{
	check_write "unaligned write" $((6 * MIB + 63 * 512)) 6656
	check_read_back "unaligned read back" $((6 * MIB + 63 * 512)) 6656
	check "unaligned write over it" put $((6 * MIB + 60 * 512)) 7680
	check "unaligned read around it" get $((6 * MIB + 40 * 512)) 65536
	check "1 MiB at an odd sector written" put $((7 * MIB + 3 * 512)) $MIB
	check "1 MiB at an odd sector read" get $((7 * MIB + 3 * 512)) $MIB
}

discards()
{
	check "64 KiB to discard" put $((9 * MIB)) 65536
	mark
	check "discard" drop $((9 * MIB)) 65536
	look
	expect "discard is counted" discards -ge 1
	check "discarded blocks read the same twice" get $((9 * MIB)) 65536
	check_write "discarded block written" $((9 * MIB)) 4096
	check_read_back "and read back" $((9 * MIB)) 4096
	check "unaligned discard" drop $((9 * MIB + 1536)) 30208
	check "around an unaligned discard" get $((9 * MIB)) 65536
}

# Of the block that was written and flushed last, a durable record has all units. What discards left
# to be recorded is recorded in five seconds.
flush_recorded()
{
	sleep 6
	mark
	check "the flushed block written again" put $((10 * MIB)) 4096
	check "flush" sync "$DEV"
	look
	expect "flush of recorded blocks: one of flash" ssd_flushes -eq 1
	expect "flush of recorded blocks: no record" log_blocks -eq 0
	expect "flush of recorded blocks: disk left alone" disk_flushes -eq 0
	expect "flush of recorded blocks: one write" ssd_writes -eq 1
}

flushes()
{
	# Counted from the write on: the ledger's timer may commit it before the flush does.
	mark
	check "block to flush" put $((10 * MIB)) 4096
	check "flush" sync "$DEV"
	look
	expect "flush is counted" flushes -ge 1
	if [ "$MODE" = writeback ]; then
		expect "flush commits the ledger" log_commits -ge 1
		expect "flush reaches flash" ssd_flushes -ge 1
	else
		expect "flush reaches the disk" disk_flushes -ge 1
	fi
	expect "flush cleans nothing" cleanings -eq 0
	mark
	check "flush with nothing new" sync "$DEV"
	look
	expect "flush with nothing new" ssd_writes -eq 0
	expect "flush with nothing new" disk_writes -eq 0
	[ "$MODE" != writeback ] || flush_recorded
	mark
	exercise "FUA writes" --ops 16 --depth 1 --threads 1 --mix fua=1 --offset 11m --span 1m
	look
	expect "FUA writes are counted" fuas -ge 16
	model "$DEV"
}

fio_verify()
{
	local engine=$1
	shift
	mark
	check "fio verifies, $engine $*" fio --name=v --filename="$DEV" --direct=1 \
		--ioengine="$engine" --size=16m --offset=16m --rw=randrw --bsrange=512-64k \
		--verify=crc32c --do_verify=1 --verify_fatal=1 --randseed="$SEED" \
		--fsync=64 "$@"
	look
	expect "fio's data went through the cache" read_hit_blocks -ge 1000
}

fio_all()
{
	fio_verify psync
	fio_verify libaio --iodepth=16
	fio_verify io_uring --iodepth=16
}

exercise_all()
{
	local mix=read=40,write=34,fua=3,flush=2,discard=2,stream=16
	mark
	exercise "everything at once" --ops "$(brief 1200)" --span 24m --mix $mix
	exercise "a crowded span" --ops "$(brief 1200)" --span 2m --max 128k --mix $mix \
		--threads 8 --hot 0:100
	exercise "reads that meet writes" --ops "$(brief 1200)" --span 4m --max 128k \
		--overlap-reads
	exercise "whole blocks only" --ops "$(brief 600)" --span 24m --align 4k \
		--save-state "$TMP/state"
	look
	expect "fcx's data hit" read_hit_blocks -ge 1000
	writes_cached && expect "fcx's data hit" write_hit_blocks -ge 1000
	expect "discards were seen" discards -ge 1
	expect "no I/O error" disk_read_errors -eq 0
	expect "no I/O error" ssd_write_errors -eq 0
	healthy "after the load"
}

one_mode()
{
	legs 36 28
	check "module loads" load_module
	check "a cache, $MODE" cache "$MODE" "$CREATE"
	check "it is in its mode" test "$(fc_status "$NAME" mode)" = "$MODE"
	model "$DEV"
	whole_blocks
	parts_of_blocks
	large
	unaligned
	discards
	flushes
	check "device as written, through the cache" same_as_model "$DEV"
	fio_all
	exercise_all
	check "remove" fc_remove "$NAME"
	known_right "raw disk as written" "$TMP/state" "$DISK"
	check_clean
	drop_legs
}

for MODE in "$@"; do
	note "in $MODE"
	one_mode
done
guest_end
