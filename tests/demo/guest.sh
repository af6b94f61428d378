#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh: the demonstration, inside the VM, in virtual time: the same XFS and the same skewed mix
# of reads and writes, first on a slow disk alone, then on that disk behind a flash cache.
# Leaves in the share: NAME.fio (terse), NAME_iops.*.log, samples, facts.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

DISK_MB=384
FLASH_MB=80
FILE_MB=160
DISK_NS=8000000
FLASH_NS=80000
DISK_SECONDS=${1:-15}
WARMING_SECONDS=${2:-40}
WARM_SECONDS=${3:-15}
DIR=/mnt/demo
STAGE=/run/demo
mkdir -p "$STAGE" "$DIR"

say() { printf '\n== %s\n' "$*"; }
fact() { echo "$1=$2" >>"$SHARE/facts"; }

# --- progress -------------------------------------------------------------------------------------

# I/Os finished on the device so far.
ios()
{
	local -a stat
	read -r -a stat </sys/class/block/"$BLOCK"/stat
	echo $((stat[0] + stat[4]))
}

# Seconds since the boot.
now() { cut -d. -f1 /proc/uptime; }

# The counters of the status line that are watched, as shell variables.
read_counters()
{
	local word
	reads=0 read_hits=0 dirty=0 blocks=1
	[ "$1" != disk ] || return 0
	for word in $(dmsetup status fc); do
		case "$word" in
		reads=* | read_hits=* | dirty=* | blocks=*) declare -g "$word" ;;
		esac
	done
}

percent() { if [ "$2" -gt 0 ]; then echo $((100 * $1 / $2)); else echo 0; fi; }

# sample PHASE: every second a line into samples; every fifth second one for the eye.
sample()
{
	local phase=$1 n last now last_reads last_hits hits
	local shown=0 seen start
	start=$(now)
	read_counters "$phase"
	last=$(ios)
	seen=$last
	last_reads=$reads
	last_hits=$read_hits
	while sleep 1; do
		n=$(($(now) - start))
		now=$(ios)
		read_counters "$phase"
		hits=$(percent $((read_hits - last_hits)) $((reads - last_reads)))
		echo "$phase $n $((now - last)) $hits $(percent "$dirty" "$blocks")" >>"$SHARE/samples"
		if [ $((n - shown)) -ge 5 ]; then
			show "$phase" "$n" $(((now - seen) / (n - shown))) "$hits" "$(percent "$dirty" "$blocks")"
			shown=$n
			seen=$now
		fi
		last=$now
		last_reads=$reads
		last_hits=$read_hits
	done
}

show()
{
	if [ "$1" = disk ]; then
		printf '   %3d s  %6d IOPS\n' "$2" "$3"
	else
		printf '   %3d s  %6d IOPS   read hits %3d %%   dirty %2d %%\n' "$2" "$3" "$4" "$5"
	fi
}

# --- work -----------------------------------------------------------------------------------------

make_fs()
{
	mkfs.xfs -q -f -K "$1"
	mount -o noatime "$1" "$DIR"
	BLOCK=dm-$(dmsetup info -c --noheadings -o minor "$1")
}

fio_layout()
{
	fio --name=layout --filename="$DIR/data" --size=${FILE_MB}M --rw=write --bs=1M --direct=1 \
		--ioengine=libaio --iodepth=4 --output="$STAGE/layout"
}

# The work itself: 4 KiB, 70 % reads, three quarters of it in a hundredth of the file.
fio_mix()
{
	local name=$1 seconds=$2 sampler
	sample "$name" &
	sampler=$!
	fio --name="$name" --filename="$DIR/data" --size=${FILE_MB}M --rw=randrw --rwmixread=70 \
		--random_distribution=zoned:75/1:25/99 --norandommap --bs=4k --direct=1 \
		--ioengine=libaio --iodepth=8 --time_based --runtime="$seconds" --randseed="$3" \
		--percentile_list=50:95:99:99.9 --write_iops_log="$STAGE/$name" \
		--log_avg_msec=1000 --output-format=terse --terse-version=3 --output="$STAGE/$name.fio"
	kill "$sampler" 2>/dev/null || true
	wait "$sampler" 2>/dev/null || true
	cp "$STAGE/$name.fio" "$STAGE/${name}"_iops*.log "$SHARE/"
}

# --- verification ---------------------------------------------------------------------------------

# Every block of a file carries its own checksum; MODE is write, or verify_only to look again.
fio_verify()
{
	local mode=()
	[ "$1" = write ] || mode=(--verify_only)
	fio --name=verify --filename="$DIR/verify" --size=8M --rw=randwrite --bs=4k --direct=1 \
		--ioengine=libaio --iodepth=16 --verify=crc32c --verify_fatal=1 --do_verify=1 \
		"${mode[@]}"
}

copy_tree()
{
	mkdir "$DIR/tree"
	cp -r "$ROOT/src" "$DIR/tree/"
	(cd "$DIR/tree" && find . -type f -exec sha256sum {} +) >"$STAGE/sums"
	sync
}

check_tree() { (cd "$DIR/tree" && sha256sum --quiet -c "$STAGE/sums"); }

fs_is_sound() { umount "$DIR" && xfs_repair -n "$1" && mount -o noatime "$1" "$DIR"; }

# --- the two halves -------------------------------------------------------------------------------

disk_alone()
{
	say "the disk alone: XFS on a disk of 8 ms an I/O ($DISK_SECONDS s)"
	dmsetup create slow --table "0 $(sectors "$disk") linear $disk 0"
	make_fs /dev/mapper/slow
	fio_layout
	fio_mix disk "$DISK_SECONDS" 1
	umount "$DIR"
	dmsetup remove slow
}

behind_cache()
{
	say "the same disk behind $FLASH_MB MiB of flash (writeback), cache cold ($WARMING_SECONDS s)"
	fc_create fc "$disk" "$flash" 1 3
	make_fs /dev/mapper/fc
	# The file is laid out around the cache, so that it starts cold.
	fc_message fc cache_mode writearound
	fio_layout
	fc_message fc cache_mode writeback
	fio_mix warming "$WARMING_SECONDS" 2
	say "and now that it is warm ($WARM_SECONDS s)"
	fio_mix warm "$WARM_SECONDS" 3
	fact dirty_blocks "$(fc_status fc dirty)"
	fact blocks "$(fc_status fc blocks)"
	fact cached "$(fc_status fc cached)"
	fc_status fc >"$SHARE/status"
}

verify()
{
	say "is the data right?"
	check "files and checksummed blocks written" strictly verify_write
	drop_caches
	check "checksummed blocks read back through the cache" fio_verify verify_only
	check "files read back through the cache" check_tree
	check "file system is sound" fs_is_sound /dev/mapper/fc
	umount "$DIR"
	check "cache taken away, dirty blocks written to the disk" fc_remove fc
	mount -o noatime "$disk" "$DIR"
	check "checksummed blocks are right on the bare disk" fio_verify verify_only
	check "files are right on the bare disk" check_tree
	check "file system is sound on the bare disk" fs_is_sound "$disk"
}

verify_write()
{
	copy_tree
	fio_verify write
}

load_module
disk=$(make_null_blk disk "$DISK_MB" "$DISK_NS" 1)
flash=$(make_null_blk flash "$FLASH_MB" "$FLASH_NS" 64)
fact disk_mb "$DISK_MB"
fact flash_mb "$FLASH_MB"
fact file_mb "$FILE_MB"
disk_alone
behind_cache
verify
check_clean
guest_end
