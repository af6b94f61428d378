// SPDX-License-Identifier: GPL-2.0
/*
 * A random driver plays the shell around the core: requests in flight in any order, two devices in memory,
 * errors, a cleaner, commits that succeed or fail, checkpoints, changes of mode and policy, discards,
 * power cuts. Each sector holds a version number, so that each read can be judged.
 *
 * Judged after every step: all of fc_check_set(), pins and claims against the plans in flight, slots
 * that a durable record names. After every read: what came must be a version that an atomic register could
 * give. At rest: nothing is held, nobody waits, clean units equal the disk, and after a cut and a
 * load every sector reads as its last flushed version or a later one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

#define MAX_OPS		20
#define MAX_JOBS	64
#define MAX_IOS		192
#define MAX_SECTORS	2048	/* of an I/O */
#define MAX_SETS	2
#define MAX_HISTORY	96	/* writes to a sector that may still be read */
#define MAX_RECS	24
#define MAX_ITEMS	6
#define FOREVER		(~0ull)

enum op_kind { OP_READ, OP_WRITE, OP_DISCARD };
enum op_state { OP_NONE, OP_READY, OP_BUSY, OP_PARKED };
enum job_kind { JOB_PLAN, JOB_CLEAN, JOB_DISCARD };

struct job;

/* A request of the user. */
struct op {
	enum op_state state;
	enum op_kind kind;
	sector_t sector;
	u32 nr;
	u32 done;		/* sectors dealt with */
	u32 version;
	u64 start;
	u32 set;		/* parked here */
	bool admit;
	bool fua;
	bool must_commit;	/* FUA: the ledger has to record it before the end */
	u64 ready;		/* FUA: it waits for a commit that begins after this */
	bool failed;
	u32 got[MAX_SECTORS];
};

/* An I/O: some sectors of one device, each of which happens at a moment of its own. */
struct io {
	bool used;
	bool flash;
	bool write;
	bool fail;
	struct job *job;
	u32 nr;
	u32 left;
	u32 addr[MAX_SECTORS];
	u32 val[MAX_SECTORS];
	bool done[MAX_SECTORS];
};

/* A plan, a cleaning or the disk's part of a discard, until the core is told its result. */
struct job {
	bool used;
	enum job_kind kind;
	bool write;
	struct op *op;		/* NULL once answered */
	struct fc_set *set;
	struct fc_plan plan;
	u32 stage;
	u32 ios;
	bool ok;
	struct fc_clean_item item;
	u16 units;
	u32 data[MAX_SECTORS];
};

struct write {
	u32 version;
	bool failed;
	bool fua;
	u64 start;
	u64 end;
};

/* What may be read from a sector. */
struct sector {
	struct write writes[MAX_HISTORY];
	u32 nr;
	u32 active;		/* writes in flight */
	u64 changed;		/* when one began or ended last */
	u32 discarding;		/* discards in flight */
	u64 discarded;		/* when one ended last */
	u64 vague;		/* one failed: until here, when a later write ended */
	bool settled;		/* @value was read and nobody has written since */
	u32 value;
};

struct world {
	struct fix fix;
	struct fc_core *core;
	u32 error_pct;
	bool draining;
	u64 now;
	u32 next_version;
	u32 nr_disk;
	u32 nr_flash;
	u32 *disk, *flash;			/* as the devices read now */
	u32 *disk_stable, *flash_stable;	/* as they come back after a power cut at the worst */
	struct sector *sectors;
	struct op ops[MAX_OPS];
	struct job jobs[MAX_JOBS];
	struct io ios[MAX_IOS];
	struct fc_record *durable;		/* by slot: the last durable record */
	bool want_clean[MAX_SETS];
	struct fc_clean_item items[MAX_ITEMS];	/* picked, not begun */
	u32 nr_items;
	bool committing;
	bool commit_all;
	bool disk_wrote;			/* since its last flush */
	u64 commit_start;
	struct fc_record recs[MAX_RECS * 64];
	u32 nr_recs;
	bool flush_disk;			/* before the records */
	u64 flushed;				/* all that ended before this is durable */
	u64 steps, reads, hits, fills, cleans, commits, waits, cuts, bothes, arounds, fetches;
};

static struct world *w;

/* FC_UNIT_TRACE=SECTOR in the environment tells all that happens to a sector's block. */
static void trace(sector_t sector, u32 nr, const char *what, u32 number)
{
	const char *word = getenv("FC_UNIT_TRACE");
	sector_t at = word ? strtoull(word, NULL, 0) : 0;
	u32 bs = w->fix.block_sectors;

	if (word && at / bs >= sector / bs && at / bs <= (sector + nr - 1) / bs)
		printf("# %llu: %s %u of %llu+%u\n", (unsigned long long)w->now, what, number,
		       (unsigned long long)sector, nr);
}

static u32 block_sectors(void)
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
 * Is write @a certainly overwritten for whoever looks from time @from on? After a power cut a later
 * FUA write counts as well.
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

