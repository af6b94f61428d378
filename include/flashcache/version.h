/* SPDX-License-Identifier: GPL-2.0 */
/* The one place that knows our version; module, tools and packages read it here. */
#ifndef FLASHCACHE_VERSION_H
#define FLASHCACHE_VERSION_H

#define FC_VERSION_MAJOR	4
#define FC_VERSION_MINOR	0
#define FC_VERSION_PATCH	0
#define FC_VERSION		"4.0.0"

#endif /* FLASHCACHE_VERSION_H */
