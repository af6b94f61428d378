#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-attach.sh BIN: caches that come, go and grow under a mounted file system, in the VM.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

BIN=$1
PATH=$BIN:$PATH
WORK=/run/tool
MNT=$WORK/mnt
NAME=data
DEV=/dev/mapper/$NAME
export FLASHCACHETAB=$WORK/tab
mkdir -p "$MNT"
# shellcheck source=tests/utils/tool-lib.sh
. "$ROOT/tests/utils/tool-lib.sh"

DISK_MB=400		# XFS wants 300
FIRST=$((320 * 2048))	# sectors that are mapped at first
SSD_MB=64

# The SSD is below a linear device, so that it can be made to fail.
legs()
{
	RAW=$(make_null_blk raw "$DISK_MB" 200000 8)
	FLASH=$(make_null_blk flash "$SSD_MB")
	dmsetup create ssd --table "0 $(sectors "$FLASH") linear $FLASH 0"
	SSD=/dev/mapper/ssd
	blank
}

blank() { wipefs -q -a "$SSD" && dd if=/dev/zero of="$SSD" bs=1M count=1 oflag=direct status=none; }

# swap_in NAME TABLE: another table, as its owner would load it.
swap_in() { dmsetup reload "$1" --table "$2" && dmsetup suspend --noflush "$1" && dmsetup resume "$1"; }
break_ssd() { swap_in ssd "0 $(sectors "$FLASH") error"; }
mend_ssd() { swap_in ssd "0 $(sectors "$FLASH") linear $FLASH 0"; }

table_type() { dmsetup table "$1" | awk '{ print $3 }' | sort -u; }
is_a() { [ "$(table_type "$1")" = "$2" ]; }
dm_uuid() { dmsetup info -c --noheadings -o uuid "$1"; }
no_cache_on() { ! flashcache check "$1" >/dev/null 2>&1; }
sum() { (cd "$MNT" && sha256sum [0-9]*) >"$WORK/sums"; }
sums_match() { (cd "$MNT" && sha256sum --quiet -c "$WORK/sums"); }

# A map of the beginning of the disk, with a file system that is mounted.
mounted_map()
{
	dmsetup create "$NAME" --table "0 $FIRST linear $RAW 0"
	mkfs.xfs -q -f -K "$DEV"
	mount "$DEV" "$MNT"
}

# Goes on until it is told, and fails at the first error. Each file is read back from the device.
write_on()
{
	local i=0 sum
	while [ ! -e "$WORK/enough" ]; do
		i=$((i + 1))
		head -c 81920 /dev/urandom >"$WORK/piece"
		sum=$(sha256sum <"$WORK/piece")
		cp "$WORK/piece" "$MNT/$((i % 50))" && sync -f "$MNT" || return 1
		dd of=/dev/null if="$MNT/$((i % 50))" iflag=direct bs=80k status=none || return 1
		[ "$(dd if="$MNT/$((i % 50))" iflag=direct bs=80k status=none | sha256sum)" = "$sum" ] ||
			return 1
		echo "$i" >"$WORK/rounds"
	done
}

begin_writing()
{
	rm -f "$WORK/enough" "$WORK/rounds"
	write_on &
	writer=$!
	wait_rounds 3
}

# wait_rounds N: until the writer has done N more.
wait_rounds()
{
	local want=$(($(cat "$WORK/rounds" 2>/dev/null || echo 0) + $1)) i
	for ((i = 0; i < 1200; i++)); do
		[ "$(cat "$WORK/rounds" 2>/dev/null || echo 0)" -lt "$want" ] || return 0
		sleep 0.1
	done
	return 1
}

end_writing()
{
	touch "$WORK/enough"
	check "$1: who wrote meanwhile noticed nothing" wait "$writer"
	sum
}

takes_requests()
{
	check_num "$1: the cache takes writes" "$(fc_status "$NAME" writes)" -gt 0
	check_num "$1: they hit the SSD" "$(fc_status "$NAME" ssd_writes)" -gt 0
	check_num "$1: reads hit" "$(fc_status "$NAME" read_hits)" -gt 0
	check "$1: anything may come in" test "$(flashcache get "$NAME" admit)" = 3
}

