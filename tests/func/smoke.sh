#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# smoke.sh [installed]: does the module work at all on this kernel? Each mode in turn: create, I/O with
# verify, discard, flush, warm load, remove, unload. Short, to be run on many kernels. "installed":
# with the module that modprobe finds.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

if [ "${1:-}" = installed ]; then
	load_module() { modprobe flashcache; }
fi

fio_verify()
{
	fio --name=v --filename="$DEV" --direct=1 --ioengine=libaio --iodepth=8 --size=8m \
		--rw=randrw --bsrange=512-64k --verify=crc32c --do_verify=1 --verify_fatal=1 \
		--randseed="$SEED" --fsync=64
}

# fio and fcx go to different places, so that each finds again what it wrote.
load_and_verify()
{
	mark
	check "$1: fio verifies" fio_verify
	exercise "$1: everything at once" --ops 400 --offset 16m --span 16m \
		--mix read=40,write=31,fua=3,flush=3,discard=4,stream=16 --save-state "$TMP/state"
	look
	expect "$1: the cache was used" read_hit_blocks -ge 500
	expect "$1: discards were seen" discards -ge 1
	expect "$1: flushes were seen" flushes -ge 1
	expect "$1: no I/O error" disk_read_errors -eq 0
	expect "$1: no I/O error" ssd_write_errors -eq 0
	healthy "$1"
}

# Stop and load: what was cached is known again, and right.
warm_load()
{
	local cached
	settle
	cached=$(fc_status "$NAME" cached)
	check "$1: stop" fc_remove "$NAME"
	known_right "$1: raw disk as written" "$TMP/state" "$DISK"
	check "$1: load" cache "$1" "$LOAD"
	check_num "$1: as many blocks cached as before" "$(fc_status "$NAME" cached)" -eq "$cached"
	known_right "$1: as written, through the cache" "$TMP/state" "$DEV"
	check "$1: table loads back" fc_reload_own_table
}

fc_reload_own_table()
{
	dmsetup table "$NAME" | dmsetup reload "$NAME" && dmsetup suspend "$NAME" &&
		dmsetup resume "$NAME"
}

note "$(uname -rv)"
legs 64 32
check "module loads" load_module
for mode in writeback writethrough writearound; do
	check "$mode: create" cache "$mode" "$FORCE"
	load_and_verify "$mode"
	warm_load "$mode"
	check "$mode: remove" fc_remove "$NAME"
done
check_clean
guest_end
