#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# errors.sh BIN: everything that the commands refuse, and that they change nothing then. Needs root
# and loop devices, no kernel module; runs on the host and in the VM. BIN holds flashcache_* and
# mkcache.
set -euo pipefail

BIN=$1
WORK=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)	# in memory: many small syncs
SSD=
DISK=
ANSWER=/dev/null
LOOPS=()
bad=0
MEMORY_LINE='Flashcache metadata will use [0-9]+MB of your [0-9]+MB main memory'

cleanup()
{
	local loop
	umount "$WORK/mnt" 2>/dev/null || true
	for loop in "${LOOPS[@]}"; do
		losetup -d "$loop" 2>/dev/null || true
	done
	rm -rf "$WORK"
}
trap cleanup EXIT

# new_loop VARIABLE FILE SIZE [losetup options]: a loop device on a sparse file.
new_loop()
{
	local -n var=$1
	local file=$WORK/$2 size=$3
	shift 3
	[ -e "$file" ] || truncate -s "$size" "$file"
	var=$(losetup -f --show "$@" "$file")
	LOOPS+=("$var")
}

result()
{
	local desc=$1 failure=$2
	if [ -z "$failure" ]; then
		echo "ok - $desc"
		return
	fi
	sed 's/^/# /' "$WORK/out"
	echo "not ok - $desc: $failure"
	bad=$((bad + 1))
}

# expect RC PATTERN DESC COMMAND [ARGS]: exit status and a pattern in what is said.
expect()
{
	local want=$1 pattern=$2 desc=$3 rc=0 failure=''
	shift 3
	"$BIN/flashcache_$1" "${@:2}" >"$WORK/out" 2>&1 <"$ANSWER" || rc=$?
	[ "$rc" -eq "$want" ] || failure="exit status $rc, not $want"
	grep -qE -- "$pattern" "$WORK/out" || failure="nothing like '$pattern' said"
	result "$desc" "$failure"
}

# Start and end of both devices: nothing else is ever a place to write.
fingerprint()
{
	blockdev --flushbufs "$SSD" "$DISK"
	{ head -c 2M; tail -c 1M; } <"$WORK/ssd" | cksum
	{ head -c 2M; tail -c 1M; } <"$WORK/disk" | cksum
}

# refuse PATTERN DESC COMMAND [ARGS]: exit status 1 and both devices as before.
refuse()
{
	local before
	before=$(fingerprint)
	expect 1 "$@"
	[ "$before" = "$(fingerprint)" ] || result "$2" 'a device was changed'
}

create() { refuse "$1" "create refuses $2" create -p back "${@:3}"; }

blank() { dd if=/dev/zero of="$SSD" bs=1M count=8 conv=notrunc,fsync status=none; }

# cache KEY=VALUE...: put what a stopped cache leaves on the SSD.
cache()
{
	blank
	"$BIN/mkcache" "$SSD" flash=16384 disk=49152 "$@"
}

# --- create ---------------------------------------------------------------------------------------

test_usage()
{
	local name
	for name in create load destroy; do
		expect 0 '^Usage: ' "$name -h explains" "$name" -h
		expect 0 '^Usage: ' "$name --help explains" "$name" --help
		expect 1 '^Usage: ' "$name without arguments is wrong usage" "$name"
		expect 1 '^Usage: ' "$name with too many arguments is wrong usage" "$name" a b c d e
		expect 1 'invalid option' "$name with an unknown option is wrong usage" "$name" -Z
	done
	expect 1 '-p is missing' 'create without a mode is wrong usage' create c "$SSD" "$DISK"
	expect 1 'no such mode' 'create with an unknown mode is wrong usage' \
		create -p up c "$SSD" "$DISK"
	expect 1 'no write-only caches' 'create -w is refused' create -p back -w c "$SSD" "$DISK"
}