static void note_start(const struct op *op)
{
	u32 i;

	trace(op->sector, op->nr, op->kind == OP_WRITE ? "write begins" : "discard begins",
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

static void note_end(const struct op *op)
{
	u32 i, j;

	trace(op->sector, op->nr, op->failed ? "fails" : "ends", op->version);
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

static void judge(u32 sector, u32 value, u64 start, bool cut, const char *what)
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

static u32 slot_index(const struct fc_set *set, u16 way)
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
			pins[slot_index(job->set, (u16)(p->way[0] + i))]++;
		else if (p->verdict != FC_DISK && p->way[i] != FC_NIL)
			owned[slot_index(job->set, p->way[i])]++;
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
		u32 at = slot_index(set, (u16)i);

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
		const struct fc_record *rec = &w->durable[slot_index(set, (u16)i)];
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

static void check(struct fc_set *set)
{
	fc_check_set(w->core, set);
	check_holders(set);
	check_durable(set);
	check_waiters(set);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void op_end(struct op *op)
{
	u32 i;

	if (op->kind == OP_WRITE || op->kind == OP_DISCARD)
		note_end(op);
	if (op->kind == OP_READ && !op->failed)
		for (i = 0; i < op->nr; i++)
			judge((u32)op->sector + i, op->got[i], op->start, false, "read");
	op->state = OP_NONE;
}

static void op_fail(struct op *op)
{
	op->failed = true;
	op_end(op);
}

/* @nr more sectors are done. A FUA write is over when the ledger has what it needs. */
static void op_advance(struct op *op, u32 nr)
{
	op->done += nr;
	op->state = OP_READY;
	if (op->done < op->nr)
		return;
	op->ready = w->now;
	if (op->fua && op->must_commit)
		op->state = OP_BUSY;
	else
		op_end(op);
}

static void wake(u32 set)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state == OP_PARKED && w->ops[i].set == set)
			w->ops[i].state = OP_READY;
}

static void obey(struct fc_set *set, unsigned int done)
{
	u32 index = fc_core_set_index(w->core, set);

	if (done & FC_DONE_WAKE)
		wake(index);
	if (done & FC_DONE_CLEAN)
		w->want_clean[index] = true;
	if (done & FC_DONE_BARE)
		w->disk_wrote = true;
}

/* ---- devices --------------------------------------------------------------------------------- */

static struct io *new_io(struct job *job, bool flash, bool write)
{
	u32 i;

	for (i = 0; i < MAX_IOS; i++) {
		struct io *io = &w->ios[i];

		if (io->used)
			continue;
		io->used = true;
		io->flash = flash;
		io->write = write;
		io->job = job;
		io->nr = 0;
		io->left = 0;
		io->fail = !w->draining && test_chance(w->error_pct);
		job->ios++;
		return io;
	}
	test_fail(__FILE__, __LINE__, "too many I/Os");
}

static void add_sector(struct io *io, u32 addr, u32 val)
{
	CHECK(io->nr < MAX_SECTORS);
	CHECK(addr < (io->flash ? w->nr_flash : w->nr_disk));
	io->addr[io->nr] = addr;
	io->val[io->nr] = val;
	io->done[io->nr] = false;
	io->nr++;
	io->left++;
}

static void happen(struct io *io, u32 i)
{
	u32 *at = (io->flash ? w->flash : w->disk) + io->addr[i];

	io->done[i] = true;
	io->left--;
	if (!io->write)
		io->val[i] = *at;
	else if (!io->fail || test_chance(50))
		*at = io->val[i];
}

static void flush_device(bool flash)
{
	if (flash)
		memcpy(w->flash_stable, w->flash, w->nr_flash * sizeof(u32));
	else
		memcpy(w->disk_stable, w->disk, w->nr_disk * sizeof(u32));
}

/* ---- plans: their steps ---------------------------------------------------------------------- */

static struct job *new_job(enum job_kind kind, struct op *op, struct fc_set *set)
{
	u32 i;

	for (i = 0; i < MAX_JOBS; i++) {
		struct job *job = &w->jobs[i];

		if (job->used)
			continue;
		job->used = true;
		job->kind = kind;
		job->op = op;
		job->set = set;
		job->stage = 0;
		job->ios = 0;
		job->ok = true;
		return job;
	}
	return NULL;
}

static u32 jobs_used(void)
{
	u32 i, n = 0;

	for (i = 0; i < MAX_JOBS; i++)
		n += w->jobs[i].used;
	return n;
}

static u32 flash_addr(const struct fc_set *set, u16 way, u32 within)
{
	return slot_index(set, way) * block_sectors() + within;
}

/* The flash address of the plan's sector @i. */
static u32 plan_flash(const struct job *job, u32 i)
{
	const struct fc_plan *p = &job->plan;
	u32 within = (u32)p->sector & (block_sectors() - 1);
	u32 block = (within + i) / block_sectors();
	u16 way = p->verdict == FC_HIT ? (u16)(p->way[0] + block) : p->way[block];

	return flash_addr(job->set, way, (within + i) % block_sectors());
}

static void start_in_place(struct job *job)
{
	struct io *io = new_io(job, true, job->write);
	u32 i;

	for (i = 0; i < job->plan.nr; i++)
		add_sector(io, plan_flash(job, i), job->op->version);
}

static void start_disk(struct job *job)
{
	struct io *io = new_io(job, false, job->write);
	u32 i;

	for (i = 0; i < job->plan.nr; i++)
		add_sector(io, (u32)job->plan.sector + i, job->op->version);
}

static u32 first_sector(const struct job *job)
{
	return (u32)job->plan.sector & ~(block_sectors() - 1);
}

/* Fill, fetch: whole blocks from the disk, as far as they exist. */
static void start_whole(struct job *job)
{
	struct io *io = new_io(job, false, false);
	u32 first = first_sector(job), i;

	for (i = 0; i < job->plan.nr_blocks * block_sectors() && first + i < w->nr_disk; i++)
		add_sector(io, first + i, 0);
}

/* The second step of a fill: what is missing goes to flash. */
static void start_missing(struct job *job)
{
	struct io *io = new_io(job, true, true);
	u32 first = first_sector(job), i;

	for (i = 0; i < job->plan.nr_blocks * block_sectors() && first + i < w->nr_disk; i++) {
		u16 way = job->plan.way[i / block_sectors()];
		u32 within = i % block_sectors();
		u32 unit = within >> w->core->geo.unit_shift;

		if (!(fc_set_slot(job->set, way)->valid >> unit & 1))
			add_sector(io, flash_addr(job->set, way, within), job->data[i]);
	}
}

static void start_both(struct job *job)
{
	struct io *io = new_io(job, true, true);
	u32 i;

	for (i = 0; i < job->plan.nr; i++)
		add_sector(io, plan_flash(job, i), job->op->version);
	start_disk(job);
}

static void start_plan(struct job *job)
{
	switch (job->plan.verdict) {
	case FC_HIT:
		w->hits++;
		start_in_place(job);
		break;
	case FC_DISK:
		start_disk(job);
		break;
	case FC_FILL:
		w->fills++;
		start_whole(job);
		break;
	case FC_FETCH:
		w->fetches++;
		start_whole(job);
		break;
	case FC_BOTH:
		w->bothes++;
		start_both(job);
		break;
	case FC_AROUND:
		w->arounds++;
		start_disk(job);
		break;
	default:
		test_fail(__FILE__, __LINE__, "verdict %u", job->plan.verdict);
	}
}

/* What the answer of the core says of itself. */
static void check_plan(const struct job *job, const struct fc_ask *ask)
{
	const struct fc_plan *p = &job->plan;
	u64 first, last;

	if (p->verdict == FC_WAIT || p->verdict == FC_FAIL)
		return;
	CHECK(p->replaced <= FC_RUN_BLOCKS);
	if (p->verdict == FC_FETCH) {
		CHECK_EQ(p->nr_blocks, 1);
		CHECK(p->nr >= 1 && p->nr <= ask->nr && p->nr <= block_sectors());
		return;
	}
	CHECK_EQ(p->sector, ask->sector);
	CHECK(p->nr >= 1 && p->nr <= ask->nr);
	first = fc_geo_block(&w->core->geo, p->sector).n;
	last = fc_geo_block(&w->core->geo, p->sector + p->nr - 1).n;
	if (p->verdict != FC_DISK)
		CHECK_EQ(p->nr_blocks, last - first + 1);
	if (p->verdict == FC_FILL)
		CHECK(p->nr_blocks * block_sectors() <= FC_CLAIM_SECTORS);
	if (p->verdict == FC_BOTH)
		CHECK(p->nr <= FC_CLAIM_SECTORS);
}

static void ask_core(struct op *op)
{
	const struct fc_geo *geo = &w->core->geo;
	sector_t sector = op->sector + op->done;
	sector_t end = fc_geo_run_end(geo, sector);
	struct fc_ask ask = fix_ask(w->core, sector, 0);
	struct fc_set *set = fix_set(w->core, sector);
	struct job *job = new_job(JOB_PLAN, op, set);

	if (!job)
		return;
	if (end > op->sector + op->nr)
		end = op->sector + op->nr;
	ask.nr = (u32)(end - sector);
	ask.admit = op->admit;
	job->write = op->kind == OP_WRITE;
	memset(&job->plan, 0xa5, sizeof(job->plan));
	if (job->write)
		fc_desk_write(w->core, set, &ask, &job->plan);
	else
		fc_desk_read(w->core, set, &ask, &job->plan);
	check_plan(job, &ask);
	trace(ask.sector, ask.nr, job->write ? "write: verdict" : "read: verdict",
	      job->plan.verdict);
	op->state = OP_BUSY;
	if (job->plan.flags & FC_PLAN_CLEAN)
		w->want_clean[fc_core_set_index(w->core, set)] = true;
	if (job->plan.verdict == FC_WAIT) {
		w->waits++;
		job->used = false;
		op->state = OP_PARKED;
		op->set = fc_core_set_index(w->core, set);
	} else if (job->plan.verdict == FC_FAIL) {
		CHECK(w->core->no_clean);
		job->used = false;
		op_fail(op);
	} else {
		if (job->plan.verdict == FC_BOTH && test_chance(5))
			fc_desk_both_to_around(w->core, set, &job->plan);
		/* FUA to the flash is enough only for what is recorded; all else wants a commit. */
		if (!(job->plan.verdict == FC_HIT && job->plan.flags & FC_PLAN_DURABLE))
			op->must_commit = true;
		start_plan(job);
	}
	check(set);
}

/* ---- plans: their results -------------------------------------------------------------------- */

static void take_answer(struct job *job, const struct io *io, u32 skip)
{
	struct op *op = job->op;
	u32 i;

	for (i = 0; i < job->plan.nr; i++)
		op->got[op->done + i] = io->val[skip + i];
}

static void end_read(struct job *job, const struct io *io)
{
	bool elsewhere = true;
	unsigned int done = fc_desk_done_read(w->core, job->set, &job->plan, !io->fail,
					      &elsewhere);

	job->used = false;
	obey(job->set, done);
	if (!io->fail) {
		take_answer(job, io, 0);
		op_advance(job->op, job->plan.nr);
	} else if (elsewhere) {
		job->op->state = OP_READY;
	} else {
		op_fail(job->op);
	}
}

static void end_write(struct job *job, const struct io *io)
{
	unsigned int done = fc_desk_done_write(w->core, job->set, &job->plan, !io->fail);

	job->used = false;
	obey(job->set, done);
	if (!io->fail) {
		op_advance(job->op, job->plan.nr);
	} else {
		w->core->no_writeback = true;
		job->op->state = OP_READY;
	}
}

static void end_fill(struct job *job, bool ok)
{
	unsigned int done = fc_desk_done_fill(w->core, job->set, &job->plan, ok);

	job->used = false;
	obey(job->set, done);
}

/* A fill has its data: the reader is answered, flash is written, or not where memory is short. */
static void fill_step(struct job *job, const struct io *io)
{
	u32 i;

	if (job->stage++) {
		end_fill(job, !io->fail);
		return;
	}
	if (io->fail) {
		end_fill(job, false);
		op_fail(job->op);
		return;
	}
	take_answer(job, io, (u32)job->plan.sector - first_sector(job));
	op_advance(job->op, job->plan.nr);
	job->op = NULL;
	for (i = 0; i < io->nr; i++)
		job->data[i] = io->val[i];
	if (test_chance(10))
		end_fill(job, false);
	else
		start_missing(job);
}

static void fetch_step(struct job *job, const struct io *io)
{
	u32 i;

	if (!io->fail && !job->stage++) {
		for (i = 0; i < io->nr; i++)
			job->data[i] = io->val[i];
		start_missing(job);
		return;
	}
	end_fill(job, !io->fail);
	if (io->fail)
		op_fail(job->op);
	else
		job->op->state = OP_READY;
}

/*
 * The writer is answered when the disk has it, with FUA when also the ledger agrees; the core is told
 * when both are over.
 */
static void both_step(struct job *job, const struct io *io)
{
	struct op *op = job->op;
	unsigned int done;

	job->ok &= !io->fail;
	if (!io->flash && (io->fail || !op->fua)) {
		job->op = NULL;
		if (io->fail)
			op_fail(op);
		else
			op_advance(op, job->plan.nr);
	}
	if (job->ios)
		return;
	done = fc_desk_done_both(w->core, job->set, &job->plan, job->ok);
	job->used = false;
	obey(job->set, done);
	if (!job->op)
		return;
	op_advance(op, job->plan.nr);
}

static void end_around(struct job *job, const struct io *io)
{
	unsigned int done = fc_desk_done_around(w->core, job->set, &job->plan);

	job->used = false;
	obey(job->set, done);
	if (io->fail)
		op_fail(job->op);
	else
		op_advance(job->op, job->plan.nr);
}

static void plan_step(struct job *job, const struct io *io)
{
	switch (job->plan.verdict) {
	case FC_HIT:
		if (job->write)
			end_write(job, io);
		else
			end_read(job, io);
		break;
	case FC_DISK:
		job->used = false;
		if (io->fail) {
			op_fail(job->op);
			break;
		}
		take_answer(job, io, 0);
		op_advance(job->op, job->plan.nr);
		break;
	case FC_FILL:
		fill_step(job, io);
		break;
	case FC_FETCH:
		fetch_step(job, io);
		break;
	case FC_BOTH:
		both_step(job, io);
		break;
	case FC_AROUND:
		end_around(job, io);
		break;
	}
}

/* ---- the cleaner ----------------------------------------------------------------------------- */

static void clean_begin(const struct fc_clean_item *item)
{
	const struct fc_geo *geo = &w->core->geo;
	struct fc_set *set = fc_core_set(w->core, (u32)(item->slot.n / geo->assoc));
	struct job *job = new_job(JOB_CLEAN, NULL, set);
	u32 first = (u32)item->b.n * block_sectors(), i;
	struct io *io;

	if (!job) {
		w->want_clean[fc_core_set_index(w->core, set)] = true;
		return;
	}
	job->item = *item;
	job->units = fc_clean_begin(w->core, set, item);
	if (!job->units) {
		job->used = false;
		return;
	}
	io = new_io(job, true, false);
	for (i = 0; i < block_sectors() && first + i < w->nr_disk; i++)
		if (job->units >> (i >> geo->unit_shift) & 1)
			add_sector(io, (u32)item->slot.n * block_sectors() + i, 0);
	check(set);
}

static void clean_end(struct job *job, bool ok)
{
	unsigned int done = fc_clean_end(w->core, job->set, &job->item, job->units, ok);

	w->cleans += ok;
	job->used = false;
	obey(job->set, done);
}

static void clean_step(struct job *job, const struct io *read)
{
	u32 first = (u32)job->item.b.n * block_sectors(), i;
	struct io *io;

	if (read->fail || job->stage++) {
		clean_end(job, !read->fail);
		return;
	}
	io = new_io(job, false, true);
	for (i = 0; i < read->nr; i++)
		add_sector(io, first + read->addr[i] % block_sectors(), read->val[i]);
}

/* Picks now, begins later, when things may have changed. Returns true when there was room for all. */
static bool pick(u32 index, bool waiting)
{
	struct fc_set *set = fc_core_set(w->core, index);
	u32 room = MAX_ITEMS - w->nr_items, nr;
	struct fc_clean_item *items = &w->items[w->nr_items];

	if (waiting)
		nr = fc_clean_pick_waiting(w->core, set, items, room);
	else
		nr = fc_clean_pick(w->core, set, 1 + test_below(6), items, room);
	CHECK(nr <= room);
	w->nr_items += nr;
	return nr < room;
}

static void begin_one(void)
{
	u32 i = test_below(w->nr_items);
	struct fc_clean_item item = w->items[i], neighbour;

	w->items[i] = w->items[--w->nr_items];
	clean_begin(&item);
	item.b.n++;
	if (item.b.n <= (w->core->geo.disk_sectors - 1) >> w->core->geo.block_shift &&
	    fc_clean_find(w->core, fix_set(w->core, item.b.n * block_sectors()), item.b, &neighbour))
		clean_begin(&neighbour);
}

/* ---- discards -------------------------------------------------------------------------------- */

static void discard_done(struct job *job, bool ok)
{
	bool woken = w->core->discard.wait;
	u32 i;

	w->core->discard.nr = 0;
	w->core->discard.wait = false;
	job->used = false;
	if (!ok)
		job->op->failed = true;
	w->disk_wrote = true;
	op_end(job->op);
	for (i = 0; woken && i < w->core->geo.nr_sets; i++)
		wake(i);
}

/* Drops block by block; the disk's part follows when the cache holds none of them. */
static void ask_discard(struct op *op)
{
	u32 bs = block_sectors();
	struct job *job;
	struct io *io;
	u32 i;

	w->core->discard.first.n = op->sector / bs;
	w->core->discard.nr = op->nr / bs;
	while (op->done < op->nr) {
		struct fc_oblock b = { (op->sector + op->done) / bs };
		struct fc_set *set = fix_set(w->core, b.n * bs);
		unsigned int done = 0;

		if (!fc_desk_discard(w->core, set, b, &done)) {
			obey(set, done);
			op->state = OP_PARKED;
			op->set = fc_core_set_index(w->core, set);
			check(set);
			return;
		}
		obey(set, done);
		check(set);
		op->done += bs;
	}
	job = new_job(JOB_DISCARD, op, NULL);
	if (!job)
		return;
	op->state = OP_BUSY;
	io = new_io(job, false, true);
	for (i = 0; i < op->nr; i++)
		add_sector(io, (u32)op->sector + i, op->version);
}

/* ---- I/O ends -------------------------------------------------------------------------------- */

/* A write with FUA is on the medium; one without may be only in the device's cache. */
static void note_written(const struct io *io)
{
	u32 *now = io->flash ? w->flash : w->disk;
	u32 *stable = io->flash ? w->flash_stable : w->disk_stable;
	const struct job *job = io->job;
	u32 i;

	if (!io->write)
		return;
	/* What the cleaner writes need not be flushed for the user's sake: FC_DONE_BARE tells. */
	if (!io->flash && job->kind != JOB_CLEAN)
		w->disk_wrote = true;
	if (job->kind != JOB_PLAN || io->fail || !job->op || !job->op->fua || !job->write)
		return;
	if (job->plan.verdict != FC_HIT)
		return;
	for (i = 0; i < io->nr; i++)
		stable[io->addr[i]] = now[io->addr[i]];
}

static void io_end(struct io *io)
{
	struct job *job = io->job;
	struct fc_set *set = job->set;

	job->ios--;
	if (job->kind == JOB_PLAN)
		trace(job->plan.sector, job->plan.nr_blocks * block_sectors(), io->flash ?
		      io->write ? "flash write" : "flash read" :
		      io->write ? "disk write" : "disk read", io->fail);
	else if (job->kind == JOB_CLEAN)
		trace(job->item.b.n * block_sectors(), 1, io->write ? "clean: disk write" :
		      "clean: flash read", io->fail);
	note_written(io);
	if (job->kind == JOB_CLEAN)
		clean_step(job, io);
	else if (job->kind == JOB_DISCARD)
		discard_done(job, !io->fail);
	else
		plan_step(job, io);
	io->used = false;
	if (set)
		check(set);
}

static bool io_step(void)
{
	u32 i, at = test_below(MAX_IOS);

	for (i = 0; i < MAX_IOS; i++, at = (at + 1) % MAX_IOS) {
		struct io *io = &w->ios[at];
		u32 j;

		if (!io->used)
			continue;
		for (j = 0; io->left && j < io->nr; j++)
			if (!io->done[j] && test_chance(60))
				happen(io, j);
		if (!io->left && test_chance(70))
			io_end(io);
		return true;
	}
	return false;
}

/* ---- commits --------------------------------------------------------------------------------- */

static bool gather(enum fc_pend kind, struct fc_gather *to)
{
	bool left = false;
	u32 i;

	for (i = 0; i < w->core->geo.nr_sets; i++)
		left |= fc_ledger_gather(w->core, fc_core_set(w->core, i), kind, to);
	return left;
}

/*
 * Records that take units back want a flush of the disk. They need not be written while the disk took
 * nothing but what the cleaner wrote and a record covers: what the flash has is as new.
 */
static void commit_begin(bool all, bool removals)
{
	struct fc_gather to = { .recs = w->recs };
	bool left;
	u32 i;

	to.max = all ? MAX_RECS * 64 : 1 + test_below(MAX_RECS);
	left = gather(FC_PEND_ADD, &to);
	w->flush_disk = w->disk_wrote;
	w->disk_wrote = false;
	if (w->flush_disk || removals)
		left |= gather(FC_PEND_DEL, &to);
	w->flush_disk |= to.removes;
	w->nr_recs = to.nr;
	w->commit_all = !left;
	w->committing = true;
	w->commit_start = w->now;
	for (i = 0; i < w->core->geo.nr_sets; i++)
		check(fc_core_set(w->core, i));
}

static struct fc_set *set_of_rec(const struct fc_record *rec)
{
	return fc_core_set(w->core, (u32)(rec->slot.n / w->core->geo.assoc));
}

/* All that ended before the commit began is durable now: whoever waits for that ends. */
static void flushed(void)
{
	u32 i;

	w->flushed = w->commit_start;
	for (i = 0; i < MAX_OPS; i++) {
		struct op *op = &w->ops[i];

		if (op->state == OP_BUSY && op->fua && op->must_commit && op->done == op->nr &&
		    op->ready < w->commit_start)
			op_end(op);
	}
}

static void commit_end(void)
{
	bool ok = w->draining || !test_chance(w->error_pct);
	bool durable = ok || test_chance(50);
	u32 i;

	flush_device(true);
	if (w->flush_disk)
		flush_device(false);
	w->disk_wrote |= !ok;
	for (i = 0; i < w->nr_recs; i++) {
		const struct fc_record *rec = &w->recs[i];
		struct fc_set *set = set_of_rec(rec);
		unsigned int done = 0;

		if (durable)
			w->durable[rec->slot.n] = *rec;
		if (!ok)
			fc_ledger_undo(w->core, set, rec, &done);
		else if (fc_ledger_committed(w->core, set, rec))
			done = FC_DONE_WAKE;
		obey(set, done);
	}
	w->committing = false;
	w->commits += ok;
	for (i = 0; i < w->core->geo.nr_sets; i++)
		check(fc_core_set(w->core, i));
	if (ok && w->commit_all)
		flushed();
}

/* A checkpoint: every slot's entry is durable at once, after both devices are flushed. */
static void checkpoint(void)
{
	u32 set, way;

	flush_device(true);
	flush_device(false);
	for (set = 0; set < w->core->geo.nr_sets; set++) {
		for (way = 0; way < w->core->geo.assoc; way++) {
			struct fc_set *s = fc_core_set(w->core, set);
			struct fc_entry entry;

			fc_ledger_snapshot(s, (u16)way, &entry);
			w->durable[slot_index(s, (u16)way)] = (struct fc_record){
				.slot = { slot_index(s, (u16)way) },
				.block = entry.block,
				.dirty = entry.dirty,
			};
		}
		check(fc_core_set(w->core, set));
	}
}

/* ---- a power cut ----------------------------------------------------------------------------- */

static void cut_device(u32 *now, const u32 *stable, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (now[i] != stable[i] && test_chance(50))
			now[i] = stable[i];
}

static void reset_core(void)
{
	struct fc_core *old = w->core;
	u32 i;

	w->core = fix_core(&w->fix);
	w->core->mode = old->mode;
	w->core->policy = old->policy;
	fix_free(old);
	for (i = 0; i < w->core->geo.nr_slots; i++)
		if (w->durable[i].dirty)
			fc_ledger_replay(w->core, &w->durable[i]);
	for (i = 0; i < w->core->geo.nr_sets; i++) {
		CHECK(fc_ledger_settle(w->core, fc_core_set(w->core, i)));
		fc_check_idle(w->core, fc_core_set(w->core, i));
	}
}

static u32 value_of(u32 sector)
{
	u32 bs = block_sectors();
	u16 way = fix_find(w->core, sector / bs);
	struct fc_set *set = fix_set(w->core, sector);
	u32 unit = sector % bs >> w->core->geo.unit_shift;

	if (way != FC_NIL && fc_set_slot(set, way)->valid >> unit & 1)
		return w->flash[flash_addr(set, way, sector % bs)];
	return w->disk[sector];
}

/* After it, what a sector reads is what it is; all older and other versions are history. */
static void cut(void)
{
	u32 i;

	w->cuts++;
	cut_device(w->disk, w->disk_stable, w->nr_disk);
	cut_device(w->flash, w->flash_stable, w->nr_flash);
	memcpy(w->disk_stable, w->disk, w->nr_disk * sizeof(u32));
	memcpy(w->flash_stable, w->flash, w->nr_flash * sizeof(u32));
	memset(w->ops, 0, sizeof(w->ops));
	memset(w->jobs, 0, sizeof(w->jobs));
	memset(w->ios, 0, sizeof(w->ios));
	w->nr_items = 0;
	w->committing = false;
	w->disk_wrote = false;
	reset_core();
	for (i = 0; i < w->nr_disk; i++) {
		struct sector *s = &w->sectors[i];

		judge(i, value_of(i), w->flushed, true, "after a power cut, a read");
		s->active = 0;
		s->discarding = 0;
		s->vague = 0;
		s->changed = w->now;
		s->writes[0] = (struct write){ .version = value_of(i), .end = w->now };
		s->nr = 1;
		s->settled = true;
		s->value = value_of(i);
	}
	w->now++;
	w->flushed = w->now;
}

/* ---- the driver ------------------------------------------------------------------------------ */

static sector_t random_sector(void)
{
	u32 hot = 20 * block_sectors();

	if (hot < w->nr_disk && test_chance(60))
		return test_below(hot);
	if (test_chance(10))
		return w->nr_disk - 1 - test_below(block_sectors());
	return test_below(w->nr_disk);
}

static bool discarding(void)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state != OP_NONE && w->ops[i].kind == OP_DISCARD)
			return true;
	return false;
}

