// SPDX-License-Identifier: GPL-2.0
/*
 * The users of a run's cache: what they send, and what they get.
 */
#include <stdio.h>

#include "sim.h"

#define MAX_USERS	64u
#define MAX_PAGES	(512u / PAGE_SECTORS + 1)

/**
 * struct user - a request
 * @call: what device-mapper has of it
 * @used: it is in flight
 * @kind: USER_*
 * @sector: first sector
 * @nr: sectors
 * @version: of the first sector, of a write
 * @other: likewise, of what its memory may change to while it is in flight; 0 = it does not change
 * @start: when it was sent
 * @flush: a flush goes in front of it, or is all of it
 * @first: what a discard may drop: whole blocks from this sector on
 * @whole: so many sectors
 * @since: I/Os of each device that had failed when it was sent
 * @vec: its memory
 * @pages: its memory
 * @nr_pages: its memory
 */
struct user {
	struct call call;
	bool used;
	u32 kind;
	u32 sector;
	u32 nr;
	u32 version;
	u32 other;
	u64 start;
	bool flush;
	u32 first;
	u32 whole;
	u64 since[2];
	struct bio_vec vec[MAX_PAGES];
	struct page *pages[MAX_PAGES];
	u32 nr_pages;
};

static struct user users[MAX_USERS];
static struct box *box;
static struct rng *rng;
static u32 waiting, ended;
static u32 stream;	/* where a sequential stream has come to */

static const char * const kinds[] = { "read", "write", "flush", "discard" };

/** users_begin() - requests go to this cache from now on */
void users_begin(struct box *to, struct rng *by)
{
	box = to;
	rng = by;
	stream = 0;
	ended = 0;
	users_forget();
}

/** users_forget() - nobody waits for an answer any more: the machine is off */
void users_forget(void)
{
	memset(users, 0, sizeof(users));
	waiting = 0;
}

/** users_waiting() - requests in flight */
u32 users_waiting(void)
{
	return waiting;
}

/** users_ended() - requests that have ended */
u32 users_ended(void)
{
	return ended;
}

/* --- memory ----------------------------------------------------------------------------------- */

static void put_stamp(u8 *p, u32 stamp)
{
	memcpy(p, &stamp, sizeof(stamp));
	memcpy(p + SECTOR_SIZE - sizeof(stamp), &stamp, sizeof(stamp));
}

static u32 get_stamp(const u8 *p)
{
	u32 first, last;

	memcpy(&first, p, sizeof(first));
	memcpy(&last, p + SECTOR_SIZE - sizeof(last), sizeof(last));
	return first == last ? first : STAMP_BROKEN;
}

/* Pages that begin anywhere, as a program's memory does. */
static void get_memory(struct user *u)
{
	u32 at = rng_chance(rng, 50) ? rng_below(rng, PAGE_SECTORS) : 0, done = 0;

	u->nr_pages = 0;
	while (done < u->nr) {
		u32 n = min(u->nr - done, PAGE_SECTORS - at);
		struct page *page = sim_alloc_page();

		u->vec[u->nr_pages] = (struct bio_vec){ page, n << SECTOR_SHIFT,
							at << SECTOR_SHIFT };
		u->pages[u->nr_pages++] = page;
		done += n;
		at = 0;
	}
}

static u8 *memory_at(const struct user *u, u32 i)
{
	u32 head = u->vec[0].bv_len >> SECTOR_SHIFT;
	u32 page = i < head ? 0 : 1 + (i - head) / PAGE_SECTORS;
	u32 at = i < head ? i : (i - head) % PAGE_SECTORS;

	return (u8 *)page_address(u->pages[page]) + u->vec[page].bv_offset +
	       (at << SECTOR_SHIFT);
}

static void put_memory(struct user *u)
{
	while (u->nr_pages)
		__free_page(u->pages[--u->nr_pages]);
}

/* --- ends ------------------------------------------------------------------------------------- */

