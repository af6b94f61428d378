// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: dm-powercut, a device that forgets and fails. For tests only.
 *
 *	0 <sectors> powercut <group>
 *
 * Each device is a RAM disk with a volatile write cache: what was written is read back at once, but
 * is durable only after a FLUSH that came when the write had completed, or by FUA. Bios are worked
 * off one by one in random order, so that nothing may lean on the order of what is in flight.
 *
 * Messages. KIND is read, write, flush or discard; the K-th counts from 1 and from now on.
 *  cut SEED		each sector that is not durable is lost or kept as SEED has it; from then
 *			on all I/O fails; this and heal reach all devices of the group
 *  cut SEED KIND K	the same by itself, in the middle of this device's K-th such I/O
 *  heal		the power is back, and nothing fails any more
 *  power		the power is back, and what is to fail will
 *  fail KIND K [COUNT|forever]	from the K-th on this device fails COUNT such I/Os, or 1
 *  deaf 0|1		FLUSH and FUA are answered but not obeyed
 *  erase		all of this device is zeros, durably
 *
 * A write that fails leaves some of its sectors written. A flush that fails makes nothing durable.
 */
#include <linux/bitmap.h>
#include <linux/device-mapper.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"

#define DM_MSG_PREFIX "powercut"

#define QUEUE_MAX	64u
#define SCRATCH_SECTORS	2048u

enum kind { KIND_READ, KIND_WRITE, KIND_FLUSH, KIND_DISCARD, NR_KINDS };

static const char * const kind_names[NR_KINDS] = { "read", "write", "flush", "discard" };

/**
 * struct trap - what happens to which I/Os of a kind
 * @first: number of the first one; 0: to none
 * @last: number of the last one
 * @cut: power goes; otherwise they fail
 * @seed: of the cut
 */
struct trap {
	u64 first;
	u64 last;
	bool cut;
	u32 seed;
};

/**
 * struct leg - a device
 * @list: among all legs, under @power_lock
 * @group: legs of the same group lose power together
 * @sectors: size
 * @now: what is read
 * @durable: what a power cut leaves
 * @scratch: for what a write that fails does not write over
 * @volatile_map: sectors in which @now and @durable differ, or may
 * @lock: guards all below; taken inside of @power_lock
 * @queue: bios that have arrived
 * @more: those for which @queue had no room
 * @nr: number in @queue
 * @dead: no power
 * @deaf: does not obey FLUSH and FUA
 * @chance: state of the generator that orders @queue
 * @traps: of each kind
 * @seen: I/Os of each kind that came while there was power
 * @failed: of these, failed by a trap
 * @failed_sector: of the last one of these
 * @staked: sectors that were not durable when power went
 * @lost: of these, lost
 * @worker: works off @queue
 */
struct leg {
	struct list_head list;
	u32 group;
	sector_t sectors;
	char *now;
	char *durable;
	char *scratch;
	unsigned long *volatile_map;
	spinlock_t lock;
	struct bio *queue[QUEUE_MAX];
	struct bio_list more;
	unsigned int nr;
	bool dead;
	bool deaf;
	u32 chance;
	struct trap traps[NR_KINDS];
	u64 seen[NR_KINDS];
	u64 failed[NR_KINDS];
	sector_t failed_sector;
	u32 staked;
	u32 lost;
	struct task_struct *worker;
};

static LIST_HEAD(legs);
static DEFINE_MUTEX(power_lock);