test_numbers()
{
	local size
	for size in x -1 4q 4kk k '' 99999999999999999999 99999999999t; do
		create 'not a size' "the size '$size'" -s "$size" c "$SSD" "$DISK"
	done
	create 'not a number' "the associativity '5k'" -a 5k c "$SSD" "$DISK"
	create 'Invalid block size' 'a block of 3k' -b 3k c "$SSD" "$DISK"
	create 'Invalid block size' 'a block of 2k' -b 2k c "$SSD" "$DISK"
	create 'Invalid block size' 'a block of 128k' -b 128k c "$SSD" "$DISK"
	create 'Invalid cache associativity' 'a set of 100' -a 100 c "$SSD" "$DISK"
	create 'Invalid cache associativity' 'a set of 16384' -a 16384 c "$SSD" "$DISK"
	create 'Invalid disk associativity' 'a disk associativity of 5' -d 5 c "$SSD" "$DISK"
	create 'Invalid metadata block size' 'a metadata block of 7' -m 7 c "$SSD" "$DISK"
	create 'Invalid metadata block size' 'a metadata block of 1m' -m 1m c "$SSD" "$DISK"
	create 'larger than the cache device' 'a cache larger than the SSD' -s 1g c "$SSD" "$DISK"
	create 'too small' 'a cache of a few blocks' -s 64k c "$SSD" "$DISK"
}

test_names()
{
	create "must not contain '/'" 'a name with a slash' a/b "$SSD" "$DISK"
	create 'has a character' 'a name with a blank' 'a b' "$SSD" "$DISK"
	# shellcheck disable=SC2016 # not to be expanded: that is the test
	create 'has a character' 'a name for a shell' '$(reboot)' "$SSD" "$DISK"
	create 'is empty' 'an empty name' '' "$SSD" "$DISK"
	create 'longer than 127' 'a name of 128 characters' "$(printf '%0128d' 0)" "$SSD" "$DISK"
}

test_devices()
{
	local empty

	create 'No such file' 'an SSD that is missing' c /dev/nowhere "$DISK"
	create 'No such file' 'a disk that is missing' c "$SSD" /dev/nowhere
	create 'not a block device' 'a file' c "$WORK/ssd" "$DISK"
	create 'not a block device' 'a directory' c "$SSD" "$WORK"
	create 'not a block device' 'a character device' c /dev/null "$DISK"
	create 'same device' 'one device for both' c "$SSD" "$SSD"
	ln -s "$SSD" "$WORK/alias"
	create 'same device' 'one device by two names' c "$SSD" "$WORK/alias"
	new_loop empty empty 0 2>/dev/null
	create 'empty' 'an empty device' c "$SSD" "$empty"
}

test_read_only()
{
	blockdev --setro "$SSD"
	create 'SSD .* is read-only' 'a read-only SSD' c "$SSD" "$DISK"
	create 'SSD .* is read-only' 'a read-only SSD with -f' -f c "$SSD" "$DISK"
	blockdev --setrw "$SSD"
	blockdev --setro "$DISK"
	create 'disk .* is read-only' 'a read-only disk' c "$SSD" "$DISK"
	blockdev --setrw "$DISK"
}

test_mounted()
{
	mkdir -p "$WORK/mnt"
	mkfs.ext4 -q "$SSD"
	if mount "$SSD" "$WORK/mnt" 2>/dev/null; then
		expect 1 'mounted on .*/mnt' 'create refuses a mounted SSD' \
			create -p back c "$SSD" "$DISK"
		expect 1 'mounted on .*/mnt' 'create -f refuses a mounted SSD' \
			create -f -p back c "$SSD" "$DISK"
		expect 1 'disk .* mounted on .*/mnt' 'create refuses a mounted disk' \
			create -p back c "$DISK" "$SSD"
		expect 1 'mounted on .*/mnt' 'load refuses a mounted SSD' load "$SSD"
		expect 1 'mounted on .*/mnt' 'destroy refuses a mounted SSD' destroy -f "$SSD"
		umount "$WORK/mnt"
	else
		echo 'ok - mounted devices are refused # SKIP cannot mount here'
	fi
	blank
}

refuse_signature()
{
	create "$1.*wipefs" "$2 on the SSD" c "$SSD" "$DISK"
	blank
}

test_signatures()
{
	mkfs.ext4 -q "$SSD"
	refuse_signature 'a file system \(ext4\)' 'an ext4'
	mkswap "$SSD" >/dev/null
	refuse_signature 'of type swap' 'swap space'
	printf '\x83\0\0\0\1\0\0\0\x64\0\0\0' |
		dd of="$SSD" bs=1 seek=450 conv=notrunc,fsync status=none
	printf '\x55\xaa' | dd of="$SSD" bs=1 seek=510 conv=notrunc,fsync status=none
	refuse_signature 'a partition table \(dos\)' 'an MBR'
	if command -v sfdisk >/dev/null; then
		echo 'label: gpt' | sfdisk -q --no-reread --no-tell-kernel "$SSD" >/dev/null 2>&1
		dd if=/dev/zero of="$SSD" bs=512 count=2 conv=fsync status=none
		refuse_signature 'a partition table \(gpt\)' 'the backup of a GPT'
	else
		echo 'ok - create refuses the backup of a GPT # SKIP no sfdisk'
	fi
	# LVM's label in its second sector, with its checksum missing
	printf 'LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001' |
		dd of="$SSD" bs=512 seek=1 conv=notrunc,fsync status=none
	refuse_signature 'LVM2_member' 'an LVM label'
}