static void shape_op(struct op *op)
{
	u32 bs = block_sectors(), max = test_chance(70) ? bs : 4 * bs;

	op->sector = random_sector();
	op->nr = 1 + test_below(max);
	if (test_chance(40)) {
		op->sector &= ~(sector_t)(bs - 1);
		op->nr = bs * (1 + test_below(4));
	}
	if (op->kind == OP_DISCARD) {
		op->sector &= ~(sector_t)(bs - 1);
		op->nr = bs * (1 + test_below(6));
	}
	if (op->sector + op->nr > w->nr_disk)
		op->nr = (u32)(w->nr_disk - op->sector);
	if (op->kind == OP_DISCARD && op->nr % bs)
		op->nr -= op->nr % bs;
	if (op->nr > MAX_SECTORS)
		op->nr = MAX_SECTORS;
}

static void new_op(void)
{
	u32 i, roll = test_below(100);
	struct op *op;

	for (i = 0; i < MAX_OPS && w->ops[i].state != OP_NONE; i++)
		;
	if (i == MAX_OPS)
		return;
	op = &w->ops[i];
	memset(op, 0, sizeof(*op));
	op->kind = roll < 45 ? OP_READ : roll < 97 || discarding() ? OP_WRITE : OP_DISCARD;
	shape_op(op);
	if (!op->nr)
		return;
	op->start = w->now;
	op->admit = test_chance(90);
	op->fua = test_chance(15);
	op->state = OP_READY;
	op->fua = op->fua && op->kind == OP_WRITE;
	if (op->kind != OP_READ) {
		op->version = w->next_version++;
		note_start(op);
	}
}

