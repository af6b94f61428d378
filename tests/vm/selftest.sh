#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# selftest.sh: the guest side of the suite selftest: behaves as its argument says.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

# Everything the library makes, with the kernel's own targets in place of flashcache.
devices()
{
	local disk flash ram before
	disk=$(make_null_blk disk 320 0 1)
	flash=$(make_null_blk flash 32 0 64 512 1)
	ram=$(make_brd 16)
	check "disk has 512-byte sectors" test "$(blockdev --getss "$disk")" = 512
	check "another has 4096-byte sectors" \
		test "$(blockdev --getss "$(make_null_blk big 32 0 64 4096)")" = 4096
	check "RAM disk has its size" test "$(sectors "$ram")" = 32768
	check "flash can discard" blkdiscard "$flash"
	dmsetup create lin --table "0 $(sectors "$disk") linear $disk 0"
	check "dm-writecache over them" dmsetup create wc --table \
		"0 $(sectors "$disk") writecache s /dev/mapper/lin $flash 4096 0"
	check "XFS on it" mkfs.xfs -q -f /dev/mapper/wc
	before=$(dmsetup ls | wc -l)
	check "two dm devices" test "$before" = 2
	check_clean
}

latency()
{
	local disk ns
	disk=$(make_null_blk disk 64 8000000 1)
	ns=$(fio --name=x --filename="$disk" --rw=randread --bs=4k --direct=1 --number_ios=50 \
		--output-format=terse --terse-version=3 | cut -d\; -f40 | cut -d. -f1)
	note "mean latency of an 8 ms disk: $ns us"
	check_num "an I/O takes no less than 8 ms" "$ns" -ge 8000
	check_num "an I/O takes no more than 8.2 ms" "$ns" -le 8200
}

case "$1" in
pass) devices ;;
virtual) latency ;;
smp) check "two CPUs" test "$(nproc)" = 2 ;;
fail) not_ok "as asked" ;;
dies)
	false
	ok "not reached"
	;;
warning)
	echo '<4>WARNING: as asked' >/dev/kmsg
	ok "warned"
	;;
panic)
	echo 1 >/proc/sys/kernel/sysrq
	echo c >/proc/sysrq-trigger
	;;
hang) sleep 1000 ;;
write-and-die)
	need_drives
	echo "before the kill" | dd of=/dev/vda conv=fsync status=none
	host_reset now
	;;
look)
	need_drives
	check "written before the kill" \
		test "$(head -c 15 /dev/vda)" = "before the kill"
	;;
esac
guest_end
