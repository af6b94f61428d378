# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# guest-lib.sh: for scripts that run in the VM (tests/vm/vm). Source it first:
#     . "$ROOT/tests/vm/guest-lib.sh"
# and end with `guest_end`, which exits 0 only when no result was `not ok`.
# Functions that make a device print its path. Everything made is undone by teardown_all, which
# also runs when a script dies.

set -euo pipefail
ROOT=${ROOT:?run me by tests/vm/vm}
SHARE=${SHARE:?run me by tests/vm/vm}
KREL=$(uname -r)
MODULE=$ROOT/out/build/$KREL/flashcache.ko
NULLB=/sys/kernel/config/nullb

_bad=0
modprobe dm-mod

# --- results --------------------------------------------------------------------------------------

ok() { echo "ok - $*"; }
not_ok() { echo "not ok - $*"; _bad=$((_bad + 1)); }
skip() { echo "ok - $1 # SKIP ${2:-}"; }
note() { printf '# %s\n' "$@"; }

# In $log where a check keeps what is said: not by mktemp and rm, since a process costs more than
# most checks. One file for each shell and depth of calls.
_check_log() { log=/run/check.$BASHPID.${#FUNCNAME[@]}; }

# check DESC CMD...: ok when CMD succeeds; its output is shown only when it does not.
check()
{
	local desc=$1 log
	shift
	_check_log
	if "$@" >"$log" 2>&1; then
		ok "$desc"
	else
		{ echo "\$ $*"; tail -n 30 "$log"; } | sed 's/^/# /'
		not_ok "$desc"
	fi
}

# check_fails DESC PATTERN CMD...: ok when CMD fails and says something that matches PATTERN.
check_fails()
{
	local desc=$1 pattern=$2 log
	shift 2
	_check_log
	if "$@" >"$log" 2>&1; then
		not_ok "$desc (it succeeded)"
	elif grep -qE -- "$pattern" "$log"; then
		ok "$desc"
	else
		{ echo "\$ $*"; tail -n 30 "$log"; } | sed 's/^/# /'
		not_ok "$desc (without saying: $pattern)"
	fi
}

# check_num DESC A OP B: an integer comparison, both sides shown when it is false.
check_num()
{
	if test "$2" "$3" "$4"; then
		ok "$1"
	else
		not_ok "$1 ($2 $3 $4 is false)"
	fi
}

guest_end()
{
	trap - EXIT
	teardown_all
	[ "$_bad" -eq 0 ]
	exit
}

_guest_died()
{
	local rc=$?
	echo "not ok - guest script died with status $rc"
	teardown_all
	exit 1
}
trap _guest_died EXIT

# For a shell that is used in `check` and must stop at the first failing command.
strictly() { (set -e; "$@"); }

# --- module ---------------------------------------------------------------------------------------

# load_module: flashcache and what it stands on.
load_module()
{
	local dep
	[ -e "$MODULE" ] || { echo "no module $MODULE: make module"; return 1; }
	for dep in $(modinfo -F depends "$MODULE" | tr ',' ' '); do
		modprobe "$dep"
	done
	insmod "$MODULE"
}

unload_module() { rmmod flashcache; }

module_loaded() { [ -d /sys/module/flashcache ]; }

# --- devices --------------------------------------------------------------------------------------

# make_brd SIZE_MB [COUNT]: RAM disks /dev/ram0...; they never forget and have no queue of their own.
make_brd()
{
	local i
	modprobe brd rd_nr="${2:-1}" rd_size="$(($1 * 1024))" max_part=0
	for ((i = 0; i < ${2:-1}; i++)); do
		echo "/dev/ram$i"
	done
}

_need_configfs()
{
	modprobe configfs 2>/dev/null || true
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# make_null_blk NAME SIZE_MB [LATENCY_NS [DEPTH [BLOCKSIZE [DISCARD [CACHE_MB]]]]]
# A disk in memory. With a latency every I/O takes that long on one of DEPTH slots; if these are few
# it gets a scheduler and a queue before them, as disks have, so that submitting does not wait for
# them. DISCARD 1 makes it able to discard; CACHE_MB gives it a volatile write cache, so that it wants flushes.
make_null_blk()
{
	local name=$1 size=$2 latency=${3:-0} depth=${4:-64} block=${5:-512} discard=${6:-0}
	local cache=${7:-0} dir=$NULLB/$1 path

	_need_configfs
	[ -d /sys/module/null_blk ] || modprobe null_blk nr_devices=0
	mkdir "$dir"
	echo "$size" >"$dir/size"
	echo "$block" >"$dir/blocksize"
	echo 1 >"$dir/submit_queues"
	echo "$depth" >"$dir/hw_queue_depth"
	if [ "$latency" -gt 0 ]; then
		echo 2 >"$dir/irqmode"
		echo "$latency" >"$dir/completion_nsec"
	else
		echo 0 >"$dir/irqmode"
	fi
	echo 1 >"$dir/memory_backed"
	[ "$discard" = 0 ] || echo 1 >"$dir/discard"
	[ "$cache" = 0 ] || echo "$cache" >"$dir/cache_size"
	echo 1 >"$dir/power"
	path=/dev/$name
	[ -b "$path" ] || path=/dev/nullb$(cat "$dir/index")
	if [ "$latency" -gt 0 ] && [ "$depth" -lt 16 ]; then
		_queue_before "$path"
	fi
	echo "$path"
}

_queue_before()
{
	local queue
	queue=/sys/class/block/$(basename "$1")/queue
	modprobe mq-deadline 2>/dev/null || true
	echo mq-deadline >"$queue/scheduler"
	echo 128 >"$queue/nr_requests"
}

remove_null_blk()
{
	echo 0 >"$NULLB/$1/power"
	rmdir "$NULLB/$1"
}

# The raw files given with --drive: /dev/vda, /dev/vdb, ...
need_drives() { modprobe virtio_blk 2>/dev/null || true; [ -b /dev/vda ]; }

sectors() { blockdev --getsz "$1"; }

# --- the cache ------------------------------------------------------------------------------------

# fc_create NAME DISK SSD MODE [PERSIST [more words of the table]]: the device is /dev/mapper/NAME.
fc_create()
{
	local name=$1 disk=$2
	shift
	dmsetup create "$name" --table "0 $(sectors "$disk") flashcache $disk $2 $name ${*:3}"
}

# fc_reload NAME DISK SSD MODE [PERSIST ...]: another table into the live device.
fc_reload()
{
	local name=$1 disk=$2
	shift
	dmsetup reload "$name" --table "0 $(sectors "$disk") flashcache $disk $2 $name ${*:3}" &&
		dmsetup suspend "$name" && dmsetup resume "$name"
}

fc_remove() { dmsetup remove "$1"; }

fc_message() { dmsetup message "$1" 0 "${@:2}"; }

# fc_status NAME [FIELD]: one field of the status line, or the whole line.
fc_status()
{
	local line
	line=$(dmsetup status "$1")
	if [ $# -eq 1 ]; then
		echo "$line"
	else
		[[ " $line " == *" $2="* ]] || return 1
		line=${line#*" $2="}
		echo "${line%% *}"
	fi
}

# fc_field_delta NAME FIELD BEFORE: how far a counter has moved.
fc_field_delta() { echo $(($(fc_status "$1" "$2") - $3)); }

# fc_wait NAME FIELD OP VALUE [SECONDS]: until the field compares so; fails after SECONDS (30).
fc_wait()
{
	local i
	for ((i = 0; i < ${5:-30} * 10; i++)); do
		! test "$(fc_status "$1" "$2")" "$3" "$4" || return 0
		sleep 0.1
	done
	echo "$1: $2 is $(fc_status "$1" "$2") after ${5:-30} s, wanted $3 $4"
	return 1
}

# Forget what the page cache holds of a device, so that the next read is one.
drop_caches() { sync; echo 3 >/proc/sys/vm/drop_caches; }

# host_reset WORD: have the host kill this VM now (tests/vm/vm --reset-after-word WORD). With `&`
# the caller goes on working until the axe falls.
host_reset()
{
	echo "$1" >"$SHARE/reset"
	sleep 60
	echo "the host did not kill this VM" >&2
	return 1
}

# --- the end --------------------------------------------------------------------------------------

_dm_names() { [ ! -c /dev/mapper/control ] || dmsetup ls 2>/dev/null | awk '/\(/ { print $1 }'; }

_unmount_all()
{
	local dir
	awk '$2 ~ "^/mnt/" { print $2 }' /proc/mounts | sort -r | while read -r dir; do
		umount "$dir" || umount -l "$dir"
	done
}

# Remove every dm device, those above before those below: go round until none goes any more.
_remove_all_dm()
{
	local name i
	for i in 1 2 3 4 5 6; do
		for name in $(_dm_names); do
			dmsetup remove "$name" 2>/dev/null || true
		done
		[ -n "$(_dm_names)" ] || return 0
		[ "$i" -lt 3 ] || sleep 0.3
	done
	echo "# left over: $(_dm_names | tr '\n' ' ')"
}

teardown_all()
{
	local dir
	set +e
	_unmount_all
	_remove_all_dm
	for dir in "$NULLB"/*/; do
		[ ! -d "$dir" ] || remove_null_blk "$(basename "$dir")"
	done
	[ ! -d /sys/module/null_blk ] || rmmod null_blk
	[ ! -d /sys/module/brd ] || rmmod brd
	set -e
}

_no_slab() { ! grep -E '^(flashcache|fc_)' /proc/slabinfo; }
_no_vmalloc() { ! grep -F '[flashcache]' /proc/vmallocinfo; }
_no_dm() { [ -z "$(_dm_names)" ]; }
_no_threads() { ! grep -lE '^(flashcache|fc_)' /proc/[0-9]*/comm 2>/dev/null; }

log_clean()
{
	! dmesg | grep -E 'BUG:|WARNING:|INFO: task|KASAN|UBSAN|Call Trace|general protection'
}

LEAKS=/sys/kernel/debug/kmemleak

# Nothing is lost. What is younger than 5 s is not looked at, what has changed since the scan before
# is not told, and a single look may err. (The file's size is always 0.)
_no_leaks()
{
	local i said
	sleep 6
	for i in 1 2 3 4; do
		echo scan >"$LEAKS"
		said=$(cat "$LEAKS")
		[ "$i" -eq 1 ] || [ -n "$said" ] || return 0
		sleep 1
	done
	echo "$said"
	return 1
}

# Lockdep stops watching at its first report, and when its tables are full.
_lockdep_watches() { grep 'debug_locks:' /proc/lockdep_stats | grep -w 1; }

# On a kernel that watches itself (tests/lib/debug-kernel).
_check_watchers()
{
	[ ! -e /proc/lockdep_stats ] || check "lockdep has watched to the end" _lockdep_watches
	[ ! -e "$LEAKS" ] || check "no memory is lost" _no_leaks
}

# check_clean: to be called at the end of a test of the module: nothing of it may be left.
check_clean()
{
	_unmount_all
	_remove_all_dm
	check "no dm device left" _no_dm
	if module_loaded; then
		check "module unloads" unload_module
	fi
	check "no slab cache left" _no_slab
	check "no vmalloc area left" _no_vmalloc
	check "no thread left" _no_threads
	_check_watchers
	check "kernel log clean" log_clean
}
