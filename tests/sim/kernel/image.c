// SPDX-License-Identifier: GPL-2.0
/*
 * What lies on the devices: blobs, and images of what a power cut would leave.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "disk-io.h"

#define BLOBS_MAX	(1u << 19)	/* 256 MiB */
#define BLOBS_MANY	(1u << 15)	/* then those that nobody needs are thrown away */

/* --- blobs ------------------------------------------------------------------------------------ */

static u8 *blobs;	/* blob 0 is all zeros */
static u32 nr_blobs;

static void need_blobs(void)
{
	if (blobs)
		return;
	blobs = mmap(NULL, (size_t)BLOBS_MAX * SECTOR_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (blobs == MAP_FAILED)
		abort();
	nr_blobs = 1;
}

u32 blob_new(const u8 *data)
{
	if (nr_blobs == BLOBS_MAX)
		abort();
	memcpy(blobs + (size_t)nr_blobs * SECTOR_SIZE, data, SECTOR_SIZE);
	return nr_blobs++;
}

const u8 *blob_data(u32 blob)
{
	return blobs + (size_t)blob * SECTOR_SIZE;
}

/** blob_mark() - blobs made from here on can be thrown away together by blob_release() */
u32 blob_mark(void)
{
	need_blobs();
	return nr_blobs;
}

void blob_release(u32 mark)
{
	nr_blobs = mark;
}

/**
 * blob_collect() - throw away blobs that nobody needs, if there are many
 * @leg: the only device that has metadata
 */
void blob_collect(struct leg *leg)
{
	u8 *old = blobs;
	u32 i;

	if (nr_blobs < BLOBS_MANY)
		return;
	blobs = NULL;
	need_blobs();
	for (i = 0; i < leg->meta; i++) {
		bool same = leg->safe[i] == leg->now[i];

		if (leg->now[i])
			leg->now[i] = blob_new(old + (size_t)leg->now[i] * SECTOR_SIZE);
		if (same)
			leg->safe[i] = leg->now[i];
		else if (leg->safe[i])
			leg->safe[i] = blob_new(old + (size_t)leg->safe[i] * SECTOR_SIZE);
	}
	for (i = 0; i < leg->nr_vol; i++)
		if (leg->vol[i].sector < leg->meta)
			leg->vol[i].value = blob_new(old + (size_t)leg->vol[i].value * SECTOR_SIZE);
	munmap(old, (size_t)BLOBS_MAX * SECTOR_SIZE);
}

/*
 * A read of metadata in one go: blobs that were written together lie together. False when the read
 * is of something else.
 */
bool disk_read_whole(const struct io *io)
{
	const struct leg *leg = io->leg;
	u32 i, n;

	if (io->bio || io->sector + io->nr > leg->meta)
		return false;
	for (i = 0; i < io->nr; i += n) {
		u32 first = leg->now[io->sector + i];

		for (n = 1; i + n < io->nr; n++)
			if (leg->now[io->sector + i + n] != (first ? first + n : 0))
				break;
		if (first)
			memcpy(io->at[i], blob_data(first), (size_t)n * SECTOR_SIZE);
		else
			memset(io->at[i], 0, (size_t)n * SECTOR_SIZE);
	}
	return true;
}

/* --- devices ---------------------------------------------------------------------------------- */

/**
 * disk_attach() - a machine gets an empty device
 * @leg: filled
 * @depth: of the machine
 * @which: LEG_*
 * @nr: sectors
 * @meta: the first so many are metadata
 */
void disk_attach(struct leg *leg, u32 depth, u32 which, u32 nr, u32 meta)
{
	static u32 *room[MACH_DEPTH + 1][2];
	u32 *at = room[depth][which];

	need_blobs();
	if (!at) {
		at = malloc(2 * MAX_SECTORS * sizeof(*at));
		if (!at)
			abort();
		room[depth][which] = at;
	}
	*leg = (struct leg){
		.nr = nr, .meta = meta, .now = at, .safe = at + MAX_SECTORS,
		.vol = leg->vol, .cap_vol = leg->cap_vol,
	};
}

/* --- images ----------------------------------------------------------------------------------- */

const char *disk_image_name(enum image_kind kind)
{
	static const char * const names[] = {
		"all of the caches lost", "nothing lost, writes in flight done", "nothing lost",
		"random sectors lost", "few sectors lost", "few sectors kept", "random blocks lost",
	};

	return names[kind];
}

/* Chance in 65536 that a sector of the cache is kept. */
static u32 odds(enum image_kind kind, struct rng *rng, u32 in_cache)
{
	u32 few = in_cache ? 3 * 65536 / (in_cache + 3) : 0;

	switch (kind) {
	case IMAGE_FEW_LOST:
		return 65536 - few;
	case IMAGE_FEW_KEPT:
		return few;
	default:
		return rng_below(rng, 65536);
	}
}

static bool kept(u32 sector, enum image_kind kind, u64 salt, u32 chance)
{
	if (kind == IMAGE_BLOCKS)
		sector /= 8;
	return (rng_mix(sector ^ salt) & 0xffff) < chance;
}

/* Writes that are on their way: each sector that has not been transferred may have been by now. */
static void add_in_flight(const struct mach *from, const struct leg *leg, struct leg *to, u64 salt,
			  u32 chance, enum image_kind kind)
{
	u32 i, j;

	for (i = 0; i < from->nr_ios; i++) {
		const struct io *io = from->ios[i];

		if (io->leg != leg || io->flushing || !op_is_write(io->opf) || io->status)
			continue;
		for (j = 0; j < io->nr; j++)
			if (!io->done[j] && kept(io->sector + j, kind, salt + io->id, chance))
				to->now[io->sector + j] = disk_content(io, j);
	}
}

/**
 * disk_image() - what a power cut now would leave
 * @from: machine
 * @which: LEG_*
 * @to: attached device, overwritten
 * @kind: how much is lost
 * @rng: decides what
 */
void disk_image(const struct mach *from, u32 which, struct leg *to, enum image_kind kind,
		struct rng *rng)
{
	const struct leg *leg = &from->legs[which];
	u64 salt = rng_next(rng);
	u32 chance = odds(kind, rng, leg->nr_vol), i;

	if (kind == IMAGE_BEST || kind == IMAGE_CACHED) {
		memcpy(to->now, leg->now, leg->nr * sizeof(*to->now));
		if (kind == IMAGE_BEST)
			add_in_flight(from, leg, to, salt, 65536, kind);
		return;
	}
	memcpy(to->now, leg->safe, leg->nr * sizeof(*to->now));
	if (leg->lies & LIE_TORN && rng_one_in(rng, 4))
		to->now[rng_below(rng, leg->nr)] = 0;
	if (kind == IMAGE_WORST)
		return;
	/*
	 * In the order in which they came, so that the last one kept is what is there; one that is
	 * kept may lie over one that is lost.
	 */
	for (i = 0; i < leg->nr_vol; i++) {
		const struct vol *v = &leg->vol[i];

		if (kept(v->sector, kind, salt + v->io, chance))
			to->now[v->sector] = v->value;
	}
	add_in_flight(from, leg, to, salt, chance, kind);
}