# State words of the original, little-endian at byte 16.
test_original()
{
	local word
	for word in '\xef\xbe\xad\xde' '\xfe\xca\xce\xfa' '\xed\xfe\xfe\xca' '\x56\x97\x24\xc8'; do
		printf '%b' "$word" | dd of="$SSD" bs=1 seek=16 conv=notrunc,fsync status=none
		create 'Valid Flashcache already exists on .*original' \
			"the original's state $word" c "$SSD" "$DISK"
		refuse "original flashcache" "load refuses the original's state $word" load "$SSD"
		refuse "No valid Flashcache found .*original" \
			"destroy refuses the original's state $word" destroy "$SSD"
	done
	blank
}

test_own_caches()
{
	cache
	create 'Valid Flashcache already exists on' 'an SSD with a cache' c "$SSD" "$DISK"
	create 'flashcache_destroy' 'an SSD with a cache, and gives a hint' c "$SSD" "$DISK"
	cache lost=1
	create 'Valid Flashcache already exists on' 'an SSD with half a cache' c "$SSD" "$DISK"
	cache lost=2
	create 'damaged' 'an SSD with a damaged cache' c "$SSD" "$DISK"
	cache format=99
	create 'format' 'an SSD with a cache of the future' c "$SSD" "$DISK"
	blank
}

test_questions()
{
	local answer
	for answer in n Y '' no; do
		echo "$answer" >"$WORK/answer"
		ANSWER=$WORK/answer
		create 'Exiting FlashCache creation' \
			"a cache larger than the disk, answer '$answer'" c "$DISK" "$SSD"
	done
	ANSWER=/dev/null
	create 'Exiting FlashCache creation' 'a cache larger than the disk, no answer' \
		c "$DISK" "$SSD"
}

# A sparse SSD whose metadata takes a third of the memory.
test_memory_question()
{
	local huge kib
	kib=$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)
	if ! truncate -s "$((kib * 70))K" "$WORK/huge" 2>/dev/null; then
		echo 'ok - a huge SSD leads to a question # SKIP no file of that size here'
		return
	fi
	new_loop huge huge 0
	create 'quarter of the main memory' 'what takes much memory, unless confirmed' \
		c "$huge" "$DISK"
	create 'Exiting FlashCache creation' 'what takes much memory, no answer' c "$huge" "$DISK"
}

test_sector_sizes()
{
	local ssd4k
	if new_loop ssd4k ssd4k 16M --sector-size 4096 2>/dev/null; then
		create 'sectors of 4096 bytes.*-f' 'an SSD of larger sectors than the disk' \
			c "$ssd4k" "$DISK"
	else
		echo 'ok - an SSD of larger sectors is refused # SKIP losetup cannot make one'
	fi
}

# Without device-mapper a good create comes as far as this.
test_output()
{
	if grep -q device-mapper /proc/misc; then
		echo 'ok - output of create # SKIP device-mapper is here, the VM shows it'
		return
	fi
	create 'no device-mapper' 'when device-mapper is missing' -s 6m c "$SSD" "$DISK"
	{
		echo "cachedev c, ssd_devname $SSD, disk_devname $DISK cache mode WRITE_BACK"
		echo 'block_size 8, md_block_size 8, cache_size 12288'
	} >"$WORK/want"
	head -n 2 "$WORK/out" >"$WORK/got"
	result 'create prints what it is about to do' "$(diff "$WORK/want" "$WORK/got" || true)"
	sed -n 3p "$WORK/out" >"$WORK/got"
	result 'create prints the memory needed' "$(grep -vxE "$MEMORY_LINE" "$WORK/got" || true)"
	create 'block_size 8, cache_size 0' 'as before, without metadata block' \
		-p thru c "$SSD" "$DISK"
	create 'WRITE_AROUND' 'as before, write-around' -p around c "$SSD" "$DISK"
	create 'block_size 16, md_block_size 16, cache_size 0' 'as before, with -b and -m' \
		-b 8k -m 8k c "$SSD" "$DISK"
	ANSWER=$WORK/yes
	echo y >"$ANSWER"
	create 'no device-mapper' 'as before, after a y' c "$DISK" "$SSD"
	ANSWER=/dev/null
}