static void judge_answer(struct user *u)
{
	u32 i;

	for (i = 0; i < u->nr; i++) {
		u32 value = get_stamp(memory_at(u, i));

		if (judge_read(u->sector + i, value, u->start))
			continue;
		judge_explain(u->sector + i, value, false);
		sim_fail("a read of sectors %u+%u that began at %llu finds version %u in sector %u",
			 u->sector, u->nr, u->start, value, u->sector + i);
	}
}

static void judge_error(const struct user *u)
{
	struct plea plea = { .kind = u->kind, .sector = u->sector, .nr = u->nr,
			     .durable = u->flush || u->call.opf & REQ_FUA,
			     .since = { u->since[0], u->since[1] } };

	failures_judge(&plea);
}

static void note_oldest(void)
{
	u64 oldest = ~0ull;
	u32 i;

	for (i = 0; i < MAX_USERS; i++)
		if (users[i].used && users[i].start < oldest)
			oldest = users[i].start;
	judge_oldest(oldest == ~0ull ? judge_now() : oldest);
}

static void user_done(struct call *call)
{
	struct user *u = call->owner;
	bool bad = call->status;

	trace("%s of %u+%u ends%s", kinds[u->kind], u->sector, u->nr, bad ? " with an error" : "");
	if (bad)
		judge_error(u);
	if (u->kind == USER_READ && !bad)
		judge_answer(u);
	if (u->kind == USER_WRITE)
		judge_ended(u->sector, u->nr, u->version, u->start, bad);
	if (u->other)
		judge_ended(u->sector, u->nr, u->other, u->start, bad);
	if (u->kind == USER_DISCARD)
		judge_ended(u->first, u->whole, 0, u->start, false);
	if (u->flush && !bad)
		judge_flushed(u->start);
	put_memory(u);
	u->used = false;
	waiting--;
	ended++;
	note_oldest();
}

/* --- beginnings ------------------------------------------------------------------------------- */

static void user_task(void *arg)
{
	struct user *u = arg;

	dm_submit(&u->call);
}

/* The blocks that a discard covers whole; the last one of the disk may be short. */
static void note_discard(struct user *u)
{
	u32 end = u->sector + u->nr;

	u->first = round_up(u->sector, shape.block);
	if (end < shape.disk_sectors)
		end = round_down(end, shape.block);
	u->whole = end > u->first ? end - u->first : 0;
	judge_started(u->first, u->whole, 0, false, u->start);
}

static void note_write(struct user *u, blk_opf_t flags)
{
	u32 i;

	get_memory(u);
	u->version = judge_versions(u->sector, u->nr);
	for (i = 0; i < u->nr; i++)
		put_stamp(memory_at(u, i), u->version + i);
	judge_started(u->sector, u->nr, u->version, flags & REQ_FUA, u->start);
	if (!rng_chance(rng, shape.fickle_pct))
		return;
	u->other = judge_versions(u->sector, u->nr);
	judge_started(u->sector, u->nr, u->other, flags & REQ_FUA, u->start);
}

/** users_fidget() - a program changes its memory that is being written */
void users_fidget(void)
{
	struct user *u;
	u32 i;

	if (!shape.fickle_pct)
		return;
	u = &users[rng_below(rng, MAX_USERS)];
	if (!u->used || !u->other)
		return;
	for (i = rng_below(rng, u->nr); i < u->nr; i += 1 + rng_below(rng, 4))
		put_stamp(memory_at(u, i), (rng_chance(rng, 50) ? u->version : u->other) + i);
}

static struct user *free_user(void)
{
	u32 i;

	for (i = 0; i < MAX_USERS; i++)
		if (!users[i].used)
			return &users[i];
	return NULL;
}

/**
 * users_send() - send a request
 * @kind: USER_*
 * @sector: first sector
 * @nr: sectors; 0 of a flush
 * @flags: REQ_FUA, REQ_PREFLUSH, REQ_NOWAIT
 */
