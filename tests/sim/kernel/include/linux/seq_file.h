/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_LINUX_SEQ_FILE_H
#define SIM_LINUX_SEQ_FILE_H

#include <linux/kernel.h>

/* There is no /proc here. */
struct seq_file;
/* Looked through, so that what is printed counts as used. */
static inline __attribute__((format(printf, 2, 3))) void seq_printf(struct seq_file *m,
								    const char *fmt, ...)
{
}

static inline void seq_putc(struct seq_file *m, char c)
{
}

#endif /* SIM_LINUX_SEQ_FILE_H */