# --- load -----------------------------------------------------------------------------------------

test_load()
{
	local short
	blank
	refuse 'No valid Flashcache found' 'load refuses an SSD without a cache' load "$SSD"
	cache lost=2
	refuse 'damaged' 'load refuses a damaged cache' load "$SSD"
	cache format=99
	refuse 'newer flashcache' 'load refuses a cache of the future' load "$SSD"
	cache
	refuse 'does not know its disk' 'load refuses to guess a disk' load "$SSD"
	refuse 'same device' 'load refuses the SSD as its own disk' load "$SSD" c "$SSD"
	refuse 'No such file' 'load refuses a disk that is missing' load "$SSD" c /dev/nowhere
	cache id=WWID=nowhere
	refuse 'no disk found with WWID=nowhere' 'load says what it has sought' load "$SSD"
	cache disk=999999 "id=LOOP_FILE=$WORK/disk"
	refuse 'no disk found' 'load does not take a smaller disk' load "$SSD"
	refuse 'not the same disk' 'load refuses a smaller disk' load "$SSD" c "$DISK"
	cache 'name=a/b'
	refuse "must not contain '/'" 'load refuses an impossible stored name' load "$SSD"
	cache
	new_loop short ssd 0 --sizelimit 4M
	refuse 'has 8192 sectors' 'load refuses an SSD that has shrunk' load "$short"
	losetup -d "$short"
}

test_load_identity()
{
	local twin
	cache "id=LOOP_FILE=$WORK/disk"
	new_loop twin disk 0
	refuse '2 disks found.*loop.*loop' 'load refuses to choose between two' load "$SSD"
	losetup -d "$twin"
	grep -q device-mapper /proc/misc && return
	refuse 'no device-mapper' 'load finds the disk' load "$SSD"
	cache id=WWID=other
	refuse 'is not the one that was cached' 'load warns of a disk that is not the one' \
		load "$SSD" c "$DISK"
}

# --- the list of caches, and load by UUID ----------------------------------------------------------

CACHE_UUID=30313233-3435-3637-3839-616263646566	# mkcache's

test_uuid()
{
	local twin
	cache
	refuse 'is no UUID' 'load refuses what is no UUID' load UUID=fast
	refuse 'no device holds the cache' 'load says that the SSD is missing' \
		load "UUID=${CACHE_UUID/3031/ffff}"
	refuse 'does not know its disk' 'load finds the SSD by UUID' load "UUID=$CACHE_UUID"
	new_loop twin ssd 0
	refuse '2 devices hold the cache.*loop.*loop' 'load refuses to choose between two SSDs' \
		load "UUID=$CACHE_UUID"
	losetup -d "$twin"
	refuse 'a number of seconds' 'load refuses an odd time' load --wait soon "UUID=$CACHE_UUID"
	refuse 'works with UUID' 'load refuses to wait for a path' load --wait 1 "$SSD"
	refuse 'takes no names' 'load --all refuses names' load --all "$SSD"
}

# shellcheck disable=SC2059 # the format is the file
list() { printf "$1\n" "${@:2}" >"$WORK/tab"; }

# udev_says DESC TEXT DEVICE: what udev's rule is told, all of it.
udev_says()
{
	"$BIN/flashcache" udev "$3" >"$WORK/out" 2>&1 || echo "exit status $?" >>"$WORK/out"
	result "$1" "$([ "$(tr '\n' ' ' <"$WORK/out")" = "$2" ] || echo "not '$2'")"
}

