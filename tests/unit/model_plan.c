// SPDX-License-Identifier: GPL-2.0
/*
 * Requests are asked about, and the steps of their plans run.
 */
#include "model.h"

/* ---- requests -------------------------------------------------------------------------------- */

void model_op_end(struct op *op)
{
	u32 i;

	if (op->kind == OP_WRITE || op->kind == OP_DISCARD)
		model_note_end(op);
	if (op->kind == OP_READ && !op->failed)
		for (i = 0; i < op->nr; i++)
			model_judge((u32)op->sector + i, op->got[i], op->start, false, "read");
	op->state = OP_NONE;
}

static void op_fail(struct op *op)
{
	op->failed = true;
	model_op_end(op);
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
		model_op_end(op);
}

void model_wake(u32 set)
{
	u32 i;

	for (i = 0; i < MAX_OPS; i++)
		if (w->ops[i].state == OP_PARKED && w->ops[i].set == set)
			w->ops[i].state = OP_READY;
}

void model_obey(struct fc_set *set, unsigned int done)
{
	u32 index = fc_core_set_index(w->core, set);

	if (done & FC_DONE_WAKE)
		model_wake(index);
	if (done & FC_DONE_CLEAN)
		w->want_clean[index] = true;
	if (done & FC_DONE_BARE)
		w->disk_wrote = true;
}

/* ---- plans: their steps ---------------------------------------------------------------------- */

struct job *model_new_job(enum job_kind kind, struct op *op, struct fc_set *set)
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

u32 model_jobs_used(void)
{
	u32 i, n = 0;

	for (i = 0; i < MAX_JOBS; i++)
		n += w->jobs[i].used;
	return n;
}

u32 model_flash_addr(const struct fc_set *set, u16 way, u32 within)
{
	return model_slot_index(set, way) * model_block_sectors() + within;
}

/* The flash address of the plan's sector @i. */
static u32 plan_flash(const struct job *job, u32 i)
{
	const struct fc_plan *p = &job->plan;
	u32 within = (u32)p->sector & (model_block_sectors() - 1);
	u32 block = (within + i) / model_block_sectors();
	u16 way = p->verdict == FC_HIT ? (u16)(p->way[0] + block) : p->way[block];

	return model_flash_addr(job->set, way, (within + i) % model_block_sectors());
}

static void start_in_place(struct job *job)
{
	struct io *io = model_new_io(job, true, job->write);
	u32 i;

	for (i = 0; i < job->plan.nr; i++)
		model_add_sector(io, plan_flash(job, i), job->op->version);
}

static void start_disk(struct job *job)
{
	struct io *io = model_new_io(job, false, job->write);
	u32 i;

	for (i = 0; i < job->plan.nr; i++)
		model_add_sector(io, (u32)job->plan.sector + i, job->op->version);
}

static u32 first_sector(const struct job *job)
{
	return (u32)job->plan.sector & ~(model_block_sectors() - 1);
}

/* Fill, fetch: whole blocks from the disk, as far as they exist. */
static void start_whole(struct job *job)
{
	struct io *io = model_new_io(job, false, false);
	u32 first = first_sector(job), i;

	for (i = 0; i < job->plan.nr_blocks * model_block_sectors() && first + i < w->nr_disk; i++)
		model_add_sector(io, first + i, 0);
}

/* The second step of a fill: what is missing goes to flash. */
static void start_missing(struct job *job)
{
	struct io *io = model_new_io(job, true, true);
	u32 first = first_sector(job), i;

	for (i = 0; i < job->plan.nr_blocks * model_block_sectors() && first + i < w->nr_disk; i++) {
		u16 way = job->plan.way[i / model_block_sectors()];
		u32 within = i % model_block_sectors();
		u32 unit = within >> w->core->geo.unit_shift;

		if (!(fc_set_slot(job->set, way)->valid >> unit & 1))
			model_add_sector(io, model_flash_addr(job->set, way, within), job->data[i]);
	}
}

static void start_both(struct job *job)
{
	struct io *io = model_new_io(job, true, true);
	u32 i;

	for (i = 0; i < job->plan.nr; i++)
		model_add_sector(io, plan_flash(job, i), job->op->version);
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
		CHECK(p->nr >= 1 && p->nr <= ask->nr && p->nr <= model_block_sectors());
		return;
	}
	CHECK_EQ(p->sector, ask->sector);
	CHECK(p->nr >= 1 && p->nr <= ask->nr);
	first = fc_geo_block(&w->core->geo, p->sector).n;
	last = fc_geo_block(&w->core->geo, p->sector + p->nr - 1).n;
	if (p->verdict == FC_FILL && w->core->fill_ahead)
		CHECK(p->nr_blocks >= last - first + 1);
	else if (p->verdict != FC_DISK)
		CHECK_EQ(p->nr_blocks, last - first + 1);
	if (p->verdict == FC_FILL)
		CHECK(p->nr_blocks * model_block_sectors() <= FC_CLAIM_SECTORS);
	if (p->verdict == FC_BOTH)
		CHECK(p->nr <= FC_CLAIM_SECTORS);
}

void model_ask_core(struct op *op)
{
	const struct fc_geo *geo = &w->core->geo;
	sector_t sector = op->sector + op->done;
	sector_t end = fc_geo_run_end(geo, sector);
	struct fc_ask ask = fix_ask(w->core, sector, 0);
	struct fc_set *set = fix_set(w->core, sector);
	struct job *job = model_new_job(JOB_PLAN, op, set);

	if (!job)
		return;
	if (end > op->sector + op->nr)
		end = op->sector + op->nr;
	ask.nr = (u32)(end - sector);
	ask.admit = op->admit;
	job->write = op->kind == OP_WRITE;
	memset(&job->plan, 0xa5, sizeof(job->plan));
	model_lane_ask(set, &ask, job->write);
	if (job->write)
		fc_desk_write(w->core, set, &ask, &job->plan);
	else
		fc_desk_read(w->core, set, &ask, &job->plan);
	model_lane_compare(set, &job->plan, ask.nr, job->write);
	check_plan(job, &ask);
	model_trace(ask.sector, ask.nr, job->write ? "write: verdict" : "read: verdict",
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
	model_check(set);
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
	model_obey(job->set, done);
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
	model_obey(job->set, done);
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
	model_obey(job->set, done);
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
 * The writer is answered when the disk has it, with FUA when also the ledger agrees; the core is
 * told when both are over.
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
	model_obey(job->set, done);
	if (!job->op)
		return;
	op_advance(op, job->plan.nr);
}

static void end_around(struct job *job, const struct io *io)
{
	unsigned int done = fc_desk_done_around(w->core, job->set, &job->plan);

	job->used = false;
	model_obey(job->set, done);
	if (io->fail)
		op_fail(job->op);
	else
		op_advance(job->op, job->plan.nr);
}

void model_plan_step(struct job *job, const struct io *io)
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
