// SPDX-License-Identifier: GPL-2.0
/*
 * Pages for the data of jobs, kept from one job to the next.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "io/pages.h"

/** fc_pages_init() - nothing is kept yet */
void fc_pages_init(struct fc_pages *kept)
{
	spin_lock_init(&kept->lock);
	kept->nr = 0;
}

/** fc_pages_exit() - give all back to the kernel; nobody may use @kept any more */
void fc_pages_exit(struct fc_pages *kept)
{
	while (kept->nr)
		__free_page(kept->page[--kept->nr]);
}

static u32 take(struct fc_pages *kept, struct page **pages, u32 nr)
{
	unsigned long flags;
	u32 n;

	spin_lock_irqsave(&kept->lock, flags);
	n = min(nr, kept->nr);
	kept->nr -= n;
	memcpy(pages, &kept->page[kept->nr], n * sizeof(*pages));
	spin_unlock_irqrestore(&kept->lock, flags);
	return n;
}

/**
 * fc_pages_get() - pages with anything in them
 * @kept: where they are kept
 * @pages: filled with @nr pages, to be given back by fc_pages_put()
 * @nr: number
 *
 * Context: any. Return: false, and none of them, when memory is short.
 */
bool fc_pages_get(struct fc_pages *kept, struct page **pages, u32 nr)
{
	u32 n = take(kept, pages, nr);

	for (; n < nr; n++) {
		pages[n] = alloc_page(GFP_NOWAIT | __GFP_NOWARN);
		if (!pages[n]) {
			fc_pages_put(kept, pages, n);
			return false;
		}
	}
	return true;
}

/**
 * fc_pages_put() - give pages back
 * @kept: where they are kept
 * @pages: the pages
 * @nr: number
 *
 * Context: any.
 */
void fc_pages_put(struct fc_pages *kept, struct page **pages, u32 nr)
{
	unsigned long flags;
	u32 n;

	spin_lock_irqsave(&kept->lock, flags);
	n = min(nr, FC_PAGES_KEPT - kept->nr);
	memcpy(&kept->page[kept->nr], pages, n * sizeof(*pages));
	kept->nr += n;
	spin_unlock_irqrestore(&kept->lock, flags);
	for (; n < nr; n++)
		__free_page(pages[n]);
}
