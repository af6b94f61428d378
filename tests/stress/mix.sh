#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# mix.sh SECONDS: all at once on one cache, while a second one comes and goes: checked loads by fcx
# and fio, table reloads, suspends, changes of mode, policy and settings, cleaning at full speed,
# memory pressure and, where the kernel can, failing allocations. At the end every sector must be
# right, through the cache and on the raw disk, and all of that must have happened.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

DURATION=$1
STOP=$TMP/stop
TICKS=$TMP/ticks
BAD=$TMP/bad
LIVES=$TMP/lives
FAULTS=/sys/kernel/debug
MIX=read=38,write=34,fua=4,flush=3,discard=4,stream=17
POLICIES=(fifo lru s3fifo)
MODES=(writeback writeback writethrough writearound)
workers=()

# --- workers --------------------------------------------------------------------------------------

# hire NAME CMD...: runs in the background until there is STOP; its numbers repeat with SEED.
hire()
{
	local name=$1
	shift
	CHANCE=$((SEED + ${#workers[@]} * 7919))
	(set +e; "$@") >"$TMP/$name.log" 2>&1 &
	workers+=($!)
}

running() { [ ! -e "$STOP" ]; }
tick() { echo "$1" >>"$TICKS"; }
ticks() { grep -cx "$1" "$TICKS" || true; }

# dice SIDES: a number below that in $roll (a linear congruential generator).
dice()
{
	CHANCE=$(((CHANCE * 1103515245 + 12345) & 0x7fffffff))
	roll=$(((CHANCE >> 8) % $1))
}

# must WHAT CMD...: counts it, or notes the failure with what CMD said.
must()
{
	local what=$1 said rc=0
	shift
	said=$("$@" 2>&1) || rc=$?
	if [ "$rc" -eq 0 ]; then
		tick "$what"
	else
		printf '%s: %s (%s)\n%s\n' "$what" "$*" "$rc" "$(tail -n 12 <<<"$said")" >>"$BAD"
	fi
}

# exerciser NAME OFFSET SPAN [OPTION...]: goes on with what it knows of its part of the device.
exerciser()
{
	local state=$TMP/$1.state
	local -a known=(--offset "$2" --span "$3")
	while
		dice 1000000
		must "$1" "$FCX" run --seed "$roll" --seconds 5 --no-nowait "${known[@]}" "${@:4}" \
			--mix "$MIX" --save-state "$state" "$DEV"
		known=(--state "$state")
		running
	do :; done
}

# fio_job NAME SEED OPTION...: on its own part of a device.
fio_job()
{
	fio --name=v --filename="$1" --direct=1 --size=6m --offset=56m --bsrange=512-64k \
		--verify=crc32c --verify_fatal=1 --randseed="$2" "${@:3}"
}

fio_verifier()
{
	while
		dice 1000000
		must fio fio_job "$DEV" "$roll" --rw=randrw --ioengine=libaio --iodepth=8 --fsync=32
		must fio fio_job "$DEV" "$roll" --rw=randrw --ioengine=psync
		running
	do :; done
}

# What the counters say goes with each table: kept before the next one comes.
keep_counters() { dmsetup status "$NAME" >>"$LIVES"; }

reload_as_any()
{
	local mode
	dice ${#MODES[@]}
	mode=${MODES[roll]}
	dice 3
	keep_counters
	must reload fc_reload "$NAME" "$DISK" "$SSD" "$(mode_number "$mode")" "$LOAD" \
		8 0 512 0 0 8 4 policy "${POLICIES[roll]}" dirty_thresh_pct $((10 + roll * 30))
}

suspend_and_resume()
{
	must suspend dmsetup suspend "$@" "$NAME"
	must status dmsetup status "$NAME"
	must resume dmsetup resume "$NAME"
}

# Only one hand may turn this wheel: tables are loaded and made live in two steps.
table_turner()
{
	while
		reload_as_any
		sleep 0.3
		suspend_and_resume
		dice 3
		[ "$roll" -ne 0 ] || suspend_and_resume --noflush
		dice 20
		sleep "0.$((50 + roll))"
		running
	do :; done
}

# say_any WORD VALUE...: one of the values.
say_any()
{
	local word=$1
	shift
	dice $#
	shift "$roll"
	must "$word" fc_message "$NAME" "$word" "$1"
}

messenger()
{
	while
		say_any cache_mode "${MODES[@]}"
		say_any reclaim_policy 0 1 2
		say_any dirty_thresh_pct 10 20 50 95
		say_any max_clean_ios_total 1 4 256
		say_any cache_mode "${MODES[@]}"
		say_any fallow_delay 0 1
		say_any fallow_clean_speed 2 100
		say_any do_sync 1
		say_any cache_mode writeback
		say_any skip_seq_thresh_kb 0 64 1024
		say_any stop_sync 0 1
		running
	do :; done
}

# A cache that comes, works and goes, of any shape; then the raw disk must have it all.
passer_by()
{
	local mode block state=$TMP/two.state
	while
		dice ${#MODES[@]}
		mode=$(mode_number "${MODES[roll]}")
		dice 5
		block=$((8 << roll))
		must create fc_create two "$DISK2" "$SSD2" "$mode" "$FORCE" "$block" 0 256
		must second-load "$FCX" run --seed "$roll" --ops 400 --mix "$MIX" --max 256k \
			--save-state "$state" /dev/mapper/two
		must remove fc_remove two
		must second-verify "$FCX" verify --state "$state" "$DISK2"
		must load fc_create two "$DISK2" "$SSD2" "$mode" "$LOAD"
		must second-verify "$FCX" verify --state "$state" /dev/mapper/two
		must remove fc_remove two
		running
	do :; done
}

squeezer()
{
	while
		must squeeze "$BIN/hog" 150 5
		echo 3 >/proc/sys/vm/drop_caches
		running
	do :; done
}

can_inject() { [ -d "$FAULTS/failslab" ]; }

# Allocations that may not wait fail: for those that may the kernel has no excuse.
set_faults()
{
	local dir
	for dir in failslab fail_page_alloc; do
		echo "$1" >"$FAULTS/$dir/probability"
	done
}

prepare_faults()
{
	local dir cache
	for dir in failslab fail_page_alloc; do
		echo 1 >"$FAULTS/$dir/interval"
		echo -1 >"$FAULTS/$dir/times"
		echo 0 >"$FAULTS/$dir/verbose"
		echo Y >"$FAULTS/$dir/ignore-gfp-wait"
	done
	echo 0 >"$FAULTS/fail_page_alloc/min-order"
	# Not those of the watchers themselves, which would give up.
	echo Y >"$FAULTS/failslab/cache-filter"
	for cache in /sys/kernel/slab/{kmalloc-*,bio*,flashcache*,fc_*}; do
		[ ! -e "$cache/failslab" ] || echo 1 >"$cache/failslab"
	done
}

saboteur()
{
	prepare_faults
	while
		dice 4
		set_faults $((3 << roll))
		tick inject
		sleep 2
		set_faults 0
		sleep 1
		running
	do :; done
}

# --- the end --------------------------------------------------------------------------------------

happened()
{
	local what n
	for what; do
		n=$(ticks "$what")
		check_num "$what happened ($n)" "$n" -ge 1
	done
}

# Counters, summed up over all lives of the cache.
declare -A sum=()
add_up()
{
	local word
	local -a words
	while read -r -a words; do
		for word in "${words[@]}"; do
			[[ ! $word =~ ^([a-z_]+)=([0-9]+)$ ]] ||
				sum[${BASH_REMATCH[1]}]=$((${sum[${BASH_REMATCH[1]}]:-0} + BASH_REMATCH[2]))
		done
	done <"$LIVES"
}

did()
{
	local what
	for what; do
		check_num "$what: ${sum[$what]:-0}" "${sum[$what]:-0}" -ge 1
	done
}

# Worker by worker, so that a dead one is noticed.
dismiss()
{
	local pid
	touch "$STOP"
	for pid in "${workers[@]}"; do
		wait "$pid" || not_ok "a worker ended with $?"
	done
	! can_inject || set_faults 0
}

all_verified()
{
	known_right "$1: first part" "$TMP/wide.state" "$2"
	known_right "$1: second part" "$TMP/crowd.state" "$2"
	check "$1: fio's part" fio_job "$2" "$SEED" --rw=randwrite --ioengine=psync --verify_only
}

legs 64 32
DISK2=$(make_null_blk disk2 32 100000 8 512 1)
SSD2=$(make_null_blk ssd2 24 20000 64 512 1)
check "module loads" load_module
check "a cache" cache writeback "$FORCE"
: >"$TICKS"
hire wide exerciser wide 0 40m --max 256k
hire crowd exerciser crowd 40m 3m --max 64k --threads 6 --hot 0:100
hire fio fio_verifier
hire turner table_turner
hire messenger messenger
hire second passer_by
hire squeezer squeezer
! can_inject || hire saboteur saboteur
sleep "$DURATION"
dismiss
if [ -s "$BAD" ]; then
	head -n 60 "$BAD" | sed 's/^/# /'
	not_ok "nothing failed"
else
	ok "nothing failed"
fi
keep_counters
add_up
healthy "after it all"
happened wide crowd fio reload suspend resume cache_mode reclaim_policy dirty_thresh_pct do_sync \
	create remove second-load second-verify squeeze
did reads writes fills read_hits write_hits replacements cleanings discards flushes fuas parked \
	log_commits
if can_inject; then
	happened inject
	failed=$((sum[fill_skips] + sum[memory_alloc_errors]))
	check_num "allocations failed: $failed" "$failed" -ge 1
fi
check "a last job of fio" fio_job "$DEV" "$SEED" --rw=randwrite --ioengine=psync --do_verify=0
all_verified "through the cache" "$DEV"
check "remove" fc_remove "$NAME"
all_verified "raw disk" "$DISK"
check_clean
guest_end
