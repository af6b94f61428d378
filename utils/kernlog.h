/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_KERNLOG_H
#define FC_UTILS_KERNLOG_H

int kernlog_open(void);
void kernlog_show(int log);
void kernlog_close(int log);

#endif /* FC_UTILS_KERNLOG_H */
