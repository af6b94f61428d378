// SPDX-License-Identifier: GPL-2.0
/*
 * Copying the dirty data of a cache that does not run to its disk, in the order of the disk and in
 * large runs.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include "progress.h"
#include "rescue.h"
#include "stop.h"
#include "tool.h"

#define RUN_SECTORS	2048u	/* 1 MiB */
#define MAX_TOLD	10u	/* places that could not be copied, by name */

/* --- what to copy ----------------------------------------------------------------------------- */

/* Next run of set bits in @mask from unit @from on; false if there is none. */
static bool next_units(u16 mask, unsigned int from, unsigned int *first, unsigned int *nr)
{
	u32 rest = (u32)mask >> from;

	if (!rest)
		return false;
	*first = from + (unsigned int)__builtin_ctz(rest);
	*nr = (unsigned int)__builtin_ctz(~((u32)mask >> *first));
	return true;
}

/* Adds a slot's pieces; with NULL they are only counted. */
static u64 add_slot(const struct fc_geo *geo, u64 slot, const struct fc_slot *s,
		    struct piece *pieces)
{
	u64 disk = fc_geo_block_sector(geo, (struct fc_oblock){ s->block });
	u64 ssd = fc_geo_slot_sector(geo, (struct fc_slotno){ slot });
	unsigned int from = 0, first, nr;
	u64 count = 0;

	while (next_units(s->dirty, from, &first, &nr)) {
		if (pieces)
			pieces[count] = (struct piece){
				.disk = disk + ((u64)first << geo->unit_shift),
				.ssd = ssd + ((u64)first << geo->unit_shift),
				.nr = nr << geo->unit_shift,
			};
		count++;
		from = first + nr;
	}
	return count;
}

static u64 add_all(const struct image *image, struct piece *pieces)
{
	const struct fc_geo *geo = &image->super.geo;
	u64 slot, count = 0;

	for (slot = 0; slot < geo->nr_slots; slot++)
		count += add_slot(geo, slot, image_slot(image, slot),
				  pieces ? pieces + count : NULL);
	return count;
}

static int by_disk(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->disk < y->disk ? -1 : x->disk > y->disk;
}

/* The end of the disk can lie within a unit. */
static void cut_at_end(struct rescue *r)
{
	u64 end = r->image->super.geo.disk_sectors, i;

	for (i = 0; i < r->nr_pieces; i++)
		if (r->pieces[i].disk + r->pieces[i].nr > end)
			r->pieces[i].nr = (u32)(end - r->pieces[i].disk);
}

/* Only in a cache that is not sound: nobody can tell which of two slots is the newer one. */
static void drop_disputed(struct rescue *r)
{
	u64 i, from, end;

	for (i = 0; i < r->nr_pieces; i = end) {
		u64 reach = r->pieces[i].disk + r->pieces[i].nr;

		from = i;
		for (end = i + 1; end < r->nr_pieces && r->pieces[end].disk < reach; end++)
			if (r->pieces[end].disk + r->pieces[end].nr > reach)
				reach = r->pieces[end].disk + r->pieces[end].nr;
		for (; end - i > 1 && from < end; from++) {
			r->disputed += r->pieces[from].nr;
			r->pieces[from].nr = 0;
		}
	}
}

/**
 * rescue_plan() - find out what must be copied
 * @r: with @image loaded; @pieces is to be freed
 */
int rescue_plan(struct rescue *r)
{
	u64 i;

	r->nr_pieces = add_all(r->image, NULL);
	r->pieces = calloc(r->nr_pieces ? r->nr_pieces : 1, sizeof(*r->pieces));
	if (!r->pieces)
		return fail("not enough memory for %" PRIu64 " pieces", r->nr_pieces);
	add_all(r->image, r->pieces);
	qsort(r->pieces, r->nr_pieces, sizeof(*r->pieces), by_disk);
	cut_at_end(r);
	for (i = 0; i < r->nr_pieces; i++)
		r->sectors += r->pieces[i].nr;
	drop_disputed(r);
	return 0;
}

/* --- copying ---------------------------------------------------------------------------------- */

static bool try_write(const struct device *d, u64 sector, const u8 *buf, u32 sectors)
{
	u64 offset = sector * SECTOR_SIZE;
	size_t len = (size_t)sectors * SECTOR_SIZE;

	while (len) {
		ssize_t put = pwrite(d->fd, buf, len, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EINVAL && fcntl(d->fd, F_GETFL) & O_DIRECT) {
			/* Not every disk can be written past the page cache. */
			fcntl(d->fd, F_SETFL, fcntl(d->fd, F_GETFL) & ~O_DIRECT);
			continue;
		}
		if (put <= 0)
			return false;
		buf += put;
		offset += (u64)put;
		len -= (size_t)put;
	}
	return true;
}

