// SPDX-License-Identifier: GPL-2.0
/*
 * What the unit tests share.
 */
#include <stdlib.h>

#include "fixture.h"

#define MAX_ASSOC 8192u

struct fc_core *fix_core(const struct fix *fix)
{
	struct fc_core *core = calloc(1, sizeof(*core));
	struct fc_geo_want want = {
		.block_sectors = fix->block_sectors,
		.cluster_sectors = (u64)fix->cluster_blocks * fix->block_sectors,
		.flash_sectors = 1u << 24,
		.disk_sectors = fix->disk_sectors,
	};
	const char *why = NULL;
	u32 i;

	CHECK(core);
	if (fc_geo_init(&core->geo, &want, &why))
		test_fail(__FILE__, __LINE__, "%s", why);
	core->geo.assoc = fix->assoc;
	core->geo.assoc_shift = (u8)__ffs(fix->assoc);
	core->geo.nr_sets = fix->nr_sets;
	core->geo.nr_slots = (u64)fix->nr_sets * fix->assoc;
	core->mode = fix->mode;
	core->policy = fix->policy;
	core->dirty_limit = (u16)fix->assoc;
	core->stride = fc_set_bytes(fix->assoc);
	core->sets = aligned_alloc(64, fix->nr_sets * core->stride);
	CHECK(core->sets);
	memset(core->sets, 0, fix->nr_sets * core->stride);
	for (i = 0; i < fix->nr_sets; i++)
		fc_set_init(core, fc_core_set(core, i));
	return core;
}

void fix_free(struct fc_core *core)
{
	free(core->sets);
	free(core);
}

static u64 hash_of(const struct fc_core *core, u64 block)
{
	return fc_geo_hash(&core->geo, (struct fc_oblock){ block });
}

struct fc_set *fix_set(const struct fc_core *core, sector_t sector)
{
	u64 hash = hash_of(core, fc_geo_block(&core->geo, sector).n);

	return fc_core_set(core, fc_geo_set(&core->geo, hash));
}

struct fc_ask fix_ask(const struct fc_core *core, sector_t sector, u32 nr)
{
	return (struct fc_ask){
		.sector = sector,
		.nr = nr,
		.admit = true,
		.fua = true,
		.hash = hash_of(core, fc_geo_block(&core->geo, sector).n),
	};
}

static struct fc_set *set_of_block(const struct fc_core *core, u64 block)
{
	return fc_core_set(core, fc_geo_set(&core->geo, hash_of(core, block)));
}

u16 fix_find(const struct fc_core *core, u64 block)
{
	return fc_map_find(core, set_of_block(core, block), (struct fc_oblock){ block },
			   hash_of(core, block));
}

struct fc_slot *fix_slot(const struct fc_core *core, u64 block)
{
	u16 way = fix_find(core, block);

	CHECK(way != FC_NIL);
	return fc_set_slot(set_of_block(core, block), way);
}

bool fix_pend(const struct fc_core *core, u64 block, enum fc_pend kind)
{
	u16 way = fix_find(core, block);

	CHECK(way != FC_NIL);
	return test_bit(way, fc_set_pend(core, set_of_block(core, block), kind));
}

u16 fix_fill(struct fc_core *core, u64 block)
{
	sector_t sector = block << core->geo.block_shift;
	struct fc_set *set = fix_set(core, sector);
	struct fc_ask ask = fix_ask(core, sector, 1);
	struct fc_plan plan;

	fc_desk_read(core, set, &ask, &plan);
	CHECK_EQ(plan.verdict, FC_FILL);
	CHECK_EQ(fc_desk_done_fill(core, set, &plan, true), 0);
	return fix_find(core, block);
}

void fix_dirty(struct fc_core *core, sector_t sector, u32 nr)
{
	struct fc_set *set = fix_set(core, sector);
	struct fc_ask ask = fix_ask(core, sector, nr);
	struct fc_plan plan;

	fc_desk_write(core, set, &ask, &plan);
	CHECK_EQ(plan.verdict, FC_HIT);
	CHECK_EQ(plan.nr, nr);
	fc_desk_done_write(core, set, &plan, true);
}

void fix_commit(struct fc_core *core)
{
	struct fc_record recs[64];
	u32 set, kind, i;

	for (set = 0; set < core->geo.nr_sets; set++) {
		for (kind = 0; kind < FC_NR_PENDS; kind++) {
			struct fc_gather to;
			bool more;

			do {
				to = (struct fc_gather){ .recs = recs, .max = 64 };
				more = fc_ledger_gather(core, fc_core_set(core, set), kind, &to);
				for (i = 0; i < to.nr; i++)
					fc_ledger_committed(core, fc_core_set(core, set), &recs[i]);
			} while (more);
		}
	}
}

/* Each slot is in exactly one ring, and both ways round agree. */
static void check_queues(const struct fc_core *core, const struct fc_set *set)
{
	static u8 seen[MAX_ASSOC];
	u32 q, total = 0;

	memset(seen, 0, sizeof(seen));
	for (q = 0; q < FC_NR_QUEUES; q++) {
		u16 way = set->head[q];
		u32 i;

		CHECK_EQ(way == FC_NIL, set->len[q] == 0);
		for (i = 0; i < set->len[q]; i++) {
			const struct fc_slot *s = fc_set_slot(set, way);

			CHECK(way < core->geo.assoc);
			CHECK(!seen[way]);
			seen[way] = 1;
			CHECK_EQ(s->queue, q);
			CHECK_EQ(fc_set_slot(set, (u16)s->next)->prev, way);
			CHECK_EQ(fc_set_slot(set, (u16)s->prev)->next, way);
			way = (u16)s->next;
		}
		CHECK_EQ(way, set->head[q]);
		total += set->len[q];
	}
	CHECK_EQ(total, core->geo.assoc);
}

