#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# boot.sh PHASE: in the VM, under systemd. What users have lost data by, from boot to boot: the file
# system is on the cache, by UUID in fstab, and the raw disk has the same UUID.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

NAME="fc"
DEV=/dev/mapper/$NAME
KEEP=$SHARE/root/etc
PLACE=/srv/data

# wait_for SECONDS CMD...: a boot goes on while this script runs.
wait_for()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.5
	done
}

# find_drives NAME...: what udev calls them.
find_drives()
{
	local drive
	for drive in "$@"; do
		wait_for 120 test -b "/dev/disk/by-id/virtio-$drive" || not_ok "drive $drive turns up"
	done
	udevadm settle --timeout=120
	DISK=$(readlink -f /dev/disk/by-id/virtio-origin)
	SSD=$(readlink -f /dev/disk/by-id/virtio-flash)
}

udev_says() { udevadm info --query=property --name="$1" | grep -qx "$2"; }
mount_waits() { systemctl list-jobs --no-legend --full | grep -F "$(unit_of "$PLACE" mount)"; }
says_not() { ! udev_says "$@"; }
field_is() { [ "$(fc_status "$NAME" "$1")" = "$2" ]; }
fs_uuid() { blkid -p -o value -s UUID "$DEV"; }
by_uuid() { readlink -f "/dev/disk/by-uuid/$(cat "$KEEP/fs-uuid")"; }
is_node() { [ "$(stat -L -c %t:%T "$1")" = "$(stat -L -c %t:%T "$2")" ]; }
mounted_from() { [ "$(findmnt -n -o SOURCE "$PLACE")" = "$1" ]; }
not_mounted() { ! findmnt "$PLACE"; }
unit_of() { systemd-escape --path --suffix="$2" "$1"; }
state_is() { [ "$(systemctl show -P ActiveState "$1")" = "$2" ]; }
cache_uuid() { awk -v name="$NAME" '$1 == name { sub("UUID=", "", $2); print $2 }' /etc/flashcachetab; }
load_unit() { echo "flashcache-load@$(cache_uuid).service"; }
settle() { udevadm settle --timeout=60; }
data_is_right() { (cd "$PLACE" && sha256sum --quiet -c "$KEEP/sums"); }

# Only an orderly stop keeps clean blocks.
loaded_in_order()
{
	dmesg | grep "$NAME: Cache metadata loaded" | tail -n 1 |
		awk '{ for (i = 1; i < NF; i++) if ($(i + 1) == "valid") v = $i; else if ($(i + 1) == "DIRTY") d = $i }
			END { print v, d; exit !(v > d) }'
}

