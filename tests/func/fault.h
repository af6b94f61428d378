/* SPDX-License-Identifier: GPL-2.0 */
/* A life of a cache in which one place fails: what happened, and what may be blamed on it. */
#ifndef FC_TEST_FAULT_H
#define FC_TEST_FAULT_H

#include <stdint.h>

#include "oracle.h"

#define DISK_SECTORS	4096u
#define BLOCK_SECTORS	8u

enum leg { DISK, SSD, NR_LEGS };
enum kind { READ, WRITE, FLUSH, DISCARD, NR_KINDS };

extern const char *const leg_names[NR_LEGS];
extern const char *const kind_names[NR_KINDS];

/* I/Os that the legs saw, and those that they failed. */
struct tally {
	uint64_t seen[NR_LEGS][NR_KINDS];
	uint64_t failed[NR_LEGS][NR_KINDS];
	uint64_t failed_sector[NR_LEGS];
};

/**
 * struct life - a run of the workload
 * @mode: of the table line; @mode_name: as messages have it
 * @leg, @kind, @k: what fails; k 0: nothing
 * @forever: from then on, until healed
 * @cut: it ends with a power cut
 * @blame_nobody: every error counts as one too many (to prove that errors are seen)
 * @expect_wrong: a generation is expected that was never written (to prove that data is looked at)
 * @fd: the cache, -1: there is none
 * @step, @what: number and name of the operation under way
 * @all_steps: of all lives, for the watchdog
 * @start: tally at the beginning
 * @now: as of the last look
 * @recent: operations, this one included, since the fault struck last; large: never
 * @dirty: sectors whose newest data may be on flash only
 * @health: 0 ok, 1 degraded, 2 failed
 * @no_power: all I/O fails, which may cost health
 * @errors: operations that failed
 * @wrong: breaches of the rules
 */
struct life {
	int mode;
	const char *mode_name;
	enum leg leg;
	enum kind kind;
	uint64_t k;
	int forever;
	int cut;
	int blame_nobody;
	int expect_wrong;
	struct oracle o;
	int fd;
	unsigned int step;
	unsigned int all_steps;
	char what[80];
	struct tally start, now;
	unsigned int recent;
	uint8_t dirty[DISK_SECTORS];
	int health;
	int no_power;
	unsigned int errors;
	unsigned int wrong;
};

/* Legs and life as new; arms the fault. */
void life_begin(struct life *l);

/* Operations; each judges its own result. */
void life_write(struct life *l, uint32_t sector, uint32_t nr, int fua);
void life_read(struct life *l, uint32_t sector, uint32_t nr);
void life_flush(struct life *l);
void life_discard(struct life *l, uint32_t sector, uint32_t nr);
void life_clean(struct life *l);
void life_mode(struct life *l, const char *mode);
void life_suspend(struct life *l);
void life_create(struct life *l, int persist);
void life_remove(struct life *l, int fast);

/* Without a fault this counter has moved: the workload is what it is meant to be. */
void life_expect(struct life *l, const char *counter);

/* Power goes and comes back, but what is to fail will: the load of a crashed cache. */
void life_crash(struct life *l);

/* Heals and judges all that is left; what the legs saw until then is in @now of the tally given. */
void life_end(struct life *l, struct tally *until);

/* Has the fault struck? */
int life_struck(const struct life *l);

/* Tells a watchdog where we are; dies when an operation takes minutes. */
void watch_start(const struct life *l);

#endif
