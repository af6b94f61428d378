#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# persist.sh MODE...: what outlives the device: a warm cache after an orderly stop; dirty blocks, on
# disk after remove and on flash after fast_remove; and which persistence word does what to whom.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

SPAN=16m
SPAN_BLOCKS=4096
STATE=$TMP/state

# Everything that the span holds in the cache, however many passes the fills need.
warm_up()
{
	local pass
	for pass in 1 2 3 4 5 6; do
		"$FCX" verify --state "$STATE" "$DEV" || return 1
		settle
		[ "$(seen cached)" -lt "$SPAN_BLOCKS" ] || return 0
	done
	echo "only $(seen cached) of $SPAN_BLOCKS blocks are cached after $pass passes"
	return 1
}

# A re-read after a load: at least 99 % of the blocks hit, at most 1 % of the I/Os reach the disk.
check_warm()
{
	mark
	known_right "$1: the span is right" "$STATE" "$DEV"
	look
	expect "$1" read_blocks -ge $SPAN_BLOCKS
	check_num "$1: hundredths of a per cent that hit" "$(hit_rate)" -ge 9900
	expect "$1" disk_reads -le $((SPAN_BLOCKS / 100))
}

warm_restart()
{
	local cached
	check "a cache, $MODE" cache "$MODE" "$CREATE"
	exercise "write the span" --fill --ops 2000 --span $SPAN --save-state "$STATE"
	check "warm up" warm_up
	cached=$(fc_status "$NAME" cached)
	check_warm "before the stop"
	check "orderly stop" fc_remove "$NAME"
	known_right "the raw disk has it all" "$STATE" "$DISK"
	check "load" cache "$MODE" "$LOAD"
	check_num "all blocks are cached again" "$(fc_status "$NAME" cached)" -eq "$cached"
	check_num "none of them dirty" "$(fc_status "$NAME" dirty)" -eq 0
	check_warm "after the load"
	exercise "work goes on" --ops "$(brief 1500)" --state "$STATE" --save-state "$STATE"
	settle
	cached=$(seen cached)
	check "second stop" fc_remove "$NAME"
	check "second load, persistence left out" cache "$MODE"
	check_num "all blocks are cached again" "$(fc_status "$NAME" cached)" -eq "$cached"
	check_warm "after the second load"
	check "remove" fc_remove "$NAME"
}

# stop_dirty OPERATIONS: a load of so many; its dirty blocks, $dirty of them, stay on flash.
stop_dirty()
{
	check "load" cache writeback "$LOAD"
	check "fast_remove on" fc_message "$NAME" fast_remove 1
	exercise "make dirty blocks" --ops "$(brief "$1")" --state "$STATE" --save-state "$STATE"
	dirty=$(fc_status "$NAME" dirty)
	check_num "there are dirty blocks" "$dirty" -ge 100
	check "fast remove" fc_remove "$NAME"
}

# Dirty blocks stay on flash with fast_remove, and are as good as ever after a load.
fast_remove()
{
	local dirty
	stop_dirty 1000
	written_behind_dirty
	check_fails "the raw disk is behind" "mismatch" "$FCX" verify --state "$STATE" "$DISK"
	check "load" cache writeback "$LOAD"
	check_num "as many dirty blocks as before" "$(fc_status "$NAME" dirty)" -eq "$dirty"
	check_warm "after a fast remove"
	check "slow remove" fc_remove "$NAME"
	known_right "the raw disk has it all" "$STATE" "$DISK"
}

clean_all()
{
	check "load" cache writeback "$LOAD"
	exercise "make dirty blocks" --ops "$(brief 800)" --state "$STATE" --save-state "$STATE"
	check_num "there are dirty blocks" "$(fc_status "$NAME" dirty)" -ge 100
	mark
	check "do_sync" fc_message "$NAME" do_sync 1
	check "do_sync leaves no dirty block" fc_wait "$NAME" dirty -eq 0 60
	look
	expect "do_sync cleans" cleanings -ge 100
	check_num "blocks are cleaned in runs" "$(moved clean_writes)" -lt "$(moved cleanings)"
	known_right "the raw disk has it all" "$STATE" "$DISK"
	check "remove" fc_remove "$NAME"
}

lacks() { ! grep "$@"; }

