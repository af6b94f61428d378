// SPDX-License-Identifier: GPL-2.0
/*
 * What may be read from a sector, and what must hold after every step.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

/* FC_UNIT_TRACE=SECTOR in the environment tells all that happens to a sector's block. */
void model_trace(sector_t sector, u32 nr, const char *what, u32 number)
{
	const char *word = getenv("FC_UNIT_TRACE");
	sector_t at = word ? strtoull(word, NULL, 0) : 0;
	u32 bs = w->fix.block_sectors;

	if (word && at / bs >= sector / bs && at / bs <= (sector + nr - 1) / bs)
		printf("# %llu: %s %u of %llu+%u\n", (unsigned long long)w->now, what, number,
		       (unsigned long long)sector, nr);
}

u32 model_block_sectors(void)
{
	return w->core->geo.block_sectors;
}

/* ---- what may be read ------------------------------------------------------------------------ */

static u64 oldest_start(void)
{
	u64 oldest = w->now;
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state != OP_NONE && w->ops[i].start < oldest)
			oldest = w->ops[i].start;
	return oldest < w->flushed ? oldest : w->flushed;
}

/*
 * Is write @a certainly overwritten for whoever looks from time @from on? After a power cut a
 * later FUA write counts as well.
 */
static bool overwritten(const struct sector *s, const struct write *a, u64 from, bool cut)
{
	u32 i;

	for (i = 0; i < s->nr; i++) {
		const struct write *b = &s->writes[i];

		if (!b->failed && b->start > a->end &&
		    (b->end < from || (cut && b->fua && b->end != FOREVER)))
			return true;
	}
	return false;
}

static void prune(struct sector *s)
{
	u64 oldest = oldest_start();
	u32 i = 0;

	while (i < s->nr) {
		if (overwritten(s, &s->writes[i], oldest, false))
			s->writes[i] = s->writes[--s->nr];
		else
			i++;
	}
}

void model_note_start(const struct op *op)
{
	u32 i;

	model_trace(op->sector, op->nr, op->kind == OP_WRITE ? "write begins" : "discard begins",
	      op->version);
	for (i = 0; i < op->nr; i++) {
		struct sector *s = &w->sectors[op->sector + i];

		if (s->nr == MAX_HISTORY)
			prune(s);
		CHECK(s->nr < MAX_HISTORY);
		s->writes[s->nr++] = (struct write){ op->version, false, op->fua, op->start,
						     FOREVER };
		s->discarding += op->kind == OP_DISCARD;
		s->active++;
		s->changed = w->now;
		s->settled = false;
	}
}

void model_note_end(const struct op *op)
{
	u32 i, j;

	model_trace(op->sector, op->nr, op->failed ? "fails" : "ends", op->version);
	for (i = 0; i < op->nr; i++) {
		struct sector *s = &w->sectors[op->sector + i];

		for (j = 0; j < s->nr; j++) {
			if (s->writes[j].version == op->version) {
				s->writes[j].end = w->now;
				s->writes[j].failed = op->failed;
			}
		}
		s->active--;
		s->changed = w->now;
		if (op->kind == OP_DISCARD) {
			s->discarding--;
			s->discarded = w->now;
			if (op->failed)
				s->vague = FOREVER;
		} else if (!op->failed && op->start > s->discarded && s->vague == FOREVER) {
			s->vague = w->now;
		}
	}
}

/* Of a sector that is being discarded, or was so only lately, nothing can be said. */
static bool undefined(const struct sector *s, u64 start)
{
	return s->discarding || s->discarded >= start || s->vague >= start;
}

void model_judge(u32 sector, u32 value, u64 start, bool cut, const char *what)
{
	struct sector *s = &w->sectors[sector];
	u32 i;

	if (undefined(s, start))
		return;
	for (i = 0; i < s->nr; i++)
		if (s->writes[i].version == value && !overwritten(s, &s->writes[i], start, cut))
			break;
	if (i == s->nr)
		test_fail(__FILE__, __LINE__, "%s of sector %u gives version %u, which is wrong",
			  what, sector, value);
	if (cut || s->active || s->changed >= start)
		return;
	if (s->settled && s->value != value)
		test_fail(__FILE__, __LINE__, "%s of sector %u gives version %u, but %u before",
			  what, sector, value, s->value);
	s->settled = true;
	s->value = value;
}

