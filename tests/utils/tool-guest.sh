#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-guest.sh BIN: the commands for running caches, with the real module, in the VM.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

BIN=$1
PATH=$BIN:$PATH
WORK=/run/tool
mkdir -p "$WORK"
# shellcheck source=tests/utils/tool-lib.sh
. "$ROOT/tests/utils/tool-lib.sh"

DEV=/dev/mapper/fc
DISK_MB=16
SSD_MB=16

# A disk of 15 ms below a linear device, so that it can be made to fail.
legs()
{
	RAW=$(make_null_blk raw "$DISK_MB" 15000000 1)
	SSD=$(make_null_blk ssd "$SSD_MB" 0)
	dmsetup create disk --table "0 $(sectors "$RAW") linear $RAW 0"
	DISK=/dev/mapper/disk
}

break_disk()
{
	dmsetup reload disk --table "0 $(sectors "$RAW") error"
	dmsetup suspend --noflush disk
	dmsetup resume disk
}

mend_disk()
{
	dmsetup reload disk --table "0 $(sectors "$RAW") linear $RAW 0"
	dmsetup suspend --noflush disk
	dmsetup resume disk
}

dirty() { fc_status fc dirty; }

# make_dirty COUNT SEED: that many scattered blocks, no two of them neighbours.
make_dirty()
{
	fio --name=dirty --filename="$DEV" --rw=randwrite --bs=4k --blockalign=8k --direct=1 \
		--size="$((DISK_MB * 3 / 4))M" --io_size="$(($1 * 4))k" --randseed="$2" --iodepth=1 \
		--ioengine=psync >"$WORK/fio" 2>&1 || { cat "$WORK/fio"; return 1; }
}

# What the device holds now, to be compared with the disk later.
remember() { dd if="$DEV" of="$WORK/want" bs=1M iflag=direct status=none; }

disk_is_right()
{
	drop_caches
	cmp "$WORK/want" "$RAW"
}

create()
{
	check "create" flashcache create -f -p back fc "$SSD" "$DISK"
	check "let much become dirty" flashcache set fc dirty_thresh_pct=95 fallow_delay=0
}

# interrupt SIGNAL FIELD COMMAND...: the signal when the field has moved; its exit status.
interrupt()
{
	local signal=$1 field=$2 before pid rc=0
	shift 2
	before=$(fc_status fc "$field")
	flashcache "$@" >"$WORK/stdout" 2>"$WORK/stderr" &
	pid=$!
	while [ "$(fc_status fc "$field")" = "$before" ] && kill -0 "$pid" 2>/dev/null; do
		sleep 0.05
	done
	kill -"$signal" "$pid" 2>/dev/null || true
	wait "$pid" || rc=$?
	cat "$WORK/stdout" "$WORK/stderr"
	return "$rc"
}

# stopped_by SIGNAL DESC PATTERN COMMAND...: cleaning that is stopped on its way.
stopped_by()
{
	local signal=$1 desc=$2 pattern=$3 rc=0
	shift 3
	interrupt "$signal" cleanings "$@" >"$WORK/out" || rc=$?
	result "$desc: exit status" "$([ "$rc" -eq 130 ] || echo "$rc, not 130")"
	result "$desc: what it says" "$(grep -qE "$pattern" "$WORK/out" || echo "no '$pattern'")"
	check "$desc: the cache runs" test -b "$DEV"
	check_num "$desc: blocks are dirty" "$(dirty)" -gt 0
}

test_list()
{
	expect 0 'no cache runs' 'list without a cache' list
	expect 0 . 'list without a cache, JSON' list --json
	json 'list without a cache, JSON' '.caches == []'
	create
	expect 0 '^fc +writeback +ok .* '"$SSD" 'list' list
	expect 0 . 'list, JSON' list --json
	json 'list, JSON' '.caches | length == 1 and .[0].name == "fc"'
	expect 0 "^fc: writeback, s3fifo, ok" 'status' status
	grep -q "^  disk .*$DISK, $DISK_MB MiB" "$WORK/out" || result status 'no disk in it'
	expect 0 "^fc: " 'status by a path' status "$DEV"
	refuse 'no cache of this name' 'status of another name' status other
	refuse 'no cache, but another mapped device' 'status of the disk' status disk
	if grep -q $'\033' "$WORK/out"; then
		result 'status' 'colours without a terminal'
	fi
}

