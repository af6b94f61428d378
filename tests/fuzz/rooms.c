// SPDX-License-Identifier: GPL-2.0
/*
 * The rooms that the fuzzers leave out: I/O goes straight to memory, nothing is cleaned by itself.
 */
#include <stdlib.h>

#include "harness.h"
#include "io/request.h"
#include "kernel.h"
#include "sys/window.h"

/* --- the door down ---------------------------------------------------------------------------- */

int fc_submit_init(struct fc_cache *c)
{
	return 0;
}

void fc_submit_exit(struct fc_cache *c)
{
}

#define MAX_FLASH (1u << 20)

/* What device "b" would still have if its power failed now, beside any part of what is newer. */
static u8 durable[MAX_FLASH];
static unsigned int writes_left;
static bool failed, watched;
static u64 losing;

void fuzz_power(unsigned int writes, u64 seed)
{
	writes_left = writes;
	watched = writes;
	failed = false;
	losing = seed;
	if (!watched)
		return;
	CHECK(fuzz_devs[1].len <= sizeof(durable));
	memcpy(durable, fuzz_devs[1].data, fuzz_devs[1].len);
}

bool fuzz_power_failed(void)
{
	return failed;
}

static void make_durable(size_t at, size_t len)
{
	size_t end = fuzz_devs[1].len;

	if (watched && at < end)
		memcpy(durable + at, fuzz_devs[1].data + at, len < end - at ? len : end - at);
}

/* Each sector that is newer than what is durable is kept or lost. */
static void fail_power(void)
{
	struct fuzz_dev *bdev = &fuzz_devs[1];
	size_t at;

	failed = true;
	for (at = 0; at + 512 <= bdev->len; at += 512) {
		if (!memcmp(bdev->data + at, durable + at, 512))
			continue;
		losing = losing * 6364136223846793005ull + 1442695040888963407ull;
		if (losing >> 63)
			memcpy(bdev->data + at, durable + at, 512);
	}
}

static void copy_in(struct fuzz_dev *bdev, size_t at, const u8 *from, size_t len)
{
	if (at >= bdev->len)
		return;
	memcpy(bdev->data + at, from, len < bdev->len - at ? len : bdev->len - at);
}

static void copy_out(const struct fuzz_dev *bdev, size_t at, u8 *to, size_t len)
{
	memset(to, 0, len);
	if (at >= bdev->len)
		return;
	memcpy(to, bdev->data + at, len < bdev->len - at ? len : bdev->len - at);
}

static struct fuzz_dev *dev_of(struct fc_cache *c, enum fc_dev dev)
{
	return &fuzz_devs[(dev == FC_DISK_DEV ? c->disk : c->ssd)->bdev->leg];
}

int fc_submit_sync(struct fc_cache *c, enum fc_dev dev, fc_opf_t opf, sector_t sector, void *buf,
		   u32 sectors)
{
	struct fuzz_dev *bdev = dev_of(c, dev);

	CHECK(sectors && sector < bdev->sectors && sectors <= bdev->sectors - sector);
	if (failed)
		return -EIO;
	if (opf & REQ_OP_WRITE) {
		bdev->writes++;
		if (opf & REQ_PREFLUSH)
			make_durable(0, bdev->len);
		copy_in(bdev, sector << SECTOR_SHIFT, buf, (size_t)sectors << SECTOR_SHIFT);
		if (watched && !--writes_left) {
			fail_power();
			return -EIO;
		}
		if (opf & REQ_FUA)
			make_durable(sector << SECTOR_SHIFT, (size_t)sectors << SECTOR_SHIFT);
	} else {
		copy_out(bdev, sector << SECTOR_SHIFT, buf, (size_t)sectors << SECTOR_SHIFT);
	}
	return 0;
}

/* Read at once; each has to be waited for, once. */
void fc_submit_read_ahead(struct fc_cache *c, sector_t sector, void *buf, u32 sectors,
			  struct fc_read_ahead *read)
{
	read->failed = fc_submit_sync(c, FC_SSD_DEV, REQ_OP_READ, sector, buf, sectors);
	read->done.done = true;
}

int fc_submit_read_wait(struct fc_cache *c, struct fc_read_ahead *read)
{
	(void)c;
	CHECK(read->done.done);
	read->done.done = false;
	return read->failed ? -EIO : 0;
}

int fc_submit_flush(struct fc_cache *c, enum fc_dev dev)
{
	if (failed)
		return -EIO;
	if (dev == FC_SSD_DEV)
		make_durable(0, fuzz_devs[1].len);
	return 0;
}

/* --- requests: there are none ----------------------------------------------------------------- */

int fc_run_module_init(void)
{
	return 0;
}

void fc_run_module_exit(void)
{
}

int fc_fan_module_init(void)
{
	return 0;
}

void fc_fan_module_exit(void)
{
}

int fc_run_init(struct fc_cache *c)
{
	return 0;
}

void fc_run_exit(struct fc_cache *c)
{
}

void fc_run_wait(struct fc_cache *c)
{
}

void fc_wait_wake(struct fc_cache *c, struct fc_set *set)
{
}

void fc_wait_unlock(struct fc_cache *c, struct fc_set *set, unsigned long flags, unsigned int done)
{
	if (done & FC_DONE_ADD)
		fc_meta_list(c, set, FC_LIST_ADD);
	if (done & FC_DONE_DEL)
		fc_meta_list(c, set, FC_LIST_DEL);
	fc_set_unlock(set, flags);
}

void fc_request_again_work(struct work_struct *work)
{
	abort();
}

void fc_request_finish(struct fc_req *req, blk_status_t status)
{
	abort();
}

int fc_request_map(struct fc_cache *c, struct bio *bio)
{
	abort();
}

int fc_request_end_io(struct fc_cache *c, struct bio *bio, blk_status_t *error)
{
	abort();
}

void fc_discard_work(struct work_struct *work)
{
	abort();
}

void *dm_per_bio_data(struct bio *bio, size_t size)
{
	abort();
}

/* --- windows: nobody looks in ----------------------------------------------------------------- */

int fc_window_module_init(void)
{
	return 0;
}

void fc_window_module_exit(void)
{
}

void fc_window_open(struct fc_cache *c)
{
}

void fc_window_close(struct fc_cache *c)
{
}

void fc_window_name(struct fc_cache *c, char *name, size_t size)
{
	strscpy(name, "-", size);
}

/* --- the cleaner ------------------------------------------------------------------------------ */

int fc_cleaner_init(struct fc_cache *c)
{
	return 0;
}

void fc_cleaner_exit(struct fc_cache *c)
{
}

int fc_cleaner_size(struct fc_cache *c)
{
	return 0;
}

void fc_cleaner_start(struct fc_cache *c)
{
}

void fc_cleaner_stop(struct fc_cache *c)
{
}

void fc_cleaner_kick(struct fc_cache *c)
{
}

void fc_cleaner_all(struct fc_cache *c, bool on)
{
	c->clean.all = on;
}

int fc_cleaner_drain(struct fc_cache *c)
{
	return 0;
}
