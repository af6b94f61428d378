#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# fs.sh FSTYPE MODE: a file system on the cache: make it, fill it, delete and trim, unmount,
# check; mount again and find every file as it was; then the same on the raw disk.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

FSTYPE=$1
MODE=$2
MNT=/mnt/fs
mkdir -p "$MNT"

make_fs()
{
	case "$FSTYPE" in
	xfs) mkfs.xfs -q -f "$1" ;;
	ext4) mkfs.ext4 -q -F -E lazy_itable_init=0 "$1" ;;
	esac
}

check_fs()
{
	case "$FSTYPE" in
	xfs) xfs_repair -n "$1" ;;
	ext4) e2fsck -f -n "$1" ;;
	esac
}

# Some hundred files of odd sizes, a big one, one written in small synchronous pieces.
fill()
{
	mkdir "$MNT/small" "$MNT/gone" &&
		head -c 24M /dev/urandom >"$MNT/big" &&
		split -a 4 -b 77777 "$MNT/big" "$MNT/small/f" &&
		split -a 4 -b 55555 "$MNT/big" "$MNT/gone/f" &&
		dd if=/dev/urandom of="$MNT/sync" bs=3000 count=100 oflag=sync status=none &&
		sync -f "$MNT"
}

remember_sums() { (cd "$MNT" && find . -type f -exec sha256sum {} +) >"$TMP/sums"; }
sums_right() { (cd "$MNT" && sha256sum --quiet -c "$TMP/sums"); }

delete_and_trim() { rm -r "$MNT/gone" && fstrim "$MNT"; }

# One pass over all files after the page cache forgot them.
read_all()
{
	umount "$MNT" && drop_caches && mount -t "$FSTYPE" "$1" "$MNT" && sums_right
}

legs 512 96
load_module
check "a cache, $MODE, for $FSTYPE" cache "$MODE" "$CREATE"
check "make $FSTYPE" make_fs "$DEV"
check "mount" mount -t "$FSTYPE" "$DEV" "$MNT"
mark
check "fill" fill
look
expect "fill wrote through the cache" writes -ge 100
# On a slow host the cleaner has had time for some of them.
[ "$MODE" != writeback ] || check_num "fill made dirty blocks" \
	$(($(moved dirty) + $(moved cleanings))) -ge 1000
check "delete and trim" delete_and_trim
look
expect "trim discards" discards -ge 1
remember_sums
check "files are right after a remount" read_all "$DEV"
settle
mark
check "files are right, read from a warm cache" read_all "$DEV"
look
expect "warm files hit" read_hit_blocks -ge 5000
check_num "hit rate of warm files, in hundredths of a per cent" "$(hit_rate)" -ge 9000
check "unmount" umount "$MNT"
check "$FSTYPE is consistent" check_fs "$DEV"
healthy "after it all"
check "remove" fc_remove "$NAME"
check "$FSTYPE is consistent on the raw disk" check_fs "$DISK"
check "mount the raw disk" mount -t "$FSTYPE" "$DISK" "$MNT"
check "files are right on the raw disk" sums_right
check "unmount it" umount "$MNT"
check_clean
guest_end
