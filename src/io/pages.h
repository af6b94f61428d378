/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Pages for the data of jobs.
 *
 * The kernel may be set to clear each page that it hands out (init_on_alloc, as Debian and Ubuntu
 * have it), which costs more than all else that a job of one page does; and a job writes over all of
 * its pages anyway. So a cache keeps some of its pages for the next job. They only ever hold data of
 * that cache.
 */
#ifndef FC_IO_PAGES_H
#define FC_IO_PAGES_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct page;

#define FC_PAGES_KEPT	64u	/* 256 KiB a cache */

/**
 * struct fc_pages - pages that are kept
 * @lock: of the others
 * @nr: number
 * @page: the pages
 */
struct fc_pages {
	spinlock_t lock;
	u32 nr;
	struct page *page[FC_PAGES_KEPT];
};

void fc_pages_init(struct fc_pages *kept);
void fc_pages_exit(struct fc_pages *kept);
bool fc_pages_get(struct fc_pages *kept, struct page **pages, u32 nr);
void fc_pages_put(struct fc_pages *kept, struct page **pages, u32 nr);

#endif
