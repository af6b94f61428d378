#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# sizes.sh WHAT...: caches of all shapes under fcx. The legs are small, since each sector is read
# again at the end, and the disk is larger than the cache, so that blocks are replaced.
#   blocks      block sizes 4 to 64 KiB, an unaligned partition on 16 KiB blocks
#   sectors     legs of 512-byte and 4096-byte sectors
#   small       caches much smaller than the working set, in every mode
#   shapes      associativity, cluster size, part of the flash only
#   huge        a disk of 20 TiB
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

STATE=$TMP/state
MIX=read=40,write=36,fua=2,flush=2,discard=2,stream=18

# try DESC OPERATIONS MODE WORDS -- FCX ARGUMENTS: a new cache under load; done_with removes it.
try()
{
	local desc=$1 ops=$2 mode=$3
	local -a words=()
	shift 3
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	check "$desc: a cache, $mode ${words[*]}" cache "$mode" "$FORCE" "${words[@]}"
	mark
	exercise "$desc: load" --ops "$ops" --mix $MIX --save-state "$STATE" "$@"
	healthy "$desc"
	expect "$desc: the load hit" read_hit_blocks -ge 100
}

done_with()
{
	check "$1: remove" fc_remove "$NAME"
	known_right "$1: the raw disk has it all" "$STATE" "$DISK"
}

block_sizes()
{
	local kib mode
	# A set of blocks of 64 KiB that fits.
	local -A assoc=([4]=512 [16]=512 [64]=256)
	legs 24 18
	for kib in 4 16 64; do
		for mode in writeback writethrough writearound; do
			try "$kib KiB blocks, $mode" 600 $mode $((kib * 2)) 0 "${assoc[$kib]}" --
			check_num "$kib KiB blocks it is" "$(seen block_sectors)" -eq $((kib * 2))
			done_with "$kib KiB blocks, $mode"
		done
	done
	drop_legs
	legs 64 48
	unaligned_partition
	drop_legs
}

# 4 KiB I/O in a partition that starts at sector 63 never is a whole block of 16 KiB.
unaligned_partition()
{
	local fio_job
	fio_job=(fio --name=p --filename=/dev/mapper/part --direct=1 --ioengine=libaio --iodepth=8
		--bs=4k --size=12m --randseed="$SEED" --verify=crc32c --verify_fatal=1)
	check "a cache of 16 KiB blocks" cache writeback "$FORCE" 32
	check "a partition at sector 63" dmsetup create part --table "0 65536 linear $DEV 63"
	check "written at random, in whole" "${fio_job[@]}" --rw=randwrite --do_verify=0
	mark
	check "read back" "${fio_job[@]}" --rw=randread --do_verify=1
	look
	check_num "hundredths of a per cent that hit" "$(hit_rate)" -ge 9900
	expect "unaligned 4 KiB reads on 16 KiB blocks" disk_reads -le 30
	check "remove the partition" dmsetup remove part
	check "remove" fc_remove "$NAME"
}

sector_sizes()
{
	local disk ssd mode desc
	for disk in 512 4096; do
		for ssd in 512 4096; do
			legs 24 18 $disk $ssd
			for mode in writeback writethrough; do
				desc="disk $disk, flash $ssd, $mode"
				try "$desc" 600 $mode --
				check_num "$desc: logical block" "$(blockdev --getss "$DEV")" -eq \
					$((disk > ssd ? disk : ssd))
				done_with "$desc"
			done
			drop_legs
		done
	done
}

# 5 MiB of flash before 32 MiB that are all used alike.
small_caches()
{
	local mode policy
	legs 64 5
	for mode in writeback writethrough writearound; do
		try "small cache" 1500 $mode -- --span 32m --max 128k --hot 0:100
		expect "small cache, $mode: blocks were replaced" replacements -ge 500
		check_num "small cache, $mode: it is full" "$(seen cached)" -ge \
			$(($(seen blocks) / 2))
		done_with "small cache, $mode"
	done
	for policy in fifo lru; do
		try "small cache, $policy" 1500 writeback 8 0 512 0 0 8 2 policy $policy -- \
			--span 32m --max 128k
		check "small cache: policy" test "$(seen policy)" = $policy
		done_with "small cache, $policy"
	done
	drop_legs
}

shapes()
{
	legs 64 48
	try "associativity 256" 600 writeback 8 36864 256 -- --span 24m
	done_with "associativity 256"
	try "associativity 8192" 900 writeback 8 0 8192 --
	done_with "associativity 8192"
	try "clusters of one block" 600 writeback 8 36864 512 8 -- --span 24m
	done_with "clusters of one block"
	try "large clusters" 600 writeback 8 36864 512 1024 -- --span 24m
	done_with "large clusters"
	try "16 MiB of the flash" 600 writeback 8 32768 -- --span 24m
	check_num "a part of the flash is used" "$(seen blocks)" -le 4096
	done_with "16 MiB of the flash"
	try "sequential bypass" 800 writeback 8 0 512 0 0 8 2 skip_seq_thresh_kb 64 -- \
		--span 24m --mix read=10,write=10,flush=1,stream=50
	expect "sequential reads bypass" uncached_seq_reads -ge 1
	expect "sequential writes bypass" uncached_seq_writes -ge 1
	done_with "sequential bypass"
	drop_legs
}

# Three ranges whose sector numbers differ only beyond 32 bits: by 2 TiB, and by 16 TiB.
huge_disk()
{
	local at
	legs $((20 << 20)) 48
	check "a cache before 20 TiB" cache writeback "$FORCE"
	for at in 1 2049 16385; do
		exercise "at $at GiB" --ops 1000 --offset ${at}g --span 4m --max 128k \
			--save-state "$STATE.$at"
	done
	mark
	for at in 1 2049 16385; do
		known_right "at $at GiB, after the others" "$STATE.$at" "$DEV"
	done
	look
	expect "they all hit" read_hit_blocks -ge 1500
	check "remove" fc_remove "$NAME"
	for at in 1 2049 16385; do
		known_right "raw disk at $at GiB" "$STATE.$at" "$DISK"
	done
	drop_legs
}

load_module
for what in "$@"; do
	case "$what" in
	blocks) block_sizes ;;
	sectors) sector_sizes ;;
	small) small_caches ;;
	shapes) shapes ;;
	huge) huge_disk ;;
	esac
done
check_clean
guest_end