# The counters by their names.
counters()
{
	sed -n "/define FC_COUNTERS/,/^\$/s/\\bC(\([a-z_]*\))/\n\1\n/gp" \
		"$ROOT/include/flashcache/uapi.h" | grep -xE "[a-z_]+"
}

test_json()
{
	check "I/O" make_dirty 64 1
	expect 0 . 'status --json' status --json fc
	json 'status: what it is' '.caches[0] | .name == "fc" and .health == "ok" and
		.mode == "writeback" and .policy == "s3fifo" and .suspended == false and
		.block_bytes == 4096 and .size_bytes == '$((DISK_MB << 20))' and .assoc == 512 and
		(.uuid | test("^[0-9a-f-]{36}$")) and (.open_count | type == "number")'
	json 'status: its devices' ".caches[0] | .disk.path == \"$DISK\" and
		.ssd.path == \"$SSD\" and (.ssd.number | test(\"^[0-9]+:[0-9]+\$\"))"
	json 'status: content' '.caches[0] | .blocks > .cached_blocks and
		.cached_blocks >= .dirty_blocks and .dirty_blocks >= 60 and .memory_bytes > 0'
	json 'status: settings' '.caches[0].settings | .dirty_thresh_pct == 95 and
		.reclaim_policy == "s3fifo" and .cache_mode == "writeback" and .fast_remove == 0'
	json 'status: counters are numbers' \
		'.caches[0].counters | length >= 40 and all(.[]; type == "number")'
	result "status: its counters are those of uapi.h" "$(diff \
		<(jq -r ".caches[0].counters | keys[]" <"$WORK/stdout") <(counters | sort))"
	result "status: they count" "$(jq -e ".caches[0].counters.writes == $(fc_status fc writes)" \
		<"$WORK/stdout" >/dev/null || echo no)"
}

# The format as its description wants it, and the values against the status line.
test_prometheus()
{
	local file=$WORK/prom
	expect 0 '^flashcache_caches 1$' 'status --prometheus' status --prometheus
	cp "$WORK/stdout" "$file"
	result 'metrics: each line is a comment or a sample' "$(grep -vE \
		'^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9]+)$' "$file" || true)"
	result 'metrics: each has a type' "$(sed -E 's/^# TYPE ([a-z_]+) .*/\1 type/; t
		/^#/d; s/[{ ].*//' "$file" | awk '$2 { t[$1]; next } !($1 in t)')"
	result 'metrics: dirty' "$(grep -qxF "flashcache_dirty_blocks{cache=\"fc\"} $(dirty)" \
		"$file" || echo 'wrong')"
	result 'metrics: writes' "$(grep -qxF \
		"flashcache_writes_total{cache=\"fc\"} $(fc_status fc writes)" "$file" ||
		echo 'wrong')"
	expect 0 '' 'metrics into a file' status --prometheus -o "$WORK/fc.prom"
	check "the file has them" cmp "$file" "$WORK/fc.prom"
	check "nothing is left beside it" test "$(find "$WORK" -name 'fc.prom*' | wc -l)" -eq 1
	refuse 'cannot write' 'metrics into nowhere' status --prometheus -o /nowhere/x
}

# lacking WORDS...: those that the table line does not have.
lacking()
{
	local line words
	line=$(dmsetup table fc)
	for words; do
		[[ " $line " == *" $words "* ]] || echo "no '$words' in '$line'"
	done
}

