#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-rescue.sh BIN: flashcache writeback against what the real module leaves behind, in the VM.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

BIN=$1
PATH=$BIN:$PATH
WORK=/run/tool
mkdir -p "$WORK"
# shellcheck source=tests/utils/tool-lib.sh
. "$ROOT/tests/utils/tool-lib.sh"

DEV=/dev/mapper/fc
DISK_MB=24

# Random I/O of all sizes, parts of blocks included, on top of a pattern; then what the device holds.
make_dirty()
{
	fio --name=dirty --filename="$DEV" --rw=randwrite --bsrange=512-16k \
		--blockalign=512 --direct=1 --size="${DISK_MB}M" --io_size="$1M" --randseed="$2" \
		--ioengine=psync --randrepeat=1 --refill_buffers >"$WORK/fio" 2>&1 ||
		{ cat "$WORK/fio"; return 1; }
}

remember() { dd if="$DEV" of="$WORK/want" bs=1M iflag=direct status=none; }

is_right()
{
	drop_caches
	cmp "$WORK/want" "$1"
}

dirty() { fc_status fc dirty; }

create()
{
	check "create" flashcache create -f -p back fc "$SSD" "$DISK"
	check "let much become dirty" flashcache set fc dirty_thresh_pct=95 fallow_delay=0 \
		fast_remove=1
}

dirty_in_image()
{
	"$BIN/flashcache" check --json "$1" | jq -r 'if .sound then .dirty_blocks else "unsound" end'
}

# The cache, left with dirty blocks by an orderly stop.
leave()
{
	check "make dirty" make_dirty "$1" "$2"
	remember
	before=$(dirty)
	check_num "blocks are dirty" "$before" -gt 100
	check "stop, dirty" flashcache unload fc
	check_fails "the disk is out of date" differ is_right "$DISK"
}

test_refusals()
{
	create
	check "make dirty" make_dirty 1 1
	refuse 'running cache fc' 'writeback of a running cache' writeback "$SSD" "$DISK"
	refuse 'running cache fc' 'check of a running cache' check "$SSD"
	refuse 'running cache fc' 'dump of a running cache' dump "$SSD"
	check "stop, dirty" flashcache unload fc
	refuse 'does not know its disk' 'writeback without a disk' writeback "$SSD"
	refuse 'same device' 'writeback to the SSD' writeback "$SSD" "$SSD"
	mkfs.ext4 -q "$OTHER"
	mkdir -p /mnt/other
	mount "$OTHER" /mnt/other
	refuse 'mounted on /mnt/other' 'writeback to a mounted disk' writeback "$SSD" "$OTHER"
	umount /mnt/other
}

# Orderly stop with fast_remove; Ctrl-C on the way; again.
test_interrupted()
{
	local pid rc=0 writes
	check "load" flashcache load "$SSD" fc "$DISK"
	check "settings are back" flashcache set fc dirty_thresh_pct=95 fast_remove=1
	leave 6 2
	check_num "check counts the dirty blocks" "$(dirty_in_image "$SSD")" -eq "$before"
	writes=$(disk_writes)
	flashcache writeback -q "$SSD" "$DISK" >"$WORK/out" 2>&1 &
	pid=$!
	while [ "$(disk_writes)" -lt $((writes + 20)) ] && kill -0 "$pid" 2>/dev/null; do
		sleep 0.05
	done
	kill -INT "$pid"
	wait "$pid" || rc=$?
	result 'Ctrl-C: exit status' "$([ "$rc" -eq 130 ] || echo "$rc, not 130")"
	result 'Ctrl-C: what it says' "$(grep -q 'call it again' "$WORK/out" || echo no)"
	check_num "all that was dirty still is" "$(dirty_in_image "$SSD")" -eq "$before"
	check_fails "the disk is half done" differ is_right "$DISK"
	expect 0 'which is up to date' 'writeback again' writeback "$SSD" "$DISK"
	check "the disk has it all" is_right "$DISK"
	check_num "nothing is dirty" "$(dirty_in_image "$SSD")" -eq 0
}