# The whole way: under a load a cache comes, goes, comes again in another mode and is stopped.
test_attach()
{
	local uuid
	mounted_map
	begin_writing
	expect 0 "$NAME is cached by $SSD now, WRITE_BACK" 'attach' attach -p back "$NAME" "$SSD"
	check "the device is a cache" is_a "$NAME" flashcache
	uuid=$(dm_uuid "$NAME")
	check "its UUID is that of the cache" grep -q "^$NAME	UUID=${uuid#FLASHCACHE-}	" "$FLASHCACHETAB"
	check "nothing else is left" test "$(dmsetup ls | awk '{ print $1 }' | sort | tr '\n' ' ')" = "data ssd "
	check "it goes on" wait_rounds 10
	takes_requests 'write-back'
	check_num "some of it is dirty" "$(fc_status "$NAME" dirty)" -gt 0
	expect 1 'is a cache already' 'attach to a cache' attach -p back "$NAME" "$FLASH"
	# Somebody, as udev does, looks at the SSD, and the page cache keeps what that was.
	dd if="$SSD" of=/dev/null bs=64k count=16 status=none
	expect 0 "$NAME is a plain map" 'detach' detach -q "$NAME"
	check "it goes on without" wait_rounds 3
	check "it is not listed any more" test -z "$(grep "^$NAME" "$FLASHCACHETAB")"
	expect 0 'WRITE_THROUGH' 'attach again, to a path' attach -v -p thru -b 16k "$DEV" "$SSD"
	check "it is the same device to everybody" test "$(dm_uuid "$NAME")" = "$uuid"
	check "it goes on" wait_rounds 10
	takes_requests 'write-through'
	check "its block is that wanted" test "$(fc_status "$NAME" block_sectors)" -eq 32
	end_writing 'attach'
	umount "$MNT"
	check "unload" flashcache unload -q "$NAME"
	check "the file system on the raw disk is sound" xfs_repair -n "$RAW"
	mount "$RAW" "$MNT"
	check "and has all files" sums_match
	umount "$MNT"
	check "load" flashcache load "$SSD" "$NAME" "$RAW"
	mount "$DEV" "$MNT"
	check "the cache has all files" sums_match
	umount "$MNT"
	check "unload" flashcache unload -q "$NAME"
	check "destroy" flashcache destroy "$SSD"
}

# Holds the list's lock, so that attach waits between making the cache and listing it.
hold_list()
{
	perl -MFcntl -e 'open(my $f, ">>", $ARGV[0]) or die;
		my $lock = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
		fcntl($f, F_SETLKW, $lock) or die;
		open(my $g, ">", $ARGV[1]); close($g); sleep 600' "$FLASHCACHETAB.lock" "$WORK/held" &
	holder=$!
	until [ -e "$WORK/held" ]; do
		kill -0 "$holder" || return 1
		sleep 0.1
	done
}

drop_list() { rm -f "$WORK/held"; kill "$holder"; wait "$holder" || true; }

attach_is_made() { ! no_cache_on "$SSD" && ! dmsetup info "$NAME-attach" >/dev/null 2>&1; }

# attach_and_wait: it stands there with the cache made and nothing listed.
attach_and_wait()
{
	local i
	hold_list
	flashcache attach -p back "$NAME" "$SSD" >"$WORK/out" 2>&1 &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		! attach_is_made || return 0
		sleep 0.1
	done
	return 1
}

# A power cut before the cache is listed: the map is as it was, and the cache on the SSD is empty.
# One after it: the next boot loads that cache.
test_attach_cut()
{
	begin_writing
	check "attach makes the cache first" attach_and_wait
	check "it is not used yet" is_a "$NAME" linear
	expect 0 'dirty +0 blocks' 'the cache is sound and empty' check "$SSD"
	kill -9 "$pid"
	wait "$pid" || true
	drop_list
	check "the writer goes on" wait_rounds 3
	check "nothing is listed" test -z "$(grep "^$NAME" "$FLASHCACHETAB")"
	expect 1 'Valid Flashcache already exists' 'the next attach sees it' attach -p back "$NAME" "$SSD"
	end_writing 'a cut'
	umount "$MNT"
	dmsetup remove "$NAME"
	check "the cache of the cut loads" flashcache load "$SSD" "$NAME" "$RAW"
	mount "$DEV" "$MNT"
	check "all is right through it, though the disk was written since" sums_match
	umount "$MNT"
	check "unload" flashcache unload -q "$NAME"
	check "destroy" flashcache destroy "$SSD"
	dmsetup create "$NAME" --table "0 $FIRST linear $RAW 0"
	mount "$DEV" "$MNT"
}

