// SPDX-License-Identifier: GPL-2.0
/*
 * What a cache and its devices do in a second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include "device.h"
#include "sample.h"
#include "sysfs.h"

static const char *const counter_words[SAMPLE_COUNTERS] = {
	"read_blocks", "read_hit_blocks", "write_blocks", "write_hit_blocks", "cleanings",
	"clean_writes",
};

static u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

static void take_leg(struct leg_sample *leg, dev_t dev)
{
	char text[512];

	memset(leg, 0, sizeof(*leg));
	if (sysfs_read(dev, "stat", text, sizeof(text)))
		return;
	if (sscanf(text, "%" SCNu64 " %*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %" SCNu64 " %" SCNu64
		   " %*u %" SCNu64, &leg->reads, &leg->read_sectors, &leg->read_ms, &leg->writes,
		   &leg->write_sectors, &leg->write_ms, &leg->busy_ms) != 7)
		memset(leg, 0, sizeof(*leg));
}

/** sample_take() - look at a cache that was just read from the kernel */
void sample_take(struct sample *s, const struct cache *c)
{
	unsigned int i;

	s->ms = now_ms();
	for (i = 0; i < SAMPLE_COUNTERS; i++)
		s->counters[i] = cache_number(c, counter_words[i]);
	take_leg(&s->legs[SAMPLE_CACHE], c->info.dev);
	take_leg(&s->legs[SAMPLE_SSD], c->ssd.dev);
	take_leg(&s->legs[SAMPLE_DISK], c->disk.dev);
}

/* Counters can be set to zero, and devices exchanged. */
static u64 rise(u64 from, u64 to)
{
	return to >= from ? to - from : to;
}

static double each(u64 ms, u64 nr)
{
	return nr ? (double)ms / (double)nr : 0;
}

static void leg_rates(struct leg_rates *r, double seconds, const struct leg_sample *from,
		      const struct leg_sample *to)
{
	u64 reads = rise(from->reads, to->reads), writes = rise(from->writes, to->writes);

	r->reads = (double)reads / seconds;
	r->writes = (double)writes / seconds;
	r->read_bytes = (double)rise(from->read_sectors, to->read_sectors) * SECTOR_SIZE / seconds;
	r->write_bytes = (double)rise(from->write_sectors, to->write_sectors) * SECTOR_SIZE /
			 seconds;
	r->read_ms = each(rise(from->read_ms, to->read_ms), reads);
	r->write_ms = each(rise(from->write_ms, to->write_ms), writes);
	r->busy = (double)rise(from->busy_ms, to->busy_ms) / seconds / 10;
	if (r->busy > 100)
		r->busy = 100;
}

/** sample_rates() - what happened between two samples of a cache */
void sample_rates(struct rates *r, const struct cache *c, const struct sample *from,
		  const struct sample *to)
{
	unsigned int i;

	r->seconds = to->ms > from->ms ? (double)(to->ms - from->ms) / 1000 : 0.001;
	for (i = 0; i < SAMPLE_COUNTERS; i++)
		r->counts[i] = rise(from->counters[i], to->counters[i]);
	r->clean_bytes = (double)(r->counts[SAMPLE_CLEANINGS] * cache_block_bytes(c)) / r->seconds;
	for (i = 0; i < SAMPLE_LEGS; i++)
		leg_rates(&r->legs[i], r->seconds, &from->legs[i], &to->legs[i]);
}
