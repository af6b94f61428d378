#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# dm.sh: device-mapper manners: the table line loads back; reload, mode change, policy change,
# suspend, resume, rename and remove, in any order, idle and under load.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

STATE=$TMP/state
export LOAD_PID=

# --- a load in the background ---------------------------------------------------------------------

# load_start SECONDS: fcx on the cache, goes on with what the state knows. Not with REQ_NOWAIT:
# while it suspends a device, device-mapper itself fails the rest of a split bio with EAGAIN.
load_start()
{
	local -a known=(--span 24m)
	[ ! -e "$STATE" ] || known=(--state "$STATE")
	_exercises=$((_exercises + 1))
	"$FCX" run --seed $((SEED + _exercises)) --seconds "$1" --max 256k --no-nowait \
		"${known[@]}" \
		--mix read=40,write=34,fua=3,flush=3,discard=2,stream=16 \
		--save-state "$STATE" "${2:-$DEV}" >"$TMP/load" 2>&1 &
	LOAD_PID=$!
	sleep 0.5
}

# load_end DESC: it ran to its end, and found all data right.
load_end() { check "$1" load_result; }

load_result()
{
	local rc=0
	wait "$LOAD_PID" || rc=$?
	cat "$TMP/load"
	return "$rc"
}

# --- the table line -------------------------------------------------------------------------------

table_line() { dmsetup table "$NAME"; }

# What the table prints makes the same cache, and then prints itself.
round_trip()
{
	local line
	check "a cache with options: $*" cache "$@"
	line=$(table_line)
	note "$line"
	check "remove" fc_remove "$NAME"
	check "its table line loads" dmsetup create "$NAME" --table "$line"
	check "and prints itself" test "$line" = "$(table_line)"
	check "remove" fc_remove "$NAME"
}

round_trips()
{
	round_trip writeback "$FORCE"
	round_trip writethrough "$FORCE" 32 0 1024
	round_trip writearound "$FORCE" 8 32768 256 128 0 8
	round_trip writeback "$FORCE" 8 0 512 0 0 8 2 policy lru
	round_trip writeback "$FORCE" 8 0 512 0 0 8 8 policy fifo dirty_thresh_pct 30 \
		skip_seq_thresh_kb 512 fallow_delay 60
}

# --- changes of a live cache ----------------------------------------------------------------------

# become MODE: tell the cache by message, and see it in the status line and in the table.
become()
{
	check "cache_mode $1" fc_message "$NAME" cache_mode "$1"
	check "it is in mode $1" test "$(fc_status "$NAME" mode)" = "$1"
	check "the table says so" grep -q " $NAME $(mode_number "$1") " <<<"$(table_line)"
}

mode_changes()
{
	local mode
	load_start 10
	for mode in writethrough writearound writeback writearound writeback writethrough writeback; do
		become $mode
		sleep 0.4
	done
	load_end "mode changes under load"
	become writethrough
	check "do_sync" fc_message "$NAME" do_sync 1
	check "nothing is dirty in the end" fc_wait "$NAME" dirty -eq 0 60
	known_right "the raw disk has it all" "$STATE" "$DISK"
	become writeback
}

policy_changes()
{
	local number
	load_start 5
	for number in 0 1 2 0 2 1 2; do
		check "reclaim_policy $number" fc_message "$NAME" reclaim_policy $number
		sleep 0.3
	done
	check "back to S3-FIFO" test "$(fc_status "$NAME" policy)" = s3fifo
	load_end "policy changes under load"
	check_fails "a policy that is none" "" fc_message "$NAME" reclaim_policy 7
	check_fails "a message that is none" "" fc_message "$NAME" frobnicate 1
}

reloads()
{
	local cached mode
	"$FCX" verify --state "$STATE" "$DEV" >/dev/null || true
	settle
	cached=$(fc_status "$NAME" cached)
	check "reload of the same table" reload_cache writeback
	check_num "the cache keeps its state" "$(fc_status "$NAME" cached)" -eq "$cached"
	load_start 10
	for mode in writethrough writeback writearound writeback; do
		check "reload as $mode" reload_cache $mode
		check "it is in mode $mode" test "$(fc_status "$NAME" mode)" = $mode
		sleep 0.5
	done
	load_end "reloads under load"
	check_num "the cache kept its blocks" "$(fc_status "$NAME" cached)" -ge 1000
	mark
	known_right "all is right after the reloads" "$STATE" "$DEV"
	look
	expect "and still hits" read_hit_blocks -ge 1000
}

