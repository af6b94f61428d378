#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh BIN [errors]: the tool with the real module, in the VM; with `errors` all that it
# refuses too, for hosts that have no loop devices. Drives (tests/vm/vm --drive):
# /dev/vda a disk of 64 MiB with the serial number "origin", /dev/vdb an SSD of 32 MiB.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

BIN=$1
DISK=/dev/vda
SSD=/dev/vdb
PATH=$BIN:$PATH

blank() { dd if=/dev/zero of="$1" bs=1M count=4 conv=fsync status=none; }

destroy_if_any() { flashcache_destroy -f "$SSD" >/dev/null 2>&1 || true; }

# says PATTERN CMD...: succeeds, and its output has the pattern.
says()
{
	local pattern=$1 log rc=0
	shift
	log=$("$@" 2>&1) || rc=$?
	echo "$log"
	[ "$rc" -eq 0 ] && grep -qE -- "$pattern" <<<"$log"
}

field_is() { [ "$(fc_status fc "$1")" = "$2" ]; }

# stream SEED MIB: a file of bytes that follow from the seed.
stream()
{
	local file=/tmp/stream.$1.$2
	[ -e "$file" ] || openssl enc -aes-128-ctr -K "$(printf '%032x' "$1")" -iv 0 \
		-in /dev/zero 2>/dev/null | head -c "$2M" >"$file" || true
	echo "$file"
}

# pattern DEVICE SEED MIB: write a stream; matches DEVICE SEED MIB: compare with it.
pattern() { dd if="$(stream "$2" "$3")" of="$1" bs=64k oflag=direct status=none; }

matches()
{
	drop_caches
	cmp -n $(($3 << 20)) "$(stream "$2" "$3")" "$1"
}

test_without_module()
{
	check_fails "create says that the module is missing" 'modprobe flashcache' \
		flashcache_create -p back fc "$SSD" "$DISK"
}

test_lines()
{
	check "create prints the plan" says \
		"^cachedev fc, ssd_devname $SSD, disk_devname $DISK cache mode WRITE_BACK\$" \
		flashcache_create -p back fc "$SSD" "$DISK"
	check "the device is there" test -b /dev/mapper/fc
	check "its uuid names the cache" says '^FLASHCACHE-[0-9a-f-]{36}$' \
		dmsetup info -c --noheadings -o uuid fc
	check "it is as large as the disk" \
		test "$(blockdev --getsz /dev/mapper/fc)" -eq "$(blockdev --getsz "$DISK")"
	check "it is write-back" field_is mode writeback
	check "it uses S3-FIFO" field_is policy s3fifo
}

test_running()
{
	check_fails "load says that the cache runs" 'running cache fc' flashcache_load "$SSD"
	check_fails "destroy spares a running cache" 'running cache fc' flashcache_destroy "$SSD"
	check_fails "destroy -f spares a running cache" 'running cache fc' \
		flashcache_destroy -f "$SSD"
	check_fails "create spares a running SSD" 'running cache fc' \
		flashcache_create -f -p back two "$SSD" "$DISK"
	check_fails "create refuses a cached disk" 'disk .* running cache fc' \
		flashcache_create -p back two "$(spare_ssd)" "$DISK"
	check_fails "create refuses a name in use" 'of that name exists' \
		flashcache_create -f -p back fc "$(spare_ssd)" "$(spare_disk)"
}

spare_ssd() { echo /dev/spare_ssd; }
spare_disk() { echo /dev/spare_disk; }

