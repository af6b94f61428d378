#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# knobs.sh: every knob by sysctl and by message: default, limits, kept over a stop, effects.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"
# shellcheck source=tests/func/windows-lib.sh
. "$ROOT/tests/func/windows-lib.sh"

mapfile -t SETTINGS <<<"$("$BIN/knobs" list)"
mapfile -t ORDERS <<<"$("$BIN/knobs" orders)"

# --- knobs ----------------------------------------------------------------------------------------

all_knobs()
{
	local setting
	for setting in "${SETTINGS[@]}"; do
		echo "${setting%% *}"
	done
	printf '%s\n' "${ORDERS[@]}"
}

same_knobs()
{
	all_knobs | sort >"$TMP/knobs"
	find "$SYSCTL/$W" -type f -printf '%f\n' | sort | diff "$TMP/knobs" -
}

says_invalid() { read -r said <"$TMP/why" && [[ $said == *'Invalid argument'* ]]; }

# refused KNOB VALUE: with EINVAL, by sysctl and by message, and nothing has changed. (The message is
# one word, since dmsetup would take -1 for an option.)
refused()
{
	local before after said
	read -r before <"$SYSCTL/$W/$1"
	! turn "$1" "$2" 2>"$TMP/why" && says_invalid &&
		! fc_message "$NAME" "$1 $2" 2>"$TMP/why" && says_invalid &&
		read -r after <"$SYSCTL/$W/$1" && [ "$after" = "$before" ]
}

# takes KNOB VALUE: by sysctl, and it is seen in the status.
takes() { turn "$1" "$2" && [ "$(shows "$1")" = "$2" ] && [ "$(fc_status "$NAME" "$1")" = "$2" ]; }

refuses_bad()
{
	local name=$1 least=$2 most=$3 bad
	for bad in $((most + 1)) $((least - 1)) -1 x "$least $least" 99999999999999999999 0x10 1.5; do
		refused "$name" "$bad" || { echo "$name took '$bad'"; return 1; }
	done
}

one_setting()
{
	local name=$1 standard=$2 least=$3 most=$4
	[ "$(shows "$name")" = "$standard" ] && takes "$name" "$least" && takes "$name" "$most" &&
		refuses_bad "$name" "$least" "$most" && fc_message "$NAME" "$name" "$least" &&
		[ "$(shows "$name")" = "$least" ] && takes "$name" "$standard"
}

settings()
{
	local setting name rest
	for setting in "${SETTINGS[@]}"; do
		read -r name rest <<<"$setting"
		# shellcheck disable=SC2086 # words of a line
		check "$name: default, limits, bad values" one_setting "$name" $rest
	done
	check "sysctl(8) reads" test "$(sysctl -n "dev.flashcache.$W.dirty_thresh_pct")" = 20
	check "and writes" sysctl -w "dev.flashcache.$W.dirty_thresh_pct=30"
	check "which shows" test "$(fc_status "$NAME" dirty_thresh_pct)" = 30
	check "a policy by number has its name" takes reclaim_policy 1
	check "in the status" test "$(fc_status "$NAME" policy)" = lru
	check_fails "only root may write" "Permission denied" setpriv --reuid 65534 --clear-groups \
		--regid 65534 sh -c "echo 1 >'$SYSCTL/$W/fast_remove'"
	check "all may read" setpriv --reuid 65534 --clear-groups --regid 65534 \
		cat "$SYSCTL/$W/fast_remove" "$PROC/$W/flashcache_stats"
}

# Another value than the default, of those that hurt nobody.
other_value()
{
	if [ "$2" -eq "$3" ]; then
		echo "$4"
	else
		echo "$3"
	fi
}

turn_all()
{
	local setting name standard least most rest
	for setting in "${SETTINGS[@]}"; do
		read -r name standard least most rest <<<"$setting"
		turn "$name" "$(other_value "$name" "$standard" "$least" "$most")"
	done
}

# kept_all WHAT: all settings have their other value, or their default if they are not kept.
kept_all()
{
	local setting name standard least most kept want
	for setting in "${SETTINGS[@]}"; do
		read -r name standard least most kept <<<"$setting"
		want=$standard
		[ "$kept" = lost ] || want=$(other_value "$name" "$standard" "$least" "$most")
		[ "$(shows "$name")" = "$want" ] ||
			{ echo "$name is $(shows "$name"), not $want"; return 1; }
	done
}

