#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# kunit.sh: in the VM, on a kernel with KUnit. The unit tests of the core, one case each; all of them
# must have run, and one that is told to fail must be seen to fail.
# shellcheck source=tests/func/func-lib.sh
. "$ROOT/tests/func/func-lib.sh"

KUNIT=$ROOT/out/build/$KREL/kunit/flashcache-kunit.ko
UNIT=$ROOT/tests/unit

# What the log says of cases since the mark, without time and depth: ok or not ok, number, name.
cases()
{
	dmesg | sed "1,/func: mark $_log_marks\$/d" |
		sed -nE 's/^(\[[^]]*\])? {4,}((not )?ok [0-9]+ -? ?[a-z0-9_]+)$/\2/p'
}

# run_cases [PARAMETER...]: their results are in $TMP/cases.
run_cases()
{
	log_mark
	insmod "$KUNIT" "$@" && rmmod flashcache_kunit
	cases >"$TMP/cases"
}

tests=$(cat "$UNIT"/test_*.c | grep -cE '^TEST\((clean|desk|format|geometry|ledger|map|part|replace|seq)_')
maps=$(cat "$UNIT"/test_*.c | grep -c '^TEST(map_')
check "the suites run" run_cases seed="$SEED"
sed -nE 's/^ok [0-9]+ -? ?/ok - /p' "$TMP/cases"
sed -nE 's/^not ok [0-9]+ -? ?//p' "$TMP/cases" | while read -r name; do
	not_ok "$name"
done
check_num "cases that passed" "$(grep -c '^ok ' "$TMP/cases")" -eq "$tests"
check_num "cases that failed" "$(grep -c '^not ok ' "$TMP/cases")" -eq 0
check "some run again, one of them to fail" run_cases only=map_ fail=map_random
check_num "it is seen" "$(grep -c '^not ok .*map_random$' "$TMP/cases")" -eq 1
check_num "the others pass" "$(grep -c '^ok ' "$TMP/cases")" -eq $((maps - 1))
check_clean
guest_end
