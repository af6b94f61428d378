# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# common.sh: what every suite on the host starts from. Sourced; tests/run sets ROOT and OUT, and a
# suite that is called by hand gets the same values here.

ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
OUT=${OUT:-$ROOT/out/$(basename "$0")}
export ROOT OUT
mkdir -p "$OUT"

# shellcheck source=tests/lib/deps.sh
. "$ROOT/tests/lib/deps.sh"

die() { echo "$(basename "$0"): $*" >&2; exit 1; }

_failed=0

ok() { echo "ok - $*"; }
not_ok() { echo "not ok - $*"; _failed=$((_failed + 1)); }
skip() { echo "ok - $1 # SKIP ${2:-}"; }

# suite_end: exit status of a suite that used ok and not_ok.
suite_end() { [ "$_failed" -eq 0 ]; exit; }

# check DESC CMD...: run CMD quietly; its output is shown only when it fails.
check()
{
	local desc=$1 log
	shift
	log=$(mktemp)
	if "$@" >"$log" 2>&1; then
		ok "$desc"
	else
		sed 's/^/# /' "$log" | tail -n 40
		not_ok "$desc"
	fi
	rm -f "$log"
}

pick_kver() { KVER=${KVER:-$("$ROOT/tests/lib/kver")}; export KVER; }

# build TARGET...: make, with its noise in a log; the tail of it and a failed suite when it breaks.
build()
{
	pick_kver
	if ! flock "$ROOT/out/.build.lock" make -C "$ROOT" --no-print-directory -j"$(nproc)" \
		KVER="$KVER" "$@" >"$OUT/build.log" 2>&1; then
		tail -n 40 "$OUT/build.log" | sed 's/^/# /'
		not_ok "build $*"
		exit 1
	fi
}

# guest NAME [vm options] SCRIPT [args]: run a script in the VM. Its result lines are shown as they
# come; then one line says whether the VM itself ended as it should. Log and share: $OUT/NAME/.
guest()
{
	local name=$1
	shift
	if "$ROOT/tests/vm/vm" --name "$name" --out "$OUT/$name" "$@"; then
		ok "$name: guest ended clean"
	else
		not_ok "$name: guest failed (log in ${OUT#"$ROOT/"}/$name)"
	fi
}
