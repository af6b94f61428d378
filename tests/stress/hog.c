// SPDX-License-Identifier: GPL-2.0
/*
 * hog LEAVE_MIB SECONDS: takes memory until only that much is available, holds it a moment, lets go,
 * and begins anew, until the time is over. Prints how often it had all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PIECE	(1ul << 20)
#define MAX	65536ul

static void *pieces[MAX];

static long available_mib(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = -1;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %ld kB", &kib) == 1)
			break;
	fclose(f);
	return kib / 1024;
}

static unsigned long take(long leave)
{
	unsigned long nr = 0;
	void *p;

	while (nr < MAX && available_mib() > leave) {
		p = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (p == MAP_FAILED)
			break;
		pieces[nr++] = p;
	}
	return nr;
}

static void give_back(unsigned long nr)
{
	while (nr)
		munmap(pieces[--nr], PIECE);
}

/* If somebody has to go it shall be this program. */
static void volunteer(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "w");

	if (!f)
		return;
	fputs("1000", f);
	fclose(f);
}

int main(int argc, char **argv)
{
	const struct timespec moment = { .tv_nsec = 300000000 };
	unsigned long rounds = 0, nr;
	time_t end;
	long leave;

	if (argc != 3) {
		fprintf(stderr, "usage: hog LEAVE_MIB SECONDS\n");
		return 1;
	}
	leave = strtol(argv[1], NULL, 10);
	end = time(NULL) + strtol(argv[2], NULL, 10);
	volunteer();
	while (time(NULL) < end) {
		nr = take(leave);
		nanosleep(&moment, NULL);
		give_back(nr);
		rounds++;
	}
	printf("%lu\n", rounds);
	return 0;
}
