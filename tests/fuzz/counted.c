// SPDX-License-Identifier: GPL-2.0
/*
 * The tool's own reading of the ledger: what flashcache_destroy says of flash in memory.
 */
#include <getopt.h>
#include <stdio.h>

#include "counted.h"
#include "harness.h"
#include "host.h"

int counted_dirty(void *flash, size_t len, u64 sectors, u64 *dirty)
{
	char command[] = "flashcache_destroy", path[] = "/dev/sda", *argv[3];
	unsigned long long nr;
	const char *at;

	memset(&host, 0, sizeof(host));
	host.ssd = flash;
	host.ssd_len = len;
	host.ssd_sectors = sectors;
	host.disk_sectors = sectors;
	argv[0] = command;
	argv[1] = path;
	argv[2] = NULL;
	optind = 0;
	opterr = 0;
	*dirty = 0;
	if (setjmp(host_killed))
		return -1;
	if (!tool_main(2, argv)) {
		CHECK(host.ssd_writes);
		return 0;
	}
	CHECK(!host.ssd_writes);
	at = strstr(host.said, "DIRTY BLOCKS EXIST ON /dev/sda: ");
	if (!at || sscanf(at + 32, "%llu blocks", &nr) != 1)
		return -1;
	*dirty = nr;
	return 0;
}
