// SPDX-License-Identifier: GPL-2.0
/*
 * Power cuts: what one would leave at this moment is loaded and judged, while the run stands still.
 */
#include <stdio.h>

#include "sim.h"

/* What is done with a state beyond loading and judging it. */
enum fate {
	FATE_PLAIN,	/* nothing */
	FATE_RECUT,	/* the power is cut again while it loads */
	FATE_CLEAN,	/* all is cleaned, with more cuts meanwhile (P3) */
	FATE_REREAD,	/* all is read through the request path */
	FATE_RELOAD,	/* it is stopped in order and loaded again */
};

/**
 * struct level - what is known of the machine at a depth
 * @box: its cache
 * @seed: seed of the state
 * @what: how it came to be, for a report
 * @changes: disk_changes at the last look
 * @rng: decides when to look, and what is lost
 * @one_in: looks at one in so many changes
 * @exact: what each sector has to read, when that is known (P3)
 * @creating: there may be no cache yet
 */
struct level {
	struct box box;
	u64 seed;
	char what[160];
	u64 changes;
	struct rng rng;
	u32 one_in;
	const u32 *exact;
	bool creating;
};

static struct level levels[MACH_DEPTH];

static void check_state(u64 seed, const u32 *exact, bool creating);

/* --- judging ---------------------------------------------------------------------------------- */

/* Where a sector is in one of the machines, and what lies there. */
static void print_place(u32 depth, u32 sector)
{
	const struct mach *m = mach - (mach->depth - depth);
	const struct box *box = depth ? &levels[depth].box : &life.box;
	const struct fc_cache *c = box->dm.built ? box_cache(box) : NULL;
	struct fc_oblock b = { sector / shape.block };
	const struct leg *disk = &m->legs[LEG_DISK], *ssd = &m->legs[LEG_SSD];
	u64 hash, at;
	u16 way;
	u32 set;

	printf("# depth %u: disk %u, for certain %u", depth, disk->now[sector],
	       disk->frozen ? disk->now[sector] : disk->safe[sector]);
	if (c && c->core.sets) {
		hash = fc_geo_hash(&c->core.geo, b);
		set = fc_geo_set(&c->core.geo, hash);
		way = fc_map_find(&c->core, fc_core_set(&c->core, set), b, hash);
		if (way != FC_NIL) {
			const struct fc_slot *s = fc_set_slot(fc_core_set(&c->core, set), way);

			at = fc_geo_slot_sector(&c->core.geo, fc_geo_slot(&c->core.geo, set, way));
			at += sector % shape.block;
			printf("; slot %u of set %u, valid %x dirty %x ledger %u busy %u; flash at %llu "
			       "%u, for certain %u", way, set, (u32)s->valid, (u32)s->dirty,
			       (u32)s->ledger, (u32)s->busy, at, ssd->now[at],
			       ssd->frozen ? ssd->now[at] : ssd->safe[at]);
		}
	}
	printf("\n");
}

static void wrong(u32 sector, u32 value, const u32 *exact)
{
	u32 depth;

	for (depth = 1; depth <= mach->depth; depth++)
		printf("# power cut %u: %s\n", depth, levels[depth].what);
	for (depth = 0; depth <= mach->depth; depth++)
		print_place(depth, sector);
	if (exact)
		printf("# after the first recovery it read version %u\n", exact[sector]);
	else
		judge_explain(sector, value, true);
	sim_fail("after a power cut sector %u reads version %u", sector, value);
}

static void judge_all(const u32 *values, const u32 *exact)
{
	u32 i;

	if (exact) {
		if (!memcmp(values, exact, shape.disk_sectors * sizeof(*values)))
			return;
		for (i = 0; values[i] == exact[i]; i++)
			;
		wrong(i, values[i], exact);
		return;
	}
	for (i = 0; i < shape.disk_sectors; i++) {
		if (values[i] == judge_sole[i] || judge_cut(i, values[i]))
			continue;
		wrong(i, values[i], NULL);
		return;
	}
}

static void judge_box(const struct box *box, const u32 *exact)
{
	static u32 values[MAX_SECTORS];

	box_values(box_cache(box), values);
	judge_all(values, exact);
}

/* --- fates ------------------------------------------------------------------------------------ */

static void look(void)
{
	struct level *l = &levels[mach->depth];

	if (disk_changes == l->changes)
		return;
	l->changes = disk_changes;
	if (rng_one_in(&l->rng, l->one_in))
		check_state(rng_next(&l->rng), l->exact, l->creating);
}

