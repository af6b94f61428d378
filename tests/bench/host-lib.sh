# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# host-lib.sh: what the benchmarks' suites share, on top of tests/lib/common.sh:
#   bench NAME UNIT [vm options] -- ARGS     boot tests/bench/NAME.sh, collect, print the table
# The result is out/bench/NAME.json:
#   {"bench": NAME, "unit": UNIT, "results": {TARGET: {JOB: VALUE}}, "counts": {TARGET: {JOB: {WHAT: N}}}}
# A run of some targets or jobs only (ARGS) goes to out/bench/NAME-part.json.

# to_json NAME UNIT SHARE: from the lines that the guest left.
to_json()
{
	local counts=/dev/null
	[ ! -e "$3/counts" ] || counts=$3/counts
	jq -n --arg bench "$1" --arg unit "$2" --rawfile values "$3/values" --rawfile counts "$counts" '
		def lines: split("\n") | map(select(. != "") | split(" "));
		def put(path; v): setpath(path; v | tonumber);
		{ bench: $bench, unit: $unit,
		  results: (reduce ($values | lines)[] as [$t, $j, $v] ({}; put([$t, $j]; $v))),
		  counts: (reduce ($counts | lines)[] as [$t, $j, $w, $v] ({}; put([$t, $j, $w]; $v))) }
		| if .counts == {} then del(.counts) else . end'
}

# Every target that was measured has a value for each job that flashcache has; LACKS names those
# pairs TARGET:JOB (a pattern) that cannot be.
LACKS=
complete()
{
	local missing
	missing=$(jq -r '.results | (.flashcache // {} | keys) as $jobs
		| to_entries[] | .key as $t | ($jobs - (.value | keys))[] | "\($t):\(.)"' "$1" |
		grep -vE "^(${LACKS:-none})$" || true)
	[ -z "$missing" ] || echo "missing: $missing"
	[ -z "$missing" ] && jq -e '.results.flashcache | length > 0' "$1" >/dev/null
}

bench()
{
	local name=$1 unit=$2 json=$ROOT/out/bench/$1
	local -a options=()
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	json+=$([ $# -eq 0 ] || echo -part).json
	need_vm
	need_packages jq bcache-tools
	build module
	mkdir -p "$ROOT/out/bench"
	guest vm "${options[@]}" "$ROOT/tests/bench/$name.sh" "$@"
	if [ -e "$OUT/vm/values" ]; then
		to_json "$name" "$unit" "$OUT/vm" >"$json"
		"$ROOT/tests/bench/tables" "$json"
	fi
	check "bench done: ${json#"$ROOT"/}" complete "$json"
	suite_end
}