# The SSD dies at the worst moment: the new table does not come to life.
test_attach_broken()
{
	local rc=0
	begin_writing
	check "attach makes the cache" attach_and_wait
	break_ssd
	drop_list
	wait "$pid" || rc=$?
	check_num "attach fails" "$rc" -eq 1
	check "it says so" grep -q "does not take its new table" "$WORK/out"
	check "the device is what it was" is_a "$NAME" linear
	check "and not suspended" test "$(dmsetup info -c --noheadings -o suspended "$NAME")" = Active
	check "the writer goes on" wait_rounds 3
	check "nothing is listed" test -z "$(grep "^$NAME" "$FLASHCACHETAB")"
	mend_ssd
	check "the SSD can be given up" flashcache destroy "$SSD"
	end_writing 'a broken SSD'
	FLASHCACHETAB=/nowhere/tab expect 1 'cannot be written' 'attach without a list' \
		attach -p back "$NAME" "$SSD"
	check "then the device is what it was" is_a "$NAME" linear
	check "and there is no cache on the SSD" no_cache_on "$SSD"
}

# The data was mkfs'ed in one piece; the same in two pieces of another device.
test_attach_pieces()
{
	local half=$((FIRST / 2))
	dmsetup create half1 --table "0 $half linear $RAW 0"
	dmsetup create half2 --table "0 $half linear $RAW $half"
	dmsetup create "$NAME" <<-END
		0 $half linear /dev/mapper/half1 0
		$half $half linear /dev/mapper/half2 0
	END
	mount "$DEV" "$MNT"
	refuse 'with --origin its pieces become' 'attach to two pieces' attach -p back "$NAME" "$SSD"
	begin_writing
	expect 0 "make $NAME-origin at boot, with UUID FCORIGIN-" 'attach --origin' \
		attach --origin -p back "$NAME" "$SSD"
	check "the device is a cache" is_a "$NAME" flashcache
	check "its disk has the old table" test "$(dmsetup table "$NAME-origin" | wc -l)" -eq 2
	check "and is listed by its UUID" grep -q "	DM_UUID=FCORIGIN-" "$FLASHCACHETAB"
	check "it goes on" wait_rounds 10
	takes_requests 'pieces'
	end_writing 'pieces'
	umount "$MNT"
	check "unload, dirty" flashcache unload --fast "$NAME"
	check "load finds the disk by its UUID" flashcache load "$SSD"
	mount "$DEV" "$MNT"
	check "all files are there" sums_match
	umount "$MNT"
	check "unload" flashcache unload -q "$NAME"
	dmsetup remove "$NAME-origin"
	dmsetup remove half1
	dmsetup remove half2
	check "destroy" flashcache destroy "$SSD"
	mount "$RAW" "$MNT"
	check "the raw disk has all files" sums_match
	umount "$MNT"
}

# made UUID TABLE: a mapped device "x", for one refusal.
made() { dmsetup create x ${1:+-u "$1"} --table "$2"; }

refuse_made()
{
	refuse "$1" "attach to $2" attach -p back x "$SSD"
	dmsetup remove x
}

test_attach_refused()
{
	local before small
	before=$(dmsetup table)
	refuse 'no mapped device nothing' 'attach to nothing' attach -p back nothing "$SSD"
	refuse 'no mapped device|must not contain' 'attach to a disk' attach -p back "$RAW" "$SSD"
	refuse 'check the name' 'attach without SSD' attach -p back "$NAME" /dev/none
	refuse 'in use by the mapped device data' 'attach of its own disk' attach -p back "$NAME" "$RAW"
	refuse "mounted on $MNT" 'attach of itself' attach -p back "$NAME" "$DEV"
	refuse 'in use by the mapped device ssd' 'attach of an SSD in use' attach -p back "$NAME" "$FLASH"
	mkswap "$SSD" >/dev/null
	refuse 'has .* on it' 'attach of an SSD with something on it' attach -p back "$NAME" "$SSD"
	blank
	small=$(make_null_blk small 1)
	refuse '.' 'attach of too small an SSD' attach -p back "$NAME" "$small"
	remove_null_blk small
	small=$(make_null_blk large 16 0 64 4096)
	refuse 'cannot get larger' 'attach of an SSD with larger sectors' attach -f -p back "$NAME" "$small"
	remove_null_blk large
	dmsetup create other --table "0 8 linear $RAW 700000"
	refuse 'not the only one on its disk' 'attach beside another map' attach -p back "$NAME" "$SSD"
	dmsetup remove other
	check "nothing has changed" test "$(dmsetup table)" = "$before"
	check "nothing was written to the SSD" cmp -n 1048576 "$SSD" /dev/zero
	umount "$MNT"
	dmsetup suspend "$NAME"
	refuse 'is suspended' 'attach to a suspended device' attach -p back "$NAME" "$SSD"
	dmsetup resume "$NAME"
	dmsetup reload "$NAME" --table "0 8 linear $RAW 0"
	refuse 'another table waiting' 'attach to a device that changes' attach -p back "$NAME" "$SSD"
	dmsetup remove "$NAME"
	made LVM-0123456789 "0 $FIRST linear $RAW 0"
	refuse_made 'belongs to LVM.*below the physical volume' 'a logical volume'
	made CRYPT-PLAIN-x "0 $FIRST linear $RAW 0"
	refuse_made 'belongs to cryptsetup' 'something encrypted'
	made whoever "0 $FIRST linear $RAW 0"
	refuse_made 'belongs to somebody else' "somebody's map"
	made '' "0 $FIRST error"
	refuse_made "has a 'error' target" 'another target'
	made '' "0 $FIRST linear $RAW 8"
	refuse_made 'with --origin' 'a part of a disk'
	dmsetup create -r x --table "0 $FIRST linear $RAW 0"
	refuse_made 'is read-only' 'a read-only map'
	dmsetup create x --notable
	refuse_made 'has no table|is suspended' 'a device without a table'
}

