#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-images.sh BIN PLAIN: check, dump and writeback on images of devices. Runs on the host, as any
# user. BIN holds the tool and mkcache, with sanitizers; PLAIN the same without, and cut.so.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)

BIN=$1
PLAIN=$2
WORK=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$WORK"' EXIT
# shellcheck source=tests/utils/tool-lib.sh
. "$HERE/tool-lib.sh"
SSD=$WORK/ssd
DISK=$WORK/disk
SEED=${SEED:-$RANDOM}
echo "# SEED=$SEED"

# Bytes that follow from a word.
stream()
{
	openssl enc -aes-128-ctr -pass "pass:$1" -nosalt -pbkdf2 -in /dev/zero 2>/dev/null |
		head -c "$2" || true
}

# image KEY=VALUE...: the SSD as a stopped cache leaves it, with data that can be told apart.
image()
{
	cp "$WORK/noise" "$SSD"
	stream disk 24M >"$DISK"
	"$BIN/mkcache" "$SSD" flash=16384 disk=49152 "$@"
	cp "$SSD" "$WORK/ssd.before"
	cp "$DISK" "$WORK/disk.before"
}

unchanged()
{
	result "$1: the SSD is as before" "$(cmp "$SSD" "$WORK/ssd.before" 2>&1 || true)"
	result "$1: the disk is as before" "$(cmp "$DISK" "$WORK/disk.before" 2>&1 || true)"
}

# What the disk must be: mkcache makes the first unit of each dirty block dirty.
expected_disk()
{
	local disk ssd nr=0
	cp "$WORK/disk.before" "$WORK/want"
	while read -r disk ssd; do
		nr=$((nr + 1))
		dd if="$WORK/ssd.before" of="$WORK/want" bs=512 count=1 skip="$ssd" seek="$disk" \
			conv=notrunc status=none
	done < <("$PLAIN/flashcache" dump --blocks --json "$WORK/ssd.before" |
		jq -r 'select(.dirty_units == 1) | "\(.disk_sector) \(.ssd_sector)"')
	result "there are dirty blocks" "$([ "$nr" -gt 0 ] || echo none)"
}

disk_is_right() { result "$1" "$(cmp "$WORK/want" "$DISK" 2>&1 || true)"; }

# --- check and dump -------------------------------------------------------------------------------

test_refusals()
{
	local command
	for command in check dump writeback; do
		refuse 'No such file' "$command of nothing" "$command" "$WORK/nothing"
		refuse 'not a block device' "$command of a directory" "$command" "$WORK"
		: >"$WORK/empty"
		refuse 'empty' "$command of an empty file" "$command" "$WORK/empty"
		head -c 1M /dev/zero >"$WORK/blank"
		refuse 'no cache found' "$command of a blank file" "$command" "$WORK/blank"
		head -c 4096 /dev/zero >"$WORK/short"
		refuse 'no cache found' "$command of a short file" "$command" "$WORK/short"
		image lost=2
		refuse 'damaged' "$command without superblocks" "$command" "$SSD"
		image format=99
		refuse 'does not know' "$command of the future" "$command" "$SSD"
		image
		truncate -s 4M "$SSD"
		refuse 'too short' "$command of a part of a device" "$command" "$SSD"
		printf '\xef\xbe\xad\xde' |
			dd of="$WORK/blank" bs=1 seek=16 conv=notrunc status=none
		refuse 'original' "$command of a cache of the original" "$command" "$WORK/blank"
		expect 1 '^Usage' "$command without a name" "$command"
	done
}

test_check()
{
	image dirty=300 clean=100 log=250 torn=300
	expect 0 '^sound' 'check after a crash' check "$SSD"
	json_check '.sound and .dirty_blocks == 550 and .dirty_bytes == 281600 and
		.cached_blocks == 550 and .log.commits == 1 and .log.records == 250 and
		.log.torn_blocks == 3 and .superblock.state == "running" and .problems == []'
	image state=2 dirty=30 clean=100 log=50
	expect 0 'not needed' 'check after an orderly stop' check "$SSD"
	json_check '.sound and .dirty_blocks == 30 and .cached_blocks == 130 and .log.records == 0'
	image former=1 dirty=300 clean=100 log=50
	expect 0 '^sound' 'check where a former cache left its table' check "$SSD"
	json_check '.sound and .dirty_blocks == 350'
	image lost=1 dirty=5
	expect 0 'superblock 0 +damaged' 'check with one superblock' check "$SSD"
	unchanged check
}

