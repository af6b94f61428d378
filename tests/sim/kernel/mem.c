// SPDX-License-Identifier: GPL-2.0
/*
 * Memory. Each machine has a heap, and loses it with the power. What no machine asked for (the
 * module's own caches) comes from the C library.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel.h"

#define HEAP_SIZE	(256ul << 20)
#define CLASS_SHIFT	6
#define CLASSES		(1u << 12)	/* up to 256 KiB */
#define PAGES_MAX	16384u

/* In front of each allocation. */
struct chunk {
	u32 size;
	u32 depth;
	struct chunk *next;	/* free, or with the sanitizer: the neighbours in the list of all */
	struct chunk **link;
	u64 unused;
};

/**
 * struct heap - the memory of machines of one depth
 * @base: where it lies
 * @used: bytes of it that were ever taken
 * @free: freed pieces by size
 * @all: with the sanitizer, all that is allocated
 * @pages: pages; the first @nr_pages were ever taken
 * @nr_pages: see @pages
 * @free_pages: those that came back
 */
struct heap {
	u8 *base;
	size_t used;
	struct chunk *free[CLASSES + 1];
	struct chunk *all;
	struct page pages[PAGES_MAX];
	u32 nr_pages;
	struct page *free_pages;
};

#define PAGE_TAKEN ((struct page *)-1)

static struct heap *heaps[MACH_DEPTH];
#ifndef __SANITIZE_ADDRESS__
static u8 *free_bytes;	/* bytes of pages, linked by their first word */
#endif

