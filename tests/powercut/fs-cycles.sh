#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# fs-cycles.sh FSTYPE CYCLES: in the VM. A file system on the cache, writers that make each step
# durable with fsync() and keep a journal outside, a cut; the cache is loaded, the file system
# mounted, and all that fsync() had returned for must be there. Every third recovery is cut as well:
# the cache's load, or the mount.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"
# shellcheck source=tests/powercut/power-lib.sh
. "$ROOT/tests/powercut/power-lib.sh"

FSTYPE=$1
CYCLES=$2
# XFS is not made smaller than 300 MB.
case "$FSTYPE" in xfs) DISK_MB=320 ;; *) DISK_MB=64 ;; esac
SSD_MB=12
MNT=/mnt/fs
FILES=$BIN/fcfiles
modes=(writeback writethrough writeback writearound)
declare -A sum=()

count() { sum[$1]=$((${sum[$1]:-0} + $2)); }
fs_cache() { cache "$MODE" "$1" 8 0 256 0 0 8 4 dirty_thresh_pct "$THRESH" fast_remove 1; }
mount_fs() { mount -t "$FSTYPE" "$DEV" "$MNT"; }

make_fs()
{
	case "$FSTYPE" in
	xfs) mkfs.xfs -q -f "$1" ;;
	ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$1" ;;
	esac
}

check_fs()
{
	case "$FSTYPE" in
	xfs) xfs_repair -n "$1" ;;
	ext4) e2fsck -f -n "$1" ;;
	esac
}

draw()
{
	MODE=${modes[$1 % ${#modes[@]}]}
	next_chance
	THRESH=$((chance % 2 ? 10 : 80))
}

# Writers at work, then no power, in the middle of a certain I/O or by the clock.
live()
{
	local seed=$1 load
	rm -f "$TMP/journal"
	"$FILES" write --seed "$seed" --seconds 20 --journal "$TMP/journal" "$MNT/$seed" \
		>"$TMP/write.out" 2>&1 &
	load=$!
	until [ -s "$TMP/journal" ] || ! kill -0 "$load" 2>/dev/null; do sleep 0.05; done
	if [ $((seed % 2)) -eq 0 ]; then
		dmsetup message pssd 0 cut "$seed" write $((seed / 2 % 400 + 100))
		timeout 8 tail --pid="$load" -f /dev/null || true
	else
		sleep "0.$((500 + seed / 2 % 500))"
	fi
	dmsetup message pdisk 0 cut "$seed"
	wait "$load" || true
	look
	umount "$MNT" && fc_remove "$NAME" && heal
}

# The load of the cache is cut, or the mount, which recovers the file system's log.
cut_recovery()
{
	local seed=$1 what=$2
	count recoveries_to_cut 1
	if [ "$what" -eq 0 ]; then
		dmsetup message pssd 0 cut "$seed" write $((seed % 3 + 1))
		! fs_cache "$LOAD" >"$TMP/recut.out" 2>&1 || fc_remove "$NAME"
	else
		fs_cache "$LOAD" || return 1
		dmsetup message pssd 0 cut "$seed" write 3
		dmsetup message pdisk 0 cut "$seed" write 3
		! mount_fs >"$TMP/recut.out" 2>&1 || umount "$MNT" || umount -l "$MNT"
		fc_remove "$NAME"
	fi
	[ "$(fc_status pssd power)" = 1 ] || count recoveries_cut 1
	heal
}

recover()
{
	[ $(($1 % 3)) -ne 0 ] || cut_recovery "$2" $(($1 / 3 % 2)) || return 1
	fs_cache "$LOAD" && mount_fs
}

files_right() { "$FILES" check --seed "$1" --journal "$TMP/journal" "$MNT/$1"; }

# The writers' files, before and after the file system was checked and all caches forgotten.
look_after()
{
	files_right "$1" && umount "$MNT" && check_fs "$DEV" && mount_fs && files_right "$1" &&
		rm -r "${MNT:?}/$1"
}

fails()
{
	sed 's/^/# /' "$TMP/write.out" "$TMP/check.out" | tail -n 40
	not_ok "$1"
	return 1
}

cycle()
{
	local seed what
	next_chance
	seed=$chance
	what="$FSTYPE, cycle $1, $MODE, dirty limit $THRESH, seed $seed"
	: >"$TMP/check.out"
	live "$seed" || { fails "$what: goes away"; return 1; }
	count steps "$(sed -nE 's/.*: ([0-9]+) steps.*/\1/p' "$TMP/write.out")"
	count cleanings "${_after[cleanings]:-0}"
	count commits "${_after[log_commits]:-0}"
	draw "$1"
	recover "$1" "$seed" >"$TMP/check.out" 2>&1 || { fails "$what: recovers"; return 1; }
	look_after "$seed" >"$TMP/check.out" 2>&1 || { fails "$what: files are right"; return 1; }
	note "$(grep steps "$TMP/check.out" | head -n 1)"
	ok "$what"
}

# A cache on flash that does not obey flushes must be found out.
finds_deaf()
{
	local i
	MODE=writeback THRESH=80
	for i in 1 2 3; do
		next_chance
		fs_cache "$FORCE" && make_fs "$DEV" && mount_fs
		dmsetup message pssd 0 deaf 1
		live "$chance"
		dmsetup message pssd 0 deaf 0
		if ! fs_cache "$LOAD" || ! mount_fs || ! files_right "$chance"; then
			umount "$MNT" || true
			fc_remove "$NAME" || true
			return 0
		fi
		umount "$MNT" && fc_remove "$NAME"
	done
	return 1
}

load_module
insmod "$ROOT/out/build/$KREL/tests/powercut/dm-powercut.ko"
mkdir -p "$MNT"
power_legs $((DISK_MB * 2048)) $((SSD_MB * 2048))
check "flash without flushes is found out" finds_deaf
draw 0
check "a cache" fs_cache "$FORCE"
check "make $FSTYPE" make_fs "$DEV"
check "mount" mount_fs
began=$SECONDS
for ((i = 1; i <= CYCLES; i++)); do
	cycle "$i" || break
done
note "$((i - 1)) cycles in $((SECONDS - began)) s"
for i in "${!sum[@]}"; do
	note "all cycles: $i ${sum[$i]}"
done
check_num "durable steps" "${sum[steps]:-0}" -ge $((CYCLES * 5))
check_num "commits" "${sum[commits]:-0}" -ge $((CYCLES * 5))
check_num "cleanings" "${sum[cleanings]:-0}" -ge "$CYCLES"
check_num "recoveries that were cut" "${sum[recoveries_cut]:-0}" -ge \
	$((${sum[recoveries_to_cut]:-0} / 2))
umount "$MNT" || true
fc_remove "$NAME" || true
drop_power_legs
check_clean
guest_end
