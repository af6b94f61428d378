#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dracut: what the initramfs needs for a root file system on a cache. systemd and udev bring the
# cache up there as they do later.

check()
{
	require_binaries flashcache || return 1
	[ -s /etc/flashcachetab ] && return 0
	return 255
}

depends() { echo dm; }

installkernel() { instmods flashcache; }

install()
{
	inst_binary flashcache @SBINDIR@/flashcache
	inst_simple /etc/flashcachetab
	inst_rules 61-flashcache.rules
	# shellcheck disable=SC2154 # dracut's
	if dracut_module_included systemd; then
		inst_simple "$systemdsystemunitdir/flashcache-load@.service"
		inst_simple "$systemdsystemunitdir/flashcache-stop.service"
	else
		inst_hook initqueue/settled 50 "$moddir/load.sh"
	fi
}