write_data()
{
	mkdir -p "$PLACE"/"$1"
	head -c 6M /dev/urandom >"$PLACE/$1/file" && sync && (cd "$PLACE" && sha256sum ./*/file) >"$KEEP/sums"
}

# Nobody takes the raw disk for what lies on it.
disk_is_hidden()
{
	check "$1: udev knows whose disk it is" udev_says "$DISK" FLASHCACHE_ROLE=disk
	check "$1: systemd does not take the disk for ready" udev_says "$DISK" SYSTEMD_READY=0
	check "$1: desktops leave it alone" udev_says "$DISK" UDISKS_IGNORE=1
	check "$1: nobody takes it for a file system" udev_says "$DISK" ID_FS_TYPE=flashcache_disk
	check "$1: its unit is not active" state_is "$(unit_of "$DISK" device)" inactive
}

first()
{
	find_drives origin flash
	check "create loads the module and starts the cache" \
		flashcache create -p back "$NAME" "$SSD" "$DISK"
	check "it is in the list" grep -E "^$NAME	UUID=[0-9a-f-]{36}	[A-Z_]+=[^ ]*origin	auto" \
		/etc/flashcachetab
	mkfs.xfs -q "$DEV"
	fs_uuid >"$KEEP/fs-uuid"
	udevadm trigger --settle "$DISK" "$DEV"
	disk_is_hidden "after create"
	check "the name by UUID is the cache's" is_node "$(by_uuid)" "$DEV"
	check "udev knows the SSD" udev_says "$SSD" FLASHCACHE_ROLE=ssd
	echo "UUID=$(cat "$KEEP/fs-uuid") $PLACE xfs defaults,nofail,x-systemd.device-timeout=60 0 0" \
		>"$KEEP/fstab"
	cp "$KEEP/fstab" /etc/fstab
	mkdir -p "$SHARE/root$PLACE" "$PLACE"
	mount "$PLACE"
	check "mount by UUID takes the cache" mounted_from "$DEV"
	check "there is data" write_data one
	cat "$PLACE/one/file" >/dev/null
	fc_message "$NAME" do_sync 1 && fc_wait "$NAME" dirty -eq 0 60
	check "there is more" write_data more
	check_num "and some of it is dirty" "$(fc_status "$NAME" dirty)" -gt 0
	systemctl start flashcache-stop.service
	cp /etc/flashcachetab "$KEEP/flashcachetab"
}

second()
{
	find_drives origin flash
	check "the file system is mounted" wait_for 120 mounted_from "$DEV"
	check "the cache came up by itself" field_is mode writeback
	check "in order: the last stop was one" loaded_in_order
	check "its unit says so" state_is "$(load_unit)" inactive
	check "and has not failed" test "$(systemctl show -P Result "$(load_unit)")" = success
	disk_is_hidden "at boot"
	check "the data is right" data_is_right
	check "load of what runs is no mistake" flashcache load "UUID=$(cache_uuid)"
	check "load --all finds nothing to do" flashcache load --all
	check "more data" write_data two
	check_fails "unload of a cache in use is refused" "mounted on $PLACE" flashcache unload "$NAME"
}

# The scar: the SSD is away, and the disk looks like a good file system, with old data.
no_ssd()
{
	find_drives origin
	disk_is_hidden "without its SSD"
	check "the raw disk was not mounted" not_mounted
	systemctl start --no-block "$(unit_of "$PLACE" mount)"
	sleep 3
	check "who wants to mount it waits for the cache" mount_waits
	check "still nothing is mounted" not_mounted
	systemctl cancel
	check_fails "load says what is missing" 'no device holds the cache UUID=' flashcache load --all
	check_fails "so does load by UUID" 'connect its SSD' flashcache load "UUID=$(cache_uuid)"
}

# The disk has become larger while the machine was off.
grown()
{
	check_num "it covers what it covered" "$(sectors "$DEV")" -lt "$(sectors "$DISK")"
	check "grow, under a mounted file system" flashcache grow "$NAME"
	check_num "it covers all" "$(sectors "$DEV")" -eq "$(sectors "$DISK")"
	check "so does the file system" xfs_growfs "$PLACE"
	check "it is mounted still" mounted_from "$DEV"
	check "its data is right" data_is_right
}

given_up()
{
	umount "$PLACE"
	check "unload" flashcache unload -q "$NAME"
	settle
	disk_is_hidden "behind an unload"
	check "destroy" flashcache destroy "$SSD"
	settle
	check "the list is empty" test -z "$(cache_uuid)"
	check "the disk is a disk again" udev_says "$DISK" ID_FS_TYPE=xfs
	check "its name by UUID is back" is_node "$(by_uuid)" "$DISK"
	mount "$PLACE"
	check "it can be mounted" mounted_from "$DISK"
	check "with all its data" data_is_right
	umount "$PLACE"
}

a_map() { dmsetup create "$NAME" --table "0 $(sectors "$DISK") linear $DISK 0" && settle; }

# A cache comes and goes below a mounted file system; systemd must not take it for gone.
live()
{
	check "a map of the disk" a_map
	mount "$PLACE"
	check "it is what is mounted by UUID" mounted_from "$DEV"
	check "attach" flashcache attach -p back "$NAME" "$SSD"
	settle
	sleep 2
	check "attach: it is mounted still" mounted_from "$DEV"
	disk_is_hidden "behind an attach"
	check "attach: the name by UUID is the cache's" is_node "$(by_uuid)" "$DEV"
	check "there is data" write_data live
	check_num "the cache has it" "$(fc_status "$NAME" dirty)" -gt 0
	check "detach" flashcache detach -q "$NAME"
	settle
	sleep 2
	check "detach: it is mounted still" mounted_from "$DEV"
	check "detach: the disk is nobody's" says_not "$DISK" FLASHCACHE_ROLE=disk
	check "the data is right" data_is_right
	check "attach again" flashcache attach -p back "$NAME" "$SSD"
	check "there is more data" write_data again
	umount "$PLACE"
	check "unload, dirty" flashcache unload --fast "$NAME"
}

# At the next boot the old script makes the old map: the disk without its newest data.
impostor()
{
	check "the old map" a_map
	check "a map of the cache's name is recognised" udev_says "$DEV" FLASHCACHE_ROLE=disk
	check "systemd does not take it for ready" udev_says "$DEV" SYSTEMD_READY=0
	check "its unit is not active" state_is "$(unit_of "$DEV" device)" inactive
	dmsetup remove "$NAME"
	check "the cache itself comes up" flashcache load "UUID=$(cache_uuid)"
	settle
	mount "$PLACE"
	check "with all data" data_is_right
	umount "$PLACE"
	check "unload" flashcache unload -q "$NAME"
	check "destroy" flashcache destroy "$SSD"
}

pv_is() { pvs --noheadings -o pv_name "${@:2}" 2>/dev/null | grep -x " *$1 *"; }
no_pv() { ! pvs --noheadings -o pv_name "$@" 2>/dev/null | grep -F "$DISK"; }
no_lv() { [ -z "$(dmsetup ls --target linear | grep '^fcvg' || true)" ]; }
a_group() { pvcreate -q -y "$DEV" && vgcreate -q fcvg "$DEV" && lvcreate -q -y -n lv -l 50%FREE fcvg; }

# Debian 12's lvm2 has no devices file.
has_devices_file() { command -v lvmdevices >/dev/null; }

a_devices_file()
{
	check "LVM: a devices file with the cache in it" lvmdevices -y --adddev "$DEV" \
		--config devices/use_devicesfile=1
	mv /etc/lvm/devices/system.devices "$KEEP/"
}

only_by_devices_file()
{
	mv "$KEEP/system.devices" /etc/lvm/devices/
	printf 'devices {\n\tuse_devicesfile = 1\n}\n' >/etc/lvm/lvmlocal.conf
	check "LVM: nor with a devices file" no_pv
	check_fails "LVM: nor can the group be activated" "" vgchange -q -ay fcvg
}

# The recipes are those of the guide.
lvm_on_top()
{
	local filter='devices/global_filter=["r|/dev/disk/by-id/virtio-origin|"]' lv=/dev/fcvg/lv
	check "create" flashcache create -f -p back "$NAME" "$SSD" "$DISK"
	wipefs -q -a "$DEV"
	check "LVM: a volume on the cache" a_group
	check "LVM: its label is on the disk, too" flashcache flush -q "$NAME"
	! has_devices_file || a_devices_file
	mkfs.ext4 -q "$lv"
	mount "$lv" "$PLACE"
	check "LVM: there is data" write_data lvm
	umount "$PLACE"
	vgchange -q -an fcvg
	check "LVM: unload, dirty" flashcache unload --fast "$NAME"
	udevadm trigger --settle "$DISK"
	sleep 2
	check "LVM: nothing comes up from the raw disk" no_lv
	check "LVM: without the recipes its commands take the raw disk" pv_is "$DISK"
	check "LVM: with a filter they do not" no_pv --config "$filter"
	if has_devices_file; then
		only_by_devices_file
	else
		skip "LVM: nor with a devices file" "this lvm2 knows none"
	fi
	check "LVM: load" flashcache load "UUID=$(cache_uuid)"
	check "LVM: the volume comes up by itself" wait_for 60 test -e "$lv"
	check "LVM: on the cache" pv_is "$DEV"
	mount "$lv" "$PLACE"
	check "LVM: the data is right" data_is_right
	umount "$PLACE"
	vgchange -q -an fcvg
	check "LVM: unload" flashcache unload -q "$NAME"
	check "LVM: destroy" flashcache destroy "$SSD"
}

last()
{
	find_drives origin flash
	check "the file system is mounted, from the cache" wait_for 120 mounted_from "$DEV"
	check "the data of all boots is right" data_is_right
	grown
	given_up
	live
	impostor
	lvm_on_top
}

"${1//-/_}"
trap - EXIT
log_clean || not_ok "kernel log clean"
[ "$_bad" -eq 0 ] || { systemctl status 'flashcache*'; journalctl -b --no-pager; } 2>&1 |
	grep -iE 'flashcache|mount|vdb|vda|fc-|dm-' | tail -n 80 | sed 's/^/# /'
[ "$_bad" -eq 0 ]
