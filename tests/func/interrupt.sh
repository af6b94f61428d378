#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# interrupt.sh: somebody kills a remove that still cleans: it gives up, and what is dirty is safe.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

STATE=$TMP/state

# In a second a disk of 10 ms cleans some 100 runs of many more.
killed_remove()
{
	local rc=0
	dmsetup remove "$NAME" 2>"$TMP/remove" &
	sleep 1
	kill -KILL $!
	wait $! || rc=$?
	echo "remove ended with $rc"
	[ "$rc" = 137 ]
}

device_gone() { ! dmsetup info "$NAME"; }

DISK=$(make_null_blk disk 64 10000000 1)
SSD=$(make_null_blk ssd 48 20000 64)
load_module
check "a cache" cache writeback "$CREATE"
check "clean late" fc_message "$NAME" dirty_thresh_pct 95
exercise "make dirty blocks" --span 16m --ops 3000 --max 8k --hot 0:100 --mix write=1 --no-verify \
	--save-state "$STATE"
dirty=$(fc_status "$NAME" dirty)
check_num "there are dirty blocks" "$dirty" -ge 1000
log_mark
check "kill the remove" killed_remove 2>/dev/null
check "it says that dirty blocks stay" logged "dirty blocks stay on the cache device"
check "the device is gone" device_gone
check "load" cache writeback "$LOAD"
check_num "dirty blocks are left" "$(fc_status "$NAME" dirty)" -ge 500
check_num "some were cleaned" "$(fc_status "$NAME" dirty)" -lt "$dirty"
known_right "all is right" "$STATE" "$DEV"
check "fast_remove on" fc_message "$NAME" fast_remove 1
check "remove" fc_remove "$NAME"
check_clean
guest_end
