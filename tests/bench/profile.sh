#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# profile.sh: the guest's half of tests/bench/profile. One fio job twice on each target, short and
# long; the plugin outside notes all counts around each. The difference is the I/Os' own. For load: a
# cache of 1 GiB is loaded, and one of IOS GiB; the difference is the slots' own.
# Arguments: "TARGET..." KIND IOS WORD...
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

SPAN_MB=128
targets=$1
kind=$2
ios=$3
order=
shift 3

# mark NAME: have the counts written down. Waiting must cost no process.
mark()
{
	echo "$1" >"$SHARE/mark"
	while [ -e "$SHARE/mark" ]; do
		read -r -t 1 <>"$STAGE/nothing" || true
	done
}

job()
{
	fio_job job "$DEV" --ioengine=io_uring --size="${SPAN_MB}M" --bs=4k --iodepth=32 \
		--number_ios="$1" "${@:2}"
}

again()
{
	[ "$kind" != new ] || target_clean "$1"
}

profile()
{
	local target=$1
	shift
	target_up "$target" "${kind/new/writeback}"
	[[ $kind =~ ^(bypass|stream)$ ]] || target_warm "$target"
	job "$((ios / 5))" "$@"
	again "$target"
	mark "$target.0"
	job "$((ios / 5))" "$@"
	mark "$target.1"
	again "$target"
	mark "$target.2"
	job "$((ios / 5 + ios))" "$@"
	mark "$target.3"
	note "$target: $(fio_iops job) IOPS"
	target_down "$target"
}

# load N GIB: a full cache, between marks N and N + 1. $slots: by how many it has more than the last.
load()
{
	zero_disk $(($2 * 4096))
	slow_flash $(($2 * 1024))
	"$ROOT/out/bin/fullcache" "$FLASH" "$(sectors "$FLASH")" "$(sectors "$DISK")" ${order:+"$order"}
	mark "flashcache.$1"
	fc_create flashcache "$DISK" "$FLASH" 1 1
	mark "flashcache.$(($1 + 1))"
	check_num "all of $2 GiB are cached" "$(fc_status flashcache cached)" -eq \
		"$(fc_status flashcache blocks)"
	slots=$(($(fc_status flashcache blocks) - slots))
	dmsetup remove flashcache
	remove_null_blk flash
	dmsetup remove zero
}

# profile_load GIB
profile_load()
{
	local slots=0
	cat /proc/kallsyms >"$SHARE/kallsyms"
	load 0 1
	load 2 "$1"
	ios=$slots
}

# As in fsync.sh: 80 us an I/O, and a volatile cache, so that an fsync costs a flush.
legs_of_flash()
{
	DISK=$(make_null_blk disk 256 8000000 1)
	FLASH=$(make_null_blk flash 512 80000 64 512 0 256)
	dd if=/dev/zero of="$FLASH" bs=1M count=512 oflag=direct status=none
}

mkfifo "$STAGE/nothing"
load_module
echo 0 >/proc/sys/kernel/kptr_restrict
cp /sys/module/flashcache/sections/.text "$SHARE/module.text"
case "$kind" in
fsync)
	legs_of_flash
	kind=writeback
	;;
load*)
	[ "$kind" = load ] || order=${kind#load_}
	profile_load "$ios"
	targets=
	;;
*)
	legs_of_memory 512
	;;
esac
for target in $targets; do
	target_there "$target"
	cat /proc/kallsyms >"$SHARE/kallsyms"
	profile "$target" "$@"
done
echo "$ios" >"$SHARE/ios"
guest_end
