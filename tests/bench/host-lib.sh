# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# host-lib.sh: what the benchmarks' suites share, on top of tests/lib/common.sh:
#   bench_begin "$@"               packages and module; remembers what the guest is to be given
#   bench_guest NAME LEAF [OPT...] boot tests/bench/NAME.sh, its share is $OUT/LEAF
#   bench_end NAME UNIT LEAF...    collect, print the table, judge whether all is there
#   bench NAME UNIT [OPT...]       these two, for those that boot once
# OPTs go to tests/vm/vm. The result is out/bench/NAME.json:
#   {"bench": NAME, "unit": UNIT, "results": {TARGET: {JOB: VALUE}},
#    "counts": {TARGET: {JOB: {WHAT: NUMBER}}}}
# When the suite was given arguments (some targets or jobs only) it is out/bench/NAME-part.json.

_bench_args=()

# to_json NAME UNIT SHARE...: from the lines that the guests left.
to_json()
{
	local name=$1 unit=$2 work
	shift 2
	work=$(mktemp -d)
	cat "${@/%//values}" >"$work/values"
	cat "${@/%//counts}" >"$work/counts" 2>/dev/null || true
	jq -n --arg bench "$name" --arg unit "$unit" --rawfile values "$work/values" \
		--rawfile counts "$work/counts" '
		def lines: split("\n") | map(select(. != "") | split(" "));
		def put(path; v): setpath(path; v | tonumber);
		{ bench: $bench, unit: $unit,
		  results: (reduce ($values | lines)[] as [$t, $j, $v] ({}; put([$t, $j]; $v))),
		  counts: (reduce ($counts | lines)[] as [$t, $j, $w, $v] ({}; put([$t, $j, $w]; $v))) }
		| if .counts == {} then del(.counts) else . end'
	rm -rf "$work"
}

# Every target that was measured has a value for each job that flashcache has. LACKS, a regular
# expression, are those TARGET:JOB that cannot be.
LACKS=none
complete()
{
	local missing
	missing=$(jq -r '.results | (.flashcache // {} | keys) as $jobs
		| to_entries[] | .key as $t | ($jobs - (.value | keys))[] | "\($t):\(.)"' "$1" |
		grep -vE "^($LACKS)$" || true)
	[ -z "$missing" ] || echo "missing: $missing"
	[ -z "$missing" ] && jq -e '.results.flashcache | length > 0' "$1" >/dev/null
}

bench_begin()
{
	_bench_args=("$@")
	need_vm
	need_packages jq bcache-tools
	build module
	mkdir -p "$ROOT/out/bench"
}

bench_guest()
{
	guest "$2" "${@:3}" "$ROOT/tests/bench/$1.sh" "${_bench_args[@]}"
}

bench_end()
{
	local name=$1 unit=$2 json=$ROOT/out/bench/$1
	local -a shares
	shift 2
	shares=("${@/#/$OUT/}")
	json+=$([ ${#_bench_args[@]} -eq 0 ] || echo -part).json
	if [ -e "${shares[0]}/values" ]; then
		to_json "$name" "$unit" "${shares[@]}" >"$json"
		"$ROOT/tests/bench/tables" "$json"
	fi
	check "bench done: ${json#"$ROOT"/}" complete "$json"
	suite_end
}

bench()
{
	bench_guest "$1" vm "${@:3}"
	bench_end "$1" "$2" vm
}
