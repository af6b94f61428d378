#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# dracut without systemd: caches of the list that do not run yet.

@SBINDIR@/flashcache load --all
