# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-lib.sh: what the tests of the tool share. Wants BIN (with the tool) and WORK (a directory).

bad=0

result()
{
	local desc=$1 failure=$2
	if [ -z "$failure" ]; then
		echo "ok - $desc"
		return
	fi
	tail -n 30 "$WORK/out" | sed 's/^/# /'
	echo "not ok - $desc: $failure"
	bad=$((bad + 1))
}

# expect RC PATTERN DESC COMMAND [ARGS]: exit status of `flashcache COMMAND`, and a pattern in what
# it says. Its standard output alone is in $WORK/stdout.
expect()
{
	local want=$1 pattern=$2 desc=$3 rc=0 failure=''
	shift 3
	"$BIN/flashcache" "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null || rc=$?
	cat "$WORK/stdout" "$WORK/stderr" >"$WORK/out"
	[ "$rc" -eq "$want" ] || failure="exit status $rc, not $want"
	[ -z "$pattern" ] || grep -qE -- "$pattern" "$WORK/out" || failure+=" nothing like '$pattern' said"
	result "$desc" "$failure"
}

# refuse PATTERN DESC COMMAND [ARGS]: exit status 1, one line on standard error, none on standard
# output.
refuse()
{
	local pattern=$1 desc=$2 lines
	shift 2
	expect 1 "$pattern" "$desc" "$@"
	lines=$(wc -l <"$WORK/stderr")
	[ "$lines" -eq 1 ] || result "$desc" "$lines lines on standard error"
	[ ! -s "$WORK/stdout" ] || result "$desc" 'something on standard output'
}

# json DESC FILTER: what the last command printed is JSON of schema 1 of which the filter is true.
json()
{
	local failure=''
	if ! jq -e . <"$WORK/stdout" >/dev/null 2>"$WORK/out"; then
		failure='no JSON'
	elif ! jq -e "(.schema == 1) and ($2)" <"$WORK/stdout" >"$WORK/out" 2>&1; then
		failure="not so: $2"
		jq . <"$WORK/stdout" >"$WORK/out"
	fi
	result "$1" "$failure"
}