test_settings()
{
	expect 0 '^95$' 'get one' get fc dirty_thresh_pct
	expect 0 '^reclaim_policy=s3fifo$' 'get all' get fc
	cp "$WORK/stdout" "$WORK/before"
	expect 0 '^cache_mode=writeback' 'get -v' get -v fc
	expect 0 . 'get --json' get --json fc
	json 'get --json' '.name == "fc" and .settings.dirty_thresh_pct == 95'
	refuse 'no such setting' 'get an unknown setting' get fc nonsense
	expect 0 '' 'set some' set fc dirty_thresh_pct=50 skip_seq_thresh_kb=1m policy=lru
	result 'what was set counts' \
		"$(lacking 'policy lru' 'dirty_thresh_pct 50' 'skip_seq_thresh_kb 1024')"
	refuse 'out of range' 'set one well, one badly' set fc dirty_thresh_pct=60 fallow_clean_speed=0
	expect 0 '^50$' 'then nothing is changed' get fc dirty_thresh_pct
	# shellcheck disable=SC2046 # words are wanted
	expect 0 '' 'set what get printed' set fc $(cat "$WORK/before")
	expect 0 . 'get again' get fc
	check "all is as before" cmp "$WORK/before" "$WORK/stdout"
	expect 0 '' 'zero the counters' set fc zero_stats=1
	check_num "they are" "$(fc_status fc writes)" -eq 0
}

