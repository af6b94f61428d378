/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel whose interface the simulator offers. */
#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE	KERNEL_VERSION(6, 12, 0)
