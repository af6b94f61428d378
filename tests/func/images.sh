#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# images.sh [NR]: crafted and damaged flash images, loaded by the module; NR of them with random
# damage.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

# As fast as memory: there is nothing to overtake here.
DISK=$(make_null_blk disk 2)
SSD=$(make_null_blk ssd 3)
load_module
if ! "$BIN/fcimages" "$DISK" "$SSD" "$SEED" "${1:-100}" >"$SHARE/images" 2>&1; then
	tail -n 5 "$SHARE/images" | sed 's/^/# /'
	not_ok "the program ended early"
fi
# Hundreds of lines: those that are well are counted.
grep -v '^ok - ' "$SHARE/images" || true
check_num "every case has a result" "$(grep -c '^ok - ' "$SHARE/images")" -ge 150
_bad=$((_bad + $(grep -c '^not ok - ' "$SHARE/images" || true)))
check_clean
guest_end