static bool ask_one(void)
{
	u32 i, at = test_below(MAX_OPS);

	if (jobs_used() + 8 > MAX_JOBS)
		return false;
	for (i = 0; i < MAX_OPS; i++, at = (at + 1) % MAX_OPS) {
		struct op *op = &w->ops[at];

		if (op->state != OP_READY)
			continue;
		if (op->kind == OP_DISCARD)
			ask_discard(op);
		else
			ask_core(op);
		return true;
	}
	return false;
}

static void clean_some(void)
{
	u32 i;

	for (i = 0; i < w->core->geo.nr_sets; i++) {
		if (w->want_clean[i] && w->nr_items < MAX_ITEMS)
			w->want_clean[i] = !pick(i, true);
	}
	if (!w->draining && w->nr_items < MAX_ITEMS)
		pick(test_below(w->core->geo.nr_sets), false);
}

static void change_settings(void)
{
	u32 roll = test_below(10);

	if (roll < 4)
		w->core->mode = (u8)(test_chance(60) ? FC_MODE_WRITEBACK : 1 + test_below(3));
	else if (roll < 7)
		w->core->policy = (u8)test_below(3);
	else if (roll < 8)
		w->core->no_writeback = test_chance(20);
	else if (roll < 9)
		w->core->no_clean = w->error_pct && test_chance(30);
	else
		w->core->dirty_limit = (u16)(1 + test_below(w->core->geo.assoc));
}

