#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# tool-docs.sh BIN: manual pages and completion: well-formed, and as the program is.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
UTILS=$HERE/../../utils

BIN=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
: >"$WORK/out"
# shellcheck source=tests/utils/tool-lib.sh
. "$HERE/tool-lib.sh"
PATH=$BIN:$PATH

commands() { flashcache --help | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

# The text of a manual page, in one line.
text() { mandoc -T utf8 -O width=1000 "$1" | sed 's/.\x08//g' | tr '\n' ' '; }

test_pages()
{
	local page
	for page in "$UTILS"/man/*.[0-9]; do
		result "$(basename "$page") is well-formed" \
			"$(mandoc -T lint -W warning "$page" 2>&1 | head -n 3)"
	done
	if printf ".TH X 8 2020-01-01\n.SH NAME\n.BOGUS\n" | mandoc -T lint -W warning \
		>"$WORK/out"; then
		result "lint finds a bad page" "it does not"
	fi
}

# Each command and each of its options is in the manual.
test_complete()
{
	local command option
	text "$UTILS/man/flashcache.8" >"$WORK/manual"
	for command in $(commands); do
		result "the manual has $command" "$(grep -q "$command" "$WORK/manual" || echo no)"
		[ -e "$UTILS/man/flashcache_$command.8" ] || for option in $(flashcache "$command" -h |
			sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p'); do
			case "$option" in
			--help | --verbose | --quiet | --blocks) continue ;;
			esac
			result "the manual has $command $option" \
				"$(grep -q -- "$option" "$WORK/manual" || echo no)"
		done
	done
}

test_uapi()
{
	local word
	text "$UTILS/man/flashcache.7" >"$WORK/manual"
	while read -r word; do
		grep -qw "$word" "$WORK/manual" || result 'the manual has all words' "not $word"
	done < <(sed -nE 's/^\tT\(([a-z_]+),.*/\1/p; /define FC_COUNTERS/,/^$/s/\bC\(([a-z_]+)\)/\n\1\n/gp' \
		"$UTILS/../include/flashcache/uapi.h" | grep -E '^[a-z_]+$')
	result 'the manual was compared' ''
}

# complete_line WORD...: what is offered for the last of these.
complete_line()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_flashcache
	printf '%s\n' "${COMPREPLY[@]}" | sed '/^$/d' | sort | tr '\n' ' '
}

offers()
{
	local want=$1 got
	shift
	got=$(complete_line "$@")
	result "completion of '$*'" "$([ "$got" = "$want" ] || echo "'$got', not '$want'")"
}

test_completion()
{
	# shellcheck source=utils/completion/flashcache
	. "$UTILS/completion/flashcache"
	offers 'list load ' flashcache l
	offers 'writeback ' flashcache w
	offers "$({ commands; printf "%s\n" help --help --version; } | sort | tr '\n' ' ')" flashcache ''
	offers '--keep ' flashcache writeback --k
	offers '-o ' flashcache status -o
	offers '--prometheus ' flashcache status --p
	offers 'dirty_thresh_pct= ' flashcache set fast dirty
	offers 'check create ' flashcache help c
	touch "$WORK/ssd"
	offers "$WORK/ssd " flashcache check "$WORK/s"
	offers "$WORK/ssd " flashcache_destroy "$WORK/s"
}

test_pages
test_complete
test_uapi
test_completion
[ "$bad" -eq 0 ]
