#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-advise.sh BIN: flashcache advise on traces of all formats. Runs on the host, as any user.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)

BIN=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
# shellcheck source=tests/utils/tool-lib.sh
. "$HERE/tool-lib.sh"
SEED=${SEED:-1}

# A load of single blocks, some of them hot: lines "op block".
load()
{
	awk -v seed="$SEED" 'BEGIN {
		srand(seed)
		for (i = 0; i < 20000; i++)
			print rand() < 0.3 ? "w" : "r", int(rand() * rand() * 3000)
	}'
}

# The same load in each format.
make_traces()
{
	load >"$WORK/load"
	{
		echo 'time_us,op,offset,length'
		awk '{ printf "%d,%s,%d,4096\n", NR, $1, $2 * 4096 }' "$WORK/load"
	} >"$WORK/csv"
	xz -k "$WORK/csv"
	# Each request with all its events, and what does not count.
	awk '{
		op = $1 == "r" ? "R" : "WS"
		printf "  8,0    1 %8d     %d.000000000   697  Q %3s %d + 8 [fio]\n", NR, NR, op, $2 * 8
		printf "  8,0    1 %8d     %d.000000100   697  G %3s %d + 8 [fio]\n", NR, NR, op, $2 * 8
		printf "  8,0    1 %8d     %d.000000200   697  D %3s %d + 8 [fio]\n", NR, NR, op, $2 * 8
		printf "  8,0    1 %8d     %d.000000300     0  C %3s %d + 8 [0]\n", NR, NR, op, $2 * 8
	}
	END {
		print "  8,0    0        2     1.000000000   697  Q   D 77 + 8 [fstrim]"
		print "  8,0    0        2     1.000000000   697  Q FWS [kworker]"
		print "  8,0    0        2     1.000000000     0  m   N cfq697 alloced"
		print "CPU0 (8,0):\n Reads Queued:  1, 4KiB\t Writes Queued: 1, 4KiB"
	}' "$WORK/load" >"$WORK/blkparse"
	{
		printf 'fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n'
		awk '{ print "/dev/sdb", $1 == "r" ? "read" : "write", $2 * 4096, 4096 }
			END { print "/dev/sdb close" }' "$WORK/load"
	} >"$WORK/fio2"
	{
		printf 'fio version 3 iolog\n1 /dev/sdb add\n2 /dev/sdb open\n'
		awk '{ print NR, "/dev/sdb", $1 == "r" ? "read" : "write", $2 * 4096, 4096 }
			END { print "9 /dev/sdb close" }' "$WORK/load"
	} >"$WORK/fio3"
}

# A cache of one set is fully associative, so its hits can be counted by a few lines of awk.
true_hits()
{
	awk -v policy="$1" -v room=512 '
		function drop(	b, oldest, at) {
			at = NR + 1
			for (b in age)
				if (age[b] < at) { at = age[b]; oldest = b }
			delete age[oldest]
			held--
		}
		{
			if ($2 in age) {
				hits++
				if (policy == "lru") age[$2] = NR
				next
			}
			if (held == room) drop()
			age[$2] = NR
			held++
		}
		END { printf "%.4f\n", hits / NR }' "$WORK/load"
}

test_truth()
{
	local policy want
	expect 0 . 'advise --json' advise --json -s 2m "$WORK/csv"
	json 'what it is about' '.requests == 20000 and .block_accesses == 20000 and
		(.caches | length == 1) and .caches[0].cache_bytes == 2097152'
	json 'the working set' ".working_set_bytes == 4096 *
		$(awk '!seen[$2]++ { n++ } END { print n }' "$WORK/load")"
	json 'reads' ".block_reads == $(grep -c r "$WORK/load")"
	for policy in fifo lru; do
		want=$(true_hits "$policy")
		json "hits of $policy are those of a simple model ($want)" \
			".caches[0].$policy.hit_ratio == ($want)"
	done
}

