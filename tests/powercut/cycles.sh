#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# cycles.sh CYCLES: in the VM. The power-cut target's own proof; then, again and again: a life of
# the cache under load and under whatever may happen to it, a cut in the middle, recovery, a look at
# each sector. A fixed share of recoveries is cut as well. All choices are made by SEED.
# On TCG a process costs more than hundreds of I/Os: what a cycle does often is done without one.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"
# shellcheck source=tests/powercut/power-lib.sh
. "$ROOT/tests/powercut/power-lib.sh"

CYCLES=$1
DISK_MB=8
SSD_MB=5
MIX=read=25,write=40,fua=8,flush=8,discard=3,stream=16

# What all cycles did, for the asserts at the end.
declare -A sum=()
count() { sum[$1]=$((${sum[$1]:-0} + $2)); }

# --- a life ---------------------------------------------------------------------------------------

modes=(writeback writethrough writeback writearound writeback)
# What happens to the cache under load; nothing in every third life.
events=(nothing mode_changes suspends nothing syncs reloads nothing policies)

# draw: what the next life will be like.
lives=0
draw()
{
	MODE=${modes[lives % ${#modes[@]}]}
	EVENT=${events[lives % ${#events[@]}]}
	lives=$((lives + 1))
	next_chance
	KEYS=(fast_remove 1)
	[ $((chance % 4)) -ne 0 ] || KEYS=()
	CLEANER=slow
	if [ $((chance / 4 % 2)) -eq 0 ]; then
		CLEANER=fast
		KEYS+=(dirty_thresh_pct 10 max_clean_ios_total 16)
	else
		KEYS+=(dirty_thresh_pct 95)
	fi
	# Every other cut comes some time after so many operations of the load, every other one with
	# a certain I/O, or after a thousand when there is no such I/O. What is to happen meanwhile
	# takes its time.
	TRAP=() OPS=$((300 + chance / 16 % 500))
	[ "$EVENT" = nothing ] || OPS=$((OPS + 500))
	[ $((chance / 8 % 2)) -eq 0 ] || { draw_trap; OPS=1000; }
}

draw_trap()
{
	next_chance
	case $((chance % 8)) in
	0 | 1 | 2) TRAP=(pssd write $((chance / 8 % 600 + 50))) ;;
	3 | 4) TRAP=(pssd flush $((chance / 8 % 50 + 5))) ;;
	5 | 6) TRAP=(pdisk write $((chance / 8 % 300 + 20))) ;;
	7) TRAP=(pdisk flush $((chance / 8 % 20 + 2))) ;;
	esac
}

# make_table PERSIST: in $table.
make_table()
{
	table="0 $((DISK_MB * 2048)) flashcache $DISK $SSD $NAME ${MODE_NUMBERS[$MODE]} $1 \
8 0 256 0 0 8 ${#KEYS[@]} ${KEYS[*]}"
}

start_cache()
{
	local table
	make_table "$1"
	dmsetup create "$NAME" --table "$table"
}

# With nothing but zeros below.
fresh()
{
	dmsetup message pdisk 0 erase && dmsetup message pssd 0 erase && start_cache "$FORCE" &&
		"$FCX" run --seed "$SEED" --fill --ops 0 --save-state "$TMP/state" "$DEV" \
			>"$TMP/fill.out"
}

# --- what happens under load ----------------------------------------------------------------------

# From the load's beginning to its end; a line for each round.
happens_on()
{
	pause "0.1$((chance % 10))"
	[ ! -s "$TMP/stop" ] && echo >>"$TMP/happened"
}

nothing() { :; }
syncs() { while happens_on; do fc_message "$NAME" do_sync 1; done; }

mode_changes()
{
	local mode
	while happens_on; do
		for mode in writethrough writeback writearound writeback; do
			fc_message "$NAME" cache_mode "$mode"
		done
	done
}

policies()
{
	local policy
	while happens_on; do
		for policy in 0 1 2; do
			fc_message "$NAME" reclaim_policy "$policy"
		done
	done
}

# A cache that cannot be resumed without power is given up, so that nobody waits for it. Not by
# dm-error (wipe_table), which device-mapper answers a FLUSH for with success: by the dead disk.
resume()
{
	dmsetup resume "$NAME" && return
	echo >"$TMP/stop"
	dmsetup load "$NAME" --table "0 $((DISK_MB * 2048)) linear $DISK 0" &&
		dmsetup resume --noflush "$NAME"
}

suspends()
{
	while happens_on; do
		dmsetup suspend "$NAME" || true
		resume
	done
}

reloads()
{
	local table
	make_table "$LOAD"
	while happens_on; do
		dmsetup reload "$NAME" --table "$table" || true
		dmsetup suspend "$NAME" || true
		resume
	done
}

# --- a life and its end ---------------------------------------------------------------------------

# The load goes on until its first error; until then it must have found nothing wrong.
load()
{
	local -a how=(--no-nowait)
	case "$EVENT" in suspends | reloads) ;; *) how=() ;; esac
	exec "$FCX" run --seed "$1" --seconds 600 --tell $OPS --max 64k --threads 2 --depth 6 \
		--no-verify "${how[@]}" --state "$TMP/state" --log "$TMP/log" --mix $MIX "$DEV" 2>&1
}