/* A linear congruential generator (Numerical Recipes, 3rd ed., 7.1.1): same seed, same cut. */
static u32 next_random(u32 *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static char *sector_at(char *of, sector_t sector)
{
	return of + (sector << SECTOR_SHIFT);
}

static void copy_sector(char *to, char *from, sector_t sector)
{
	memcpy(sector_at(to, sector), sector_at(from, sector), 1 << SECTOR_SHIFT);
}

/* --- what devices do -------------------------------------------------------------------------- */

static void make_durable(struct leg *leg)
{
	unsigned long sector;

	for_each_set_bit(sector, leg->volatile_map, leg->sectors)
		copy_sector(leg->durable, leg->now, sector);
	bitmap_zero(leg->volatile_map, leg->sectors);
}

static void move_data(struct leg *leg, struct bio *bio)
{
	char *at = sector_at(leg->now, bio->bi_iter.bi_sector);
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_segment(bv, bio, iter) {
		if (op_is_write(bio_op(bio)))
			fc_copy_from_page(bv, at);
		else
			fc_copy_to_page(bv, at);
		at += bv.bv_len;
	}
}

static void note_write(struct leg *leg, struct bio *bio, bool durable)
{
	sector_t sector = bio->bi_iter.bi_sector;
	unsigned int nr = bio_sectors(bio);

	for (; nr; nr--, sector++) {
		if (durable) {
			copy_sector(leg->durable, leg->now, sector);
			clear_bit(sector, leg->volatile_map);
		} else {
			set_bit(sector, leg->volatile_map);
		}
	}
}

static void discard(struct leg *leg, struct bio *bio)
{
	memset(sector_at(leg->now, bio->bi_iter.bi_sector), 0, bio->bi_iter.bi_size);
	note_write(leg, bio, false);
}

/* Leaves what was there in about every second sector. */
static void write_in_part(struct leg *leg, struct bio *bio)
{
	sector_t sector = bio->bi_iter.bi_sector;
	unsigned int nr = bio_sectors(bio), i;

	if (nr > SCRATCH_SECTORS)
		return;
	memcpy(leg->scratch, sector_at(leg->now, sector), nr << SECTOR_SHIFT);
	move_data(leg, bio);
	for (i = 0; i < nr; i++) {
		if (next_random(&leg->chance) & 1)
			memcpy(sector_at(leg->now, sector + i), sector_at(leg->scratch, i),
			       1 << SECTOR_SHIFT);
	}
	note_write(leg, bio, false);
}

static enum kind kind_of(struct bio *bio)
{
	if (bio_op(bio) == REQ_OP_DISCARD)
		return KIND_DISCARD;
	if (!bio_sectors(bio))
		return KIND_FLUSH;
	return op_is_write(bio_op(bio)) ? KIND_WRITE : KIND_READ;
}

static void do_it(struct leg *leg, struct bio *bio, enum kind kind)
{
	switch (kind) {
	case KIND_FLUSH:
		if (!leg->deaf)
			make_durable(leg);
		break;
	case KIND_DISCARD:
		discard(leg, bio);
		break;
	case KIND_WRITE:
		move_data(leg, bio);
		note_write(leg, bio, bio->bi_opf & REQ_FUA && !leg->deaf);
		break;
	default:
		move_data(leg, bio);
	}
}

static struct trap *trapped(struct leg *leg, enum kind kind)
{
	struct trap *trap = &leg->traps[kind];
	u64 nr = leg->seen[kind];

	return trap->first && nr >= trap->first && nr <= trap->last ? trap : NULL;
}

/* In a cut a write is as volatile as those that completed before it. */
static void fall_into(struct leg *leg, struct bio *bio, enum kind kind, const struct trap *trap)
{
	if (!trap->cut) {
		leg->failed[kind]++;
		leg->failed_sector = bio->bi_iter.bi_sector;
	}
	if (kind == KIND_WRITE && trap->cut) {
		move_data(leg, bio);
		note_write(leg, bio, false);
	} else if (kind == KIND_WRITE) {
		write_in_part(leg, bio);
	}
}

static blk_status_t obey(struct leg *leg, struct bio *bio, const struct trap **trap)
{
	enum kind kind = kind_of(bio);

	*trap = NULL;
	if (leg->dead)
		return BLK_STS_IOERR;
	leg->seen[kind]++;
	*trap = trapped(leg, kind);
	if (*trap) {
		fall_into(leg, bio, kind, *trap);
		return BLK_STS_IOERR;
	}
	do_it(leg, bio, kind);
	return BLK_STS_OK;
}

/* --- power ------------------------------------------------------------------------------------ */

static void cut_leg(struct leg *leg, u32 seed)
{
	unsigned long sector;

	spin_lock_irq(&leg->lock);
	if (leg->dead) {
		spin_unlock_irq(&leg->lock);
		return;
	}
	leg->staked = 0;
	leg->lost = 0;
	for_each_set_bit(sector, leg->volatile_map, leg->sectors) {
		leg->staked++;
		if (next_random(&seed) & 1) {
			copy_sector(leg->durable, leg->now, sector);
		} else {
			copy_sector(leg->now, leg->durable, sector);
			leg->lost++;
		}
	}
	bitmap_zero(leg->volatile_map, leg->sectors);
	leg->dead = true;
	spin_unlock_irq(&leg->lock);
}

/*
 * Power goes from one leg after the other, but a leg that still has it can only make durable what
 * it was told to by somebody who did not yet know of the cut: such a moment exists in real machines
 * as well.
 */
static void cut_group(u32 group, u32 seed)
{
	struct leg *leg;

	mutex_lock(&power_lock);
	list_for_each_entry(leg, &legs, list)
		if (leg->group == group)
			cut_leg(leg, next_random(&seed));
	mutex_unlock(&power_lock);
}

static void heal_group(u32 group, bool traps_too)
{
	struct leg *leg;

	mutex_lock(&power_lock);
	list_for_each_entry(leg, &legs, list) {
		if (leg->group != group)
			continue;
		spin_lock_irq(&leg->lock);
		leg->dead = false;
		if (traps_too)
			memset(leg->traps, 0, sizeof(leg->traps));
		spin_unlock_irq(&leg->lock);
	}
	mutex_unlock(&power_lock);
}

/* --- the queue -------------------------------------------------------------------------------- */

/* Takes a bio out of the queue by chance, and lets one that waits for its place in. */
static struct bio *pick(struct leg *leg)
{
	struct bio *bio;
	u32 i;

	if (!leg->nr)
		return NULL;
	i = next_random(&leg->chance) % leg->nr;
	bio = leg->queue[i];
	leg->queue[i] = leg->queue[--leg->nr];
	if (!bio_list_empty(&leg->more))
		leg->queue[leg->nr++] = bio_list_pop(&leg->more);
	return bio;
}

/* Returns false when there was nothing to do. */
static bool work_off_one(struct leg *leg)
{
	const struct trap *trap = NULL;
	blk_status_t status = BLK_STS_OK;
	struct bio *bio;
	bool cut = false;
	u32 seed = 0;

	spin_lock_irq(&leg->lock);
	bio = pick(leg);
	if (bio)
		status = obey(leg, bio, &trap);
	if (trap) {
		cut = trap->cut;
		seed = trap->seed;
	}
	spin_unlock_irq(&leg->lock);
	if (!bio)
		return false;
	__set_current_state(TASK_RUNNING);
	if (cut)
		cut_group(leg->group, seed);
	bio->bi_status = status;
	bio_endio(bio);
	cond_resched();
	return true;
}

static int work(void *data)
{
	struct leg *leg = data;

	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!work_off_one(leg))
			schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int powercut_map(struct dm_target *ti, struct bio *bio)
{
	struct leg *leg = ti->private;
	unsigned long flags;

	bio->bi_iter.bi_sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	spin_lock_irqsave(&leg->lock, flags);
	if (leg->nr < QUEUE_MAX)
		leg->queue[leg->nr++] = bio;
	else
		bio_list_add(&leg->more, bio);
	spin_unlock_irqrestore(&leg->lock, flags);
	wake_up_process(leg->worker);
	return DM_MAPIO_SUBMITTED;
}

/* --- messages --------------------------------------------------------------------------------- */

/* Sets a trap of @kind for @count I/Os from the @k-th on. */
static int set_trap(struct leg *leg, const char *kind, const char *k, u64 count, struct trap trap)
{
	int i = match_string(kind_names, NR_KINDS, kind);
	u64 nth;

	if (i < 0 || kstrtou64(k, 10, &nth) || !nth)
		return -EINVAL;
	spin_lock_irq(&leg->lock);
	trap.first = leg->seen[i] + nth;
	trap.last = count ? trap.first + count - 1 : U64_MAX;
	leg->traps[i] = trap;
	spin_unlock_irq(&leg->lock);
	return 0;
}

static int cut_message(struct leg *leg, unsigned int argc, char **argv)
{
	struct trap trap = { .cut = true };

	if (argc < 2 || kstrtou32(argv[1], 10, &trap.seed))
		return -EINVAL;
	if (argc == 4)
		return set_trap(leg, argv[2], argv[3], 1, trap);
	if (argc != 2)
		return -EINVAL;
	cut_group(leg->group, trap.seed);
	return 0;
}

static int fail_message(struct leg *leg, unsigned int argc, char **argv)
{
	u64 count = 1;

	if (argc != 3 && argc != 4)
		return -EINVAL;
	if (argc == 4 && !strcmp(argv[3], "forever"))
		count = 0;
	else if (argc == 4 && (kstrtou64(argv[3], 10, &count) || !count))
		return -EINVAL;
	return set_trap(leg, argv[1], argv[2], count, (struct trap){ .cut = false });
}

static void erase(struct leg *leg)
{
	spin_lock_irq(&leg->lock);
	memset(leg->now, 0, leg->sectors << SECTOR_SHIFT);
	memset(leg->durable, 0, leg->sectors << SECTOR_SHIFT);
	bitmap_zero(leg->volatile_map, leg->sectors);
	spin_unlock_irq(&leg->lock);
}

static int powercut_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			    unsigned int maxlen)
{
	struct leg *leg = ti->private;

	if (!strcmp(argv[0], "cut"))
		return cut_message(leg, argc, argv);
	if (!strcmp(argv[0], "fail"))
		return fail_message(leg, argc, argv);
	if (argc == 2 && !strcmp(argv[0], "deaf"))
		return kstrtobool(argv[1], &leg->deaf);
	if (argc != 1)
		return -EINVAL;
	if (!strcmp(argv[0], "heal"))
		heal_group(leg->group, true);
	else if (!strcmp(argv[0], "power"))
		heal_group(leg->group, false);
	else if (!strcmp(argv[0], "erase"))
		erase(leg);
	else
		return -EINVAL;
	return 0;
}

