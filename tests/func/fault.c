// SPDX-License-Identifier: GPL-2.0
/*
 * The operations of a life with faults, and the rules by which they are judged.
 *
 * A request may fail only for a reason. "Failing" means: a once-fault struck during this operation
 * or the last one (whose fills and cleaning may still have been under way); a fault that stays has
 * struck at all.
 *
 *  read	the disk's reads are failing; or flash's are, and sectors of it may be dirty
 *  write	the disk's writes are failing; or health is "failed"; or flash's reads are failing
 *		for good and its blocks may be dirty (they cannot be cleaned)
 *  FUA write	as a write, or as a flush
 *  flush	a flush is failing, of either device; or health is "failed"
 *  discard	the disk's discards are failing; or health is "failed"
 *  create, resume	anything is failing; with a once-fault the second try must succeed
 *  message, suspend, remove	never
 *
 *  health	"ok" unless flash failed a write or a flush; "failed" only if that was metadata,
 *		in front of the first slot
 *
 * So flash that fails a read of clean data, or a write in any mode, is no error to anybody; nor is a
 * disk that fails a fill whose own request can be repeated.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device.h"
#include "dm.h"
#include "fault.h"
#include "stamp.h"

#define NAME		"fault"
#define LINE_BYTES	4096
#define MAX_SECTORS	256u		/* of a write */
#define HANG_SECONDS	120
#define SLOTS_SECTOR	2048u		/* first one with data: format.h's alignment */

const char *const leg_names[NR_LEGS] = { "pdisk", "pssd" };
const char *const kind_names[NR_KINDS] = { "read", "write", "flush", "discard" };

static void *buffer;

/* --- what happened ---------------------------------------------------------------------------- */

