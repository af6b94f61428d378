# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# func-lib.sh: what the functional tests in the VM share, on top of tests/vm/guest-lib.sh:
#   legs       DISK and SSD, in memory
#   kernel log log_mark, logged
#   counters   mark, look, expect: what the cache did in between
#   a model    put, get, drop: single I/Os of a given size and place, checked against a plain file
#   fcx        exercise, known_right: the exerciser, with this run's SEED; brief: for how long
# Sourced first; it prints the seed.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

BIN=$ROOT/out/bin
FCX=$BIN/fcx
NAME="fc"
DEV=/dev/mapper/$NAME
SEED=${SEED:-$((RANDOM * 32768 + RANDOM))}
TMP=/run/func
MODEL=$TMP/model

mkdir -p "$TMP"
note "SEED=$SEED"

declare -A MODE_NUMBERS=([writeback]=1 [writethrough]=2 [writearound]=3)
mode_number() { echo "${MODE_NUMBERS[$1]}"; }

# pause SECONDS: a sleep that is no process, which on TCG takes longer than many a sleep. It reads
# from a pipe into which nothing is written.
[ -p "$TMP/nothing" ] || mkfifo "$TMP/nothing"
exec {_nothing}<>"$TMP/nothing"
pause() { read -rt "$1" -u "$_nothing" || true; }

# Persistence words of the table line.
export LOAD=1 CREATE=2 FORCE=3

# --- legs -----------------------------------------------------------------------------------------

# legs DISK_MB SSD_MB [DISK_SECTOR [SSD_SECTOR]]: able to discard, and a little slower than memory,
# the disk more so, so that operations overlap and overtake. (Not with null_blk's write cache: two
# CPUs that flush it wait for each other for ever.)
legs()
{
	DISK=$(make_null_blk disk "$1" 100000 8 "${3:-512}" 1)
	SSD=$(make_null_blk ssd "$2" 20000 64 "${4:-512}" 1)
}

drop_legs()
{
	remove_null_blk disk
	remove_null_blk ssd
}

# cache MODE [PERSIST [BLOCK_SECTORS ...]]: the cache NAME over the legs.
cache() { fc_create "$NAME" "$DISK" "$SSD" "$(mode_number "$1")" "${@:2}"; }

# reload_cache MODE [...]: another table into the live cache.
reload_cache() { fc_reload "$NAME" "$DISK" "$SSD" "$(mode_number "$1")" "$LOAD" "${@:2}"; }

# --- the kernel log -------------------------------------------------------------------------------

_log_marks=0
log_mark()
{
	_log_marks=$((_log_marks + 1))
	echo "func: mark $_log_marks" >/dev/kmsg
}

# logged WORDS: the kernel log has them since the mark.
logged() { dmesg | sed "1,/func: mark $_log_marks\$/d" | grep -F "$1"; }

# --- counters -------------------------------------------------------------------------------------

# A test marks, does something, looks once, and then compares: each look costs a process or two.
declare -A _before _after

# take_counters ARRAY LINE: the status line, taken apart.
take_counters()
{
	local -n into=$1
	local word
	for word in $2; do
		# shellcheck disable=SC2034 # it is the caller's array
		[[ $word != *=* ]] || into[${word%%=*}]=${word#*=}
	done
}

mark() { take_counters _before "$(dmsetup status "$NAME")"; }
look() { take_counters _after "$(dmsetup status "$NAME")"; }

# At the last look: the value of a field; by how much it had moved since the mark.
seen() { echo "${_after[$1]:-no such field}"; }
moved() { echo $((${_after[$1]:-0} - ${_before[$1]:-0})); }

# expect DESC FIELD OP NUMBER: how a counter had moved from the mark to the last look.
expect()
{
	if [ -z "${_after[$2]:-}" ]; then
		not_ok "$1: the status line has no $2"
	else
		check_num "$1: $2" $((${_after[$2]} - ${_before[$2]:-0})) "$3" "$4"
	fi
}

# Block reads that hit, from the mark to the last look, in hundredths of a per cent.
hit_rate() { echo $((10000 * $(moved read_hit_blocks) / ($(moved read_blocks) + 1))); }

# Until what the cache does behind the user's back is done: fills by now, cleaning if asked for.
settle()
{
	local before='' now
	while look && now="$(seen ssd_writes) $(seen disk_writes)" && [ "$now" != "$before" ]; do
		before=$now
		pause 0.2
	done
}

# --- the model: what the device must hold, byte for byte ------------------------------------------

# model DEV: from now on, what DEV holds now.
model() { dd if="$1" of="$MODEL" bs=1M status=none; }

model_bytes() { dd if="$MODEL" bs="$2" count=1 skip="$1" iflag=skip_bytes status=none; }

# put OFFSET LENGTH: one write of random bytes.
put()
{
	head -c "$2" /dev/urandom >"$TMP/data"
	dd if="$TMP/data" of="$DEV" bs="$2" count=1 seek="$1" oflag=direct,seek_bytes conv=notrunc \
		status=none &&
		dd if="$TMP/data" of="$MODEL" bs="$2" count=1 seek="$1" oflag=seek_bytes \
			conv=notrunc status=none
}

# get OFFSET LENGTH: one read, which must give what the model says.
get()
{
	dd if="$DEV" of="$TMP/got" bs="$2" count=1 skip="$1" iflag=direct,skip_bytes status=none &&
		model_bytes "$1" "$2" | cmp - "$TMP/got"
}

# drop OFFSET LENGTH: discard; what is read after that is what the model says from then on.
drop()
{
	blkdiscard -o "$1" -l "$2" "$DEV" &&
		dd if="$DEV" bs="$2" count=1 skip="$1" iflag=direct,skip_bytes status=none |
		dd of="$MODEL" bs="$2" iflag=fullblock seek="$1" oflag=seek_bytes conv=notrunc \
			status=none
}

same_as_model() { cmp "$MODEL" "$1"; }

# --- the exerciser --------------------------------------------------------------------------------

# brief N: or a quarter of it when FC_QUICK is set, for kernels that are many times slower.
brief() { if [ -n "${FC_QUICK:-}" ]; then echo $((($1 + 3) / 4)); else echo "$1"; fi; }

# exercise DESC ARGUMENT...: a checked run of fcx on the cache, with a seed of its own.
_exercises=0
exercise()
{
	local desc=$1
	shift
	_exercises=$((_exercises + 1))
	check "$desc" "$FCX" run --seed $((SEED + _exercises)) "$@" "$DEV"
}

# known_right DESC STATE DEVICE: the device holds what the state says.
known_right() { check "$1" "$FCX" verify --state "$2" "$3"; }

healthy()
{
	look
	check "$1: the cache is healthy" test "$(seen health)" = ok
}
