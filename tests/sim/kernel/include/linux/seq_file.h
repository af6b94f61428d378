/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SEQ_FILE_H
#define SIM_LINUX_SEQ_FILE_H

#include <linux/kernel.h>

/* There is no /proc here, but what would be there can be printed. */
struct seq_file {
	char *buf;
	size_t size;
	size_t count;
};

__printf(2, 3) void seq_printf(struct seq_file *m, const char *fmt, ...);
void seq_putc(struct seq_file *m, char c);

#endif /* SIM_LINUX_SEQ_FILE_H */
