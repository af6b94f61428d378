#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# large.sh: large sequential I/O over legs of memory, inside the VM, in virtual time: through the
# cache, and past it.
# shellcheck source=tests/bench/bench-lib.sh
. "$ROOT/tests/bench/bench-lib.sh"
# shellcheck source=tests/bench/targets.sh
. "$ROOT/tests/bench/targets.sh"

SPAN_MB=128
FLASH_MB=512

# job TARGET JOB BS DEPTH RW
job()
{
	wanted "$2" || return 0
	watch "$1"
	measure "$1" "$2" "$DEV" --size="${SPAN_MB}M" --bs="$3" --iodepth="$4" --rw="$5"
}

hit_job()
{
	job "$@"
	! wanted "$2" || prove_hits "$1" "$2"
}

cached()
{
	any seqread64k_hit seqread1m_hit seqwrite1m || return 0
	target_up "$1" writeback
	target_warm "$1"
	hit_job "$1" seqread64k_hit 64k 8 read
	hit_job "$1" seqread1m_hit 1m 4 read
	if any seqwrite1m; then
		_span --rw=write --bs=64k --iodepth=4
	fi
	hit_job "$1" seqwrite1m 1m 4 write
	target_down "$1"
}

bypassed()
{
	any seqread1m_bypass || return 0
	target_up "$1" bypass
	job "$1" seqread1m_bypass 1m 4 read
	prove "$1" seqread1m_bypass read_hits -eq 0
	prove "$1" seqread1m_bypass fills -eq 0
	target_down "$1"
}

bench_options "$@"
load_module
legs_of_memory "$FLASH_MB"
for target in $TARGETS; do
	target_there "$target" || { note "$target is not there"; continue; }
	cached "$target"
	bypassed "$target"
done
check_clean
guest_end
