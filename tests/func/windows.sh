#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# windows.sh: sysctls and files in /proc/flashcache: what they show, their names, and windows that
# open, change hands and close while others look through them.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"
# shellcheck source=tests/func/windows-lib.sh
. "$ROOT/tests/func/windows-lib.sh"

# --- files ----------------------------------------------------------------------------------------

OLD_KEYS='reads writes read_hits read_hit_percent write_hits write_hit_percent dirty_write_hits
dirty_write_hit_percent replacement write_replacement write_invalidates read_invalidates
pending_enqueues pending_inval metadata_dirties metadata_cleans metadata_batch metadata_ssd_writes
cleanings fallow_cleanings no_room front_merge back_merge disk_reads disk_writes ssd_reads
ssd_writes uncached_reads uncached_writes uncached_IO_requeue uncached_sequential_reads
uncached_sequential_writes pid_adds pid_dels pid_drops pid_expiry'
ERROR_KEYS='disk_read_errors disk_write_errors ssd_read_errors ssd_write_errors memory_alloc_errors'

words() { tr -s ' \n' '\n' <"$1"; }

# key_values FILE: nothing else is in it, and each key once.
key_values()
{
	! words "$1" | grep -vE '^[A-Za-z_]+=[0-9]+$' &&
		! words "$1" | cut -d= -f1 | sort | uniq -d | grep .
}

numbers() { ! words "$1" | grep -vE '^([0-9]+|larger):[0-9]+$'; }

# keys_are FILE KEY...: the file begins with these keys, in this order.
keys_are()
{
	local file=$1
	shift
	words "$file" | cut -d= -f1 | sed "$#q" >"$TMP/keys"
	printf '%s\n' "$@" | diff - "$TMP/keys"
}

# Each counter that both have is the same; nothing runs meanwhile.
agree()
{
	local word
	look
	# shellcheck disable=SC2013 # it is words
	for word in $(cat "$PROC/$W/flashcache_stats" "$PROC/$W/flashcache_errors"); do
		[ -z "${_after[${word%%=*}]:-}" ] || [ "${_after[${word%%=*}]}" = "${word#*=}" ] ||
			{ echo "$word, status: ${_after[${word%%=*}]}"; return 1; }
	done
}

value() { words "$PROC/$W/flashcache_stats" | sed -n "s/^$1=//p"; }

files()
{
	local dir
	check "fresh cache" fresh
	dir=$PROC/$W
	reads 0 300
	reads 0 100
	writes 4000 200
	settle
	check "version" grep -qE '^Flashcache Version : flashcache-[0-9.]+$' "$PROC/flashcache_version"
	check "flashcache_stats is key=value" key_values "$dir/flashcache_stats"
	check "flashcache_errors is key=value" key_values "$dir/flashcache_errors"
	check "flashcache_iosize_hist is key:value" numbers "$dir/flashcache_iosize_hist"
	check "flashcache_io_latency_hist is key:value" numbers "$dir/flashcache_io_latency_hist"
	# shellcheck disable=SC2086 # words
	check "flashcache_stats has the original's keys" keys_are "$dir/flashcache_stats" $OLD_KEYS
	# shellcheck disable=SC2086 # words
	check "flashcache_errors, too" keys_are "$dir/flashcache_errors" $ERROR_KEYS
	check "the first line is reads and writes" \
		grep -qE '^reads=[0-9]+ writes=[0-9]+ $' "$dir/flashcache_stats"
	check "counters are those of the status" agree
	check_num "read_hit_percent" "$(value read_hit_percent)" -eq \
		$((100 * $(value read_hits) / $(value reads)))
	check_num "read_hits" "$(value read_hits)" -ge 100
	check_num "replacement" "$(value replacement)" -eq "$(fc_status "$NAME" replacements)"
	check "files cannot be written" test "$(stat -c %a "$dir/flashcache_stats")" = 444
}

# --- names ----------------------------------------------------------------------------------------