static void go_on_cleaning(struct level *l)
{
	static u32 exact[MACH_DEPTH][MAX_SECTORS];
	u32 *values = exact[mach->depth];
	struct fc_cache *c = box_cache(&l->box);

	box_values(c, values);
	l->exact = values;
	l->one_in = 1 + (u32)(fc_cache_dirty(c) / 2);
	l->box.word = "do_sync";
	l->box.value = "1";
	if (!box_do(&l->box, box_message, look) || !box_idle(&l->box, look))
		return;
	totals.cleaned++;
	if (fc_cache_dirty(c))
		sim_fail("after cleaning everything %llu blocks are dirty", fc_cache_dirty(c));
	box_check_rest(c);
	judge_all(mach->legs[LEG_DISK].now, values);
	judge_box(&l->box, values);
}

static void reload(struct level *l)
{
	static u32 values[MAX_SECTORS];
	u64 cached;

	box_values(box_cache(&l->box), values);
	cached = fc_cache_cached(box_cache(&l->box));
	l->box.removing = rng_chance(&l->rng, 30);
	if (!box_do(&l->box, box_presuspend, NULL) || !box_do(&l->box, box_postsuspend, NULL) ||
	    !box_do(&l->box, box_destroy, NULL))
		return;
	if (mach->live)
		sim_fail("%llu allocations are left behind", mach->live);
	l->box.persist = FC_PERSIST_LOAD;
	if (!box_do(&l->box, box_build, NULL) || !box_do(&l->box, box_load, NULL))
		return;
	totals.reloaded++;
	if (l->box.result)
		sim_fail("a cache that was stopped in order cannot be loaded: %s",
			 kernel_last_error());
	else if (cached != fc_cache_cached(box_cache(&l->box)))
		sim_fail("%llu blocks were cached, after an orderly reload %llu are", cached,
			 fc_cache_cached(box_cache(&l->box)));
	else
		judge_box(&l->box, values);
}

/* Reads everything, piece by piece, as a user would. */
struct reader {
	struct call call;
	bool over;
};

static void reader_done(struct call *call)
{
	struct reader *r = call->owner;

	r->over = true;
}

static void reader_task(void *arg)
{
	struct reader *r = arg;

	dm_submit(&r->call);
}

static void read_some(struct level *l, u32 sector, u32 nr, const u32 *values)
{
	static struct reader r;
	struct bio_vec vec[17];
	struct page *pages[17];
	u32 i, nr_pages = DIV_ROUND_UP(nr, PAGE_SECTORS);

	for (i = 0; i < nr_pages; i++) {
		pages[i] = sim_alloc_page();
		memset(page_address(pages[i]), 0xff, PAGE_SIZE);
		vec[i] = (struct bio_vec){ pages[i], PAGE_SIZE, 0 };
	}
	r.over = false;
	r.call = (struct call){ .dm = &l->box.dm, .opf = REQ_OP_READ, .vec = vec,
				.done = reader_done, .owner = &r,
				.iter = { .bi_sector = sector, .bi_size = nr << SECTOR_SHIFT } };
	task_start(reader_task, &r);
	while (!r.over && !mach->dead)
		if (!mach_step() && !mach_time_passes())
			sim_fail("a read after recovery does not end");
	for (i = 0; i < nr && !mach->dead; i++) {
		u32 got;

		memcpy(&got, (u8 *)page_address(pages[i / PAGE_SECTORS]) +
		       i % PAGE_SECTORS * SECTOR_SIZE, sizeof(got));
		if (r.call.status || got != values[sector + i])
			sim_fail("after recovery a read of sector %u gives version %u, not %u",
				 sector + i, got, values[sector + i]);
	}
	for (i = 0; i < nr_pages && !mach->dead; i++)
		__free_page(pages[i]);
}

static void reread(struct level *l)
{
	static u32 values[MAX_SECTORS];
	u32 sector = 0;

	box_values(box_cache(&l->box), values);
	while (sector < shape.disk_sectors && !mach->dead) {
		u32 nr = min(1 + rng_below(&l->rng, 128), shape.disk_sectors - sector);

		read_some(l, sector, nr, values);
		sector += nr;
	}
	if (mach->dead || !box_idle(&l->box, NULL))
		return;
	totals.reread++;
	box_check_rest(box_cache(&l->box));
	judge_box(&l->box, values);
}

/* --- states ----------------------------------------------------------------------------------- */

static enum fate choose_fate(struct rng *rng)
{
	u32 dice = rng_below(rng, 256);

	if (mach->depth + 1 == MACH_DEPTH)
		return FATE_PLAIN;
	if (mach->depth > 1)
		return dice < 4 ? FATE_RELOAD : FATE_PLAIN;
	if (dice < 6)
		return FATE_RECUT;
	if (dice < 9)
		return FATE_CLEAN;
	if (dice < 11)
		return FATE_REREAD;
	return dice < 13 ? FATE_RELOAD : FATE_PLAIN;
}

