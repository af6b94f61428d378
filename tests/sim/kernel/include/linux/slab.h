/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory. What may not sleep fails now and then, by the seed; all that a machine had is gone when
 * its power is cut.
 */
#ifndef SIM_LINUX_SLAB_H
#define SIM_LINUX_SLAB_H

#include <linux/kernel.h>

#define GFP_KERNEL	1u
#define GFP_NOIO	1u
#define GFP_NOFS	1u
#define GFP_NOWAIT	2u
#define GFP_ATOMIC	2u
#define __GFP_NOWARN	4u
#define __GFP_NORETRY	8u
#define __GFP_ZERO	16u
#define __GFP_NOMEMALLOC 32u

bool sim_no_memory(gfp_t gfp);

static inline void *kmalloc(size_t size, gfp_t gfp)
{
	return sim_no_memory(gfp) ? NULL : sim_alloc(size, gfp & __GFP_ZERO);
}

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

#define kcalloc(n, size, gfp)	kzalloc((n) * (size), gfp)
#define kmalloc_array(n, size, gfp) kmalloc((n) * (size), gfp)
#define kfree(p)		sim_free(p)
#define kvmalloc(size, gfp)	kmalloc(size, gfp)
#define kvzalloc(size, gfp)	kzalloc(size, gfp)
#define kvcalloc(n, size, gfp)	kcalloc(n, size, gfp)
#define kvmalloc_array(n, size, gfp) kmalloc_array(n, size, gfp)
#define kvfree(p)		sim_free(p)
#define vmalloc(size)		sim_alloc(size, false)
#define vzalloc(size)		sim_alloc(size, true)
#define vfree(p)		sim_free(p)
#define __vmalloc(size, gfp)	sim_alloc(size, (gfp) & __GFP_ZERO)

struct kmem_cache {
	size_t size;
};

struct kmem_cache *sim_kmem_cache(size_t size);
#define KMEM_CACHE(type, flags)	sim_kmem_cache(sizeof(struct type))
void kmem_cache_destroy(struct kmem_cache *cache);
#define kmem_cache_alloc(cache, gfp) kmalloc((cache)->size, gfp)
#define kmem_cache_free(cache, p) sim_free(p)

/* Pages get their bytes when somebody looks at them: most of the cleaner's never do. */
struct page {
	u8 *data;
	struct page *next;
};

struct page *sim_alloc_page(void);
void __free_page(struct page *page);
void *page_address(struct page *page);

static inline struct page *alloc_page(gfp_t gfp)
{
	return sim_no_memory(gfp) ? NULL : sim_alloc_page();
}

/* A pool's reserve is there whenever sleeping is allowed. */
typedef struct {
	size_t size;	/* 0: pages */
} mempool_t;

int mempool_init_slab_pool(mempool_t *pool, int reserve, struct kmem_cache *cache);
int mempool_init_page_pool(mempool_t *pool, int reserve, int order);
int mempool_init_kmalloc_pool(mempool_t *pool, int reserve, size_t size);
void mempool_exit(mempool_t *pool);
void *mempool_alloc(mempool_t *pool, gfp_t gfp);
void mempool_free(void *p, mempool_t *pool);

#endif /* SIM_LINUX_SLAB_H */
