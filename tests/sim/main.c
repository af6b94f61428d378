// SPDX-License-Identifier: GPL-2.0
/*
 * sim: the module's own code over two devices that lose power at every step. docs/testing.md tells
 * how it works.
 */
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define HANG_SECONDS	60	/* of processor time, in one run */

struct options options = { .seed = 1, .states = 200000, .violations = 1 };
struct totals totals;
bool sim_failed;

static const char * const shapes[] = { "any", "plain", "ledger", "cleaning" };

static u64 present_run;

/* --- reports ---------------------------------------------------------------------------------- */

void trace(const char *fmt, ...)
{
	va_list args;

	if (!options.trace)
		return;
	printf("# %llu: ", life.step);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static void print_replay(void)
{
	char mode[24] = "", kind[24] = "";

	if (options.mode)
		snprintf(mode, sizeof(mode), " --mode %u", options.mode);
	if (options.shape)
		snprintf(kind, sizeof(kind), " --shape %s", shapes[options.shape]);
	if (options.failures || options.failure)
		return;
	printf("# again: out/sim/sim --seed %llu --run %llu --step %llu%s%s --trace\n",
	       options.seed, present_run, life.step, mode, kind);
	fflush(stdout);
}

void sim_fail(const char *fmt, ...)
{
	va_list args;

	if (!sim_failed) {
		printf("violation: ");
		va_start(args, fmt);
		vprintf(fmt, args);
		va_end(args);
		printf("\n");
		shape_print(&shape);
		print_replay();
		totals.violations++;
	}
	sim_failed = true;
	sim_unwind();
}

/* The module crashed or does not come back: that is a violation as well. */
static void on_signal(int sig)
{
	printf("violation: %s\n", sig == SIGVTALRM ? "an endless loop" : strsignal(sig));
	shape_print(&shape);
	print_replay();
	_exit(2);
}

static void watch(void)
{
	static u8 stack[64 << 10];
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM };
	stack_t alt = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESETHAND };
	size_t i;

	sigaltstack(&alt, NULL);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, NULL);
}

static void rewind_watch(void)
{
	struct itimerval limit = { .it_value.tv_sec = HANG_SECONDS };

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static void print_totals(clock_t began)
{
	double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;

	printf("# %llu runs with %llu requests and %llu steps; in them %llu power cuts and %llu "
	       "orderly stops to go on from\n", totals.runs, totals.ops, totals.steps, totals.cuts,
	       totals.stops);
	printf("# in the runs %llu commits, %llu checkpoints, %llu blocks evicted\n", totals.commits,
	       totals.checkpoints, totals.evictions);
	printf("# of the states %llu had lost something, %llu were cuts after a cut; %llu were "
	       "cleaned, %llu read, %llu reloaded\n", totals.lost, totals.again, totals.cleaned,
	       totals.reread, totals.reloaded);
	printf("# %.1f s of processor time, %.0f states a second\n", seconds,
	       seconds > 0 ? (double)totals.states / seconds : 0);
	printf("runs: %llu\nstates: %llu\nfailures: %llu\nviolations: %llu\n", totals.runs,
	       totals.states, totals.failures, totals.violations);
}

/* --- options ---------------------------------------------------------------------------------- */

static u32 lie(const char *word)
{
	static const struct { const char *word; u32 lies; } lies[] = {
		{ "flash-flush", LIE_FLUSH }, { "flash-fua", LIE_FUA }, { "flash-torn", LIE_TORN },
		{ "disk-flush", LIE_FLUSH << 8 }, { "disk-torn", LIE_TORN << 8 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lies); i++)
		if (!strcmp(word, lies[i].word))
			return lies[i].lies;
	fprintf(stderr, "sim: unknown lie: %s\n", word);
	exit(1);
}

static enum shape_kind shape_kind(const char *word)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		if (!strcmp(word, shapes[i]))
			return (enum shape_kind)i;
	fprintf(stderr, "sim: unknown shape: %s\n", word);
	exit(1);
}

static u64 number(const char *word)
{
	char *end;
	u64 n = strtoull(word, &end, 0);

	if (end == word || *end) {
		fprintf(stderr, "sim: not a number: %s\n", word);
		exit(1);
	}
	return n;
}

static void usage(void)
{
	printf("usage: sim [--seed N] [--cases N] [--runs N] [--run N] [--mode 1|2|3] [--step N]\n"
	       "           [--shape plain|ledger|cleaning] [--trace] [--violations N]\n"
	       "           [--lie DEVICE-WHAT]\n"
	       "       sim [--seed N] --failures | --failure MODE,LEG,KIND,BLOCK,AT,NR [--trace]\n");
	exit(1);
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seed", 1, NULL, 's' }, { "cases", 1, NULL, 'c' }, { "runs", 1, NULL, 'n' },
		{ "run", 1, NULL, 'r' }, { "mode", 1, NULL, 'm' }, { "step", 1, NULL, 'p' },
		{ "trace", 0, NULL, 't' }, { "violations", 1, NULL, 'v' },
		{ "shape", 1, NULL, 'h' }, { "lie", 1, NULL, 'l' }, { "failures", 0, NULL, 'f' },
		{ "failure", 1, NULL, 'F' }, { }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 's':
			options.seed = number(optarg);
			break;
		case 'c':
			options.states = number(optarg);
			break;
		case 'n':
			options.runs = number(optarg);
			break;
		case 'r':
			options.first_run = number(optarg);
			options.runs = 1;
			break;
		case 'm':
			options.mode = (u32)number(optarg);
			break;
		case 'p':
			options.step = number(optarg);
			break;
		case 't':
			options.trace = true;
			break;
		case 'v':
			options.violations = number(optarg);
			break;
		case 'h':
			options.shape = shape_kind(optarg);
			break;
		case 'l':
			options.lies |= lie(optarg);
			break;
		case 'f':
			options.failures = true;
			break;
		case 'F':
			options.failure = optarg;
			break;
		default:
			usage();
		}
	}
	if (optind != argc || options.mode > 3)
		usage();
}

static void all_runs(void)
{
	u64 i;

	for (i = 0; (!options.runs || i < options.runs) && totals.states < options.states &&
	     totals.violations < options.violations; i++) {
		present_run = options.first_run + i;
		sim_failed = false;
		rewind_watch();
		run_one(present_run);
	}
}

int main(int argc, char **argv)
{
	clock_t began = clock();

	parse(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	kernel_messages(options.trace);
	watch();
	if (sim_module_init()) {
		fprintf(stderr, "sim: the module does not load\n");
		return 1;
	}
	rewind_watch();
	if (options.failure && !failures_one(options.failure))
		usage();
	else if (options.failures)
		failures_all();
	else if (!options.failure)
		all_runs();
	sim_module_exit();
	print_totals(began);
	return totals.violations ? 2 : 0;
}
