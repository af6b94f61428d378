/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SYSCTL_H
#define SIM_LINUX_SYSCTL_H

#include <linux/kernel.h>
#include <sys/types.h>

/* There are no sysctls here. */
struct ctl_table {
	const char *procname;
};

struct ctl_table_header;

static inline struct ctl_table_header *register_sysctl_sz(const char *path,
							   struct ctl_table *table, size_t nr)
{
	return NULL;
}

#define register_sysctl(path, table) register_sysctl_sz(path, table, 0)

#endif /* SIM_LINUX_SYSCTL_H */