suspends()
{
	local i
	load_start 6
	for i in 1 2 3 4 5; do
		check "suspend $i" dmsetup suspend "$NAME"
		check "resume $i" dmsetup resume "$NAME"
		sleep 0.3
	done
	load_end "suspend and resume under load"
	check "suspend without a flush" dmsetup suspend --noflush "$NAME"
	check "suspend of the suspended" dmsetup suspend "$NAME"
	check "status of the suspended" fc_status "$NAME" health
	check "resume" dmsetup resume "$NAME"
	check "resume of the resumed" dmsetup resume "$NAME"
	known_right "all is right after that" "$STATE" "$DEV"
}

# A new table that is cleared, or that never becomes live, changes nothing. Last, as Linux 6.1
# itself (dm-ima) frees memory twice when a device is renamed after its table was cleared.
unborn_tables()
{
	local line
	line=$(table_line)
	check "load a table" dmsetup reload "$NAME" --table "$line"
	check "clear it" dmsetup clear "$NAME"
	check "the live one works on" "$FCX" verify --state "$STATE" "$DEV"
	check_fails "a bad table is refused" "" dmsetup reload "$NAME" --table "0 1 flashcache x"
	check "the live one works on" "$FCX" verify --state "$STATE" "$DEV"
}

renames()
{
	load_start 3
	check "rename under load" dmsetup rename "$NAME" other
	load_end "the load did not notice"
	check "suspend the renamed" dmsetup suspend other
	check "rename the suspended" dmsetup rename other "$NAME"
	check "resume" dmsetup resume "$NAME"
	known_right "all is right under the old name" "$STATE" "$DEV"
}

removes()
{
	load_start 3
	check_fails "remove of a device in use" "busy" dmsetup remove "$NAME"
	load_end "the load did not notice"
	check "suspend" dmsetup suspend "$NAME"
	check "remove of the suspended" fc_remove "$NAME"
	check "load" cache writeback "$LOAD"
	known_right "all is right after that" "$STATE" "$DEV"
	check "load a table that never lives" dmsetup reload "$NAME" --table "$(table_line)"
	check "remove with two tables" fc_remove "$NAME"
	known_right "the raw disk has it all" "$STATE" "$DISK"
	check "create without a table" dmsetup create "$NAME" --notable
	check "give it one" dmsetup reload "$NAME" \
		--table "0 $(sectors "$DISK") flashcache $DISK $SSD $NAME 1 1"
	check "remove before it lived" fc_remove "$NAME"
	check "load" cache writeback "$LOAD"
	known_right "all is right after that" "$STATE" "$DEV"
}

# Statistics and limits.
small_things()
{
	check "zero_stats" fc_message "$NAME" zero_stats 1
	check_num "zero_stats zeroes" "$(fc_status "$NAME" reads)" -eq 0
	check_num "the device is as long as the disk" "$(sectors "$DEV")" -eq "$(sectors "$DISK")"
	check "the disk is one of its devices" grep -q . <<<"$(dmsetup deps -o devname "$NAME" |
		grep -o "$(basename "$DISK")")"
	check "so is the flash" grep -q . <<<"$(dmsetup deps -o devname "$NAME" |
		grep -o "$(basename "$SSD")")"
	check_fails "a second cache on the same flash" "" fc_create twin "$DISK" "$SSD" 1 1
}

legs 64 48
load_module
round_trips
check "a cache" cache writeback "$FORCE"
mode_changes
policy_changes
reloads
suspends
renames
removes
small_things
unborn_tables
healthy "after it all"
check "remove" fc_remove "$NAME"
known_right "the raw disk has it all" "$STATE" "$DISK"
check_clean
guest_end