# linear NAME DEVICE OFFSET SECTORS: a device of its own; prints its numbers.
linear()
{
	dmsetup create "$1" --table "0 $4 linear $2 $3"
	dmsetup info -c --noheadings -o major,minor --separator ' ' "$1"
}

# named WANT DISK SSD: a cache over these has that window.
named()
{
	dmsetup create second --table "0 16384 flashcache $2 $3 second 2 $FORCE" && fc_status second window &&
		[ "$(fc_status second window)" = "$1" ] && [ -d "$PROC/$1" ] && [ -d "$SYSCTL/$1" ]
}

names()
{
	local d=16384 s=24576 numbers kernel
	[ ! -e "/dev/mapper/$NAME" ] || fc_remove "$NAME"
	mkdir -p /dev/a /dev/b
	# shellcheck disable=SC2046 # major and minor
	{
		mknod /dev/a/disk b $(linear d1 "$DISK" 0 $d)
		mknod /dev/a/ssd b $(linear s1 "$SSD" 0 $s)
		mknod /dev/b/disk b $(linear d2 "$DISK" $d $d)
		mknod /dev/b/ssd b $(linear s2 "$SSD" $s $s)
	}
	check "a cache" fc_create "$NAME" /dev/a/disk /dev/a/ssd 1 "$FORCE"
	check "has the names of its devices" test "$(window)" = ssd+disk
	W=ssd+disk
	log_mark
	check "a cache of the same names gets a number" named ssd+disk~2 /dev/b/disk /dev/b/ssd
	check "which is told" logged "dev.flashcache.ssd+disk~2"
	turn lru_hot_pct 11
	check_num "they are two" "$(cat "$SYSCTL/ssd+disk~2/lru_hot_pct")" -eq 75
	check "remove the first" fc_remove "$NAME"
	check "its window is gone" test ! -e "$PROC/ssd+disk" -a ! -e "$SYSCTL/ssd+disk"
	check "the other's is not" test -d "$PROC/ssd+disk~2" -a -d "$SYSCTL/ssd+disk~2"
	check "and works" grep -q . "$SYSCTL/ssd+disk~2/lru_hot_pct"
	check "the name is free again" fc_create "$NAME" /dev/a/disk /dev/a/ssd 1 "$LOAD"
	check "and taken" test "$(window)" = ssd+disk
	check "remove the second" fc_remove second
	ln /dev/b/ssd '/dev/b/pci-0:1.f%sd'
	ln -s /dev/b/disk /dev/b/disk.1
	check "dots and the like are replaced" named pci-0:1_f_sd+disk_1 /dev/b/disk.1 \
		'/dev/b/pci-0:1.f%sd'
	check "sysctl(8) can write" sysctl -w dev.flashcache.pci-0:1_f_sd+disk_1.max_pids=7
	check "remove" fc_remove second
	numbers=$(stat -c '%Hr:%Lr' /dev/b/ssd)
	kernel=dm-${numbers#*:}
	check "numbers give the kernel's names" named "$kernel+dm-$(stat -c %Lr /dev/b/disk)" \
		"$(stat -c '%Hr:%Lr' /dev/b/disk)" "$numbers"
	check "remove" fc_remove second
	long_names
	check "remove" fc_remove "$NAME"
	rm -r /dev/a /dev/b
	for name in d1 s1 d2 s2; do
		dmsetup remove $name
	done
	check "no window is left" test -z "$(find "$PROC" -mindepth 1 -type d)"
	check "no sysctl is left" test ! -e "$SYSCTL"
}

# Names as long as they can be: cut, told apart all the same.
long_names()
{
	local long
	long=$(printf 'x%.0s' {1..250})
	ln /dev/b/ssd "/dev/b/$long"
	ln /dev/b/disk "/dev/b/${long}y"
	check "long names are cut" named "${long:0:99}+${long:0:99}" "/dev/b/${long}y" "/dev/b/$long"
	check "remove" fc_remove second
}

# --- windows that come and go ---------------------------------------------------------------------

# A reader that had the files open when the cache went away.
left_open()
{
	local line
	check "fresh cache" fresh
	exec 5<"$PROC/$W/flashcache_stats" 6<"$SYSCTL/$W/cache_all" 7<"$PROC/$W/flashcache_pidlists"
	read -r line <&7
	check "it reads" grep -q Blacklist <<<"$line"
	(cd "$PROC/$W" && exec sleep 1000) &
	check "remove" fc_remove "$NAME"
	check_fails "the file is no more" "" cat <&5
	check_fails "nor the sysctl" "" cat <&6
	check_fails "nor the rest of what was begun" "" read -r line <&7
	kill $!
	wait $! || true
	exec 7<&-
}

# A reload leaves the window as it is: who has it open goes on.
changes_hands()
{
	local inode
	check "cache" new_cache writeback "$LOAD"
	inode=$(stat -c %i "$PROC/$W/flashcache_stats")
	exec 7<"$PROC/$W/flashcache_stats" 8>"$SYSCTL/$W/lru_hot_pct"
	check "reload" reload_cache writethrough
	check "the name is the same" test "$(window)" = "$W"
	check "so is the file" test "$(stat -c %i "$PROC/$W/flashcache_stats")" = "$inode"
	check "who had it open can read" grep -q reads= <&7
	echo 44 >&8
	check "and write" test "$(fc_status "$NAME" lru_hot_pct)" = 44
	exec 7<&- 8>&-
	reads 0 10
	check "it shows the new cache" agree
	check "suspend" dmsetup suspend "$NAME"
	check "the suspended can be seen" agree
	check "resume" dmsetup resume "$NAME"
	check "a table that fails leaves it" test "$(window)" = "$W"
}

look_at_all()
{
	while [ -e "$TMP/racing" ]; do
		find "$PROC" "$SYSCTL" -type f -exec cat {} + >/dev/null 2>&1
		sysctl -a 2>/dev/null | grep -c flashcache >/dev/null
	done
}

turn_all_the_time()
{
	local i
	while [ -e "$TMP/racing" ]; do
		for i in "$SYSCTL"/*; do
			echo $((RANDOM % 2)) >"$i/cache_all"
			echo $((RANDOM % 90)) >"$i/dirty_thresh_pct"
			echo 1 >"$i/zero_stats"
			echo $((RANDOM % 2)) >"$i/io_latency_hist"
		done 2>/dev/null
		fc_message "$NAME" blacklist add $((RANDOM + 1)) 2>/dev/null
		fc_message "$NAME" whitelist add $$ 2>/dev/null
		fc_message "$NAME" blacklist delall 2>/dev/null
	done
}

races()
{
	local i
	touch "$TMP/racing"
	look_at_all &
	turn_all_the_time &
	for ((i = 0; i < 6; i++)); do
		fc_remove "$NAME" || not_ok "race: remove $i"
		new_cache writeback "$LOAD" || not_ok "race: load $i"
		reads $((i * 400)) 20
		reload_cache writethrough || not_ok "race: reload $i"
		"$FCX" run --seed $((SEED + i)) --ops 200 "$DEV" >"$TMP/log" 2>&1 ||
			{ cat "$TMP/log"; not_ok "race: fcx $i"; }
		dmsetup suspend "$NAME" || not_ok "race: suspend $i"
		dmsetup resume "$NAME" || not_ok "race: resume $i"
	done
	rm "$TMP/racing"
	wait
	healthy "after the races"
}

# The module goes while a reader of former files still has them open.
gone()
{
	exec 7<"$PROC/flashcache_version"
	check "remove" fc_remove "$NAME"
	check "module unloads" unload_module
	check "no /proc/flashcache" test ! -e "$PROC"
	check "no sysctl" test ! -e "$SYSCTL"
	check_fails "what was open is dead" "" cat <&7
	exec 5<&- 6<&- 7<&-
	check "module loads again" load_module
	check "version" grep -q Version "$PROC/flashcache_version"
}

legs 64 48
load_module
check "a cache" new_cache writeback "$FORCE"
check "its window has its devices' names" test "$W" = "$(basename "$SSD")+$(basename "$DISK")"
files
names
left_open
changes_hands
races
gone
check_clean
guest_end