static bool commit_step(void)
{
	if (w->committing)
		commit_end();
	else
		commit_begin(w->draining || test_chance(50), test_chance(50));
	return true;
}

/* One thing happens; which one is a matter of chance. */
static void step(void)
{
	u32 roll = test_below(1000);

	w->now++;
	w->steps++;
	if (roll < 200)
		new_op();
	else if (roll < 480)
		ask_one();
	else if (roll < 880)
		io_step();
	else if (roll < 930)
		clean_some();
	else if (roll < 970 && w->nr_items)
		begin_one();
	else if (roll < 990)
		commit_step();
	else if (roll < 993 && !w->committing)
		checkpoint();
	else if (roll < 1000)
		change_settings();
}

static bool ops_left(void)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state != OP_NONE)
			return true;
	return false;
}

static bool fua_waits(void)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state == OP_BUSY && w->ops[i].done == w->ops[i].nr)
			return true;
	return false;
}

/* No new requests: all that is left must come to its end, or somebody was forgotten. */
static void drain(void)
{
	w->draining = true;
	for (;;) {
		w->now++;
		clean_some();
		if (w->nr_items)
			begin_one();
		else if (!io_step() && !ask_one()) {
			if (w->committing || fua_waits())
				commit_step();
			else
				break;
		}
	}
	if (ops_left())
		test_fail(__FILE__, __LINE__, "a request waits that nobody will wake");
	CHECK_EQ(jobs_used(), 0);
	w->draining = false;
}