json_check()
{
	local rc=${2:-0}
	expect "$rc" . 'check --json' check --json "$SSD"
	json 'check --json' "$1"
}

unsound()
{
	local pattern=$1 desc=$2
	shift 2
	image "$@"
	expect 2 "not sound: .*$pattern" "check finds $desc" check "$SSD"
	json_check '(.sound | not) and (.problems | length == 1)' 2
	refuse "not sound.*--salvage" "writeback refuses $desc" writeback "$SSD" "$DISK"
	unchanged "$desc"
}

test_unsound()
{
	unsound 'no copy that counts' 'a damaged table' lost=3 dirty=100
	unsound 'not the one that the superblock names' 'another table' lost=4 dirty=10
	unsound 'impossible records' 'an impossible record' crafted=1 log=10
}

test_dump()
{
	image dirty=30 clean=20 log=10
	expect 0 '^tail_seq +1000$' 'dump' dump "$SSD"
	expect 0 . 'dump --json' dump --json "$SSD"
	json 'dump --json' '.name == "testcache" and .blocks == 1536 and .state == "running"'
	expect 0 . 'dump --blocks --json' dump --blocks --json "$SSD"
	result 'it has the dirty blocks' "$(jq -s -e '.[0].schema == 1 and length == 41 and
		all(.[1:][]; .dirty_units == 1 and .ssd_sector >= 2048)' <"$WORK/stdout" >/dev/null || echo no)"
	expect 0 'valid +dirty' 'dump --blocks' dump --blocks "$SSD"
	image state=2 dirty=30 clean=20
	expect 0 . 'dump --all' dump --all --json "$SSD"
	result 'it has all blocks' "$([ "$(wc -l <"$WORK/stdout")" -eq 51 ] || echo no)"
	unchanged dump
}

# --- writeback ------------------------------------------------------------------------------------

test_writeback_refusals()
{
	image dirty=10
	refuse 'does not know its disk' 'writeback without a disk' writeback "$SSD"
	refuse 'No such file' 'writeback to a disk that is missing' writeback "$SSD" "$WORK/nothing"
	refuse 'in use' 'writeback to the SSD itself' writeback "$SSD" "$SSD"
	truncate -s 23M "$DISK"
	expect 1 'not the same disk' 'writeback to a smaller disk' writeback "$SSD" "$DISK"
	cp "$WORK/disk.before" "$DISK"
	image dirty=10 id=WWID=nowhere
	refuse 'no disk found with WWID=nowhere' 'writeback to an unknown disk' writeback "$SSD"
	refuse 'not the one that was cached' 'writeback to another disk' writeback "$SSD" "$DISK"
	unchanged 'writeback refused'
	expect 0 'would be written' 'writeback --force --dry-run' writeback --force -n "$SSD" "$DISK"
	unchanged 'writeback -n'
	chmod a-w "$SSD"
	if [ "$(id -u)" -ne 0 ]; then
		refuse 'read-only' 'writeback from a read-only SSD' writeback --force "$SSD" "$DISK"
	fi
	chmod u+w "$SSD"
}

test_writeback()
{
	image dirty=100 clean=50 log=150 freed=20
	expected_disk
	expect 0 'dirty blocks, .* would be written' 'writeback -n' writeback -n "$SSD" "$DISK"
	unchanged 'writeback -n'
	expect 0 'still calls them dirty' 'writeback --keep' writeback --keep "$SSD" "$DISK"
	disk_is_right 'writeback --keep wrote the disk'
	result 'and nothing else' "$(cmp "$SSD" "$WORK/ssd.before" 2>&1 || true)"
	cp "$WORK/disk.before" "$DISK"
	expect 0 'which is up to date' 'writeback' writeback "$SSD" "$DISK"
	disk_is_right 'writeback wrote the disk'
	expect 0 '^sound' 'the cache is sound then' check "$SSD"
	json_check '.sound and .cached_blocks == 0 and .superblock.state == "orderly"'
	cp "$SSD" "$WORK/ssd.before"
	expect 0 'nothing is dirty' 'writeback again' writeback "$SSD" "$DISK"
	result 'changes nothing' "$(cmp "$SSD" "$WORK/ssd.before" 2>&1 || true)"
	image dirty=100
	expect 0 . 'writeback --json' writeback --json "$SSD" "$DISK"
	json 'writeback --json' '.complete and .emptied and .written_bytes == 51200 and
		.dirty_blocks == 100 and .unreadable_bytes == 0'
}