static __attribute__((format(printf, 2, 3)))
void breach(struct life *l, const char *fmt, ...)
{
	va_list args;

	l->wrong++;
	printf("fcfault: %s, %s %s %llu%s, %s end: step %u, %s: ", l->mode_name, leg_names[l->leg],
	       kind_names[l->kind], (unsigned long long)l->k, l->forever ? " and later" : "",
	       l->cut ? "cut" : "orderly", l->step, l->what);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void look_at(enum leg of, struct tally *t)
{
	char line[LINE_BYTES], key[32];
	unsigned int i;

	if (dm_status(leg_names[of], line, sizeof(line)))
		die(EXIT_USAGE, "%s has no status", leg_names[of]);
	for (i = 0; i < NR_KINDS; i++) {
		t->seen[of][i] = dm_word(line, kind_names[i]);
		snprintf(key, sizeof(key), "failed_%s", kind_names[i]);
		t->failed[of][i] = dm_word(line, key);
	}
	t->failed_sector[of] = dm_word(line, "failed_sector");
}

static __attribute__((format(printf, 2, 3)))
void tell_leg(enum leg to, const char *fmt, ...)
{
	char message[80];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	if (dm_message(leg_names[to], message))
		die(EXIT_USAGE, "%s does not understand '%s'", leg_names[to], message);
}

static int has_failed(const struct life *l, enum leg of, enum kind kind)
{
	return l->now.failed[of][kind] > l->start.failed[of][kind];
}

int life_struck(const struct life *l)
{
	return has_failed(l, l->leg, l->kind);
}

static int failing(const struct life *l, enum leg of, enum kind kind)
{
	return has_failed(l, of, kind) && (l->forever || l->recent <= 2);
}

static int anything_failing(const struct life *l)
{
	return failing(l, l->leg, l->kind);
}

/* --- rules ------------------------------------------------------------------------------------ */

static int may_be_dirty(const struct life *l, uint32_t sector, uint32_t nr)
{
	uint32_t at = sector - sector % BLOCK_SECTORS;
	uint32_t stop = (sector + nr + BLOCK_SECTORS - 1) / BLOCK_SECTORS * BLOCK_SECTORS;

	for (; at < stop && at < DISK_SECTORS; at++) {
		if (l->dirty[at])
			return 1;
	}
	return 0;
}

static int read_may_fail(const struct life *l, uint32_t sector, uint32_t nr)
{
	return failing(l, DISK, READ) || (failing(l, SSD, READ) && may_be_dirty(l, sector, nr));
}

static int write_may_fail(const struct life *l, uint32_t sector, uint32_t nr)
{
	return failing(l, DISK, WRITE) || l->health == 2 ||
	       (l->forever && failing(l, SSD, READ) && may_be_dirty(l, sector, nr));
}

static int flush_may_fail(const struct life *l)
{
	return failing(l, DISK, FLUSH) || failing(l, SSD, FLUSH) || l->health == 2;
}

static int discard_may_fail(const struct life *l)
{
	return failing(l, DISK, DISCARD) || l->health == 2;
}

/* An operation that came back; an error needs a reason. */
static void judge(struct life *l, int ret, int may_fail)
{
	if (!ret)
		return;
	l->errors++;
	if (ret != -EIO)
		breach(l, "failed with %s", strerror(-ret));
	else if (!may_fail || l->blame_nobody)
		breach(l, "an I/O error without a reason");
}

static void judge_health(struct life *l)
{
	int flash = has_failed(l, SSD, WRITE) || has_failed(l, SSD, FLUSH);
	int metadata = has_failed(l, SSD, FLUSH) || l->now.failed_sector[SSD] < SLOTS_SECTOR;

	if (l->no_power)
		return;
	if (l->health && !flash)
		breach(l, "health is %d although flash failed no write", l->health);
	if (l->health == 2 && !metadata && !l->forever)
		breach(l, "health is 'failed' although no metadata was lost");
}

/* --- operations ------------------------------------------------------------------------------- */

static __attribute__((format(printf, 2, 3)))
void begin(struct life *l, const char *fmt, ...)
{
	va_list args;

	l->step++;
	__atomic_fetch_add(&l->all_steps, 1, __ATOMIC_RELAXED);
	va_start(args, fmt);
	vsnprintf(l->what, sizeof(l->what), fmt, args);
	va_end(args);
}

/* Has the fault struck since the last look? */
static void look_for_strike(struct life *l)
{
	uint64_t before = l->now.failed[l->leg][l->kind];

	look_at(l->leg, &l->now);
	l->recent++;
	if (l->now.failed[l->leg][l->kind] > before)
		l->recent = 1;
}

/* Takes in what the cache says of itself. */
static void ask_cache(struct life *l)
{
	char line[LINE_BYTES];

	if (l->fd < 0 || dm_status(NAME, line, sizeof(line)))
		return;
	l->health = dm_word_is(line, "health", "ok") ? 0 :
		    dm_word_is(line, "health", "degraded") ? 1 : 2;
	if (!dm_word(line, "dirty"))
		memset(l->dirty, 0, sizeof(l->dirty));
	judge_health(l);
}

/* Whether a request may have failed is asked only when it did. */
static void end(struct life *l, int ret)
{
	look_for_strike(l);
	if (ret || l->recent <= 3)
		ask_cache(l);
}

void life_write(struct life *l, uint32_t sector, uint32_t nr, int fua)
{
	uint32_t gen = l->o.next_gen++;
	struct iovec iov = { buffer, (size_t)nr << SECTOR_SHIFT };
	ssize_t done;
	int ret;

	if (l->fd < 0)
		return;
	begin(l, "%s of sectors %u-%u", fua ? "FUA write" : "write", sector, sector + nr - 1);
	stamp_write(buffer, l->o.tag, sector, nr, gen);
	done = pwritev2(l->fd, &iov, 1, (off_t)sector << SECTOR_SHIFT, fua ? RWF_DSYNC : 0);
	ret = done == (ssize_t)iov.iov_len ? 0 : done < 0 ? -errno : -EIO;
	memset(l->dirty + sector, 1, nr);
	end(l, ret);
	judge(l, ret, write_may_fail(l, sector, nr) || (fua && flush_may_fail(l)));
	oracle_wrote(&l->o, sector, nr, gen + (l->expect_wrong && sector == 256), !ret, fua);
}

static int read_and_judge(struct life *l, int fd, uint32_t sector, uint32_t nr, int settled)
{
	ssize_t bytes = (ssize_t)nr << SECTOR_SHIFT, done;
	char why[160];
	uint32_t bad;

	done = pread(fd, buffer, bytes, (off_t)sector << SECTOR_SHIFT);
	if (done != bytes)
		return done < 0 ? -errno : -EIO;
	bad = oracle_read(&l->o, sector, nr, buffer, settled, why, sizeof(why));
	if (bad)
		breach(l, "%u wrong sectors; %s", bad, why);
	return 0;
}

void life_read(struct life *l, uint32_t sector, uint32_t nr)
{
	int ret;

	if (l->fd < 0)
		return;
	begin(l, "read of sectors %u-%u", sector, sector + nr - 1);
	ret = read_and_judge(l, l->fd, sector, nr, 0);
	end(l, ret);
	judge(l, ret, read_may_fail(l, sector, nr));
}

void life_flush(struct life *l)
{
	int ret;

	if (l->fd < 0)
		return;
	begin(l, "flush");
	ret = fdatasync(l->fd) ? -errno : 0;
	end(l, ret);
	judge(l, ret, flush_may_fail(l));
	if (!ret)
		oracle_flushed(&l->o);
}

/* Blocks that it covers in part keep their data. */
void life_discard(struct life *l, uint32_t sector, uint32_t nr)
{
	uint64_t range[2] = { (uint64_t)sector << SECTOR_SHIFT, (uint64_t)nr << SECTOR_SHIFT };
	uint32_t first = (sector + BLOCK_SECTORS - 1) / BLOCK_SECTORS * BLOCK_SECTORS;
	uint32_t last = (sector + nr) / BLOCK_SECTORS * BLOCK_SECTORS;
	int ret;

	if (l->fd < 0)
		return;
	begin(l, "discard of sectors %u-%u", sector, sector + nr - 1);
	ret = ioctl(l->fd, BLKDISCARD, range) ? -errno : 0;
	end(l, ret);
	judge(l, ret, discard_may_fail(l));
	oracle_discarded(&l->o, first, last - first);
}

static void tell(struct life *l, const char *message)
{
	int ret = dm_message(NAME, message);

	if (ret)
		breach(l, "message '%s': %s", message, strerror(-ret));
}

static uint64_t dirty_blocks(void)
{
	char line[LINE_BYTES];

	return dm_status(NAME, line, sizeof(line)) ? 0 : dm_word(line, "dirty");
}

/* Without a fault it must end; with one it may have to give up. */
void life_clean(struct life *l)
{
	unsigned int i, most;

	if (l->fd < 0)
		return;
	begin(l, "cleaning");
	tell(l, "do_sync 1");
	most = l->k && !l->forever ? 30 : l->k ? 10 : 20000;
	for (i = 0; i < most && dirty_blocks(); i++)
		usleep(1000);
	end(l, 0);
	ask_cache(l);
	if (dirty_blocks() && !l->k)
		breach(l, "blocks stay dirty");
}

void life_expect(struct life *l, const char *counter)
{
	char line[LINE_BYTES];

	if (!l->k && !dm_status(NAME, line, sizeof(line)) && !dm_word(line, counter))
		breach(l, "no %s", counter);
}

void life_mode(struct life *l, const char *mode)
{
	char message[64];

	if (l->fd < 0)
		return;
	begin(l, "mode %s", mode);
	snprintf(message, sizeof(message), "cache_mode %s", mode);
	tell(l, message);
	end(l, 0);
	ask_cache(l);
}

void life_suspend(struct life *l)
{
	int ret;

	if (l->fd < 0)
		return;
	begin(l, "suspend");
	ret = dm_suspend(NAME);
	if (ret)
		breach(l, "%s", strerror(-ret));
	end(l, ret);
	begin(l, "resume");
	ret = dm_resume(NAME);
	end(l, ret);
	judge(l, ret ? -EIO : 0, anything_failing(l));
	if (ret && l->forever)
		tell_leg(DISK, "heal");
	if (ret && dm_resume(NAME))
		die(EXIT_IO, "step %u: the second resume fails as well", l->step);
}

/* --- birth and death -------------------------------------------------------------------------- */

static int try_create(const struct life *l, int persist)
{
	char params[256];

	snprintf(params, sizeof(params),
		 "/dev/mapper/pdisk /dev/mapper/pssd " NAME " %d %d 8 0 256 0 0 8 4 "
		 "dirty_thresh_pct 95 fallow_delay 0", l->mode, persist);
	return dm_create(NAME, DISK_SECTORS, "flashcache", params);
}

void life_create(struct life *l, int persist)
{
	char path[64];
	int ret;

	begin(l, "create %d", persist);
	ret = try_create(l, persist);
	end(l, ret);
	judge(l, ret ? -EIO : 0, anything_failing(l));
	if (ret && l->forever)
		tell_leg(DISK, "heal");
	if (ret && try_create(l, persist))
		die(EXIT_IO, "step %u: the second creation fails as well", l->step);
	if (dm_path(NAME, path, sizeof(path)))
		die(EXIT_USAGE, "the cache has no number");
	l->fd = open(path, O_RDWR | O_DIRECT);
	if (l->fd < 0)
		die(EXIT_USAGE, "%s: %s", path, strerror(errno));
}

/* A cache that was not well may not have been stopped in order: as after a crash then. */
void life_remove(struct life *l, int fast)
{
	int ret;

	if (l->fd < 0)
		return;
	begin(l, fast ? "fast remove" : "remove");
	if (fast)
		tell(l, "fast_remove 1");
	ask_cache(l);
	close(l->fd);
	l->fd = -1;
	ret = dm_remove(NAME);
	if (ret)
		breach(l, "%s", strerror(-ret));
	end(l, ret);
	if (l->health || anything_failing(l))
		oracle_cut(&l->o);
	l->health = 0;
}

void life_begin(struct life *l)
{
	static uint64_t tag = 1000;

	if (!buffer)
		buffer = alloc_pages(DISK_SECTORS * SECTOR_SIZE);
	oracle_begin(&l->o, ++tag, DISK_SECTORS);
	memset(l->dirty, 0, sizeof(l->dirty));
	l->fd = -1;
	l->step = 0;
	l->health = 0;
	l->errors = 0;
	l->wrong = 0;
	tell_leg(DISK, "heal");
	tell_leg(DISK, "erase");
	look_at(DISK, &l->now);
	look_at(SSD, &l->now);
	l->start = l->now;
	l->recent = 1000;
	if (l->k)
		tell_leg(l->leg, "fail %s %llu %s", kind_names[l->kind], (unsigned long long)l->k,
			 l->forever ? "forever" : "1");
}

/* All that a device holds; nothing fails any more. */
static void judge_all(struct life *l, const char *what, int fd, int settled)
{
	int ret;

	begin(l, "%s", what);
	ret = read_and_judge(l, fd, 0, DISK_SECTORS, settled);
	if (ret)
		breach(l, "cannot be read: %s", strerror(-ret));
	end(l, ret);
}

static void judge_disk(struct life *l)
{
	int fd = open("/dev/mapper/pdisk", O_RDONLY | O_DIRECT);

	if (fd < 0)
		die(EXIT_USAGE, "the disk: %s", strerror(errno));
	judge_all(l, "the raw disk", fd, 1);
	close(fd);
}

/* Loads what is there, finds all of it, cleans it, and finds it on the disk. */
static void judge_next_life(struct life *l)
{
	life_create(l, 1);
	judge_all(l, "all, after a load", l->fd, 1);
	life_remove(l, 0);
	judge_disk(l);
}

static void cut_and_remove(struct life *l)
{
	tell_leg(DISK, "cut %llu", (unsigned long long)l->o.tag);
	l->no_power = 1;
	life_remove(l, 1);
	l->no_power = 0;
}

void life_crash(struct life *l)
{
	if (l->fd < 0)
		return;
	cut_and_remove(l);
	tell_leg(DISK, "power");
	oracle_cut(&l->o);
	life_create(l, 1);
}

static void end_by_cut(struct life *l)
{
	cut_and_remove(l);
	tell_leg(DISK, "heal");
	oracle_cut(&l->o);
	judge_next_life(l);
}

/* What a cache leaves behind that was not well is judged after another load. */
static void end_in_order(struct life *l)
{
	int lost_ledger;

	judge_all(l, "all, healed", l->fd, 0);
	life_flush(l);
	ask_cache(l);
	lost_ledger = l->health == 2;
	life_remove(l, 0);
	if (!lost_ledger)
		judge_disk(l);
	if (lost_ledger || l->o.tag % 4 == 0)
		judge_next_life(l);
}

void life_end(struct life *l, struct tally *until)
{
	look_at(DISK, &l->now);
	look_at(SSD, &l->now);
	*until = l->now;
	tell_leg(DISK, "heal");
	l->recent = 1000;
	if (l->fd < 0)
		life_create(l, 1);
	if (l->cut)
		end_by_cut(l);
	else
		end_in_order(l);
}

/* --- the watchdog ----------------------------------------------------------------------------- */

/* What everybody waits for: into the kernel's log. */
static void show_hang(void)
{
	static const char *const names[] = { "pdisk", "pssd", NAME };
	char line[LINE_BYTES];
	unsigned int i;
	int fd;

	fd = open("/proc/sysrq-trigger", O_WRONLY);
	if (fd < 0 || write(fd, "w", 1) != 1)
		printf("fcfault: no sysrq\n");
	for (i = 0; i < 3; i++) {
		if (!dm_status(names[i], line, sizeof(line)))
			printf("fcfault: %s:%s\n", names[i], line);
	}
}

static void *watch(void *arg)
{
	const struct life *l = arg;
	unsigned int seen = 0, quiet = 0, step;

	for (;;) {
		sleep(1);
		step = __atomic_load_n(&l->all_steps, __ATOMIC_RELAXED);
		quiet = seen == step ? quiet + 1 : 0;
		seen = step;
		if (quiet < HANG_SECONDS)
			continue;
		printf("fcfault: step %u, %s: hangs\n", l->step, l->what);
		show_hang();
		_exit(EXIT_MISMATCH);
	}
	return NULL;
}

void watch_start(const struct life *l)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, watch, (void *)l))
		die(EXIT_USAGE, "no thread");
}