static void powercut_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			    char *result, unsigned int maxlen)
{
	struct leg *leg = ti->private;
	unsigned int sz = 0;
	int i;

	if (type == STATUSTYPE_TABLE) {
		DMEMIT("%u", leg->group);
		return;
	} else if (type != STATUSTYPE_INFO) {
		return;
	}
	DMEMIT("power=%u volatile=%u staked=%u lost=%u failed_sector=%llu", !leg->dead,
	       bitmap_weight(leg->volatile_map, leg->sectors), leg->staked, leg->lost,
	       (u64)leg->failed_sector);
	for (i = 0; i < NR_KINDS; i++)
		DMEMIT(" %s=%llu failed_%s=%llu", kind_names[i], leg->seen[i], kind_names[i],
		       leg->failed[i]);
}

/* --- beginning and end ------------------------------------------------------------------------ */

static void free_leg(struct leg *leg)
{
	if (!IS_ERR_OR_NULL(leg->worker))
		kthread_stop(leg->worker);
	vfree(leg->now);
	vfree(leg->durable);
	vfree(leg->scratch);
	vfree(leg->volatile_map);
	kfree(leg);
}

static int alloc_leg(struct leg *leg)
{
	leg->now = vzalloc(leg->sectors << SECTOR_SHIFT);
	leg->durable = vzalloc(leg->sectors << SECTOR_SHIFT);
	leg->scratch = vzalloc(SCRATCH_SECTORS << SECTOR_SHIFT);
	leg->volatile_map = vzalloc(BITS_TO_LONGS(leg->sectors) * sizeof(long));
	if (!leg->now || !leg->durable || !leg->scratch || !leg->volatile_map)
		return -ENOMEM;
	leg->worker = kthread_run(work, leg, "powercut");
	return PTR_ERR_OR_ZERO(leg->worker);
}

