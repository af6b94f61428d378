#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# faults.sh ONCE GOOD: in the VM. Each I/O of a fixed workload fails in turn, on either leg, in each
# mode (fcfault): first once, then for good from there on. Of the former only each ONCE-th I/O is
# tried, of the latter each GOOD-th; with which one it begins is chosen by SEED.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"
# shellcheck source=tests/powercut/power-lib.sh
. "$ROOT/tests/powercut/power-lib.sh"

ONCE=$1
GOOD=$2
FCFAULT=$BIN/fcfault

# ends_with STATUS CMD...
ends_with()
{
	local rc=0
	"${@:2}" >"$TMP/out" 2>&1 || rc=$?
	[ "$rc" = "$1" ]
}

# faults DESC ARGS...: what it did is shown in any case.
faults()
{
	local desc=$1 rc=0
	shift
	"$FCFAULT" "$@" >"$TMP/out" 2>&1 || rc=$?
	sed 's/^/# /' "$TMP/out" | tail -n 40
	if [ "$rc" -eq 0 ]; then
		ok "$desc"
	else
		not_ok "$desc"
	fi
}

# Nearly all of the faults that were set must have struck.
struck()
{
	local lives struck
	lives=$(($(sed -nE 's/^fcfault: [a-z]+: ([0-9]+) lives.*/\1/p' "$TMP/out") - 2))
	struck=$(sed -nE 's/^fcfault: [a-z]+: .* ([0-9]+) struck.*/\1/p' "$TMP/out")
	check_num "$1: of $lives faults there struck" "${struck:-0}" -ge $(((lives * 8 + 9) / 10))
}

# On flash that takes its time a fill goes on behind its answer: suspend and remove must wait for it.
late_fills()
{
	local disk ssd
	disk=$(make_null_blk disk 16)
	ssd=$(make_null_blk ssd 4 150000000)
	check "a cache on slow flash" fc_create slow "$disk" "$ssd" 2 3 8 0 256
	check "a read miss" dd if=/dev/mapper/slow of=/dev/null bs=64k count=1 iflag=direct
	check "suspend with a fill in flight" dmsetup suspend slow
	check "resume" dmsetup resume slow
	check_num "the fill was not lost" "$(fc_status slow cached)" -eq 16
	check "another read miss" dd if=/dev/mapper/slow of=/dev/null bs=64k count=1 skip=9 iflag=direct
	check "remove with a fill in flight" fc_remove slow
	remove_null_blk disk
	remove_null_blk ssd
}

load_module
late_fills
insmod "$ROOT/out/build/$KREL/tests/powercut/dm-powercut.ko"
power_legs 4096 4352
check "errors are seen" ends_with 2 "$FCFAULT" --blame-nobody --leg pdisk --kind read writearound
check "wrong data is seen" ends_with 2 "$FCFAULT" --expect-wrong --kind discard writeback
for mode in writeback writethrough writearound; do
	faults "$mode: I/Os fail once" --stride "$ONCE" --first $((SEED % ONCE + 1)) "$mode"
	struck "$mode, once"
	faults "$mode: I/Os fail, and all behind them" --forever --stride "$GOOD" \
		--first $((SEED % GOOD + 1)) "$mode"
	struck "$mode, for good"
done
drop_power_legs
check_clean
guest_end
