#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# cycles.sh CYCLES: in the VM. Load, cut the power of both legs, heal, load again, look at each sector;
# again and again, in all modes. What a leg keeps of what was not flushed is up to the seed.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

CYCLES=$1
DISK_MB=32
SSD_MB=12
DISK=/dev/mapper/pdisk
SSD=/dev/mapper/pssd
LEG_GROUP=1
CHANCE=$SEED

# next_chance: a number in $chance; the same cycles for the same seed (a linear congruential generator).
next_chance()
{
	CHANCE=$(((CHANCE * 1103515245 + 12345) & 0x7fffffff))
	chance=$((CHANCE >> 8))
}

power_legs()
{
	dmsetup create pdisk --table "0 $((DISK_MB * 2048)) powercut $LEG_GROUP"
	dmsetup create pssd --table "0 $((SSD_MB * 2048)) powercut $LEG_GROUP"
}

volatile_sectors() { dmsetup status "$1" | awk '{print $5}'; }

# The load, the cut in the middle of it, and the end of the cache that has lost its legs. Every third time
# the legs fail once more while the cache loads.
one_cycle()
{
	local seed=$1 load
	"$FCX" run --seed "$seed" --seconds 120 --max 128k --threads 3 --no-verify \
		--state "$TMP/state" --log "$TMP/log" \
		--mix read=25,write=45,fua=6,flush=5,discard=2,stream=17 "$DEV" >"$TMP/fcx.out" 2>&1 &
	load=$!
	sleep "0.$((200 + seed % 700))"
	[ $((seed % 4)) -ne 0 ] || fc_message "$NAME" do_sync 1
	sleep "0.$((100 + seed / 7 % 800))"
	LOST=$(($(volatile_sectors pdisk) + $(volatile_sectors pssd)))
	dmsetup message pdisk 0 cut "$seed"
	wait "$load" || true
	fc_message "$NAME" fast_remove 1
	fc_remove "$NAME" || return 1
	dmsetup message pdisk 0 heal
	[ $((seed % 3)) -ne 0 ] || cut_while_loading "$seed" || return 1
	return 0
}

cut_while_loading()
{
	cache "$MODE" "$LOAD" >/dev/null 2>&1 &
	sleep "0.0$((seed % 9))"
	dmsetup message pdisk 0 cut "$1"
	wait $! || true
	! dmsetup info "$NAME" >/dev/null 2>&1 || {
		fc_message "$NAME" fast_remove 1 || true
		fc_remove "$NAME"
	}
	dmsetup message pdisk 0 heal
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
		"$FCX" verify --state "$TMP/state.new" "$DISK" >"$TMP/stays.out" 2>&1 &&
		cache "$MODE" "$LOAD"
}

cycle()
{
	local seed what="cycle $1, $MODE"
	next_chance
	seed=$chance
	if ! one_cycle "$seed"; then
		not_ok "$what, seed $seed: cut and heal"
		return 1
	elif ! cache "$MODE" "$LOAD"; then
		not_ok "$what, seed $seed: loads after the cut"
		return 1
	elif ! look_after; then
		sed 's/^/# /' "$TMP/verify.out"
		not_ok "$what, seed $seed: each sector holds what it must"
		return 1
	fi
	note "$what: $LOST sectors at stake, $(fc_status "$NAME" dirty) dirty blocks found"
	[ "$LOST" -gt 0 ] && forgotten=$((forgotten + 1))
	if [ $((seed % 2)) -eq 0 ] && ! stays; then
		sed 's/^/# /' "$TMP/stays.out"
		not_ok "$what, seed $seed: what is read stays"
		return 1
	fi
	mv "$TMP/state.new" "$TMP/state"
	ok "$what, seed $seed"
}

pattern() { head -c 1M /dev/zero | tr '\0' "$1"; }

# The instrument itself: what is flushed stays, what is not can go.
can_forget()
{
	pattern a | dd of="$SSD" bs=64k iflag=fullblock oflag=direct conv=fsync status=none
	pattern b | dd of="$SSD" bs=64k iflag=fullblock oflag=direct status=none
	dmsetup message pssd 0 cut 1
	check_fails "without power nothing can be read" 'rror' \
		dd if="$SSD" bs=64k count=1 iflag=direct of=/dev/null
	dmsetup message pssd 0 heal
	dd if="$SSD" bs=1M count=1 iflag=direct status=none | fold -w 512 | cut -c1 | sort | uniq -c >"$TMP/kept"
	note "kept after a cut: $(tr -s ' \n' ' ' <"$TMP/kept")"
	check_num "old and new sectors are left" "$(wc -l <"$TMP/kept")" -ge 2
}

load_module
modprobe dm-mod
insmod "$ROOT/out/build/$KREL/tests/powercut/dm-powercut.ko"
power_legs
can_forget
forgotten=0
modes=(writeback writeback writethrough writeback writearound)
MODE=writeback
check "a cache" cache "$MODE" "$FORCE"
check "first state" "$FCX" run --seed "$SEED" --fill --ops 200 --save-state "$TMP/state" "$DEV"
sync "$DEV"
for ((i = 1; i <= CYCLES; i++)); do
	MODE=${modes[i % ${#modes[@]}]}
	fc_message "$NAME" cache_mode "$MODE"
	cycle "$i" || break
done
check_num "cuts that lost something" "$forgotten" -ge $((CYCLES / 2))
fc_remove "$NAME" || true
dmsetup remove pdisk
dmsetup remove pssd
rmmod dm-powercut
check_clean
guest_end