# The owner may say that the dirty blocks are to be kept; what was clean may be old all the same.
ssd_wins()
{
	local dirty
	stop_dirty 800
	dd if="$DISK" of="$TMP/head" bs=4k count=1 iflag=direct status=none
	dd if=/dev/urandom of="$DISK" bs=4k count=1 oflag=direct status=none
	check_fails "ssd_wins is 0 or 1" "" cache writeback "$LOAD" 8 0 512 0 0 8 2 ssd_wins 2
	check "the owner says that the SSD wins" \
		cache writeback "$LOAD" 8 0 512 0 0 8 2 ssd_wins 1
	check_num "dirty blocks are kept" "$(fc_status "$NAME" dirty)" -eq "$dirty"
	check_num "clean ones are not" "$(fc_status "$NAME" cached)" -eq "$dirty"
	dmsetup table "$NAME" >"$TMP/table"
	check "that is for one load only" lacks ssd_wins "$TMP/table"
	dd if="$TMP/head" of="$DISK" bs=4k count=1 oflag=direct status=none
	known_right "and they are right" "$STATE" "$DEV"
	check "remove" fc_remove "$NAME"
}

not_there() { ! dmsetup info "$NAME"; }

# writes_of DEVICE: writes and discards since it exists, as the block layer has counted them.
writes_of()
{
	local -a field
	read -ra field <"/sys/class/block/${1#/dev/}/stat"
	echo "${field[4]} writes, ${field[11]} discards"
}

# refused DESC REASON WORD...: this table makes no cache, says why, and leaves the flash alone.
refused()
{
	local desc=$1 reason=$2 before
	shift 2
	before=$(writes_of "$SSD")
	log_mark
	check_fails "$desc is refused" "" cache "$@"
	check "$desc: says why" logged "flashcache: $NAME: $reason"
	check "$desc: no device" not_there
	check "$desc: flash untouched" test "$before" = "$(writes_of "$SSD")"
}

persistence_words()
{
	local before
	refused "create over a cache" "a cache exists already" "$MODE" "$CREATE"
	refused "load with another block size" "the block size in the table is not that of" \
		"$MODE" "$LOAD" 32
	before=$(writes_of "$SSD")
	check "force create" cache "$MODE" "$FORCE"
	check "which is seen to write" test "$before" != "$(writes_of "$SSD")"
	check_num "a forced cache is empty" "$(fc_status "$NAME" cached)" -eq 0
	check "remove" fc_remove "$NAME"
	dd if=/dev/zero of="$SSD" bs=1M oflag=direct status=none 2>/dev/null || true
	refused "load of nothing" "no flashcache found on the cache device" "$MODE" "$LOAD"
	check "create, persistence left out" cache "$MODE"
	check "remove" fc_remove "$NAME"
	check "load it, persistence left out" cache "$MODE"
	check "remove" fc_remove "$NAME"
	other_disk
}

# A disk of another size cannot be the one that the cache was made for.
other_disk()
{
	local mine=$DISK
	DISK=$(make_null_blk other 32)
	refused "load with a smaller disk" "the table is shorter than the disk" "$MODE" "$LOAD"
	refused "a smaller disk, persistence left out" "the table is shorter" "$MODE"
	DISK=$mine
}

# The disk was written while its cache was away: what the cache knows of it is wrong now.
written_behind()
{
	check "the disk is written without its cache" \
		"$FCX" run --fill --ops 0 --span $SPAN --save-state "$STATE" "$DISK"
	check "load" cache "$MODE" "$LOAD"
	known_right "nothing old is served" "$STATE" "$DEV"
	check "remove" fc_remove "$NAME"
}

# The same when the cache holds dirty blocks: nobody but the owner can tell which are to be kept.
written_behind_dirty()
{
	dd if="$DISK" of="$TMP/head" bs=4k count=1 iflag=direct status=none
	dd if=/dev/urandom of="$DISK" bs=4k count=1 oflag=direct status=none
	refused "load over a disk that was written, too" \
		"cannot load: the disk was written without its cache" writeback "$LOAD"
	dd if="$TMP/head" of="$DISK" bs=4k count=1 oflag=direct status=none
}

one_mode()
{
	legs 64 48
	load_module
	warm_restart
	if [ "$MODE" = writeback ]; then
		fast_remove
		clean_all
		ssd_wins
	fi
	written_behind
	persistence_words
	check_clean
	remove_null_blk other
	drop_legs
}

for MODE in "$@"; do
	note "in $MODE"
	one_mode
done
guest_end
