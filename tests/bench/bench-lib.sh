# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# bench-lib.sh: what the benchmarks in the VM share, on top of tests/vm/guest-lib.sh:
#   options    bench_options "$@": which targets and jobs, how long
#   legs       DISK and FLASH, set by the benchmark
#   results    value, count_of: lines in the share, of which the host makes the JSON
#   jobs       fio_job, measure: one fio run, one value
#   proof      watch, prove: by counters, that the cache did what the job is called after
# Targets are in targets.sh.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

STAGE=/run/bench
TARGETS="raw linear flashcache dm-writecache dm-cache bcache"
WANTED_JOBS='*'
RUN_MS=400
SEED=${SEED:-1}
mkdir -p "$STAGE"

# bench_options ARG...: what was given behind `--` to tests/run:
#   -t "TARGET..."  only these      -j PATTERN  only jobs that match      -m MS  length of a job
#   -s "SIZE..."    of bench-memory: caches of so many GiB
# shellcheck disable=SC2034 # TARGETS and SIZES are read by benchmarks
bench_options()
{
	local opt OPTIND OPTARG
	while getopts t:j:m:s: opt; do
		case "$opt" in
		t) TARGETS=$OPTARG ;;
		j) WANTED_JOBS=$OPTARG ;;
		m) RUN_MS=$OPTARG ;;
		s) SIZES=$OPTARG ;;
		*) return 1 ;;
		esac
	done
}

# wanted JOB: was it asked for?
# shellcheck disable=SC2053 # a pattern
wanted() { [[ $1 == $WANTED_JOBS ]]; }

# any JOB...: is one of these wanted?
any()
{
	local job
	for job in "$@"; do
		! wanted "$job" || return 0
	done
	return 1
}

# --- legs -----------------------------------------------------------------------------------------

# legs_of_memory MB: two RAM disks. All pages of the flash are there already, and those of the
# disk's first SPAN_MB.
legs_of_memory()
{
	make_brd "$1" 2 >/dev/null
	DISK=/dev/ram0
	FLASH=/dev/ram1
	dd if=/dev/zero of="$DISK" bs=1M count="$SPAN_MB" oflag=direct status=none
	dd if=/dev/zero of="$FLASH" bs=1M count="$1" oflag=direct status=none
}

# slow_flash MB: one I/O at a time, of at most 64 KiB, in 65.5 us.
slow_flash()
{
	local dir=$NULLB/flash
	_need_configfs
	[ -d /sys/module/null_blk ] || modprobe null_blk nr_devices=0
	mkdir "$dir"
	echo "$1" >"$dir/size"
	echo 4096 >"$dir/blocksize"
	echo 1 >"$dir/submit_queues"
	echo 1 >"$dir/hw_queue_depth"
	echo 128 >"$dir/max_sectors"
	echo 2 >"$dir/irqmode"
	echo 65536 >"$dir/completion_nsec"
	echo 1 >"$dir/memory_backed"
	echo 1 >"$dir/power"
	FLASH=/dev/flash
	[ -b $FLASH ] || FLASH=/dev/nullb$(cat "$dir/index")
	_queue_before "$FLASH"
}

# zero_disk MB
zero_disk()
{
	modprobe dm-zero
	dmsetup create zero --table "0 $(($1 * 2048)) zero"
	DISK=/dev/mapper/zero
}

# --- results --------------------------------------------------------------------------------------

# value TARGET JOB NUMBER
value()
{
	[[ ${3:-} =~ ^[0-9.]+$ ]] || { not_ok "$1 $2: no value"; return 0; }
	printf '# %-14s %-26s %s\n' "$@"
	echo "$*" >>"$SHARE/values"
}

# count_of TARGET JOB WHAT NUMBER: something counted beside the value.
count_of()
{
	printf '#   %-26s %-20s %s\n' "$2" "$3" "$4"
	echo "$*" >>"$SHARE/counts"
}

# --- jobs -----------------------------------------------------------------------------------------

# engine JOB: io_uring, unless the job's name says libaio.
engine()
{
	case "$1" in
	*_aio) echo libaio ;;
	*) echo io_uring ;;
	esac
}

# fio_job NAME DEVICE WORD...: run fio; its terse line is in $STAGE/NAME.fio. (With randrepeat the
# seed would not touch the offsets, and a job would read what the one before it has warmed.)
fio_job()
{
	fio --name="$1" --filename="$2" --direct=1 --randrepeat=0 --randseed="$SEED" --norandommap \
		--output-format=terse --terse-version=3 --output="$STAGE/$1.fio" \
		--percentile_list=50:95:99:99.9 "${@:3}" &&
		! fio_errors "$1"
}

# A field of the terse line: 5 is the error, 8 read IOPS, 49 write IOPS.
fio_field() { cut -d';' -f"$2" "$STAGE/$1.fio" | head -n 1; }

fio_errors() { [ "$(fio_field "$1" 5)" != 0 ]; }

fio_iops() { echo $(($(fio_field "$1" 8) + $(fio_field "$1" 49))); }

# fio_max NAME read|write: the longest, from submission on; fio_percentile NAME read|write P: of the
# completion latency. Microseconds.
fio_max()
{
	if [ "$2" = read ]; then fio_field "$1" 39; else fio_field "$1" 80; fi | cut -d. -f1
}

fio_percentile()
{
	local from=18
	[ "$2" = read ] || from=59
	cut -d';' -f"$from"-$((from + 19)) "$STAGE/$1.fio" | head -n 1 | tr ';' '\n' |
		awk -F'[%=]+' -v want="$3" '/%=/ && $1 + 0 == want { print $2; exit }'
}

# measure TARGET JOB DEVICE WORD...: a job of RUN_MS whose value is its IOPS.
measure() { measure_pass "$@" --time_based --runtime="${RUN_MS}ms"; }

# The same until the job has gone once over its size.
measure_pass()
{
	if ! fio_job "$2" "$3" --ioengine="$(engine "$2")" "${@:4}"; then
		not_ok "$1 $2: fio failed"
		return 0
	fi
	look "$1"
	value "$1" "$2" "$(fio_iops "$2")"
}

# --- proof ----------------------------------------------------------------------------------------

# Benchmarks of a cache that stands aside are worth nothing: flashcache's counters must tell.
# `watch` before, `look` after, then `prove`.
declare -A _before _after

# _read_status ARRAY
_read_status()
{
	local -n into=$1
	local word
	for word in $(dmsetup status flashcache); do
		# shellcheck disable=SC2034 # it is the caller's array
		[[ $word != *=* ]] || into[${word%%=*}]=${word#*=}
	done
}

watch() { [ "$1" != flashcache ] || _read_status _before; }
look() { [ "$1" != flashcache ] || _read_status _after; }

# moved FIELD: by how much, from watch to look.
moved() { echo $((_after[$1] - _before[$1])); }

# prove TARGET JOB FIELD OP NUMBER: of flashcache, that the counter has moved so.
prove()
{
	[ "$1" = flashcache ] || return 0
	test "$(moved "$3")" "$4" "$5" || not_ok "$2: $3 has moved by $(moved "$3"), not $4 $5"
}

# prove_hits TARGET JOB: the disk was not touched, all requests hit, and requests there were.
prove_hits()
{
	local all
	[ "$1" = flashcache ] || return 0
	all=$(($(moved reads) + $(moved writes)))
	prove "$1" "$2" disk_reads -eq 0
	prove "$1" "$2" disk_writes -eq 0
	test $(($(moved read_hits) + $(moved write_hits))) -eq "$all" ||
		not_ok "$2: not all of $all requests hit"
	test "$all" -gt 0 || not_ok "$2: no requests"
}
