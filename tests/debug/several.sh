#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# several.sh "SCRIPT [ARG...]"...: in the VM. These tests one after the other, in one boot.
# shellcheck source=tests/vm/guest-lib.sh
. "$ROOT/tests/vm/guest-lib.sh"

for line; do
	read -r -a words <<<"$line"
	what=$(basename "${words[0]}" .sh)${words[1]:+ ${words[*]:1}}
	began=$SECONDS
	check_num "$what: ends well" "$(
		rc=0
		bash "$ROOT/tests/${words[0]}" "${words[@]:1}" >&3 2>&1 || rc=$?
		echo "$rc"
	)" -eq 0
	note "$what: $((SECONDS - began)) s"
done 3>&1
guest_end