# Dirty blocks stay on flash, are counted by destroy, and are there again after load.
test_dirty_cycle()
{
	local dirty
	check "write through the cache" pattern /dev/mapper/fc 1 4
	check "fast_remove on" fc_message fc fast_remove 1
	dirty=$(fc_status fc dirty)
	check_num "blocks are dirty" "$dirty" -ge 512
	check "remove" fc_remove fc
	check_fails "destroy counts the dirty blocks" "^DIRTY BLOCKS EXIST ON $SSD: $dirty blocks" \
		flashcache_destroy "$SSD"
	check_fails "create refuses the dirty SSD" 'Valid Flashcache already exists' \
		flashcache_create -p back fc "$SSD" "$DISK"
	check "load finds the disk by its serial number" says "disk_devname $DISK" \
		flashcache_load -v "$SSD"
	check "the dirty blocks are back" field_is dirty "$dirty"
	check "the data is back" matches /dev/mapper/fc 1 4
	check "fast_remove off" fc_message fc fast_remove 0
	check "remove cleans" fc_remove fc
	check "the disk has the data" matches "$DISK" 1 4
	check "load by another name and a named disk" flashcache_load "$SSD" other "$DISK"
	check "the device has that name" test -b /dev/mapper/other
	check "remove it" fc_remove other
	check "destroy goes, nothing is dirty" says "^Destroying Flashcache found on $SSD\$" \
		flashcache_destroy "$SSD"
	check_fails "nothing to load is left" 'No valid Flashcache' flashcache_load "$SSD"
}

# mode_cycle FLAG NAME [options]: create, use, stop, load warm, destroy.
mode_cycle()
{
	local flag=$1 name=$2
	shift 2
	check "create -p $flag $*" flashcache_create -p "$flag" "$@" fc "$SSD" "$DISK"
	check "$flag: mode" field_is mode "$name"
	check "$flag: write" pattern /dev/mapper/fc 2 2
	check "$flag: read" matches /dev/mapper/fc 2 2
	check "$flag: remove" fc_remove fc
	check "$flag: the disk has the data" matches "$DISK" 2 2
	check "$flag: load" flashcache_load "$SSD"
	check "$flag: mode after load" field_is mode "$name"
	check "$flag: data after load" matches /dev/mapper/fc 2 2
	check "$flag: remove again" fc_remove fc
	check "$flag: destroy" flashcache_destroy "$SSD"
}

test_options()
{
	check "create with all sizes" flashcache_create -p back -b 16k -s 16m -a 256 -d 64k fc \
		"$SSD" "$DISK"
	check "block size" field_is block_sectors 32
	check "associativity" field_is assoc 256
	check "disk associativity" field_is cluster_blocks 4
	check "remove" fc_remove fc
	check "load keeps them" flashcache_load "$SSD"
	check "block size after load" field_is block_sectors 32
	check "associativity after load" field_is assoc 256
	check "disk associativity after load" field_is cluster_blocks 4
	check "remove again" fc_remove fc
	check "destroy" flashcache_destroy "$SSD"
}

test_force()
{
	mkfs.ext4 -q "$SSD"
	check_fails "create refuses a file system" 'ext4' \
		flashcache_create -p back fc "$SSD" "$DISK"
	check "create -f overwrites it" says 'erasing a file system \(ext4\)' \
		flashcache_create -f -p back fc "$SSD" "$DISK"
	check "remove" fc_remove fc
	check_fails "no file system is left" 'Valid Flashcache' \
		flashcache_create -p back fc "$SSD" "$DISK"
	check "create -f overwrites a cache" says 'overwriting a cache with 0 dirty blocks' \
		flashcache_create -f -p thru fc "$SSD" "$DISK"
	check "the new one counts" field_is mode writethrough
	check "remove it" fc_remove fc
	check "destroy" flashcache_destroy "$SSD"
}

# The table of another device on the SSD; swap space in use; a disk without an identity.
test_in_use()
{
	dmsetup create above --table "0 2048 linear $SSD 0"
	check_fails "create refuses what a device is built upon" 'mapped device above' \
		flashcache_create -p back fc "$SSD" "$DISK"
	dmsetup remove above
	mkswap "$SSD" >/dev/null
	swapon "$SSD"
	check_fails "create refuses swap space in use" 'swap' \
		flashcache_create -f -p back fc "$SSD" "$DISK"
	swapoff "$SSD"
	blank "$SSD"
}