all_default()
{
	local setting name standard rest
	for setting in "${SETTINGS[@]}"; do
		read -r name standard rest <<<"$setting"
		[ "$(shows "$name")" = "$standard" ] || { echo "$name"; return 1; }
	done
}

keeping()
{
	local line
	turn_all
	line=$(dmsetup table "$NAME")
	check "remove" fc_remove "$NAME"
	check "load" new_cache writeback "$LOAD"
	check "settings are kept on flash" kept_all
	check "remove" fc_remove "$NAME"
	check "a new cache" new_cache writeback "$FORCE"
	check "has the defaults" all_default
	check "remove" fc_remove "$NAME"
	check "a cache made from the old table line" dmsetup create "$NAME" --table "$line"
	W=$(window)
	turn fast_remove 0
	turn io_latency_hist 0
	check "has its settings" kept_all
	check "suspend" dmsetup suspend "$NAME"
	check "a setting is turned while suspended" turn lru_hot_pct 33
	check "resume" dmsetup resume "$NAME"
	check "it holds" test "$(shows lru_hot_pct)" = 33
	check "remove" fc_remove "$NAME"
}

# --- effects --------------------------------------------------------------------------------------

# A new cache that brings nothing but what is read.
# shellcheck disable=SC2119 # fresh may have more words, and needs none
fresh_still() { fresh && turn fill_ahead 0; }

