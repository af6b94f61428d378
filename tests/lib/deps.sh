# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh: install what a suite needs from the distribution's packages (Debian, Ubuntu).
# Sourced. `need_packages NAME...` takes Debian package names and these portable ones:
#   @kernel    the stock kernel's image (with all its modules) and its headers
#   @qemu      QEMU for x86
#   @checkpatch  whatever package carries scripts/checkpatch.pl
# DEPS_APT_OPTIONS in the environment is given to apt-get; INITRD=No spares the initrd of a kernel
# that this machine is not going to boot from (.ci/run sets both).

_deps_updated=

deps_distro()
{
	local id='' like=''
	if [ -r /etc/os-release ]; then
		id=$(. /etc/os-release && echo "${ID:-}")
		like=$(. /etc/os-release && echo "${ID_LIKE:-}")
	fi
	case " $id $like " in
	*" ubuntu "*) echo ubuntu ;;
	*" debian "*) echo debian ;;
	*) echo unknown ;;
	esac
}

# Debian's kernel source comes as linux-source-X.Y: that of the kernel here, or else the newest.
_deps_linux_source()
{
	local kver
	kver=$("$(dirname "${BASH_SOURCE[0]}")/kver")
	apt-cache search --names-only '^linux-source-[0-9.]+$' 2>/dev/null | awk -v kver="$kver" '
		{ names[NR] = $1 }
		index(kver, substr($1, 14) ".") == 1 { best = $1 }
		END { print best ? best : NR ? names[NR] : "linux-source" }'
}

_deps_have_checkpatch()
{
	compgen -G '/usr/src/linux-headers-*/scripts/checkpatch.pl' >/dev/null ||
		compgen -G '/usr/src/linux-source-*' >/dev/null
}

# One line for each real package behind a portable name.
_deps_expand()
{
	local distro
	distro=$(deps_distro)
	case "$1:$distro" in
	@kernel:ubuntu) printf '%s\n' linux-image-generic linux-headers-generic ;;
	@kernel:*) printf '%s\n' linux-image-amd64 linux-headers-amd64 ;;
	@qemu:*) echo qemu-system-x86 ;;
	@checkpatch:ubuntu) echo linux-headers-generic ;;
	@checkpatch:*)
		_deps_have_checkpatch && return 0
		_deps_apt_update
		_deps_linux_source
		;;
	*) echo "$1" ;;
	esac
}

_deps_installed()
{
	[ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" = 'install ok installed' ]
}

_deps_as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		env "$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo -n env "$@" || sudo env "$@"
	else
		echo "deps: not root and no sudo; install by hand: $*" >&2
		return 1
	fi
}

_deps_apt()
{
	local log
	local -a options
	read -r -a options <<<"${DEPS_APT_OPTIONS:-}"
	log=$(mktemp)
	if ! _deps_as_root DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
		${INITRD:+INITRD="$INITRD"} \
		apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
		"${options[@]}" "$@" \
		</dev/null >"$log" 2>&1; then
		tail -n 30 "$log" >&2
		rm -f "$log"
		return 1
	fi
	rm -f "$log"
}

_deps_apt_update()
{
	[ -z "$_deps_updated" ] || return 0
	_deps_apt update
	_deps_updated=yes
}

# need_packages NAME...: returns 0 when all of them are installed at the end.
need_packages()
{
	local name pkg real
	local -a missing=()

	if ! command -v dpkg-query >/dev/null 2>&1; then
		echo "deps: neither Debian nor Ubuntu: assuming that these are there: $*" >&2
		return 0
	fi
	for name in "$@"; do
		real=$(_deps_expand "$name") || return 1
		for pkg in $real; do
			_deps_installed "$pkg" || missing+=("$pkg")
		done
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	echo "deps: installing ${missing[*]}" >&2
	_deps_apt_update || return 1
	_deps_apt install --no-install-recommends -y "${missing[@]}"
}

need_build() { need_packages gcc make libc6-dev kmod bc @kernel; }

need_tools()
{
	need_packages gcc make libc6-dev libdevmapper-dev libblkid-dev uuid-dev libjson-c-dev \
		libncurses-dev liblzma-dev liburing-dev
}

need_vm()
{
	need_build && need_packages @qemu busybox-static cpio gzip xz-utils zstd fio \
		xfsprogs e2fsprogs dmsetup util-linux
}

need_lint()
{
	need_build && need_tools &&
		need_packages @checkpatch perl sparse shellcheck cppcheck xz-utils
}
