// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: dm-powercut, a device that forgets. For tests only.
 *
 *	0 <sectors> powercut <group>
 *
 * Each device is a RAM disk with a volatile write cache: what was written is read back at once, but is
 * durable only after a FLUSH that came when the write had completed, or by FUA. Bios are worked off one by
 * one in random order, so that nothing may lean on the order of what is in flight.
 *
 * Messages; those for power reach all devices of the group at the same moment:
 *	cut SEED	each sector that is not durable is lost or kept as SEED has it; from then on
 *			all I/O fails
 *	heal		the power is back
 *	status gives: <power on> <sectors not durable> <flushes> <writes>
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

/**
 * struct leg - a device
 * @list: among all legs, under @power_lock
 * @group: legs of the same group lose power together
 * @sectors: size
 * @now: what is read
 * @durable: what a power cut leaves
 * @volatile_map: sectors in which the two differ, or may
 * @lock: guards all below; taken inside of @power_lock
 * @queue: bios that have arrived
 * @nr: their number
 * @dead: no power
 * @chance: state of the generator that orders @queue
 * @flushes: FLUSHes obeyed
 * @writes: writes obeyed
 * @worker: works off @queue
 */
struct leg {
	struct list_head list;
	u32 group;
	sector_t sectors;
	char *now;
	char *durable;
	unsigned long *volatile_map;
	spinlock_t lock;
	struct bio *queue[QUEUE_MAX];
	struct bio_list more;
	unsigned int nr;
	bool dead;
	u32 chance;
	u64 flushes;
	u64 writes;
	struct task_struct *worker;
};

static LIST_HEAD(legs);
static DEFINE_MUTEX(power_lock);

/* A linear congruential generator (Numerical Recipes, 3rd ed., 7.1.1): the same seed, the same cut. */
static u32 next_random(u32 *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void copy_sector(char *to, const char *from, sector_t sector)
{
	memcpy(to + (sector << SECTOR_SHIFT), from + (sector << SECTOR_SHIFT), 1 << SECTOR_SHIFT);
}

static void make_durable(struct leg *leg)
{
	unsigned long sector;

	for_each_set_bit(sector, leg->volatile_map, leg->sectors)
		copy_sector(leg->durable, leg->now, sector);
	bitmap_zero(leg->volatile_map, leg->sectors);
	leg->flushes++;
}

static void move_data(struct leg *leg, struct bio *bio)
{
	char *at = leg->now + (bio->bi_iter.bi_sector << SECTOR_SHIFT);
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

static void note_write(struct leg *leg, struct bio *bio)
{
	sector_t sector = bio->bi_iter.bi_sector;
	unsigned int nr = bio_sectors(bio);

	leg->writes++;
	for (; nr; nr--, sector++) {
		if (bio->bi_opf & REQ_FUA) {
			copy_sector(leg->durable, leg->now, sector);
			clear_bit(sector, leg->volatile_map);
		} else {
			set_bit(sector, leg->volatile_map);
		}
	}
}

static blk_status_t obey(struct leg *leg, struct bio *bio)
{
	if (leg->dead)
		return BLK_STS_IOERR;
	if (bio->bi_opf & REQ_PREFLUSH)
		make_durable(leg);
	if (!bio_sectors(bio))
		return BLK_STS_OK;
	move_data(leg, bio);
	if (op_is_write(bio_op(bio)))
		note_write(leg, bio);
	return BLK_STS_OK;
}

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

static int work(void *data)
{
	struct leg *leg = data;

	while (!kthread_should_stop()) {
		blk_status_t status = BLK_STS_OK;
		struct bio *bio;

		set_current_state(TASK_IDLE);
		spin_lock_irq(&leg->lock);
		bio = pick(leg);
		if (bio)
			status = obey(leg, bio);
		spin_unlock_irq(&leg->lock);
		if (!bio) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		bio->bi_status = status;
		bio_endio(bio);
		cond_resched();
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

static void cut_leg(struct leg *leg, u32 seed)
{
	unsigned long sector;

	spin_lock_irq(&leg->lock);
	for_each_set_bit(sector, leg->volatile_map, leg->sectors) {
		if (next_random(&seed) & 1)
			copy_sector(leg->durable, leg->now, sector);
		else
			copy_sector(leg->now, leg->durable, sector);
	}
	bitmap_zero(leg->volatile_map, leg->sectors);
	leg->dead = true;
	spin_unlock_irq(&leg->lock);
}

static void heal_leg(struct leg *leg)
{
	spin_lock_irq(&leg->lock);
	leg->dead = false;
	spin_unlock_irq(&leg->lock);
}

/*
 * Power goes from one leg after the other, but a leg that still has it can only make durable what it was told
 * to by somebody who did not yet know of the cut: such a moment exists in real machines as well.
 */
static int powercut_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			    unsigned int maxlen)
{
	struct leg *me = ti->private, *leg;
	u32 seed = 0;
	bool cut = argc == 2 && !strcmp(argv[0], "cut") && !kstrtou32(argv[1], 10, &seed);

	if (!cut && !(argc == 1 && !strcmp(argv[0], "heal")))
		return -EINVAL;
	mutex_lock(&power_lock);
	list_for_each_entry(leg, &legs, list) {
		if (leg->group != me->group)
			continue;
		if (cut)
			cut_leg(leg, next_random(&seed));
		else
			heal_leg(leg);
	}
	mutex_unlock(&power_lock);
	return 0;
}

static void powercut_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			    char *result, unsigned int maxlen)
{
	struct leg *leg = ti->private;
	unsigned int sz = 0;

	if (type == STATUSTYPE_TABLE)
		DMEMIT("%u", leg->group);
	else if (type == STATUSTYPE_INFO)
		DMEMIT("%u %u %llu %llu", !leg->dead,
		       bitmap_weight(leg->volatile_map, leg->sectors), leg->flushes, leg->writes);
}

static void free_leg(struct leg *leg)
{
	if (!IS_ERR_OR_NULL(leg->worker))
		kthread_stop(leg->worker);
	vfree(leg->now);
	vfree(leg->durable);
	vfree(leg->volatile_map);
	kfree(leg);
}

static int alloc_leg(struct leg *leg)
{
	leg->now = vzalloc(leg->sectors << SECTOR_SHIFT);
	leg->durable = vzalloc(leg->sectors << SECTOR_SHIFT);
	leg->volatile_map = vzalloc(BITS_TO_LONGS(leg->sectors) * sizeof(long));
	leg->worker = kthread_run(work, leg, "powercut");
	return leg->now && leg->durable && leg->volatile_map && !IS_ERR(leg->worker) ? 0 : -ENOMEM;
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
	ti->flush_supported = true;
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

static struct target_type powercut_target = {
	.name = "powercut",
	.version = { 1, 0, 0 },
	.module = THIS_MODULE,
	.ctr = powercut_ctr,
	.dtr = powercut_dtr,
	.map = powercut_map,
	.message = powercut_message,
	.status = powercut_status,
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

MODULE_DESCRIPTION("A device that forgets what was not flushed; for tests");
MODULE_AUTHOR("The flashcache authors");
MODULE_LICENSE("GPL");
MODULE_ALIAS("dm-powercut");