static void check_clean_unit(const struct fc_set *set, u16 way, u32 within)
{
	const struct fc_slot *slot = fc_set_slot(set, way);
	u32 sector = (u32)slot->block * block_sectors() + within;
	u32 flash = w->flash[flash_addr(set, way, within)];

	if (!((slot->valid & ~slot->dirty) >> (within >> w->core->geo.unit_shift) & 1) ||
	    sector >= w->nr_disk)
		return;
	if (flash != w->disk[sector])
		test_fail(__FILE__, __LINE__, "sector %u is clean with %u on flash, %u on disk",
			  sector, flash, w->disk[sector]);
}

/* At rest clean units equal the disk, and all of it reads as it should. */
static void check_rest(void)
{
	u32 set, way, i;

	for (set = 0; set < w->core->geo.nr_sets; set++) {
		struct fc_set *s = fc_core_set(w->core, set);

		fc_check_idle(w->core, s);
		for (way = 0; way < w->core->geo.assoc; way++)
			for (i = 0; i < block_sectors(); i++)
				check_clean_unit(s, (u16)way, i);
	}
	w->now++;
	for (i = 0; i < w->nr_disk; i++)
		judge(i, value_of(i), w->now, false, "at rest, a read");
}

/* Everything is cleaned and recorded: the disk holds all, no slot is kept by the ledger. */
static void check_empty_ledger(void)
{
	u32 set, way;

	w->draining = true;
	for (set = 0; set < w->core->geo.nr_sets; set++) {
		while (fc_core_set(w->core, set)->dirty) {
			pick(set, false);
			if (w->nr_items)
				begin_one();
			while (io_step())
				;
		}
	}
	commit_begin(true, true);
	commit_end();
	for (set = 0; set < w->core->geo.nr_sets; set++) {
		struct fc_set *s = fc_core_set(w->core, set);

		fc_check_idle(w->core, s);
		for (way = 0; way < w->core->geo.assoc; way++) {
			CHECK(!fc_set_slot(s, (u16)way)->ledger);
			CHECK(!test_bit(way, fc_set_flying(w->core, s)));
			CHECK(!w->durable[slot_index(s, (u16)way)].dirty);
		}
	}
	w->draining = false;
}

