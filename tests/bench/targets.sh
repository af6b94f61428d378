# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# targets.sh: flashcache and its peers over the same two legs, DISK and FLASH:
#   target_there TARGET           can this kernel do it?
#   target_up TARGET KIND         sets DEV; KIND is writeback, writethrough, bypass (nothing is
#                                 admitted) or stream (every request is taken for a part of one)
#   target_warm TARGET            everything cached; clean if the target can hold clean blocks
#   target_clean TARGET           everything written back (dm-writecache forgets it, too)
#   target_down TARGET
# Without cache, raw and linear are the flash, or the disk when KIND is not writeback.
# Peers get their best: bcache no bypass of streams, and no writing back in the background unless
# BCACHE_WRITEBACK is yes.
# shellcheck disable=SC2153 # DISK and FLASH are set by the benchmark

BCACHE=/sys/block/bcache0/bcache
BCACHE_WRITEBACK=no
WRITECACHE_WORDS=()
FLASHCACHE_WORDS=(dirty_thresh_pct 95 fallow_delay 0)
DM_CACHE_META_MB=8

target_there()
{
	case "$1" in
	raw | linear | flashcache) ;;
	dm-writecache) modprobe dm-writecache ;;
	dm-cache) modprobe dm-cache && modprobe dm-cache-smq ;;
	bcache) modprobe bcache && command -v make-bcache >/dev/null ;;
	esac
}

_wipe() { dd if=/dev/zero of="$1" bs=1M count=8 oflag=direct status=none; }

target_up()
{
	local below=$FLASH
	[ "$2" = writeback ] || below=$DISK
	DEV=/dev/mapper/$1
	case "$1" in
	raw) DEV=$below ;;
	linear) dmsetup create linear --table "0 $(sectors "$below") linear $below 0" ;;
	flashcache) _up_flashcache "$2" ;;
	dm-writecache) _up_writecache ;;
	dm-cache) _up_dm_cache "$2" ;;
	bcache) _up_bcache "$2" ;;
	esac
}

_up_flashcache()
{
	local mode=1
	[ "$1" != writethrough ] || mode=2
	fc_create flashcache "$DISK" "$FLASH" $mode 3 0 0 0 0 0 0 \
		${#FLASHCACHE_WORDS[@]} "${FLASHCACHE_WORDS[@]}"
	[ "$1" != bypass ] || fc_message flashcache admit 0
	[ "$1" != stream ] || fc_message flashcache skip_seq_thresh_kb 1
}

_up_writecache()
{
	_wipe "$FLASH"
	dmsetup create dm-writecache --table "0 $(sectors "$DISK") writecache s $DISK $FLASH 4096 \
		${#WRITECACHE_WORDS[@]} ${WRITECACHE_WORDS[*]}"
}

_up_dm_cache()
{
	local mode=$1 meta=$((DM_CACHE_META_MB * 2048)) table
	[ "$mode" != bypass ] || mode=writeback
	_wipe "$FLASH"
	dmsetup create cache_meta --table "0 $meta linear $FLASH 0"
	dmsetup create cache_data --table "0 $(($(sectors "$FLASH") - meta)) linear $FLASH $meta"
	table="0 $(sectors "$DISK") cache /dev/mapper/cache_meta /dev/mapper/cache_data $DISK"
	dmsetup create dm-cache --table "$table 64 1 $mode smq 0"
	[ "$1" != bypass ] || dmsetup message dm-cache 0 migration_threshold 0
}

_bcache_there() { [ -d "$BCACHE" ] && [ -b /dev/bcache0 ]; }

_up_bcache()
{
	local mode=$1
	[ "$mode" != bypass ] || mode=none
	DEV=/dev/bcache0
	_wipe "$FLASH"
	_wipe "$DISK"
	make-bcache --block 4k --bucket 128k -B "$DISK" -C "$FLASH" >/dev/null
	echo "$FLASH" >/sys/fs/bcache/register
	echo "$DISK" >/sys/fs/bcache/register
	_until _bcache_there
	echo "$mode" >$BCACHE/cache_mode
	echo 0 >$BCACHE/sequential_cutoff
	echo 0 >$BCACHE/cache/congested_read_threshold_us
	echo 0 >$BCACHE/cache/congested_write_threshold_us
	[ "$BCACHE_WRITEBACK" = yes ] || echo 0 >$BCACHE/writeback_running
}

# _until CMD...: wait for it, at most ten minutes.
_until()
{
	local i
	for ((i = 0; i < 1200; i++)); do
		! "$@" || return 0
		sleep 0.5
	done
	echo "# waited in vain: $*"
	return 1
}

# --- warming --------------------------------------------------------------------------------------

_span() { fio_job "warm" "$DEV" --ioengine=libaio --size="${SPAN_MB}M" "$@"; }

target_warm()
{
	case "$1" in
	raw | linear) ;;
	flashcache) _span --rw=read --bs=64k --iodepth=4 ;;
	dm-writecache | bcache) _span --rw=write --bs=64k --iodepth=4 ;;
	dm-cache) _warm_dm_cache ;;
	esac
}

# Blocks of 32 KiB that are written whole are brought in at once as long as there is room.
_warm_dm_cache()
{
	local i
	for ((i = 0; i < 20; i++)); do
		_span --rw=write --bs=32k --iodepth=1
		[ "$(_dm_cache_field 7)" -lt $((SPAN_MB * 32)) ] || return 0
	done
	note "dm-cache: $(_dm_cache_field 7) of $((SPAN_MB * 32)) blocks are cached"
}

# Of the status behind "0 LEN cache": meta block size, meta use, block size, use of blocks, read
# hits, read misses, write hits, write misses, demotions, promotions, dirty. 7: blocks in use.
_dm_cache_field() { dmsetup status dm-cache | awk -v n="$1" '{ split($n, a, "/"); print a[1] }'; }

_dm_cache_is_clean() { [ "$(_dm_cache_field 14)" -eq 0 ]; }

_bcache_is_clean() { [ "$(cat $BCACHE/state)" = clean ]; }

_flashcache_is_clean() { [ "$(fc_status flashcache dirty)" -eq 0 ]; }

target_clean()
{
	case "$1" in
	flashcache)
		fc_message flashcache do_sync 1
		_until _flashcache_is_clean || not_ok "flashcache is not clean"
		;;
	dm-writecache) dmsetup message dm-writecache 0 flush ;;
	dm-cache) _until _dm_cache_is_clean || true ;;
	bcache)
		echo 0 >$BCACHE/writeback_percent
		echo 1 >$BCACHE/writeback_running
		_until _bcache_is_clean || true
		echo 0 >$BCACHE/writeback_running
		;;
	esac
}

# --- down -----------------------------------------------------------------------------------------

target_down()
{
	case "$1" in
	raw) ;;
	flashcache)
		fc_message flashcache fast_remove 1
		dmsetup remove flashcache
		;;
	dm-cache) dmsetup remove dm-cache cache_data cache_meta ;;
	bcache) _down_bcache ;;
	*) dmsetup remove "$1" ;;
	esac
}

_bcache_gone() { [ ! -b /dev/bcache0 ] && ! compgen -G '/sys/fs/bcache/*-*' >/dev/null; }

_down_bcache()
{
	local dir
	echo 1 >$BCACHE/stop
	for dir in /sys/fs/bcache/*-*/; do
		echo 1 >"$dir/unregister"
	done
	_until _bcache_gone
	sleep 0.2
}
