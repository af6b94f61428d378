// SPDX-License-Identifier: GPL-2.0
/* Writing and recognising stamped sectors. */
#include <string.h>

#include "stamp.h"

#define STAMP_MAGIC	0x70745363u
#define SECTOR_WORDS	(SECTOR_SIZE / sizeof(uint64_t))
#define FILLER_WORDS	(SECTOR_WORDS - sizeof(struct header) / sizeof(uint64_t))

struct header {
	uint32_t magic;
	uint32_t gen;
	uint64_t sector;
	uint64_t tag;
};

struct image {
	struct header head;
	uint64_t filler[SECTOR_WORDS - sizeof(struct header) / sizeof(uint64_t)];
};

_Static_assert(sizeof(struct image) == SECTOR_SIZE, "a stamp fills one sector");

uint64_t mix64(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/*
 * Each filler word depends on the whole header and on its own position, so half a sector is never
 * right twice.
 */
static uint64_t filler_key(const struct header *head)
{
	return mix64(head->tag ^ mix64(head->sector ^ ((uint64_t)head->gen << 32)));
}

static uint64_t filler_word(uint64_t key, unsigned int i)
{
	uint64_t x = (key + i) * 0xbf58476d1ce4e5b9u;

	return x ^ (x >> 29);
}

static void write_one(struct image *image, uint64_t tag, uint64_t sector, uint32_t gen)
{
	const struct header head = {
		.magic = STAMP_MAGIC, .gen = gen, .sector = sector, .tag = tag,
	};
	uint64_t key = filler_key(&head);
	unsigned int i;

	image->head = head;
	for (i = 0; i < FILLER_WORDS; i++)
		image->filler[i] = filler_word(key, i);
}

void stamp_write(void *buf, uint64_t tag, uint64_t sector, uint32_t nr, uint32_t gen)
{
	struct image *image = buf;
	uint32_t i;

	for (i = 0; i < nr; i++)
		write_one(&image[i], tag, sector + i, gen);
}

static int filler_matches(const struct image *image)
{
	uint64_t key = filler_key(&image->head);
	unsigned int i;

	for (i = 0; i < FILLER_WORDS; i++) {
		if (image->filler[i] != filler_word(key, i))
			return 0;
	}
	return 1;
}

static uint32_t sum_of(const void *buf, int *zero)
{
	const uint64_t *word = buf;
	uint64_t sum = 0, any = 0;
	unsigned int i;

	for (i = 0; i < SECTOR_WORDS; i++) {
		any |= word[i];
		sum = (sum ^ word[i]) * 0x94d049bb133111ebu;
		sum ^= sum >> 32;
	}
	*zero = !any;
	return (uint32_t)sum | 1;
}

static enum stamp_kind kind_of(const struct image *image, uint64_t tag, uint64_t sector, int zero)
{
	if (zero)
		return STAMP_ZERO;
	if (image->head.magic != STAMP_MAGIC)
		return STAMP_NONE;
	if (image->head.tag != tag)
		return STAMP_FOREIGN;
	if (!filler_matches(image))
		return STAMP_TORN;
	return image->head.sector == sector ? STAMP_GOOD : STAMP_MISPLACED;
}

struct stamp stamp_read(const void *buf, uint64_t tag, uint64_t sector)
{
	const struct image *image = buf;
	struct stamp stamp = { 0 };
	int zero;

	stamp.sum = sum_of(buf, &zero);
	stamp.kind = kind_of(image, tag, sector, zero);
	if (stamp.kind <= STAMP_TORN) {
		stamp.gen = image->head.gen;
		stamp.sector = image->head.sector;
	}
	return stamp;
}
