#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# scale.sh: four jobs at depth 16 on one CPU or on two, inside the VM, in real time. The targets take
# turns, five times round; the median counts. Each has legs of its own, all of memory.
# Counted beside: of 1000 parts of dm-linear, the median of the rounds' own ratios, which a busy
# host disturbs less.
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

SPAN_MB=64
ROUNDS=5
TARGETS="linear flashcache dm-writecache"
RUN_MS=2000

# take_legs N: the Nth pair of RAM disks.
take_legs()
{
	DISK=/dev/ram$((2 * $1))
	FLASH=/dev/ram$((2 * $1 + 1))
	dd if=/dev/zero of="$DISK" bs=1M count="$SPAN_MB" oflag=direct status=none
	dd if=/dev/zero of="$FLASH" bs=1M oflag=direct status=none 2>/dev/null || true
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# one_run TARGET JOB RW: IOPS into $STAGE/JOB.TARGET
one_run()
{
	watch "$1"
	if fio_job "$2" "/dev/mapper/$1" --ioengine="$(engine "$2")" --size="${SPAN_MB}M" --bs=4k \
		--iodepth=16 --numjobs=4 --group_reporting --rw="$3" --time_based \
		--runtime="${RUN_MS}ms"; then
		fio_iops "$2" >>"$STAGE/$2.$1"
	else
		not_ok "$1 $2: fio failed"
	fi
	look "$1"
	prove_hits "$1" "$2"
}

job()
{
	local name=$1 rw=$2 round target
	wanted "$name" || return 0
	for ((round = 0; round < ROUNDS; round++)); do
		for target in $TARGETS; do
			one_run "$target" "$name" "$rw"
		done
	done
	for target in $TARGETS; do
		value "$target" "$name" "$(median <"$STAGE/$name.$target")"
		[ -e "$STAGE/$name.linear" ] || continue
		count_of "$target" "$name" permille_of_linear "$(paste "$STAGE/$name.$target" \
			"$STAGE/$name.linear" | awk '{ printf "%.0f\n", 1000 * $1 / $2 }' | median)"
	done
}

bench_options "$@"
load_module
make_brd 160 6 >/dev/null
n=0
for target in $TARGETS; do
	target_there "$target"
	take_legs $n
	target_up "$target" writeback
	target_warm "$target"
	_span --rw=write --bs=64k --iodepth=4
	n=$((n + 1))
done
cpus=$(nproc)cpu
for e in uring aio; do
	job "randread_hit_${cpus}_$e" randread
	job "randwrite_hit_${cpus}_$e" randwrite
done
check_clean
guest_end