# What is in the damaged block of the table is lost, the rest is not.
test_salvage()
{
	image lost=3 dirty=1000
	expected_disk
	expect 0 'still calls them dirty' 'writeback --salvage' writeback --salvage "$SSD" "$DISK"
	disk_is_right 'it wrote what is in the good blocks'
	result 'and nothing else' "$(cmp "$SSD" "$WORK/ssd.before" 2>&1 || true)"
}

# attempt AT: writeback with the power cut at that write, and again. Says what is wrong then: the cache
# must be sound, all dirty blocks must still be there or the disk have them, and the second attempt
# must come to the right end.
attempt()
{
	local at=$1 state rc=0
	cp "$WORK/ssd.before" "$SSD"
	cp "$WORK/disk.before" "$DISK"
	CUT_AT=$at CUT_SEED=$((SEED + at)) LD_PRELOAD=$PLAIN/cut.so \
		"$PLAIN/flashcache" writeback "$SSD" "$DISK" >"$WORK/out" 2>&1 || rc=$?
	[ "$rc" -eq 99 ] || { echo "exit status $rc"; return; }
	state=$("$PLAIN/flashcache" check --json "$SSD" | jq -r \
		'if .sound then .dirty_blocks else "not sound: \(.problems)" end')
	if [ "$state" = 0 ]; then
		cmp -s "$WORK/want" "$DISK" || echo 'nothing is dirty, but the disk is not right'
		return
	fi
	[ "$state" = "$DIRTY" ] || { echo "dirty: $state"; return; }
	"$PLAIN/flashcache" writeback "$SSD" "$DISK" >"$WORK/out" 2>&1 ||
		{ echo 'the second attempt failed'; return; }
	cmp -s "$WORK/want" "$DISK" || echo 'the second attempt left the disk wrong'
}

# prepare_cuts KEY=VALUE...: an image, and how many writes there are to cut.
prepare_cuts()
{
	image "$@"
	expected_disk
	CUT_AT=0 LD_PRELOAD=$PLAIN/cut.so "$PLAIN/flashcache" writeback "$SSD" "$DISK" >"$WORK/out" 2>&1
	last=$(sed -n 's/^cut: \([0-9]*\) writes/\1/p' "$WORK/out")
	result "there are writes to cut" "$([ "$last" -gt 20 ] || echo "$last")"
}

# What was read from the SSD is made durable before it is written. The disk, whose content nothing
# depends on, is not: so it is seen.
test_flushed_first()
{
	prepare_cuts "${@:2}"
	result "$1: the SSD is flushed before it is written" \
		"$(sed -n 's/^cut: not flushed before: //p' "$WORK/out" | diff - <(realpath "$DISK"))"
}

test_cuts()
{
	local at last what=$1 wrong=''
	shift
	prepare_cuts "$@"
	for ((at = 1; at <= last && ${#wrong} == 0; at++)); do
		wrong=$(attempt "$at")
	done
	result "$what: cut at each of $last writes" "${wrong:+at $((at - 1)): $wrong}"
}

# Devices that lie about their flushes must be found out, or the test could find nothing.
test_cuts_can_fail()
{
	local seed last wrong=''
	prepare_cuts dirty=40 clean=10 log=25 freed=10
	for ((seed = 1; seed <= 30 && ${#wrong} == 0; seed++)); do
		wrong=$(SEED=$seed CUT_DEAF=1 attempt "$last")
	done
	result "a missing flush is found" "$([ -n "$wrong" ] || echo no)"
}

stream ssd 8M >"$WORK/noise"
test_refusals
test_check
test_unsound
test_dump
test_writeback_refusals
test_writeback
test_salvage
DIRTY=55 test_cuts 'after a crash' dirty=40 clean=10 log=25 freed=10
DIRTY=40 test_cuts 'after an orderly stop' state=2 dirty=40 clean=10
DIRTY=55 test_cuts_can_fail
test_flushed_first 'after a crash' dirty=40 clean=10 log=25 freed=10
test_flushed_first 'after an orderly stop' state=2 dirty=40 clean=10
[ "$bad" -eq 0 ]
