/* SPDX-License-Identifier: GPL-2.0 */
/* What the unit tests want of the C library, in the kernel. */
#ifndef FC_KUNIT_STDLIB_H
#define FC_KUNIT_STDLIB_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static inline void *malloc(size_t size)
{
	return kvmalloc(size, GFP_KERNEL);
}

static inline void *calloc(size_t nr, size_t size)
{
	return kvcalloc(nr, size, GFP_KERNEL);
}

/* Whole pages: aligned enough, and what is beyond @size is nobody's. */
static inline void *aligned_alloc(size_t align, size_t size)
{
	return align <= PAGE_SIZE ? vmalloc(size) : NULL;
}

static inline void free(void *p)
{
	kvfree(p);
}

#endif /* FC_KUNIT_STDLIB_H */