/* ---- checks after each step ------------------------------------------------------------------ */

u32 model_slot_index(const struct fc_set *set, u16 way)
{
	return fc_core_set_index(w->core, set) * w->core->geo.assoc + way;
}

static void expect(const struct job *job, u32 *pins, u8 *owned, u8 *cleaning)
{
	const struct fc_plan *p = &job->plan;
	u32 i;

	if (job->kind == JOB_CLEAN) {
		cleaning[job->item.slot.n]++;
		return;
	}
	if (job->kind == JOB_DISCARD)
		return;
	for (i = 0; i < p->nr_blocks; i++) {
		if (p->verdict == FC_HIT)
			pins[model_slot_index(job->set, (u16)(p->way[0] + i))]++;
		else if (p->verdict != FC_DISK && p->way[i] != FC_NIL)
			owned[model_slot_index(job->set, p->way[i])]++;
	}
}

/* Pins and claims are exactly those of what is in flight. */
static void check_holders(struct fc_set *set)
{
	static u32 pins[8192];
	static u8 owned[8192], cleaning[8192];
	u32 i, arounds = 0;
	const struct fc_own *own;

	memset(pins, 0, w->core->geo.nr_slots * sizeof(*pins));
	memset(owned, 0, w->core->geo.nr_slots);
	memset(cleaning, 0, w->core->geo.nr_slots);
	for (i = 0; i < MAX_JOBS; i++) {
		const struct job *job = &w->jobs[i];

		if (!job->used)
			continue;
		expect(job, pins, owned, cleaning);
		if (job->kind == JOB_PLAN && job->plan.verdict == FC_AROUND && job->set == set)
			arounds++;
	}
	for (own = set->owns; own; own = own->next)
		arounds--;
	CHECK_EQ(arounds, 0);
	for (i = 0; i < w->core->geo.assoc; i++) {
		const struct fc_slot *s = fc_set_slot(set, (u16)i);
		u32 at = model_slot_index(set, (u16)i);

		CHECK_EQ(s->pins, pins[at]);
		CHECK_EQ(s->busy == FC_OWNED, owned[at]);
		CHECK_EQ(s->busy == FC_CLEANING || s->busy == FC_TOUCHED, cleaning[at]);
	}
}

/* Durability rule R3, and that the core knows what is recorded. */
static void check_durable(const struct fc_set *set)
{
	u32 i;

	for (i = 0; i < w->core->geo.assoc; i++) {
		const struct fc_record *rec = &w->durable[model_slot_index(set, (u16)i)];
		const struct fc_slot *s = fc_set_slot(set, (u16)i);

		if (!rec->dirty)
			continue;
		CHECK(s->queue != FC_Q_FREE);
		CHECK_EQ(s->block, rec->block.n);
		CHECK(s->ledger);
	}
}

/* Whoever waits has somebody who will wake them. */
static void check_waiters(const struct fc_set *set)
{
	u32 index = fc_core_set_index(w->core, set), i;
	const struct fc_own *own;
	bool parked = false, held = w->core->discard.wait;

	for (i = 0; i < MAX_OPS; i++)
		parked |= w->ops[i].state == OP_PARKED && w->ops[i].set == index;
	for (i = 0; i < w->core->geo.assoc; i++)
		held |= fc_set_slot(set, (u16)i)->wait;
	for (own = set->owns; own; own = own->next)
		held |= own->wait;
	CHECK(!parked || held);
}

void model_check(struct fc_set *set)
{
	fc_check_set(w->core, set);
	check_holders(set);
	check_durable(set);
	check_waiters(set);
}
