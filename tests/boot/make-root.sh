#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# make-root.sh MODULE BIN: in the VM: a root file system on a cache, with an init that tells where it
# came from. Some of it is on the SSD alone. The list of caches and the file system's UUID are left in
# the share.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

DEV=/dev/mapper/rootfc
MNT=/mnt/root

fill()
{
	mkdir -p "$MNT"
	mount "$DEV" "$MNT"
	mkdir "$MNT"/{bin,sbin,proc,sys,dev,run,etc}
	cp "$(command -v busybox)" "$MNT/bin/busybox"
	cat >"$MNT/sbin/init" <<-'END'
		#!/bin/busybox sh
		set -- $(/bin/busybox grep ' / ' /proc/mounts | /bin/busybox tail -n 1)
		echo "root-is $1" >/dev/console
		/bin/busybox poweroff -f
	END
	chmod 755 "$MNT/sbin/init"
	umount "$MNT"
}

MODULE=$1
load_module
PATH=$2:$PATH
export FLASHCACHETAB=$SHARE/flashcachetab
need_drives
check "create" flashcache create -p back rootfc /dev/vdb /dev/vda
check "a file system" mkfs.ext4 -q "$DEV"
check "with an init" fill
blkid -p -o value -s UUID "$DEV" >"$SHARE/fs-uuid"
check_num "some of it is dirty" "$(fc_status rootfc dirty)" -gt 0
check "unload, dirty" flashcache unload --fast rootfc
guest_end