static void free_world(void)
{
	fix_free(w->core);
	free(w->disk);
	free(w->disk_stable);
	free(w->flash);
	free(w->flash_stable);
	free(w->sectors);
	free(w->durable);
	free(w);
	w = NULL;
}

static void make_world(const struct fix *fix, u32 error_pct)
{
	u32 i;

	if (w)
		free_world();
	w = calloc(1, sizeof(*w));
	CHECK(w);
	w->fix = *fix;
	w->core = fix_core(fix);
	w->error_pct = error_pct;
	w->nr_disk = (u32)fix->disk_sectors;
	w->nr_flash = (u32)w->core->geo.nr_slots * fix->block_sectors;
	w->disk = calloc(w->nr_disk, sizeof(u32));
	w->disk_stable = calloc(w->nr_disk, sizeof(u32));
	w->flash = malloc(w->nr_flash * sizeof(u32));
	w->flash_stable = malloc(w->nr_flash * sizeof(u32));
	w->sectors = calloc(w->nr_disk, sizeof(*w->sectors));
	w->durable = calloc(w->core->geo.nr_slots, sizeof(*w->durable));
	CHECK(w->disk && w->disk_stable && w->flash && w->flash_stable && w->sectors && w->durable);
	memset(w->flash, 0xff, w->nr_flash * sizeof(u32));
	memset(w->flash_stable, 0xff, w->nr_flash * sizeof(u32));
	for (i = 0; i < w->nr_disk; i++)
		w->sectors[i].nr = 1;
	w->now = 1;
	w->next_version = 1;
}

