#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# plant.sh: in the VM, on the debug kernel. One mistake of each kind is made; this run must be
# reported as a failure for each of them (tests/suites/debug looks). What the kernel does not report
# by itself is looked for by guest-lib.sh: leaks, and that lockdep went silent.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

PLANT=$ROOT/out/build/$KREL/debug/plant.ko

# The log between these lines is about one kind.
plant()
{
	echo "plant: $1 begins" >/dev/kmsg
	insmod "$PLANT" kind="$1" || not_ok "$1: cannot be made"
	rmmod plant
	echo "plant: $1 ends" >/dev/kmsg
}

looks_clean() { "$@" >/dev/null 2>&1; }

check "lockdep watches at first" _lockdep_watches
# Lockdep first: other reports put it to rest.
plant lock-order
! looks_clean _lockdep_watches || not_ok "lockdep: seen to watch when it does not"
plant atomic-sleep
plant armed-object
plant shift
echo clear >"$LEAKS"
plant leak
! looks_clean _no_leaks || not_ok "leak: not seen"
plant beyond
plant beyond-vmalloc
! looks_clean log_clean || not_ok "log: seen as clean"
guest_end