test_top()
{
	(for i in 1 2 3 4 5 6; do make_dirty 8 "1$i"; done) &
	expect 0 "^time +cache" "top, lines" top -n 3 -d 1
	result "top: a line for each look" "$([ "$(grep -c " fc  " "$WORK/stdout")" -eq 3 ] || echo no)"
	expect 0 . "top, JSON" top --json -n 1 fc
	json "top, JSON" ".caches | length == 1 and (.[0] | .name == \"fc\" and .seconds > 0.5 and
		(.ssd.writes_per_s | type == \"number\") and .dirty_blocks > 0)"
	wait
	refuse "no cache of this name" "top of another name" top -n 1 other
	(sleep 4; echo q) | TERM=xterm script -qec "flashcache top" /dev/null >"$WORK/out" ||
		result "top on a terminal" "exit status $?"
	result "top on a terminal: the cache is there" \
		"$(grep -q "q ends" "$WORK/out" && grep -q "writeback, s3fifo" "$WORK/out" || echo no)"
}

test_setioctl()
{
	if fc_message fc blacklist add 1 2>/dev/null; then
		expect 0 '' 'setioctl takes off a list' setioctl -r -b 1 "$DEV"
		expect 0 '' 'setioctl adds to a list' setioctl -a -w 1 fc
		expect 0 '' 'setioctl empties a list' setioctl -c -w 1 fc
	else
		refuse 'no lists of processes' 'setioctl says that there are none' \
			setioctl -a -b 1 "$DEV"
	fi
}

test_flush()
{
	check "make dirty" make_dirty 400 2
	remember
	stopped_by INT 'flush, Ctrl-C' 'stopped: [0-9]+ blocks' flush fc
	check "nothing is lost" matches_device
	expect 0 'nothing is dirty' 'flush' flush fc
	check_num "nothing is dirty" "$(dirty)" -eq 0
	check "the disk has it all" disk_is_right
	expect 0 'nothing is dirty' 'flush with nothing to do' flush fc
	dmsetup suspend fc
	refuse 'is suspended' 'flush of a suspended cache' flush fc
	refuse 'is suspended' 'unload of a suspended cache' unload fc
	dmsetup resume fc
}

matches_device()
{
	dd if="$DEV" bs=1M iflag=direct status=none | cmp "$WORK/want" -
}

test_unload()
{
	check "make dirty" make_dirty 400 3
	remember
	exec 7<"$DEV"
	refuse 'in use' 'unload of a device in use' unload fc
	exec 7<&-
	stopped_by TERM 'unload, stopped' 'goes on running' unload -q fc
	expect 0 "^fc stopped; nothing is dirty, $DISK is up to date" 'unload' unload fc
	check "it is gone" test ! -e "$DEV"
	check "the disk has it all" disk_is_right
	expect 0 "^fc +writeback +stopped .*$SSD" 'list --all finds it' list --all
	expect 0 . 'list --all, JSON' list --all --json
	json 'list --all, JSON' ".caches == [] and (.stopped | length == 1) and
		(.stopped[0] | .ssd == \"$SSD\" and .state == \"orderly\" and .name == \"fc\")"
	check "load" flashcache load "$SSD" fc "$DISK"
}

test_unload_fast()
{
	local before
	check "make dirty" make_dirty 200 4
	remember
	before=$(dirty)
	expect 0 "stopped; $before dirty blocks stay on $SSD" 'unload --fast' unload --fast fc
	check_fails "the disk does not have it" differ disk_is_right
	check "load" flashcache load "$SSD" fc "$DISK"
	check_num "the dirty blocks are back" "$(dirty)" -eq "$before"
	check "fast_remove is off again" test "$(flashcache get fc fast_remove)" -eq 0
	check "all is there" matches_device
}

# A disk that refuses writes.
test_broken_disk()
{
	break_disk
	expect 1 'refuses writes' 'flush with a broken disk' flush fc
	expect 1 'goes on running' 'unload with a broken disk' unload fc
	check "the cache runs" test -b "$DEV"
	mend_disk
	expect 0 'stopped; nothing is dirty' 'unload after it was mended' unload fc
	check "the disk has it all" disk_is_right
}

table_type() { dmsetup table "$1" | awk '{ print $3 }'; }

# Everything that the writer below has synced is in the file of its sums.
write_on()
{
	local i
	for ((i = 0; i < 400; i++)); do
		[ ! -e "$WORK/enough" ] || break
		head -c 40960 /dev/urandom >"$WORK/mnt/$((i % 40))" && sync -f "$WORK/mnt" || return 1
	done
	echo "$i" >"$WORK/rounds"
}

# The cache goes while a file system on it is written to.
test_detach()
{
	local writer
	check "create" flashcache create -f -p back fc "$SSD" "$DISK"
	mkfs.ext4 -q "$DEV"
	mkdir -p "$WORK/mnt"
	mount "$DEV" "$WORK/mnt"
	rm -f "$WORK/enough"
	write_on &
	writer=$!
	sleep 1
	check_num "there are dirty blocks" "$(dirty)" -gt 0
	expect 0 "fc is a plain map of $DISK now, and $SSD is free" 'detach' detach -q fc
	check "the device is a linear map" test "$(table_type fc)" = linear
	sleep 1
	touch "$WORK/enough"
	check "who wrote meanwhile noticed nothing" wait "$writer"
	check_num "and wrote" "$(cat "$WORK/rounds")" -gt 0
	expect 1 'no cache found' 'the SSD holds no cache' check "$SSD"
	check "the SSD is not in use" wipefs -q -a "$SSD"
	(cd "$WORK/mnt" && sha256sum [0-9]*) >"$WORK/sums"
	umount "$WORK/mnt"
	check "remove the map" dmsetup remove fc
	check "the file system on the raw disk is sound" e2fsck -f -n "$DISK"
	mount "$DISK" "$WORK/mnt"
	check "and has all files" sums_match
	umount "$WORK/mnt"
}

sums_match() { (cd "$WORK/mnt" && sha256sum --quiet -c "$WORK/sums"); }

test_detach_refused()
{
	expect 1 'no cache of this name' 'detach of nothing' detach nothing
	create
	check "make dirty" make_dirty 100 9
	remember
	dmsetup suspend fc
	expect 1 'is suspended' 'detach of a suspended cache' detach fc
	dmsetup resume fc
	break_disk
	expect 1 'goes on running' 'detach with a broken disk' detach fc
	check "it is a cache still" test "$(table_type fc)" = flashcache
	check "in its mode" test "$(fc_status fc mode)" = writeback
	mend_disk
	check "unload" flashcache unload -q fc
	check "the disk has it all" disk_is_right
}

load_module
legs
test_list
test_json
test_prometheus
test_settings
test_top
test_setioctl
test_flush
test_unload
test_unload_fast
test_broken_disk
check "destroy" flashcache destroy "$SSD"
test_detach
test_detach_refused
[ "$bad" -eq 0 ] || _bad=$((_bad + bad))
check "destroy" flashcache destroy "$SSD"
dmsetup remove disk
check_clean
guest_end
