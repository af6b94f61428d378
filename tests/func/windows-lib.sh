# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# windows-lib.sh: what the tests of sysctls and of /proc/flashcache share, on top of func-lib.sh.
# W is the window of the cache NAME.
SYSCTL=/proc/sys/dev/flashcache
PROC=/proc/flashcache

window() { fc_status "$NAME" window; }

# turn KNOB VALUE, shows KNOB: by sysctl, of the cache NAME, whose window is $W.
turn() { echo "$2" >"$SYSCTL/$W/$1"; }
shows() { echo "$(<"$SYSCTL/$W/$1")"; }

new_cache() { cache "$@" && W=$(window) && [ -d "$PROC/$W" ]; }

# fresh [MODE]: a new cache with defaults, over the same legs.
fresh()
{
	! dmsetup info "$NAME" >/dev/null 2>&1 || fc_remove "$NAME"
	new_cache "${1:-writeback}" "$FORCE"
}

# reads OFFSET_KB COUNT, writes ...: so many direct I/Os of 4 KiB.
reads() { dd if="$DEV" of=/dev/null bs=4k skip=$(($1 / 4)) count="$2" iflag=direct status=none; }
writes() { dd if=/dev/zero of="$DEV" bs=4k seek=$(($1 / 4)) count="$2" oflag=direct status=none; }
