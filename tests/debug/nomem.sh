#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# nomem.sh: in the VM, on a kernel with fault injection. A table is loaded, made live, suspended and
# spoken to, while the first allocation in that fails, then the second, and so on to the last. Each
# time it either works all the same or fails with "no memory", and nothing is lost: neither data, nor
# memory, nor the way to try again.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

FAILNTH=$BIN/failnth
STATE=$TMP/state
WORK=$TMP/work

# Allocations that may wait fail, too.
prepare_faults()
{
	local dir
	for dir in failslab fail_page_alloc; do
		echo N >"/sys/kernel/debug/$dir/ignore-gfp-wait"
		echo 0 >"/sys/kernel/debug/$dir/verbose"
		echo -1 >"/sys/kernel/debug/$dir/times"
	done
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
}

do_it() { "$FAILNTH" 0 "$1" "$NAME" "${2:-}"; }

# each_fails BEFORE AFTER COMMAND [WORDS]: runs COMMAND again and again, BEFORE and AFTER around it;
# AFTER gets "whole", "done" or "failed". The steps grow, since hundreds of buffers are alike.
each_fails()
{
	local before=$1 after=$2 n=1 tried=0 failed=0 said=
	shift 2
	while [ "$said" != whole ]; do
		"$before" || return 1
		said=$("$FAILNTH" "$n" "$1" "$NAME" "${2:-}") || return 1
		"$after" "${said%%:*}" || return 1
		case "$said" in
		whole) ;;
		done) tried=$((tried + 1)) ;;
		"failed: Cannot allocate memory") tried=$((tried + 1)) failed=$((failed + 1)) ;;
		*) echo "allocation $n: $said"; return 1 ;;
		esac
		n=$((n + 1 + (n > 60 ? n / 8 : 0)))
	done
	echo "$tried $failed" >"$WORK"
}

# try DESC LEAST BEFORE AFTER COMMAND [WORDS]: at least that many allocations failed; and the cache
# works after it.
try()
{
	local desc=$1 least=$2 tried=0 failed=0
	shift 2
	echo "0 0" >"$WORK"
	check "$desc" each_fails "$@"
	read -r tried failed <"$WORK"
	note "$desc: $tried failing allocations, $failed errors"
	check_num "$desc: failing allocations" "$tried" -ge "$least"
	exercise "$desc: the cache works" --ops 300 --max 64k --state "$STATE" --save-state "$STATE"
}

nothing() { :; }
forget_table() { [ "$1" = failed ] || do_it clear; }
ready_to_resume() { do_it load "$LINE" && do_it suspend; }
resume() { do_it resume; }
# What failed for want of memory succeeds when there is some.
live_again() { [ "$1" != failed ] || do_it resume; }

legs 32 16
load_module
prepare_faults
check "a cache" cache writeback "$FORCE"
exercise "a first load" --span 16m --fill --ops 200 --save-state "$STATE"
LINE="0 $(sectors "$DISK") flashcache $DISK $SSD $NAME 1 1"
try "load a table" 20 nothing forget_table load "$LINE"
try "make it live" 10 ready_to_resume live_again resume
try "suspend" 1 nothing resume suspend
try "message" 1 nothing nothing message "cache_mode writeback"
check "remove" fc_remove "$NAME"
known_right "raw disk as written" "$STATE" "$DISK"
check_clean
guest_end