disk_writes() { awk '{ print $5 }' "/sys/class/block/$(basename "$DISK")/stat"; }

# The module takes what the rescue leaves: an empty cache; and in the middle, all dirty blocks.
test_load_after()
{
	check "load the emptied cache" flashcache load "$SSD" fc "$DISK"
	check_num "it holds nothing" "$(fc_status fc cached)" -eq 0
	check "it shows what the disk has" is_right "$DEV"
	check "settings" flashcache set fc dirty_thresh_pct=95 fast_remove=1
	leave 2 3
	rc=0
	timeout -s INT 1 flashcache writeback -q "$SSD" "$DISK" >"$WORK/out" 2>&1 || rc=$?
	note "stopped after a second: status $rc"
	check "load after a rescue that was stopped" flashcache load "$SSD" fc "$DISK"
	check "all is there" is_right "$DEV"
	check "unload" flashcache unload --fast fc
	expect 0 . 'writeback' writeback "$SSD" "$DISK"
	check "the disk has it all" is_right "$DISK"
}

# Somebody wrote the disk in between.
test_changed_disk()
{
	check "load" flashcache load "$SSD" fc "$DISK"
	check "settings" flashcache set fc dirty_thresh_pct=95 fast_remove=1
	leave 1 4
	dd if=/dev/urandom of="$DISK" bs=512 count=1 seek=9 oflag=direct status=none
	refuse 'written without its cache' 'writeback to a disk that was changed' \
		writeback "$SSD" "$DISK"
	expect 0 'going on as told' 'writeback --force' writeback --force "$SSD" "$DISK"
	check_num "nothing is dirty" "$(dirty_in_image "$SSD")" -eq 0
}

# Copies of both devices, taken as a crash would leave them.
test_crash_images()
{
	check "load" flashcache load "$SSD" fc "$DISK"
	check "settings" flashcache set fc dirty_thresh_pct=95
	check "make dirty" make_dirty 3 5
	check "sync" blockdev --flushbufs "$DEV"
	remember
	sync "$DEV"
	dd if="$SSD" of="$WORK/ssd.img" bs=1M iflag=direct status=none
	dd if="$DISK" of="$WORK/disk.img" bs=1M iflag=direct status=none
	check_fails "the copy of the disk is out of date" differ is_right "$WORK/disk.img"
	expect 0 'was not stopped in order' 'check of the copy' check "$WORK/ssd.img"
	expect 0 'which is up to date' 'writeback on copies' \
		writeback "$WORK/ssd.img" "$WORK/disk.img"
	check "the copy of the disk has it all" is_right "$WORK/disk.img"
	check "unload" flashcache unload --fast fc
}

# An SSD with bad places: what it gives is written, and nothing is marked.
test_bad_ssd()
{
	local data
	before=$(dirty_in_image "$SSD")
	data=$(flashcache dump --json "$SSD" | jq .data_start_sector)
	dmsetup create bad --table "0 $((data + 4096)) linear $SSD 0
$((data + 4096)) 64 error
$((data + 4160)) $(($(sectors "$SSD") - data - 4160)) linear $SSD $((data + 4160))"
	expect 1 'unreadable' 'writeback from an SSD with bad places' \
		writeback /dev/mapper/bad "$DISK"
	dmsetup remove bad
	check_num "all that was dirty still is" "$(dirty_in_image "$SSD")" -eq "$before"
	expect 0 'which is up to date' 'writeback from the SSD when it gives all' \
		writeback "$SSD" "$DISK"
	check "the disk has it all" is_right "$DISK"
}

load_module
DISK=$(make_null_blk disk "$DISK_MB" 5000000 1)
SSD=$(make_null_blk ssd 48)
OTHER=$(make_null_blk other "$DISK_MB")
test_refusals
test_interrupted
test_load_after
test_changed_disk
test_crash_images
test_bad_ssd
[ "$bad" -eq 0 ] || _bad=$((_bad + bad))
check "destroy" flashcache destroy "$SSD"
check_clean
guest_end