# read_as LIST...: a process reads 10 blocks at $AT that nobody has read; before it does, each
# message of LIST is sent with its number for PID.
AT=0
read_as()
{
	local message pid
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	AT=$((AT + 400))
	(
		read -r _ <"$TMP/go"
		exec dd if="$DEV" of=/dev/null bs=4k skip=$((AT / 4)) count=10 iflag=direct status=none
	) &
	pid=$!
	for message; do
		# shellcheck disable=SC2086 # words of a message
		fc_message "$NAME" ${message//PID/$pid}
	done
	mark
	echo go >"$TMP/go"
	wait "$pid"
	settle
}

admission()
{
	check "fresh cache" fresh_still
	read_as
	expect "a read is cached" fills -eq 10
	turn admit 2
	read_as
	expect "admit 2: a read is not" fills -eq 0
	expect "admit 2: it passes by" uncached_reads -ge 1
	mark
	writes 40000 10
	look
	expect "admit 2: a write is cached" uncached_writes -eq 0
	turn admit 1
	mark
	writes 44000 10
	look
	expect "admit 1: a write is not" uncached_writes -eq 10
	mark
	writes 40000 10
	look
	expect "admit 1: but over what is cached" dirty_write_hits -eq 10
	turn admit 0
	read_as
	expect "admit 0: a read is not" fills -eq 0
	expect "admit 0: all reads pass by" uncached_reads -eq "$(moved reads)"
	expect "admit 0: one of the disk each" disk_reads -eq "$(moved reads)"
	expect "admit 0: flash left alone" ssd_reads -eq 0
	turn admit 3
	turn cache_all 0
	read_as
	expect "cache_all 0: a read is not" fills -eq 0
	mark
	reads 40000 10
	look
	expect "cache_all 0: what is cached hits" read_hits -ge 1
	expect "cache_all 0: all of it" read_hit_blocks -eq 10
}

lists()
{
	check "fresh cache" fresh_still
	read_as "blacklist add PID"
	expect "black: not cached" fills -eq 0
	read_as "blacklist add PID" "whitelist add PID"
	expect "black and white: black" fills -eq 0
	read_as "blacklist add PID" "blacklist del PID"
	expect "black no more: cached" fills -eq 10
	check "delall" fc_message "$NAME" blacklist delall
	check "empties the list" test "$(sed -n 1p "$PROC/$W/flashcache_pidlists")" = "Blacklist: "
	turn cache_all 0
	read_as "whitelist add PID"
	expect "cache_all 0, white: cached" fills -eq 10
	read_as "whitelist add PID" "whitelist del PID"
	expect "cache_all 0, white no more: not" fills -eq 0
	turn skip_seq_thresh_kb 16
	read_as "whitelist add PID"
	expect "cache_all 0, white: streams as well" fills -eq 10
	turn skip_seq_thresh_kb 0
	turn cache_all 1
	for message in "blacklist" "blacklist add" "blacklist add x" "blacklist add 0" \
		"blacklist add -1" "blacklist add 99999999" "blacklist frob 1" "greylist add 1" \
		"whitelist del" "blacklist add 1 2"; do
		check_fails "message: $message" 'Invalid argument' fc_message "$NAME" "$message"
	done
	check "deleting who is not there does no harm" fc_message "$NAME" blacklist del 77
}

# A process of several threads, of which only the process is on the list.
threads()
{
	check "fresh cache" fresh
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	(
		read -r _ <"$TMP/go"
		exec fio --name=t --thread --numjobs=4 --filename="$DEV" --rw=randread --bs=4k \
			--direct=1 --ioengine=psync --io_size=400k --size=8m --group_reporting
	) >/dev/null &
	fc_message "$NAME" blacklist add $!
	mark
	echo go >"$TMP/go"
	wait $!
	settle
	expect "threads of a black process: read" reads -ge 100
	expect "threads of a black process: not cached" fills -eq 0
}

pid_list() { sed -n "s/^$1: //p" "$PROC/$W/flashcache_pidlists"; }

bounds()
{
	local pid i
	check "fresh cache" fresh_still
	turn max_pids 3
	mark
	for pid in 11 12 13 14 11 12; do
		fc_message "$NAME" whitelist add $pid
	done
	look
	check "a full list drops the oldest" test "$(pid_list Whitelist)" = "14 11 12 "
	expect "and counts them" pid_drops -eq 3
	expect "as well as what came" pid_adds -eq 6
	turn max_pids 1
	check "a smaller list drops more" test "$(pid_list Whitelist)" = "12 "
	turn max_pids 4096
	mark
	for ((i = 1; i <= 150; i++)); do
		fc_message "$NAME" blacklist add $((i * 7))
	done
	look
	expect "a long list" pid_adds -eq 150
	check_num "holds them all" "$(pid_list Blacklist | wc -w)" -eq 150
	read_as
	expect "who is not on it is cached" fills -eq 10
	read_as "blacklist add PID"
	expect "who is on it is not" fills -eq 0
	turn pid_expiry_secs 1
	turn do_pid_expiry 1
	sleep 2.5
	look
	check "nobody is on the lists when their time is over" test "$(pid_list Blacklist)" = ""
	look
	expect "which is counted" pid_expiry -ge 150
	read_as
	expect "who was on them is cached" fills -eq 10
}

sum_of() { tr ' ' '\n' <"$PROC/$W/$1" | awk -F: '{ n += $2 } END { print n }'; }
bucket() { tr ' ' '\n' <"$PROC/$W/$1" | awk -F: -v k="$2" '$1 == k { print $2 }'; }

histograms()
{
	local i
	check "fresh cache" fresh
	for i in 1 2 3; do
		put 0 512
		put 4096 3072
	done
	for i in 1 2 3 4; do
		get 0 8192
		get 0 20480
	done
	check_num "three of 512" "$(bucket flashcache_iosize_hist 512)" -eq 3
	check_num "three of 3072" "$(bucket flashcache_iosize_hist 3072)" -eq 3
	check_num "none of 2560" "$(bucket flashcache_iosize_hist 2560)" -eq 0
	check_num "no latencies" "$(sum_of flashcache_io_latency_hist)" -eq 0
	turn io_latency_hist 1
	mark
	reads 8000 50
	writes 9000 50
	reads 9000 50
	settle
	check_num "each request has a latency" "$(sum_of flashcache_io_latency_hist)" -eq \
		$(($(moved reads) + $(moved writes)))
	turn io_latency_hist 1
	check_num "writing the knob clears them" "$(sum_of flashcache_io_latency_hist)" -eq 0
	turn io_latency_hist 0
	reads 9000 5
	check_num "nothing is measured when off" "$(sum_of flashcache_io_latency_hist)" -eq 0
	turn zero_stats 1
	look
	check_num "zero_stats" "$(seen reads)" -eq 0
	check_num "zeroes the sizes, too" "$(sum_of flashcache_iosize_hist)" -eq 0
	check_num "and reads as 0" "$(shows zero_stats)" -eq 0
}

# dirty_blocks KB: write so much.
dirty_blocks() { dd if=/dev/zero of="$DEV" bs=256k count=$(($1 / 256)) oflag=direct status=none; }

syncing()
{
	check "fresh cache" fresh
	turn dirty_thresh_pct 95
	dirty_blocks 4096
	look
	check_num "dirty blocks" "$(seen dirty)" -eq 1024
	check "do_sync" turn do_sync 1
	check "cleans them" fc_wait "$NAME" dirty -eq 0
	check_num "and then reads as 0" "$(shows do_sync)" -eq 0
	turn clean_rate_kb 4
	dirty_blocks 4096
	turn do_sync 1
	check_num "do_sync reads as 1" "$(shows do_sync)" -eq 1
	check "stop_sync" turn stop_sync 1
	check_num "stop_sync reads as 1" "$(shows stop_sync)" -eq 1
	check_num "do_sync reads as 0" "$(shows do_sync)" -eq 0
	mark
	sleep 1.5
	look
	expect "and nothing is cleaned" cleanings -eq 0
	check "do_sync" turn do_sync 1
	check_num "stop_sync reads as 0" "$(shows stop_sync)" -eq 0
	turn clean_rate_kb 0
	check "it goes on" fc_wait "$NAME" dirty -eq 0
}

# At most what the rate allows in that time, a second's worth before, and a run that overdraws it.
rate()
{
	local before=$SECONDS
	check "fresh cache" fresh
	turn dirty_thresh_pct 95
	turn clean_rate_kb 64
	dirty_blocks 8192
	mark
	before=$SECONDS
	turn do_sync 1
	sleep 3
	look
	expect "clean_rate_kb cleans" cleanings -ge 16
	expect "but not too much" cleanings -le $(((SECONDS - before + 2) * 16 + 64))
	mark
	check "removal does not wait for it" fc_remove "$NAME"
	check "load" new_cache writeback "$LOAD"
	check_num "all was cleaned" "$(fc_status "$NAME" dirty)" -eq 0
}

idle()
{
	check "fresh cache" fresh
	turn fallow_clean_speed 100
	dirty_blocks 1024
	turn fallow_delay 1
	check "an idle cache cleans" fc_wait "$NAME" dirty -eq 0
	check "fresh cache" fresh
	turn fallow_delay 0
	dirty_blocks 1024
	turn fast_remove 1
	check "fast_remove" fc_remove "$NAME"
	check "load" new_cache writeback "$LOAD"
	check_num "left blocks dirty" "$(fc_status "$NAME" dirty)" -ge 200
	check_num "and is not kept" "$(shows fast_remove)" -eq 0
}

# A block in the middle of a cluster of sixteen, of an empty cache.
ahead()
{
	check "fresh cache" fresh
	mark
	reads 1040 1
	settle
	expect "fill_ahead brings the rest of the cluster" fills -eq 12
	expect "in one read of the disk" disk_reads -eq 1
	mark
	reads 1044 11
	look
	expect "which hits" read_hit_blocks -eq 11
	expect "and leaves the disk alone" disk_reads -eq 0
	turn fill_ahead 0
	mark
	reads 2064 1
	settle
	expect "fill_ahead 0: one block" fills -eq 1
}

random_reads()
{
	fio --name=r --filename="$DEV" --rw=randread --bs=4k --direct=1 --ioengine=libaio \
		--iodepth=32 --iodepth_batch_submit=32 --iodepth_batch_complete_min=32 \
		--io_size=1600k --size=16m --offset="$1" --randseed="$SEED" >/dev/null
}

fill_budget()
{
	check "fresh cache" fresh_still
	mark
	random_reads 0
	settle
	expect "256 fills in flight are enough" fill_skips -eq 0
	turn max_fill_ios 1
	mark
	random_reads 16m
	settle
	expect "with one, fills are skipped" fill_skips -ge 10
	expect "and some are done" fills -ge 1
}

effects()
{
	admission
	lists
	threads
	bounds
	histograms
	syncing
	rate
	idle
	ahead
	fill_budget
}

legs 64 48
load_module
model "$DISK"
check "a cache" new_cache writeback "$FORCE"
check "the knobs are those of the list" same_knobs
settings
keeping
effects
healthy "after it all"
check_clean
guest_end
