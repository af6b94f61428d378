#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-errors.sh BIN: what the commands for running caches refuse where none runs, and that each
# command explains itself. Runs on the host. BIN holds flashcache and its links.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)

BIN=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
# shellcheck source=tests/utils/tool-lib.sh
. "$HERE/tool-lib.sh"

# usage PATTERN DESC COMMAND...: wrong usage: status 1, how to call it, and where help is.
usage()
{
	expect 1 "$1" "$2" "${@:3}"
	grep -q '^Usage: ' "$WORK/stderr" || result "$2" 'the usage is not shown'
	grep -q "^Try '.* -h' for help" "$WORK/stderr" || result "$2" 'help is not offered'
}

commands() { "$BIN/flashcache" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

test_help()
{
	local command nr=0
	for command in $(commands); do
		nr=$((nr + 1))
		expect 0 '^Usage: ' "$command -h explains" "$command" -h
		cp "$WORK/stdout" "$WORK/help"
		expect 0 '^Usage: ' "$command --help explains" "$command" --help
		result "help $command explains alike" \
			"$("$BIN/flashcache" help "$command" | diff - "$WORK/help" || true)"
		usage 'invalid option' "$command -Z is wrong usage" "$command" -Z
		usage 'unrecognized option' "$command --no-such is wrong usage" "$command" --no-such
	done
	[ "$nr" -ge 10 ] || result 'the help lists the commands' "only $nr of them"
	expect 0 '^flashcache [0-9]' 'the version' --version
	expect 1 '^Usage: ' 'no command is wrong usage'
	refuse "unknown command 'bogus'" 'a command that is none' bogus
}

test_usage()
{
	usage 'takes no names' 'list with a name' list fast
	usage 'goes with --prometheus' 'status -o without --prometheus' status -o "$WORK/x"
	usage 'name a cache' 'get without a name' get
	usage 'what to set' 'set without a name' set
	usage 'what to set' 'set without a setting' set fast
	usage 'name a cache' 'flush without a name' flush
	usage 'name one cache' 'unload without a name' unload
	usage 'name one cache' 'unload with two names' unload a b
	usage '-p is missing' 'attach without a mode' attach fast /dev/x
	usage 'no such mode' 'attach with a bad mode' attach -p up fast /dev/x
	usage 'two names are needed' 'attach without names' attach -p back
	usage 'two names are needed' 'attach with three names' attach -p back a b c
	usage 'name one cache' 'detach without a name' detach
	usage 'name one cache' 'grow without a name' grow
	usage 'are needed' 'setioctl without a list' setioctl -a fast
	usage 'are needed' 'setioctl without what to do' setioctl -b 1 fast
	usage 'name one cachedev' 'setioctl without a cache' setioctl -a -b 1
	usage 'one of -a, -r and -c' 'setioctl with two things to do' setioctl -a -r -b 1 fast
	usage 'one of -b and -w' 'setioctl with two lists' setioctl -a -w 1 -b 1 fast
	for pid in 0 -1 x 99999999; do
		usage 'Bad PID!' "setioctl with the process $pid" setioctl -a -b "$pid" fast
	done
}

test_top_usage()
{
	usage "not a number from 1 to 3600" "top with no delay" top -d 0
	usage "not a number from 1 to 3600" "top with a bad delay" top -d soon
	usage "not a number from 1 to" "top with a bad count" top -n -1
}

# Settings are judged before anything is asked of the kernel.
test_settings()
{
	refuse 'SETTING=VALUE' 'set what is no setting' set fast dirty_thresh_pct
	refuse 'no such setting' 'set an unknown setting' set fast nonsense=1
	refuse 'out of range: 10 to 95' 'set below the range' set fast dirty_thresh_pct=9
	refuse 'out of range: 10 to 95' 'set above the range' set fast dirty_thresh_pct=96
	refuse 'not a number' 'set no number' set fast fallow_delay=soon
	refuse 'not a number' 'set nothing' set fast fallow_delay=
	refuse 'not a number' 'set a policy that is none' set fast policy=arc
	refuse 'not a number' 'set a policy as another setting' set fast fallow_delay=lru
	refuse 'no such mode' 'set a mode that is none' set fast cache_mode=sideways
	refuse 'an order takes 1' 'give an order a number' set fast do_sync=2
	refuse 'no such setting' 'set a part of a name' set fast dirty=20
	refuse 'no such setting' 'set without a name' set fast =20
}

# Without device-mapper, and where it is there without the caches.
test_nothing_runs()
{
	local say='no device-mapper|no cache of this name'
	if [ "$(id -u)" -ne 0 ]; then
		say='as root'
	fi
	refuse "$say" 'status of a cache that does not run' status nowhere
	refuse "$say" 'get of a cache that does not run' get nowhere
	refuse "$say" 'set of a cache that does not run' set nowhere fast_remove=1
	refuse "$say" "top of a cache that does not run" top -b nowhere
	refuse "$say" 'flush of a cache that does not run' flush nowhere
	refuse "$say" 'unload of a cache that does not run' unload nowhere
	refuse "$say" 'setioctl of a cache that does not run' setioctl -a -b 1 nowhere
	refuse "$say|must not contain" 'a name with a slash' status a/b
	if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
		chmod 755 "$WORK"
		rc=0
		setpriv --reuid 65534 --clear-groups "$BIN/flashcache" list \
			>"$WORK/out" 2>&1 || rc=$?
		result 'list wants root' "$([ "$rc" -eq 1 ] && grep -q 'as root' "$WORK/out" ||
			echo "exit status $rc")"
	fi
}

test_help
test_usage
test_top_usage
test_settings
test_nothing_runs
[ "$bad" -eq 0 ]