void heap_enter(struct mach *m)
{
	struct heap *h = heaps[m->depth];

	if (!h) {
		h = calloc(1, sizeof(*h));
		if (!h)
			abort();
		h->base = mmap(NULL, HEAP_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (h->base == MAP_FAILED)
			abort();
		heaps[m->depth] = h;
	}
	m->heap = h;
	m->live = 0;
}

/* --- bytes ------------------------------------------------------------------------------------ */

#ifdef __SANITIZE_ADDRESS__
/* The library's own, so that the sanitizer sees each byte. */
static struct chunk *get_chunk(struct heap *h, size_t size)
{
	struct chunk *c = malloc(sizeof(*c) + size);

	if (!c)
		abort();
	c->next = h->all;
	c->link = &h->all;
	if (c->next)
		c->next->link = &c->next;
	h->all = c;
	return c;
}

static void put_chunk(struct heap *h, struct chunk *c)
{
	(void)h;
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	free(c);
}
#else
static u32 class_of(size_t size)
{
	size_t class = (size + (1u << CLASS_SHIFT) - 1) >> CLASS_SHIFT;

	return class < CLASSES ? (u32)class : CLASSES;
}

static struct chunk *get_chunk(struct heap *h, size_t size)
{
	u32 class = class_of(size);
	struct chunk **link = &h->free[class], *c;

	/* The last class has all sizes; there are few, and each comes again. */
	while (class == CLASSES && *link && (*link)->size < size)
		link = &(*link)->next;
	c = *link;
	if (c) {
		*link = c->next;
		return c;
	}
	size = sizeof(*c) + (class < CLASSES ? (size_t)class << CLASS_SHIFT : (size + 63) & ~63ul);
	if (h->used + size > HEAP_SIZE)
		abort();
	c = (struct chunk *)(h->base + h->used);
	h->used += size;
	return c;
}

static void put_chunk(struct heap *h, struct chunk *c)
{
	u32 class = class_of(c->size);

	c->next = h->free[class];
	h->free[class] = c;
}
#endif

void *sim_alloc(size_t size, bool zero)
{
	struct chunk *c;

	if (mach) {
		c = get_chunk(mach->heap, size);
		c->depth = mach->depth;
		mach->live++;
	} else {
		c = malloc(sizeof(*c) + size);
		if (!c)
			abort();
		c->depth = MACH_DEPTH;
	}
	c->size = (u32)size;
	if (zero)
		memset(c + 1, 0, size);
	return c + 1;
}

void sim_free(const void *p)
{
	struct chunk *c;

	if (!p)
		return;
	c = (struct chunk *)p - 1;
	if (c->depth == MACH_DEPTH) {
		free(c);
	} else if (c->depth != mach->depth) {
		sim_fail("frees memory that is not its own");
	} else {
		c->depth = MACH_DEPTH + 1;
		mach->live--;
		put_chunk(mach->heap, c);
	}
}

bool sim_no_memory(gfp_t gfp)
{
	return gfp & GFP_NOWAIT && mach->no_memory_pct &&
	       rng_chance(&mach->rng, mach->no_memory_pct);
}

/* --- pages ------------------------------------------------------------------------------------ */

struct page *sim_alloc_page(void)
{
	struct heap *h = mach->heap;
	struct page *page = h->free_pages;

	mach->live++;
	if (page) {
		h->free_pages = page->next;
	} else {
		if (h->nr_pages == PAGES_MAX)
			abort();
		page = &h->pages[h->nr_pages++];
	}
	page->next = PAGE_TAKEN;
	return page;
}

static void free_page_bytes(struct page *page)
{
	if (!page->data)
		return;
#ifdef __SANITIZE_ADDRESS__
	free(page->data);
#else
	*(u8 **)page->data = free_bytes;
	free_bytes = page->data;
#endif
	page->data = NULL;
}

void __free_page(struct page *page)
{
	struct heap *h = mach->heap;

	if (page->next != PAGE_TAKEN)
		sim_fail("frees a page that is free");
	mach->live--;
	free_page_bytes(page);
	page->next = h->free_pages;
	h->free_pages = page;
}

void *page_address(struct page *page)
{
	if (page->data)
		return page->data;
#ifndef __SANITIZE_ADDRESS__
	if (free_bytes) {
		page->data = free_bytes;
		free_bytes = *(u8 **)page->data;
		return page->data;
	}
#endif
	page->data = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
	if (!page->data)
		abort();
	return page->data;
}

/** heap_reset() - the power is gone, and with it the memory */
void heap_reset(struct mach *m)
{
	struct heap *h = m->heap;
	u32 i;

#ifdef __SANITIZE_ADDRESS__
	while (h->all)
		put_chunk(h, h->all);
#endif
	for (i = 0; i < h->nr_pages; i++)
		free_page_bytes(&h->pages[i]);
	h->nr_pages = 0;
	h->free_pages = NULL;
	h->used = 0;
	memset(h->free, 0, sizeof(h->free));
	m->live = 0;
}

/* --- caches and pools ------------------------------------------------------------------------- */

struct kmem_cache *sim_kmem_cache(size_t size)
{
	struct kmem_cache *cache = sim_alloc(sizeof(*cache), true);

	cache->size = size;
	return cache;
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	sim_free(cache);
}

int mempool_init_slab_pool(mempool_t *pool, int reserve, struct kmem_cache *cache)
{
	(void)reserve;
	pool->size = cache->size;
	return 0;
}

int mempool_init_kmalloc_pool(mempool_t *pool, int reserve, size_t size)
{
	(void)reserve;
	pool->size = size;
	return 0;
}

int mempool_init_page_pool(mempool_t *pool, int reserve, int order)
{
	(void)reserve;
	(void)order;
	pool->size = 0;
	return 0;
}

void mempool_exit(mempool_t *pool)
{
	(void)pool;
}

void *mempool_alloc(mempool_t *pool, gfp_t gfp)
{
	if (sim_no_memory(gfp))
		return NULL;
	return pool->size ? sim_alloc(pool->size, false) : sim_alloc_page();
}

void mempool_free(void *p, mempool_t *pool)
{
	if (pool->size)
		sim_free(p);
	else
		__free_page(p);
}
