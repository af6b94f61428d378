#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# ctr.sh: every kind of bad table line is refused with one clear reason, and changes nothing.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

# refuses REASON TABLE: no device comes of it, and device-mapper says why.
refuses()
{
	log_mark
	! dmsetup create bad --table "$2" && logged "flashcache: $1" && ! dmsetup info bad
}

# bad_line DESC REASON WORD...: a whole table line, from its start sector on.
bad_line() { check "$1 is refused: $2" refuses "$2" "${*:3}"; }

# bad DESC REASON WORD...: what follows the target's name.
bad() { bad_line "$1" "$2" 0 "$(sectors "$DISK")" flashcache "${@:3}"; }

# bad_at DESC REASON POSITION WORD: a good line with one word changed (0: the disk).
bad_at()
{
	local -a words=("$DISK" "$SSD" bad 1 2 8 0 512 128 0 8)
	words[$3]=$4
	bad "$1" "$2" "${words[@]}"
}

# bad_option DESC REASON WORD...: a good line followed by options.
bad_option() { bad "$1" "$2" "$DISK" "$SSD" bad 1 2 8 0 512 128 0 8 "${@:3}"; }

# fails_with ERRNO WORD...: what follows the target's name is refused for a reason that is the
# device's, and whoever asked is told that reason.
fails_with()
{
	local said
	said=$(dmsetup create bad --table "0 $(sectors "$DISK") flashcache ${*:2}" 2>&1) && return 1
	echo "$said" | grep -F "$1"
}

devices()
{
	local few='Need at least 4 arguments: disk, cache device, name, mode'
	bad "nothing given" "$few" ''
	bad "no flash" "$few" "$DISK"
	bad "no mode" "$few" "$DISK" "$SSD" bad
	bad_at "no such disk" 'Disk device lookup failed' 0 /dev/nowhere
	bad_at "no such flash" 'Cache device lookup failed' 1 /dev/nowhere
	check "no such disk is told as that" fails_with 'No such device' /dev/nowhere "$SSD" bad 1 2
	check "no such flash is told as that" fails_with 'No such device' "$DISK" /dev/nowhere bad 1 2
	bad_at "flash is the disk" 'Disk and cache device are the same' 1 "$DISK"
	bad_at "a name of 200 characters" 'Virtual device name lookup failed: longer' 2 \
		"$(printf '%0200d' 0)"
	bad_at "a name with a blank" 'Virtual device name lookup failed: has a blank' 2 'a\ b'
	bad_at "a name with a backslash" 'Virtual device name lookup failed: has a blank' 2 'a\\b'
	bad_line "longer than the disk" 'Invalid disk size: the table is longer than the disk' \
		0 $(($(sectors "$DISK") + 8)) flashcache "$DISK" "$SSD" bad 1 2
}

numbers()
{
	local value
	for value in 0 4 -1 x 1x 99999999999999999999; do
		bad_at "mode $value" 'Invalid cache mode: 1 writeback, 2' 3 "$value"
	done
	for value in 0 4 x; do
		bad_at "persistence $value" 'Invalid cache persistence: 1 load, 2' 4 "$value"
	done
	for value in 1 4 7 12 256; do
		bad_at "block size $value" 'Invalid block size: must be' 5 "$value"
	done
	bad_at "cache size 8" 'Invalid cache size: too small for one set' 6 8
	bad_at "cache size 999999999" 'Invalid cache size: larger than the cache device' 6 999999999
	for value in 1 128 300 16384; do
		bad_at "associativity $value" 'Invalid cache associativity: must be' 7 "$value"
	done
	for value in 3 4 99999999; do
		bad_at "disk associativity $value" 'Invalid disk associativity: must be' 8 "$value"
	done
	for value in 1 x; do
		bad_at "write_only $value" 'Invalid Write Cache setting: must be 0' 9 "$value"
	done
	for value in 3 256 x; do
		bad_at "metadata block size $value" 'Invalid metadata block size: a power' 10 "$value"
	done
	not_a_number
}

not_a_number()
{
	local value
	for value in x -8 8x; do
		bad_at "block size $value" 'Invalid block size: not a number' 5 "$value"
		bad_at "cache size $value" 'Invalid cache size: not a number' 6 "$value"
		bad_at "associativity $value" 'Invalid cache associativity: not a number' 7 "$value"
		bad_at "disk associativity $value" 'Invalid disk associativity: not a' 8 "$value"
	done
}

options()
{
	local count='Invalid number of option words: must count all'
	local value='Invalid value of an option: not a number, or out of range'
	bad_option "number of options is none" "$count" x
	bad_option "too few words" "$count" 2 policy
	bad_option "too many words" "$count" 2 policy lru fast_remove 1
	bad_option "a key without a value" 'Invalid number of option words: options are pairs' 1 policy
	bad_option "unknown option" 'Unknown option' 2 frobnicate 1
	bad_option "policy that is none" 'Invalid policy: fifo, lru or s3fifo' 2 policy clock
	bad_option "threshold too high" "$value" 2 dirty_thresh_pct 96
	bad_option "threshold too low" "$value" 2 dirty_thresh_pct 9
	bad_option "threshold that is none" "$value" 2 dirty_thresh_pct x
	bad_option "sequential threshold below 0" "$value" 2 skip_seq_thresh_kb -1
	bad_option "fast_remove 2" "$value" 2 fast_remove 2
	bad_option "a bad value after a good one" "$value" 4 policy lru fallow_delay x
	bad_option "uuid" 'Invalid uuid' 2 uuid not-a-uuid
}

# Flash that is too small for anything, and sizes in sectors that a 4096-byte sector cannot carry.
odd_legs()
{
	local good=$SSD
	SSD=$(make_null_blk tiny 1)
	check_fails "1 MiB of flash, associativity 8192" "" fc_create bad "$DISK" "$SSD" 1 2 8 0 8192
	check "no device of it" test ! -e /dev/mapper/bad
	SSD=$good
}

still_good()
{
	check "a good line is still good" cache writeback "$CREATE"
	exercise "and works" --seconds "$(brief 2)"
	check "remove" fc_remove "$NAME"
}

legs 64 48
load_module
head -c 8M /dev/urandom | dd of="$SSD" bs=1M oflag=direct iflag=fullblock seek=8 status=none
before=$(sha256sum <"$SSD")
devices
numbers
options
odd_legs
check "flash was never written to" test "$before" = "$(sha256sum <"$SSD")"
still_good
check_clean
guest_end
