// SPDX-License-Identifier: GPL-2.0
/*
 * fcimages DISK FLASH SEED NR: loads crafted and damaged images by the real module, in the VM, and
 * prints a result line for each case; NR of them are random damage, by SEED. Both devices are
 * overwritten.
 */
#include <stdio.h>
#include <stdlib.h>

#include "images.h"

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	machine_open(argv[1], argv[2]);
	genuine_make();
	judge("genuine: after a crash", &crashed, &LOADS);
	judge("genuine: after an orderly stop", &orderly, &LOADS);
	super_cases();
	table_cases();
	log_cases();
	device_cases();
	order_cases();
	flips(strtoull(argv[3], NULL, 0), (u32)atoi(argv[4]));
	return 0;
}
