# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# power-lib.sh: legs of dm-powercut in the VM, and chance. Sourced after tests/func/func-lib.sh.

export DISK=/dev/mapper/pdisk SSD=/dev/mapper/pssd
CHANCE=$SEED

# next_chance: a number in $chance; the same ones for the same SEED (a linear congruential generator).
next_chance()
{
	CHANCE=$(((CHANCE * 1103515245 + 12345) & 0x7fffffff))
	# shellcheck disable=SC2034 # for the caller
	chance=$((CHANCE >> 8))
}

# power_legs DISK_SECTORS SSD_SECTORS: both lose power together.
power_legs()
{
	dmsetup create pdisk --table "0 $1 powercut 1"
	dmsetup create pssd --table "0 $2 powercut 1"
}

drop_power_legs()
{
	dmsetup remove pdisk
	dmsetup remove pssd
	rmmod dm-powercut
}

heal() { dmsetup message pdisk 0 heal; }

# word FIELD LINE: the field of a status line that was read before, in $word (a process costs time).
word()
{
	word=${2#* "$1"=}
	word=${word%% *}
}