static bool lost_something(const struct mach *from)
{
	u32 i;

	for (i = 0; i < 2; i++)
		if (memcmp(from->legs[i].now, mach->legs[i].now,
			   from->legs[i].nr * sizeof(*mach->legs[i].now)))
			return true;
	return false;
}

/* Both devices as a power cut might leave them; in half of the cases they are alike in fate. */
static void make_images(const struct mach *from, struct level *l, enum fate fate)
{
	enum image_kind kinds[2];
	u32 i;

	kinds[0] = rng_below(&l->rng, NR_IMAGES);
	kinds[1] = rng_chance(&l->rng, 50) ? kinds[0] : rng_below(&l->rng, NR_IMAGES);
	for (i = 0; i < 2; i++) {
		const struct leg *leg = &from->legs[i];
		struct leg *to = &mach->legs[i];

		disk_attach(to, mach->depth, i, leg->nr, leg->meta);
		disk_image(from, i, to, kinds[i], &l->rng);
		to->discards = leg->discards;
		to->frozen = fate != FATE_RECUT && fate != FATE_CLEAN;
		if (!to->frozen)
			disk_settle(to);
	}
	snprintf(l->what, sizeof(l->what), "of the disk's cache: %s; of the flash's: %s",
		 disk_image_name(kinds[LEG_DISK]), disk_image_name(kinds[LEG_SSD]));
	totals.lost += lost_something(from);
}

static void boot(struct level *l, enum fate fate)
{
	struct box *box = &l->box;

	box->mode = rng_chance(&l->rng, 90) ? shape.mode : 1 + rng_below(&l->rng, 3);
	box->persist = FC_PERSIST_LOAD;
	if (!box_do(box, box_build, NULL) || !box_do(box, box_load, fate == FATE_RECUT ? look : NULL))
		return;
	totals.states++;
	totals.again += mach->depth > 1;
	if (box->result) {
		if (!l->creating)
			sim_fail("after a power cut the cache cannot be loaded: %s",
				 kernel_last_error());
		return;
	}
	judge_box(box, l->exact);
	if (mach->dead)
		return;
	if (fate == FATE_CLEAN)
		go_on_cleaning(l);
	else if (fate == FATE_REREAD)
		reread(l);
	else if (fate == FATE_RELOAD)
		reload(l);
}

/* Loads what a power cut would leave of the machine that runs, and judges it. */
static void check_state(u64 seed, const u32 *exact, bool creating)
{
	const struct mach *from = mach;
	u64 changes = disk_changes;
	u32 mark = blob_mark();
	struct level *l;
	enum fate fate;

	mach_enter(seed);
	l = &levels[mach->depth];
	rng_seed(&l->rng, seed);
	l->seed = seed;
	l->exact = exact;
	l->creating = creating;
	l->one_in = 6;
	mach->depth--;
	fate = choose_fate(&l->rng);
	mach->depth++;
	mach->instant = fate == FATE_PLAIN;
	mach->preempt = fate == FATE_PLAIN ? 0 : 32;
	make_images(from, l, fate);
	l->changes = disk_changes;
	boot(l, fate);
	box_forget(&l->box);
	mach_leave();
	blob_release(mark);
	disk_changes = changes;
}

/**
 * crash_check() - judge what a power cut at this moment would leave
 * @creating: there may be no cache yet
 */
void crash_check(u64 seed, bool creating)
{
	check_state(seed, NULL, creating);
}

/**
 * crash_cut() - cut the power of the run; what is left is what it goes on from
 * @box: cache; gone
 * @rng: decides what is lost
 */
void crash_cut(struct box *box, struct rng *rng)
{
	static struct leg left[2];
	struct level *l = &levels[0];
	enum image_kind kind;
	u32 i;

	kind = rng_below(rng, NR_IMAGES);
	for (i = 0; i < 2; i++) {
		disk_attach(&left[i], MACH_DEPTH, i, mach->legs[i].nr, mach->legs[i].meta);
		disk_image(mach, i, &left[i], rng_chance(rng, 50) ? kind :
			   rng_below(rng, NR_IMAGES), rng);
	}
	snprintf(l->what, sizeof(l->what), "%s", disk_image_name(kind));
	box_forget(box);
	mach_power_off();
	for (i = 0; i < 2; i++) {
		memcpy(mach->legs[i].now, left[i].now, left[i].nr * sizeof(*left[i].now));
		disk_settle(&mach->legs[i]);
	}
	totals.cuts++;
}

/**
 * crash_recovered() - the run goes on from what is there: judge it, and hold it to it (P3)
 * @box: cache that was loaded
 */
void crash_recovered(const struct box *box)
{
	static u32 values[MAX_SECTORS];
	u32 i;

	box_values(box_cache(box), values);
	judge_all(values, NULL);
	for (i = 0; i < shape.disk_sectors; i++)
		judge_restart(i, values[i]);
}