/* Each slot that holds a block is in exactly one chain, the one where it is looked for. */
static void check_chains(const struct fc_core *core, const struct fc_set *set)
{
	const u16 *chains = fc_set_chains(core, set);
	u32 i, total = 0;

	for (i = 0; i < core->geo.assoc / 2; i++) {
		u16 way = chains[i];

		while (way != FC_NIL) {
			const struct fc_slot *s = fc_set_slot(set, way);

			CHECK(way < core->geo.assoc);
			CHECK(s->queue != FC_Q_FREE);
			CHECK_EQ(fc_map_find(core, set, (struct fc_oblock){ s->block },
					     hash_of(core, s->block)), way);
			CHECK(total++ < core->geo.assoc);
			way = s->hnext == way ? (u16)FC_NIL : (u16)s->hnext;
		}
	}
	CHECK_EQ(total, core->geo.assoc - set->len[FC_Q_FREE]);
}

static void check_free_slot(const struct fc_slot *s)
{
	CHECK(!s->valid && !s->dirty && !s->ledger && !s->pins && !s->wait);
	CHECK_EQ(s->busy, FC_IDLE);
}

static void check_held_slot(const struct fc_core *core, const struct fc_set *set,
			    const struct fc_slot *s)
{
	struct fc_oblock b = { s->block };

	CHECK(b.n <= (core->geo.disk_sectors - 1) >> core->geo.block_shift);
	CHECK(fc_core_set(core, fc_geo_set(&core->geo, fc_geo_hash(&core->geo, b))) == set);
	CHECK(!(s->valid & ~fc_geo_exists(&core->geo, b)));
	CHECK(!(s->dirty & ~s->valid));
	if (s->busy == FC_OWNED)
		CHECK(!s->pins);
	if (s->busy == FC_CLEANING || s->busy == FC_TOUCHED)
		CHECK(s->dirty);
	if (s->busy == FC_IDLE && !s->pins) {
		/* Nobody would ever free it, or wake those who wait. */
		CHECK(s->valid || s->ledger);
		CHECK(!s->wait || s->dirty);
	}
}

/* What is dirty is recorded or will be; what is recorded keeps its slot. */
static void check_pending(const struct fc_core *core, struct fc_set *set, u16 way)
{
	const struct fc_slot *s = fc_set_slot(set, way);
	bool add = test_bit(way, fc_set_pend(core, set, FC_PEND_ADD));
	bool del = test_bit(way, fc_set_pend(core, set, FC_PEND_DEL));

	if (add)
		CHECK(s->dirty);
	if (del)
		CHECK(s->ledger);
	if (s->dirty)
		CHECK(add || s->ledger);
}

/**
 * fc_check_set() - all that must hold of a set between two calls of the core
 * @core: core
 * @set: set
 */
void fc_check_set(const struct fc_core *core, struct fc_set *set)
{
	u32 way, dirty = 0, cleaning = 0;

	check_queues(core, set);
	check_chains(core, set);
	for (way = 0; way < core->geo.assoc; way++) {
		const struct fc_slot *s = fc_set_slot(set, (u16)way);

		dirty += !!s->dirty;
		cleaning += s->busy == FC_CLEANING || s->busy == FC_TOUCHED;
		if (s->queue == FC_Q_FREE)
			check_free_slot(s);
		else
			check_held_slot(core, set, s);
		check_pending(core, set, (u16)way);
	}
	CHECK_EQ(set->dirty, dirty);
	CHECK_EQ(set->cleaning, cleaning);
}

/**
 * fc_check_idle() - and what must hold when nobody works on it
 * @core: core
 * @set: set
 */
void fc_check_idle(const struct fc_core *core, struct fc_set *set)
{
	u32 way;

	fc_check_set(core, set);
	CHECK(!set->owns);
	CHECK_EQ(set->cleaning, 0);
	for (way = 0; way < core->geo.assoc; way++) {
		const struct fc_slot *s = fc_set_slot(set, (u16)way);

		CHECK_EQ(s->busy, FC_IDLE);
		CHECK_EQ(s->pins, 0);
		CHECK(!s->wait);
	}
}

void fc_check_core(const struct fc_core *core)
{
	u32 i;

	for (i = 0; i < core->geo.nr_sets; i++)
		fc_check_set(core, fc_core_set(core, i));
}

/**
 * fc_check_same() - two cores, just loaded, are the same, slot by slot, chain by chain, ring by ring
 * @a: core
 * @b: core of the same geometry
 */
void fc_check_same(const struct fc_core *a, const struct fc_core *b)
{
	u32 i;

	for (i = 0; i < a->geo.nr_sets; i++) {
		struct fc_set *x = fc_core_set(a, i), *y = fc_core_set(b, i);

		CHECK(!memcmp(fc_set_slots(x), fc_set_slots(y), a->geo.assoc * sizeof(struct fc_slot)));
		CHECK(!memcmp(fc_set_chains(a, x), fc_set_chains(b, y), a->geo.assoc));
		CHECK(!memcmp(x->head, y->head, sizeof(x->head)));
		CHECK(!memcmp(x->len, y->len, sizeof(x->len)));
		CHECK_EQ(x->dirty, y->dirty);
		CHECK_EQ(x->stale, y->stale);
	}
}