test_no_identity()
{
	check "create on a disk without identity" says 'known again' \
		flashcache_create -f -p back fc "$SSD" "$(spare_disk)"
	check "remove" fc_remove fc
	check_fails "load asks for the disk" 'does not know its disk' flashcache_load "$SSD"
	check "load with the disk named" flashcache_load "$SSD" fc "$(spare_disk)"
	check "remove again" fc_remove fc
	check "destroy" flashcache_destroy "$SSD"
	mkfs.ext4 -q "$(spare_disk)"
	check "create on a disk that has but a file system" says 'disk_id UUID=' \
		flashcache_create -v -p back fc "$SSD" "$(spare_disk)"
	check "remove it" fc_remove fc
	check "load finds it" says "disk_devname $(spare_disk)" flashcache_load "$SSD"
	check "remove it again" fc_remove fc
	check "destroy it" flashcache_destroy "$SSD"
}

# What create announces is what the module then takes.
test_memory()
{
	local before after announced taken blocks
	before=$(module_memory)
	announced=$(flashcache_create -f -p back fc "$(spare_ssd)" "$(spare_disk)" 2>/dev/null |
		sed -n 's/^Flashcache metadata will use \([0-9]*\)MB.*/\1/p')
	after=$(module_memory)
	taken=$((after - before))
	blocks=$(fc_status fc blocks)
	note "$blocks blocks: announced $announced MB, status $(fc_status fc memory_bytes), taken $taken"
	check_num "status agrees with create" $((($(fc_status fc memory_bytes) - 1 >> 20) + 1)) \
		-eq "$announced"
	check_num "the module takes no more, buffers of 2 MB aside" "$taken" \
		-le $((announced + 2 << 20))
	check_num "at most 20 bytes a block" "$(fc_status fc memory_bytes)" -le $((blocks * 20))
	check "remove" fc_remove fc
	check "destroy" flashcache_destroy "$(spare_ssd)"
}

# Bytes of the module in vmalloc areas; each has a guard page.
module_memory() { awk '/\[flashcache\]/ { n += $2 - 4096 } END { print n + 0 }' /proc/vmallocinfo; }

# Partitions are known by the UUID in their table.
test_partition()
{
	if ! command -v sfdisk >/dev/null; then
		skip "a partition as disk" "no sfdisk"
		return
	fi
	printf 'label: gpt\n,32M\n,\n' | sfdisk -q "$DISK"
	check "create on a partition" says 'disk_id PARTUUID=' \
		flashcache_create -v -p back fc "$SSD" "${DISK}1"
	check_fails "the whole disk is in use then" 'in use.*partition vda1' \
		flashcache_create -p back two "$(spare_ssd)" "$DISK"
	check "remove" fc_remove fc
	check "load finds the partition" says "disk_devname ${DISK}1" flashcache_load "$SSD"
	check "remove again" fc_remove fc
	check "destroy" flashcache_destroy "$SSD"
	check_fails "create refuses a partition as cache of its disk" 'same device' \
		flashcache_create -p back fc "${DISK}1" "$DISK"
}

test_sector_sizes()
{
	local four_k
	four_k=$(make_null_blk four_k 32 0 64 4096)
	check_fails "SSD of larger sectors: refused" 'sectors of 4096' \
		flashcache_create -p back fc "$four_k" "$DISK"
	check "SSD of larger sectors: forced" flashcache_create -f -p back fc "$four_k" "$DISK"
	check "the cache has its sectors" test "$(blockdev --getss /dev/mapper/fc)" -eq 4096
	check "remove" fc_remove fc
	remove_null_blk four_k
}

main()
{
	check "drives are there" need_drives
	if [ "${2:-}" = errors ]; then
		modprobe loop
		"$ROOT/tests/utils/errors.sh" "$BIN" || not_ok 'error paths'
	fi
	test_without_module
	load_module
	make_null_blk spare_ssd 512 >/dev/null
	make_null_blk spare_disk 800 >/dev/null
	test_lines
	test_running
	test_dirty_cycle
	mode_cycle back writeback
	mode_cycle thru writethrough
	mode_cycle through writethrough
	mode_cycle around writearound
	test_options
	test_force
	test_in_use
	test_no_identity
	test_sector_sizes
	test_memory
	test_partition
	destroy_if_any
	check_clean
	guest_end
}

main "$@"
