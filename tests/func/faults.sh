#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# faults.sh [GOOD [ONCE]]: in the VM. Each I/O of a fixed workload fails in turn, on either leg, in
# each mode (fcfault): first once, then for good from there on. Of the latter only each GOOD-th I/O
# is tried, of the former each ONCE-th.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"
# shellcheck source=tests/powercut/power-lib.sh
. "$ROOT/tests/powercut/power-lib.sh"

GOOD=${1:-9}
ONCE=${2:-1}
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
	lives=$(sed -nE 's/^fcfault: [a-z]+: ([0-9]+) lives.*/\1/p' "$TMP/out")
	struck=$(sed -nE 's/^fcfault: [a-z]+: .* ([0-9]+) struck.*/\1/p' "$TMP/out")
	check_num "$1: of ${lives:-no} faults there struck" "${struck:-0}" -ge $((${lives:-100} * 8 / 10))
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
	faults "$mode: each I/O fails once" --stride "$ONCE" "$mode"
	struck "$mode, once"
	faults "$mode: each I/O fails, and all behind it" --forever --stride "$GOOD" "$mode"
	struck "$mode, for good"
done
drop_power_legs
check_clean
guest_end
