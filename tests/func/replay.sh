#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# replay.sh TRACE MODE: a real trace (csv.xz), full of unaligned requests, through a cache that
# holds a part of it; every read is checked against what the trace wrote before.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

TRACE=$1
MODE=$2
STATE=$TMP/state

replay() { xz -dc "$TRACE" | "$BIN/fcreplay" --save-state "$STATE" "$DEV"; }

DISK=$(make_null_blk disk 2700)
SSD=$(make_null_blk ssd 192)
load_module
check "a cache, $MODE" cache "$MODE" "$CREATE"
mark
check "replay of $(basename "$TRACE")" replay
look
note "blocks read: $(moved read_blocks), hit: $(moved read_hit_blocks);" \
	"written: $(moved write_blocks), hit: $(moved write_hit_blocks)"
expect "every request went through the cache" reads -ge 46974
expect "every request went through the cache" writes -ge 66898
expect "reads hit" read_hit_blocks -ge 10000
expect "the cache is full and replaces" replacements -ge 10000
healthy "after the replay"
check "remove" fc_remove "$NAME"
known_right "the raw disk has it all" "$STATE" "$DISK"
check_clean
guest_end