# The disk grows below a cache in use.
test_grow()
{
	local all
	all=$(sectors "$RAW")
	dmsetup create disk --table "0 $FIRST linear $RAW 0"
	check "create" flashcache create -p back "$NAME" "$SSD" /dev/mapper/disk
	mount "$DEV" "$MNT"
	expect 0 'nothing to do' 'grow without need' grow "$NAME"
	swap_in disk "0 $all linear $RAW 0"
	begin_writing
	expect 0 "covers $all sectors now" 'grow' grow "$NAME"
	check "the device has grown" test "$(sectors "$DEV")" -eq "$all"
	check "so can the file system" xfs_growfs "$MNT"
	head -c 70M /dev/urandom >"$MNT/99"
	check "it goes on" wait_rounds 5
	takes_requests 'grown'
	end_writing 'grow'
	umount "$MNT"
	check "unload, dirty" flashcache unload --fast "$NAME"
	check "load" flashcache load "$SSD" "$NAME" /dev/mapper/disk
	check "it covers all" test "$(sectors "$DEV")" -eq "$all"
	mount "$DEV" "$MNT"
	check "all files are there" sums_match
	umount "$MNT"
	swap_in disk "0 $((all - 2048)) linear $RAW 0"
	refuse 'is smaller .* than data covers' 'grow over a disk that shrank' grow "$NAME"
	swap_in disk "0 $all linear $RAW 0"
	dmsetup suspend "$NAME"
	refuse 'is suspended' 'grow of a suspended cache' grow "$NAME"
	dmsetup resume "$NAME"
	refuse 'no cache of this name' 'grow of nothing' grow nothing
	check "unload" flashcache unload -q "$NAME"
	check "destroy" flashcache destroy "$SSD"
	dmsetup remove disk
	mount "$RAW" "$MNT"
	check "the raw disk has all files" sums_match
	umount "$MNT"
}

# A disk that grew while it was not in use; one whose cache cannot grow.
test_grown_before()
{
	dmsetup create disk --table "0 $((FIRST + 4)) linear $RAW 0"
	check "create" flashcache create -p back -b 64k "$NAME" "$SSD" /dev/mapper/disk
	check "unload" flashcache unload -q "$NAME"
	swap_in disk "0 $((FIRST + 2048)) linear $RAW 0"
	expect 0 "has grown: 'flashcache grow $NAME'" 'load tells of a disk that has grown' \
		load "$SSD" "$NAME" /dev/mapper/disk
	check "it covers what it covered" test "$(sectors "$DEV")" -eq "$((FIRST + 4))"
	refuse 'no multiple of a unit' 'grow of an odd size' grow "$NAME"
	check "it runs on" fc_status "$NAME" health
	check "unload" flashcache unload -q "$NAME"
	check "destroy" flashcache destroy "$SSD"
	dmsetup remove disk
}

load_module
legs
test_attach
blank
dmsetup create "$NAME" --table "0 $FIRST linear $RAW 0"
mount "$DEV" "$MNT"
test_attach_cut
blank
test_attach_broken
blank
test_attach_refused
test_attach_pieces
blank
test_grow
blank
test_grown_before
[ "$bad" -eq 0 ] || _bad=$((_bad + bad))
dmsetup remove ssd
check_clean
guest_end