void users_send(u32 kind, u32 sector, u32 nr, blk_opf_t flags)
{
	static const blk_opf_t ops[] = { REQ_OP_READ, REQ_OP_WRITE, REQ_OP_WRITE | REQ_PREFLUSH,
					 REQ_OP_DISCARD };
	struct user *u = free_user();
	u32 i;

	if (!u) {
		sim_fail("too many users");
		return;
	}
	*u = (struct user){ .used = true, .kind = kind, .sector = sector, .nr = nr,
			    .start = judge_now(),
			    .since = { mach->legs[0].failures, mach->legs[1].failures } };
	u->call = (struct call){ .dm = &box->dm, .opf = ops[kind] | flags, .vec = u->vec,
				 .done = user_done, .owner = u,
				 .iter = { .bi_sector = sector, .bi_size = nr << SECTOR_SHIFT } };
	u->flush = u->call.opf & REQ_PREFLUSH;
	if (kind == USER_READ) {
		get_memory(u);
		for (i = 0; i < nr; i++)
			put_stamp(memory_at(u, i), STAMP_NEVER);
	} else if (kind == USER_WRITE) {
		note_write(u, flags);
	} else if (kind == USER_DISCARD) {
		note_discard(u);
	}
	waiting++;
	totals.ops++;
	trace("%s of %u+%u%s%s, version %u, at %llu", kinds[kind], sector, nr,
	      flags & REQ_FUA ? " FUA" : "", flags & REQ_PREFLUSH ? " PREFLUSH" : "", u->version,
	      u->start);
	task_start(user_task, u);
}

/* --- what they want --------------------------------------------------------------------------- */

static u32 choose_kind(void)
{
	u32 dice = rng_below(rng, shape.read_pct + shape.write_pct + shape.flush_pct +
			     shape.discard_pct);

	if (dice < shape.read_pct)
		return USER_READ;
	dice -= shape.read_pct;
	if (dice < shape.write_pct)
		return USER_WRITE;
	return dice - shape.write_pct < shape.flush_pct ? USER_FLUSH : USER_DISCARD;
}

/* Parts of a block, whole blocks, many of them. */
static void choose_place(u32 *sector, u32 *nr)
{
	u32 range = rng_chance(rng, 80) ? shape.hot : shape.disk_sectors;

	switch (rng_below(rng, 4)) {
	case 0:
		*nr = 1 + rng_below(rng, shape.block);
		*sector = rng_below(rng, range);
		break;
	case 1:
		*nr = shape.block;
		*sector = round_down(rng_below(rng, range), shape.block);
		break;
	case 2:
		*nr = shape.block * (1 + rng_below(rng, shape.largest / shape.block));
		*sector = round_down(rng_below(rng, range), shape.block);
		break;
	default:
		*nr = 1 + rng_below(rng, shape.largest);
		*sector = rng_chance(rng, 40) ? stream : rng_below(rng, range);
		break;
	}
	if (*sector >= shape.disk_sectors)
		*sector = 0;
	*nr = min(*nr, shape.disk_sectors - *sector);
	stream = *sector + *nr;
}

static blk_opf_t choose_flags(u32 kind)
{
	blk_opf_t flags = 0;

	if (kind == USER_WRITE && rng_chance(rng, shape.fua_pct))
		flags |= REQ_FUA;
	if (kind == USER_WRITE && rng_chance(rng, shape.fua_pct / 3))
		flags |= REQ_PREFLUSH;
	if (shape.nowait && kind != USER_FLUSH && rng_chance(rng, 25))
		flags |= REQ_NOWAIT;
	return flags;
}

/** users_issue() - somebody wants something; false when as many as may be do already */
bool users_issue(void)
{
	u32 kind, sector = 0, nr = 0;

	if (waiting >= shape.depth)
		return false;
	kind = choose_kind();
	if (kind != USER_FLUSH)
		choose_place(&sector, &nr);
	users_send(kind, sector, nr, choose_flags(kind));
	return true;
}
