#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# crash.sh STAGE MODE [SHARE]: the machine dies without a stop, the legs live on in files.
#   first       create, load, die
#   next        load the cache that died, verify, work on, die again
#   last        load, verify, stop, verify the raw disk
# SHARE is that of the boot before: there is what it asked of the device and what was promised.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

STAGE=$1
MODE=$2
BEFORE=${3:-}
DISK=/dev/vda
SSD=/dev/vdb

# Load the device and die in the middle. The journal is on the host: it survives.
work_and_die()
{
	"$FCX" run --seed "$SEED" --seconds 60 --max 256k --threads 2 --state "$SHARE/state" \
		--log "$SHARE/log" --mix read=20,write=50,fua=5,flush=3,discard=3,stream=19 \
		"$DEV" >"$SHARE/fcx" 2>&1 &
	sleep 6
	check "the load runs" kill -0 $!
	healthy "before the kill"
	host_reset now
}

first()
{
	check "a cache, $MODE" cache "$MODE" "$FORCE"
	exercise "first state" --fill --ops 300 --span 24m --save-state "$SHARE/state"
	check "flush" sync "$DEV"
	work_and_die
}

# What the dead machine left: dirty blocks are kept, clean ones need not be.
look_at_the_dead()
{
	check "load after the kill" cache "$MODE" "$LOAD"
	healthy "after the load"
	note "cached $(fc_status "$NAME" cached) dirty $(fc_status "$NAME" dirty)"
	if [ "$MODE" = writeback ]; then
		check_num "dirty blocks are kept" "$(fc_status "$NAME" dirty)" -ge 100
	else
		check_num "nothing is dirty" "$(fc_status "$NAME" dirty)" -eq 0
	fi
	mark
	check "each sector holds what it must" "$FCX" verify --state "$BEFORE/state" \
		--log "$BEFORE/log" --after-crash --save-state "$SHARE/state" "$DEV"
	look
	[ "$MODE" != writeback ] || expect "dirty blocks are read from flash" read_hit_blocks -ge 100
}

# What is read after a crash stays what it is: also when the blocks are cleaned.
clean_and_look()
{
	check "clean everything" fc_message "$NAME" do_sync 1
	check "everything is clean" fc_wait "$NAME" dirty -eq 0 60
	known_right "the sectors stay what they were" "$SHARE/state" "$DEV"
	known_right "they are so on the disk" "$SHARE/state" "$DISK"
}

next()
{
	look_at_the_dead
	work_and_die
}

last()
{
	look_at_the_dead
	clean_and_look
	exercise "work goes on" --seconds 3 --state "$SHARE/state" --save-state "$SHARE/state"
	check "orderly stop" fc_remove "$NAME"
	known_right "the raw disk has it all" "$SHARE/state" "$DISK"
	check "load" cache "$MODE" "$LOAD"
	known_right "all is right after an orderly stop" "$SHARE/state" "$DEV"
	check "remove" fc_remove "$NAME"
	check_clean
}

need_drives
load_module
"$STAGE"
guest_end