static int powercut_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct leg *leg = kzalloc(sizeof(*leg), GFP_KERNEL);

	if (!leg)
		return -ENOMEM;
	leg->sectors = ti->len;
	leg->chance = (u32)ti->len;
	spin_lock_init(&leg->lock);
	bio_list_init(&leg->more);
	if (argc != 1 || kstrtou32(argv[0], 10, &leg->group)) {
		ti->error = "Need one argument: the number of the group";
		kfree(leg);
		return -EINVAL;
	}
	if (alloc_leg(leg)) {
		ti->error = "No memory for the device";
		free_leg(leg);
		return -ENOMEM;
	}
	mutex_lock(&power_lock);
	list_add(&leg->list, &legs);
	mutex_unlock(&power_lock);
	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->flush_supported = true;
	ti->discards_supported = true;
	ti->private = leg;
	return 0;
}

static void powercut_dtr(struct dm_target *ti)
{
	struct leg *leg = ti->private;

	mutex_lock(&power_lock);
	list_del(&leg->list);
	mutex_unlock(&power_lock);
	free_leg(leg);
}

/* There are none, but without this function older kernels do not ask for the hints. */
static int powercut_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	return 0;
}

static void powercut_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	fc_set_discard_limits(limits, SCRATCH_SECTORS, 1 << SECTOR_SHIFT);
}

static struct target_type powercut_target = {
	.name = "powercut",
	.version = { 2, 0, 0 },
	.module = THIS_MODULE,
	.ctr = powercut_ctr,
	.dtr = powercut_dtr,
	.map = powercut_map,
	.message = powercut_message,
	.status = powercut_status,
	.iterate_devices = powercut_iterate_devices,
	.io_hints = powercut_io_hints,
};

static int __init powercut_init(void)
{
	return dm_register_target(&powercut_target);
}

static void __exit powercut_exit(void)
{
	dm_unregister_target(&powercut_target);
}

module_init(powercut_init);
module_exit(powercut_exit);

MODULE_DESCRIPTION("A device that forgets what was not flushed, and fails; for tests");
MODULE_AUTHOR("The flashcache authors");
MODULE_LICENSE("GPL");
MODULE_ALIAS("dm-powercut");