static void tell(struct rescue *r, const struct device *d, const char *what, u64 sector)
{
	u64 nr = r->unreadable + r->unwritable;

	progress_clear();
	if (nr < MAX_TOLD)
		note("%s %s: cannot be %s at sector %" PRIu64, d->role, d->path, what, sector);
	else if (nr == MAX_TOLD)
		note("and more of these");
}

/* Sector by sector, after something in a run has failed. */
static void copy_carefully(struct rescue *r, const struct piece *p, u8 *buf)
{
	u32 step = r->disk->sector_size / SECTOR_SIZE, i, nr;

	if (r->image->ssd->sector_size / SECTOR_SIZE > step)
		step = r->image->ssd->sector_size / SECTOR_SIZE;
	for (i = 0; i < p->nr; i += nr) {
		nr = p->nr - i < step ? p->nr - i : step;
		if (!device_try_read(r->image->ssd, (p->ssd + i) * SECTOR_SIZE, buf,
				     nr * SECTOR_SIZE)) {
			tell(r, r->image->ssd, "read", p->ssd + i);
			r->unreadable += nr;
		} else if (!try_write(r->disk, p->disk + i, buf, nr)) {
			tell(r, r->disk, "written", p->disk + i);
			r->unwritable += nr;
		} else {
			r->written += nr;
		}
	}
}

/* Pieces from @first on that follow each other on the disk, up to the size of a run. */
static u64 run_end(const struct rescue *r, u64 first, u32 *sectors)
{
	u64 i = first;

	*sectors = 0;
	do {
		*sectors += r->pieces[i].nr;
		i++;
	} while (i < r->nr_pieces && *sectors + r->pieces[i].nr <= RUN_SECTORS &&
		 r->pieces[i].disk == r->pieces[first].disk + *sectors);
	return i;
}

/* So that the SSD works on all pieces of a run at once. */
static void announce(const struct rescue *r, u64 first, u64 end)
{
	for (; first < end; first++)
		posix_fadvise(r->image->ssd->fd, (off_t)(r->pieces[first].ssd * SECTOR_SIZE),
			      (off_t)r->pieces[first].nr * SECTOR_SIZE, POSIX_FADV_WILLNEED);
}

static bool read_run(const struct rescue *r, u64 first, u64 end, u8 *buf)
{
	for (; first < end; first++) {
		const struct piece *p = &r->pieces[first];

		if (!device_try_read(r->image->ssd, p->ssd * SECTOR_SIZE, buf,
				     (size_t)p->nr * SECTOR_SIZE))
			return false;
		buf += (size_t)p->nr * SECTOR_SIZE;
	}
	return true;
}

static void copy_run(struct rescue *r, u64 first, u64 end, u32 sectors, u8 *buf)
{
	announce(r, first, end);
	if (read_run(r, first, end, buf) && try_write(r->disk, r->pieces[first].disk, buf,
						      sectors)) {
		r->written += sectors;
		return;
	}
	for (; first < end; first++)
		copy_carefully(r, &r->pieces[first], buf);
}

static int copy_all(struct rescue *r, u8 *buf)
{
	struct progress p;
	u64 i = 0, end;
	u32 sectors;

	progress_begin(&p, "writing", r->sectors, SECTOR_SIZE);
	while (i < r->nr_pieces && !stop_asked()) {
		end = run_end(r, i, &sectors);
		if (sectors)
			copy_run(r, i, end, sectors, buf);
		i = end;
		progress_at(&p, r->written + r->unreadable + r->unwritable);
	}
	progress_end(&p);
	return fsync(r->disk->fd) ?
		fail("disk %s: does not make durable what was written: %s", r->disk->path,
		     strerror(errno)) : 0;
}

/**
 * rescue_copy() - copy all that was planned and make it durable
 * @r: after rescue_plan()
 *
 * Return: 0 when what was written is durable, though perhaps not everything could be copied, or the
 * user has stopped it; -1 when the disk cannot be relied on.
 */
int rescue_copy(struct rescue *r)
{
	void *buf;
	int ret;

	if (posix_memalign(&buf, FCD_BLOCK_SIZE, RUN_SECTORS * SECTOR_SIZE))
		return fail("not enough memory");
	/* Past the page cache, so that what is told as written is on its way, and Ctrl-C is quick. */
	fcntl(r->disk->fd, F_SETFL, fcntl(r->disk->fd, F_GETFL) | O_DIRECT);
	ret = copy_all(r, buf);
	free(buf);
	return ret;
}