# The load's first words are that it has begun so many operations, or of an I/O error, which is that
# the power went with a certain I/O.
cut_some_time()
{
	local line=
	read -r line || true
	[[ $line != *operations* ]] || dmsetup message pdisk 0 cut "$1"
	{ echo "$line"; mapfile -t; printf '%s\n' "${MAPFILE[@]}"; } >"$TMP/fcx.out"
}

live()
{
	local seed=$1 load event rc=0
	: >"$TMP/stop"
	: >"$TMP/happened"
	[ ${#TRAP[@]} -eq 0 ] || dmsetup message "${TRAP[0]}" 0 cut "$seed" "${TRAP[@]:1}"
	load "$seed" >"$TMP/said" &
	load=$!
	$EVENT >"$TMP/event.out" 2>&1 &
	event=$!
	cut_some_time "$seed" <"$TMP/said"
	wait "$load" || rc=$?
	echo >"$TMP/stop"
	wait "$event" || true
	sum_up_life
	# 2 is wrong data; 3 what a load says that loses its device, and nothing else may be why.
	[ "$rc" -eq 3 ] && [ "$POWER" = 0 ]
}

# What was done, as far as the cache still tells (it begins anew with each reload).
sum_up_life()
{
	local line disk ssd field
	_after=()
	while read -r line; do
		case "$line" in
		pdisk:*) disk=$line ;;
		pssd:*) ssd=$line ;;
		*) take_counters _after "$line" ;;
		esac
	done <<<"$(dmsetup status)"
	word power "$disk"; POWER=$word
	word staked "$disk"; STAKED=$word
	word staked "$ssd"; STAKED=$((STAKED + word))
	word lost "$disk"; LOST=$word
	word lost "$ssd"; LOST=$((LOST + word))
	for field in log_commits cleanings discards fuas flushes parked; do
		count $field "${_after[$field]:-0}"
	done
	# The load of a crashed cache has one as well.
	[ "${_after[checkpoints]:-0}" -le 1 ] || count checkpoints $((_after[checkpoints] - 1))
	[ "$STAKED" -eq 0 ] || count cuts_that_cost 1
	count lost "$LOST"
	mapfile -t <"$TMP/happened"
	HAPPENED=${#MAPFILE[@]}
	count happened "$HAPPENED"
}

fall()
{
	fc_remove "$NAME" && heal
}

# --- recovery -------------------------------------------------------------------------------------