/* Rounds of chaos; some end in a power cut, the others come to rest. */
static void play(const struct fix *fix, u32 error_pct, u32 rounds, u32 steps, bool cuts)
{
	u32 i, j;

	make_world(fix, error_pct);
	for (i = 0; i < rounds; i++) {
		u32 some = steps / 2 + test_below(steps);

		for (j = 0; j < some; j++)
			step();
		if (cuts && test_chance(50)) {
			cut();
			continue;
		}
		drain();
		check_rest();
		if (test_chance(20))
			check_empty_ledger();
	}
	drain();
	check_rest();
	check_empty_ledger();
	if (getenv("FC_UNIT_VERBOSE"))
		printf("# %llu steps, %llu hits, %llu fills, %llu fetches, %llu both, %llu around, "
		       "%llu waits, %llu cleans, %llu commits, %llu cuts\n",
		       (unsigned long long)w->steps, (unsigned long long)w->hits,
		       (unsigned long long)w->fills, (unsigned long long)w->fetches,
		       (unsigned long long)w->bothes, (unsigned long long)w->arounds,
		       (unsigned long long)w->waits, (unsigned long long)w->cleans,
		       (unsigned long long)w->commits, (unsigned long long)w->cuts);
	CHECK(w->hits && w->fills && w->bothes && w->arounds && w->waits && w->cleans && w->commits);
	free_world();
}

static const struct fix small8 = { 8, 16, 1, 16, 8 * 60 + 3, FC_MODE_WRITEBACK, FC_POLICY_S3FIFO };
static const struct fix small32 = { 32, 16, 2, 4, 32 * 70 + 5, FC_MODE_WRITEBACK,
				    FC_POLICY_S3FIFO };
static const struct fix small128 = { 128, 32, 1, 2, 128 * 50 + 77, FC_MODE_WRITEBACK,
				     FC_POLICY_LRU };
static const struct fix real8 = { 8, 256, 2, 16, 8 * 1500 + 1, FC_MODE_WRITEBACK,
				  FC_POLICY_S3FIFO };

TEST(model_8_sectors)
{
	play(&small8, 0, 40, 2000, false);
}

TEST(model_8_sectors_with_errors)
{
	play(&small8, 4, 40, 2000, false);
}

TEST(model_32_sectors)
{
	play(&small32, 0, 40, 2000, false);
}

TEST(model_32_sectors_with_errors)
{
	play(&small32, 4, 40, 2000, false);
}

TEST(model_128_sectors)
{
	play(&small128, 0, 20, 2000, false);
}

TEST(model_128_sectors_with_errors)
{
	play(&small128, 4, 20, 2000, false);
}

TEST(model_256_ways)
{
	play(&real8, 1, 6, 5000, false);
}

TEST(model_power_cuts_8_sectors)
{
	play(&small8, 0, 60, 1500, true);
}

TEST(model_power_cuts_32_sectors)
{
	play(&small32, 0, 60, 1500, true);
}

TEST(model_power_cuts_with_errors)
{
	play(&small32, 3, 60, 1500, true);
}