test_list()
{
	export FLASHCACHETAB=$WORK/tab
	cache
	udev_says 'an SSD that is not listed is not loaded' \
		"FLASHCACHE_ROLE=ssd FLASHCACHE_UUID=$CACHE_UUID " "$SSD"
	udev_says 'a disk that is not listed is nothing special' '' "$DISK"
	list '# a comment\n\nfast UUID=%s LOOP_FILE=%s' "${CACHE_UUID^^}" "$WORK/disk"
	udev_says 'an SSD that is listed is loaded' \
		"FLASHCACHE_ROLE=ssd FLASHCACHE_UUID=$CACHE_UUID FLASHCACHE_LOAD=1 " "$SSD"
	udev_says 'a disk that is listed is kept from use' \
		"FLASHCACHE_ROLE=disk FLASHCACHE_UUID=$CACHE_UUID FLASHCACHE_LOAD=1 " "$DISK"
	list 'fast UUID=%s LOOP_FILE=%s noauto' "$CACHE_UUID" "$WORK/disk"
	udev_says 'also when its cache does not come up by itself' \
		"FLASHCACHE_ROLE=disk FLASHCACHE_UUID=$CACHE_UUID " "$DISK"
	expect 0 'no cache of .*tab comes up by itself' 'load --all leaves out what is noauto' \
		load --all
	list 'fast\na UUID=x\nb UUID=%s disk\nc UUID=%s - maybe\nd UUID=%s - auto more' \
		"$CACHE_UUID" "$CACHE_UUID" "$CACHE_UUID"
	expect 0 'tab:5: .*left out' 'bad lines are told' load --all
	result 'each of them' "$([ "$(grep -c 'left out' "$WORK/out")" -eq 5 ] || echo no)"
	list 'fast UUID=%s -' "$CACHE_UUID"
	refuse 'does not know its disk' 'load --all loads what is listed' load --all
	destroyed_from_list
	unset FLASHCACHETAB
}

destroyed_from_list()
{
	list '# kept\nother UUID=%s -\nfast UUID=%s -\nbad line here' \
		"${CACHE_UUID/3031/ffff}" "$CACHE_UUID"
	expect 0 . 'destroy' destroy "$SSD"
	result 'destroy takes the line out, and no other' "$(printf '# kept\nother UUID=%s -\nbad line here\n' \
		"${CACHE_UUID/3031/ffff}" | diff - "$WORK/tab" 2>&1)"
}

# --- destroy --------------------------------------------------------------------------------------

dirty()
{
	local count=$1 desc=$2
	shift 2
	cache "$@"
	refuse "^DIRTY BLOCKS EXIST ON $SSD: $count" "destroy finds $desc" destroy "$SSD"
}

destroyed()
{
	expect 0 "^Destroying Flashcache found on $SSD\$" "destroy wipes $1" destroy "${@:2}" "$SSD"
	refuse 'No valid Flashcache found' "nothing is left of $1" destroy "$SSD"
	refuse 'No valid Flashcache found' "nothing to load is left of $1" load "$SSD"
}

test_destroy()
{
	blank
	refuse 'No valid Flashcache found' 'destroy refuses an SSD without a cache' destroy "$SSD"
	refuse 'No valid Flashcache found' 'destroy -f refuses it too' destroy -f "$SSD"
	cache clean=300
	destroyed 'a clean cache'
	cache state=2 clean=300 lost=1
	destroyed 'a cache with one superblock'
	dirty '300 blocks' 'dirty blocks of the table' dirty=300 clean=100
	dirty '250 blocks' 'dirty blocks of the log' clean=10 log=250
	dirty '325 blocks' 'dirty blocks of both' dirty=100 clean=100 log=225
	dirty '50 blocks' 'that the log has freed some' dirty=200 freed=150
	result 'the message has three lines' "$(sed -n '4s/^/a fourth: /p' "$WORK/out")"
	destroyed 'a dirty cache by force' -f
	cache dirty=200 freed=200
	destroyed 'a cache whose log frees all'
	cache clean=200 torn=250
	destroyed 'a cache whose last commit is torn'
	cache state=2 clean=200 log=50
	destroyed 'a cache that was stopped in order, with an old log'
}

test_destroy_damaged()
{
	cache lost=2
	refuse 'damaged.*-f' 'destroy refuses a damaged cache' destroy "$SSD"
	destroyed 'a damaged cache by force' -f
	cache format=99
	refuse 'format.*-f' 'destroy refuses a cache of the future' destroy "$SSD"
	dirty 'number unknown' 'that a table block is damaged' lost=3 dirty=10
	dirty 'number unknown' 'that a table block is lost' lost=4 dirty=10
	dirty 'number unknown' 'an impossible record' crafted=1 log=10
	destroyed 'all that by force' -f
}

new_loop SSD ssd 8M
new_loop DISK disk 24M
test_usage
test_numbers
test_names
test_devices
test_read_only
test_mounted
test_signatures
test_original
test_own_caches
test_questions
test_memory_question
test_sector_sizes
test_output
test_load
test_load_identity
test_uuid
test_list
test_destroy
test_destroy_damaged
[ "$bad" -eq 0 ]
