// SPDX-License-Identifier: GPL-2.0
/*
 * device-mapper, as far as one target sees of it.
 */
#include "dm.h"
#include "kernel.h"

static struct target_type *target;

/* Lies around each clone; the target's own space for it lies in front. @took: see send_clone(). */
struct clone {
	struct call *call;
	u32 *took;
	struct bio bio;
};

#define SPACE(size)	round_up(size, (size_t)16)

int dm_register_target(struct target_type *type)
{
	target = type;
	return 0;
}

void dm_unregister_target(struct target_type *type)
{
	(void)type;
	target = NULL;
}

int dm_get_device(struct dm_target *ti, const char *path, blk_mode_t mode, struct dm_dev **dev)
{
	struct sim_dm *dm = container_of(ti, struct sim_dm, ti);
	u32 leg = strcmp(path, "disk") ? LEG_SSD : LEG_DISK;

	(void)mode;
	dm->bdevs[leg].leg = (int)leg;
	dm->devs[leg].bdev = &dm->bdevs[leg];
	strscpy(dm->devs[leg].name, path, sizeof(dm->devs[leg].name));
	*dev = &dm->devs[leg];
	return 0;
}

void dm_put_device(struct dm_target *ti, struct dm_dev *dev)
{
	(void)ti;
	(void)dev;
}

/* --- bios ------------------------------------------------------------------------------------- */

void *dm_per_bio_data(struct bio *bio, size_t size)
{
	return (u8 *)container_of(bio, struct clone, bio) - SPACE(size);
}

struct bio *dm_bio_from_per_bio_data(void *data, size_t size)
{
	return &((struct clone *)((u8 *)data + SPACE(size)))->bio;
}

void dm_accept_partial_bio(struct bio *bio, unsigned int sectors)
{
	struct clone *clone = container_of(bio, struct clone, bio);

	if (*clone->took != bio_sectors(bio) || !sectors || sectors > bio_sectors(bio) ||
	    bio->bi_opf & REQ_PREFLUSH || bio_op(bio) == REQ_OP_DISCARD) {
		sim_fail("dm_accept_partial_bio() must not be called here");
		return;
	}
	*clone->took = sectors;
	bio->bi_iter.bi_size = sectors << SECTOR_SHIFT;
}

static void map_call(struct call *call);

/* One part of a call is over; what was behind a flush follows it, unless that failed. */
static void put_call(struct call *call)
{
	if (--call->left)
		return;
	if (call->iter.bi_size && !call->status) {
		call->left = 1;
		map_call(call);
	} else {
		call->done(call);
	}
}

static void end_clone(struct bio *bio)
{
	struct clone *clone = container_of(bio, struct clone, bio);
	struct call *call = clone->call;
	struct sim_dm *dm = call->dm;
	blk_status_t error = bio->bi_status;
	int r = target->end_io(&dm->ti, bio, &error);

	if (r == DM_ENDIO_INCOMPLETE)
		return;
	if (r != DM_ENDIO_DONE)
		sim_fail("end_io() answers %d", r);
	if (error == BLK_STS_AGAIN)
		sim_fail("a bio comes back with BLK_STS_AGAIN");
	if (error && !call->status)
		call->status = error;
	sim_free((u8 *)clone - SPACE(dm->ti.per_io_data_size));
	put_call(call);
}

/*
 * Sends one clone, for all that is left. It may be over before map() comes back, so how much of it
 * the target took is noted here. Return: sectors.
 */
static u32 send_clone(struct call *call, blk_opf_t opf)
{
	size_t space = SPACE(call->dm->ti.per_io_data_size);
	u8 *at = sim_alloc(space + sizeof(struct clone), false);
	struct clone *clone = (struct clone *)(at + space);
	struct bio *bio = &clone->bio;
	u32 took;
	int r;

	memset(at, 0x5a, space);
	clone->call = call;
	clone->took = &took;
	*bio = (struct bio){
		.bi_opf = opf, .bi_iter = call->iter, .bi_io_vec = call->vec,
		.bi_end_io = end_clone, .__bi_remaining = ATOMIC_INIT(1),
	};
	if (opf & REQ_PREFLUSH)
		bio->bi_iter.bi_size = 0;
	took = bio_sectors(bio);
	call->left++;
	r = target->map(&call->dm->ti, bio);
	if (r == DM_MAPIO_REMAPPED)
		submit_bio_noacct(bio);
	else if (r != DM_MAPIO_SUBMITTED)
		sim_fail("map() answers %d", r);
	return took;
}

/* A flush goes first and by itself, then the data, in as many clones as the target wants. */
static void map_call(struct call *call)
{
	if (call->opf & REQ_PREFLUSH) {
		call->opf &= ~REQ_PREFLUSH;
		send_clone(call, REQ_OP_WRITE | REQ_PREFLUSH);
	} else {
		while (call->iter.bi_size) {
			struct bio all = { .bi_opf = call->opf, .bi_io_vec = call->vec };
			u32 took = send_clone(call, call->opf);

			bio_advance_iter(&all, &call->iter, took << SECTOR_SHIFT);
			sim_preempt();
		}
	}
	put_call(call);
}

/**
 * dm_submit() - a request arrives
 * @call: request; ends with a call of its @done
 */
void dm_submit(struct call *call)
{
	call->status = BLK_STS_OK;
	call->left = 1;
	map_call(call);
}

/* --- life ------------------------------------------------------------------------------------- */

/**
 * dm_build() - load a table of one line
 * @dm: device
 * @len: its length
 * @words: the target's arguments
 * @nr_words: their number
 *
 * Return: 0 or a negative error, with the reason in @ti.error.
 */
int dm_build(struct sim_dm *dm, sector_t len, char **words, u32 nr_words)
{
	int r;

	memset(dm, 0, sizeof(*dm));
	dm->table.md = &dm->md;
	dm->ti.table = &dm->table;
	dm->ti.type = target;
	dm->ti.len = len;
	r = target->ctr(&dm->ti, nr_words, words);
	dm->built = !r;
	return r;
}

void dm_destroy(struct sim_dm *dm)
{
	target->dtr(&dm->ti);
	dm->built = false;
}

int dm_resume(struct sim_dm *dm)
{
	return target->preresume(&dm->ti);
}

/** dm_presuspend() - requests may still be in flight, unless the device is being removed */
void dm_presuspend(struct sim_dm *dm, bool removing)
{
	if (removing)
		dm->md.disk.state |= BIT(GD_DEAD);
	target->presuspend(&dm->ti);
}

/** dm_postsuspend() - no request is in flight any more */
void dm_postsuspend(struct sim_dm *dm)
{
	target->postsuspend(&dm->ti);
}

int dm_message(struct sim_dm *dm, const char *word, const char *value)
{
	char result[64], *words[2];

	words[0] = (char *)word;
	words[1] = (char *)value;
	return target->message(&dm->ti, 2, words, result, sizeof(result));
}

void dm_status(struct sim_dm *dm, char *result, u32 room)
{
	target->status(&dm->ti, STATUSTYPE_INFO, 0, result, room);
}