# Power goes again with a certain I/O of the load of the cache, which must then fail.
cut_recovery()
{
	local seed=$1
	local -a traps=("pssd write 1" "pssd write 2" "pssd flush 1" "pdisk flush 1" "pssd read 5"
		"pssd write 3" "pssd flush 2")
	local trap=${traps[$2 % ${#traps[@]}]}
	# shellcheck disable=SC2086 # three words
	set -- $trap
	dmsetup message "$1" 0 cut "$seed" "$2" "$3"
	AGAIN="cut again at $trap of the recovery, "
	count recoveries_to_cut 1
	if start_cache "$LOAD" >"$TMP/recut.out" 2>&1; then
		AGAIN="not $AGAIN"
		fc_remove "$NAME" && heal
		return
	fi
	count recoveries_cut 1
	[ "$(fc_status pssd power)" = 0 ] && heal
}

# What the kernel says of a load; a process that reads along, as long as all this.
listen()
{
	coproc KERNEL { exec grep --line-buffered -oE '[0-9]+ DIRTY blocks|cycles: mark .*' /dev/kmsg; }
}

# mark_log NUMBER, dirty_since NUMBER: in $DIRTY what the last load since the mark has found.
mark_log() { echo "cycles: mark $1" >/dev/kmsg; }

dirty_since()
{
	local said since=
	DIRTY=
	mark_log "$1 end"
	while read -rt 20 said <&"${KERNEL[0]}" && [ "$said" != "cycles: mark $1 end" ]; do
		[ "$said" != "cycles: mark $1" ] || since=yes
		[[ -z $since || $said != *DIRTY* ]] || DIRTY=${said%% *}
	done
	[ -n "$DIRTY" ]
}

recover()
{
	AGAIN=
	mark_log "$1"
	[ $(($1 % 3)) -ne 0 ] || cut_recovery "$2" $(($1 / 3)) || return 1
	start_cache "$LOAD" || return 1
	# Said by the load itself: by now the cleaner may be done.
	dirty_since "$1"
}

look_after()
{
	"$FCX" verify --state "$TMP/state" --log "$TMP/log" --after-crash \
		--save-state "$TMP/state.new" "$DEV" >"$TMP/verify.out" 2>&1
}

# P3: cleaned, stopped, and read from the bare disk, each sector is still what it was.
stays()
{
	fc_message "$NAME" do_sync 1 && fc_wait "$NAME" dirty -eq 0 60 && fc_remove "$NAME" &&
		"$FCX" verify --state "$TMP/state.new" "$DISK" >"$TMP/verify.out" 2>&1 &&
		start_cache "$LOAD"
}

# --- a cycle --------------------------------------------------------------------------------------

fails()
{
	sed 's/^/# /' "$TMP/verify.out" "$TMP/fcx.out" "$TMP/event.out"
	not_ok "$1"
	return 1
}

tell()
{
	local done="a cache that was wiped"
	if [ -n "${_after[reads]:-}" ]; then
		done="${_after[log_commits]} commits, ${_after[checkpoints]} checkpoints,"
		done+=" ${_after[cleanings]} cleanings"
	fi
	[ "$EVENT_BEFORE" = nothing ] || done+=", $HAPPENED times $EVENT_BEFORE"
	note "$1: $STAKED sectors at stake, $LOST lost; $done; $AGAIN$DIRTY dirty blocks found"
}

cycle()
{
	local seed what
	next_chance
	seed=$chance
	what="cycle $1, $MODE, cleaner $CLEANER, $EVENT, cut ${TRAP[*]:-after $OPS}, seed $seed"
	: >"$TMP/verify.out"
	live "$seed" || { fails "$what: right until the cut"; return 1; }
	local wrote=$MODE
	EVENT_BEFORE=$EVENT
	fall || { fails "$what: goes away"; return 1; }
	draw
	recover "$1" "$seed" || { fails "$what: loads after the cut"; return 1; }
	look_after || { fails "$what: each sector holds what it must"; return 1; }
	tell "cycle $1"
	if [ "$wrote" = writeback ]; then
		count writeback_cycles 1
		[ "$DIRTY" -eq 0 ] || count writeback_found_dirty 1
	fi
	[ $((seed % 2)) -eq 0 ] || stays || { fails "$what: what is read stays"; return 1; }
	mv "$TMP/state.new" "$TMP/state"
	ok "$what"
}

# --- the instrument itself ------------------------------------------------------------------------

pattern() { head -c 1M /dev/zero | tr '\0' "$1"; }

# What is flushed stays, what is not can go.
can_forget()
{
	pattern a | dd of="$SSD" bs=64k iflag=fullblock oflag=direct conv=fsync status=none
	pattern b | dd of="$SSD" bs=64k iflag=fullblock oflag=direct status=none
	dmsetup message pssd 0 cut 1
	check_fails "without power nothing can be read" 'rror' \
		dd if="$SSD" bs=64k count=1 iflag=direct of=/dev/null
	heal
	dd if="$SSD" bs=1M count=1 iflag=direct status=none | fold -w 512 | cut -c1 | sort | uniq -c \
		>"$TMP/kept"
	note "kept after a cut: $(tr -s ' \n' ' ' <"$TMP/kept")"
	check_num "old and new sectors are left" "$(wc -l <"$TMP/kept")" -ge 2
}

# finds_deaf LEG MODE: a leg that does not obey FLUSH loses what was promised, which must be found.
finds_deaf()
{
	local i seed
	EVENT=nothing KEYS=(fast_remove 1) TRAP=() OPS=600 MODE=$2
	for i in 1 2 3; do
		next_chance
		seed=$chance
		fresh && dmsetup message "$1" 0 deaf 1
		live "$seed"
		fall
		dmsetup message "$1" 0 deaf 0
		if ! start_cache "$LOAD" >"$TMP/deaf.out" 2>&1; then
			note "found in life $i: the cache does not load"
			return 0
		elif ! look_after; then
			note "found in life $i: $(grep -c mismatch "$TMP/verify.out") mismatches"
			fc_remove "$NAME"
			return 0
		fi
		fc_remove "$NAME"
	done
	return 1
}

proofs()
{
	local leg mode
	can_forget
	while read -r leg mode; do
		if finds_deaf "$leg" "$mode"; then
			ok "$leg without flushes is found out in $mode"
		else
			not_ok "$leg without flushes is found out in $mode"
		fi
	done <<<$'pssd writeback\npdisk writethrough\npdisk writeback'
}

# A run that exercised nothing shows nothing.
sums()
{
	local field
	for field in "${!sum[@]}"; do
		note "all cycles: $field ${sum[$field]}"
	done
	check_num "cuts that had something to lose" "${sum[cuts_that_cost]:-0}" -ge $((CYCLES * 3 / 4))
	check_num "commits" "${sum[log_commits]:-0}" -ge $((CYCLES * 3))
	check_num "cleanings" "${sum[cleanings]:-0}" -ge $((CYCLES * 3))
	check_num "discards" "${sum[discards]:-0}" -ge "$CYCLES"
	check_num "FUA writes" "${sum[fuas]:-0}" -ge "$CYCLES"
	check_num "recoveries that were cut" "${sum[recoveries_cut]:-0}" -ge \
		$((${sum[recoveries_to_cut]:-0} * 3 / 4))
	check_num "changes under load" "${sum[happened]:-0}" -ge $((CYCLES / 2))
	check_num "checkpoints under load" "${sum[checkpoints]:-0}" -ge $((CYCLES / 4))
	check_num "writeback cycles with dirty blocks found" "${sum[writeback_found_dirty]:-0}" -ge \
		$((${sum[writeback_cycles]:-0} / 2))
}

load_module
insmod "$ROOT/out/build/$KREL/tests/powercut/dm-powercut.ko"
mkfifo "$TMP/said"
listen
power_legs $((DISK_MB * 2048)) $((SSD_MB * 2048))
proofs
sum=()
draw
check "a cache with known content" fresh
began=$SECONDS
for ((i = 1; i <= CYCLES; i++)); do
	cycle "$i" || break
done
note "$((i - 1)) cycles in $((SECONDS - began)) s"
[ "$i" -le "$CYCLES" ] || sums
fc_remove "$NAME" || true
drop_power_legs
kill "$KERNEL_PID"
check_clean
guest_end