test_formats()
{
	local format
	expect 0 . 'the trace as lines' advise --json "$WORK/csv"
	jq 'del(.trace, .format)' <"$WORK/stdout" >"$WORK/want"
	json 'sizes rise, and so do hits' '.caches | length > 1 and
		(. == sort_by(.cache_bytes)) and (. == sort_by(.lru.hit_ratio))'
	for format in csv.xz blkparse fio2 fio3; do
		expect 0 . "the trace as $format" advise --json "$WORK/$format"
		result "$format gives the same" \
			"$(jq 'del(.trace, .format)' <"$WORK/stdout" | diff - "$WORK/want" || true)"
	done
	rc=0
	"$BIN/flashcache" advise --json - <"$WORK/csv.xz" >"$WORK/stdout" 2>"$WORK/out" || rc=$?
	result 'standard input gives the same' \
		"$(jq 'del(.trace, .format)' <"$WORK/stdout" | diff - "$WORK/want" || true)"
	expect 0 '^About .* with' 'the trace as text' advise "$WORK/csv"
	expect 0 'would not help' 'a load that touches all once' advise <(seq 1 3000 |
		awk '{ printf "0,r,%d,4096\n", $1 * 4096 }')
}

test_devices()
{
	{
		cat "$WORK/blkparse"
		echo '  8,16   1        1     0.000000000   697  Q   R 8 + 8 [fio]'
	} >"$WORK/two"
	expect 0 '1 events of other devices' 'two devices' advise "$WORK/two"
	expect 0 . 'the other device' advise --json -D 8,16 "$WORK/two"
	json 'the other device' '.requests == 1'
	refuse 'no reads or writes of device 8,32' 'a device that is not there' \
		advise -D 8,32 "$WORK/two"
}

test_plot()
{
	expect 0 . 'with a plot' advise --plot "$WORK/plot.svg" "$WORK/csv"
	result 'it has three lines' "$([ "$(grep -c '<polyline' "$WORK/plot.svg")" -eq 3 ] || echo no)"
	result 'it is whole' "$([ "$(head -c 4 "$WORK/plot.svg")$(tail -n 1 "$WORK/plot.svg")" = \
		'<svg</svg>' ] || echo no)"
	expect 1 'only SVG' 'a plot of another kind' advise --plot "$WORK/plot.png" "$WORK/csv"
	refuse 'cannot write' 'a plot into nowhere' advise --plot /nowhere/x.svg "$WORK/csv"
}

# bad PATTERN DESC LINES: a trace that cannot be used.
bad()
{
	printf '%b' "$3" >"$WORK/bad"
	refuse "$1" "$2" advise "$WORK/bad"
}

test_bad()
{
	refuse 'cannot open' 'a trace that is missing' advise "$WORK/nothing"
	refuse 'cannot read' 'a directory' advise "$WORK"
	bad 'no reads or writes' 'an empty trace' ''
	bad 'no reads or writes' 'a trace of a title' 'time_us,op,offset,length\n'
	bad 'line 1: not a line of' 'something else' 'hello\n'
	bad 'line 3: not a line of' 'a bad line' '0,r,0,4096\n\n1,x,0,4096\n'
	bad 'line 1: not a line of' 'a negative offset' '0,r,-5,4096\n'
	bad 'line 2: not a line of' 'a number too few' '0,r,0,512\n0,r,0\n'
	bad 'beyond any disk' 'an offset beyond any disk' '0,r,99999999999999999999,512\n'
	bad 'none is that long' 'a length of 2 TiB' '0,r,512,2199023255040\n'
	bad 'beyond any disk' 'an end that wraps' '0,r,0,18446744073709551615\n'
	bad 'beyond any disk' 'a length beyond any disk' '0,r,512,18446744073709551615\n'
	bad 'no reads or writes' 'a trace of nothing' '0,r,0,0\n'
	bad 'line 2: not a line of' 'a bad line of fio' 'fio version 2 iolog\nx\n'
	bad 'line 3: not a line of' 'a read without numbers' \
		'fio version 3 iolog\n1 f add\n1 f read\n'
	head -c 2000 "$WORK/csv.xz" >"$WORK/cut.xz"
	refuse 'damaged or cut off' 'a file that was cut off' advise "$WORK/cut.xz"
	expect 1 'name one trace' 'no trace' advise
	expect 1 'not a size' 'a bad size' advise -s x "$WORK/csv"
	expect 1 'not a size' 'a size of nothing' advise -s 0 "$WORK/csv"
	expect 1 'not a block size' 'a bad block size' advise -b 5k "$WORK/csv"
	expect 1 'at most 16 sizes' 'too many sizes' \
		advise -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m -s1m "$WORK/csv"
}

make_traces
test_truth
test_formats
test_devices
test_plot
test_bad
[ "$bad" -eq 0 ]
