// SPDX-License-Identifier: GPL-2.0
/* fcx: exercise a device with stamped sectors, and check every sector that is read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "exercise.h"
#include "journal.h"
#include "options.h"
#include "shadow.h"
#include "stamp.h"

#define CHUNK_SECTORS	2048u		/* of whole-span reads and writes */
#define DEFAULT_MIX	"read=40,write=38,fua=4,flush=2,discard=0,stream=16"

struct options {
	const char *mode, *path;
	const char *state, *save, *log;
	const char *mix, *hot;
	uint64_t seed, ops, tell, seconds, offset, span, threads, depth, max, align;
	int overlap_reads, no_nowait, fill, after_crash, no_verify;
};

static const char usage[] =
"usage: fcx run [OPTION...] DEVICE        load the device, then verify the whole span\n"
"       fcx verify [OPTION...] DEVICE     read the span and check it against what is known of it\n"
"\n"
"The span (bytes; suffixes k, m, g, t):\n"
"  --offset N          where it begins                                [0]\n"
"  --span N            its size                                       [to the end]\n"
"What is known:\n"
"  --state FILE        of an earlier run, with its span               [nothing]\n"
"  --save-state FILE   keep it at the end\n"
"  --log FILE          run: journal what is asked and promised, so that it survives a crash\n"
"  --after-crash       verify: each sector holds its last flushed generation, or a later one that\n"
"                      the journal (--log, with the --state that the run began with) knows of\n"
"The load:\n"
"  --seed N            [the time]          --ops N             stop after N operations\n"
"  --seconds N         stop after N seconds; without --ops and --seconds: 10 s\n"
"  --tell N            say so when N operations have begun\n"
"  --threads N         [4]                 --depth N           operations in flight a thread [4]\n"
"  --max N             longest one [1m]    --align N           offset, length [logical block]\n"
"  --hot A:B           A % of the operations go to the first B % of the span          [80:20]\n"
"  --mix OP=WEIGHT,... [" DEFAULT_MIX "]\n"
"  --no-nowait         submit where the kernel may sleep\n"
"  --overlap-reads     reads may meet writes in flight: they find the old or the new sector\n"
"  --fill              first write the whole span, in order (--ops 0 --fill: only this)\n"
"  --no-verify         leave out the verification at the end\n"
"\n"
"Exit: 0 all is well, 1 cannot run, 2 wrong data was read, 3 an I/O error.\n";

static void check_options(const struct options *o)
{
	int run = !strcmp(o->mode, "run");

	if (!run && strcmp(o->mode, "verify"))
		die(EXIT_USAGE, "'%s' is neither run nor verify", o->mode);
	if (!run && !o->state && !o->log)
		die(EXIT_USAGE, "verify needs --state, --log, or both");
	if (!run && !!o->log != o->after_crash)
		die(EXIT_USAGE, "verify: --log and --after-crash go together");
	if (run && o->log && o->fill)
		die(EXIT_USAGE, "fill in a run of its own (--save-state), then --log --state");
	if (run && o->after_crash)
		die(EXIT_USAGE, "--after-crash is for verify");
}

static void parse_options(struct options *o, char **argv)
{
	const struct option_rule rules[] = {
		{ "--offset", OPTION_SIZE, &o->offset, 0, 0 },
		{ "--span", OPTION_SIZE, &o->span, 0, 0 },
		{ "--state", OPTION_TEXT, &o->state, 0, 0 },
		{ "--save-state", OPTION_TEXT, &o->save, 0, 0 },
		{ "--log", OPTION_TEXT, &o->log, 0, 0 },
		{ "--after-crash", OPTION_FLAG, &o->after_crash, 0, 0 },
		{ "--seed", OPTION_NUMBER, &o->seed, 0, 0 },
		{ "--ops", OPTION_NUMBER, &o->ops, 0, 0 },
		{ "--tell", OPTION_NUMBER, &o->tell, 1, UINT64_MAX },
		{ "--seconds", OPTION_NUMBER, &o->seconds, 1, 1000000 },
		{ "--threads", OPTION_NUMBER, &o->threads, 1, 256 },
		{ "--depth", OPTION_NUMBER, &o->depth, 1, 256 },
		{ "--max", OPTION_SIZE, &o->max, SECTOR_SIZE, 64 << 20 },
		{ "--align", OPTION_SIZE, &o->align, SECTOR_SIZE, 64 << 20 },
		{ "--hot", OPTION_TEXT, &o->hot, 0, 0 },
		{ "--mix", OPTION_TEXT, &o->mix, 0, 0 },
		{ "--no-nowait", OPTION_FLAG, &o->no_nowait, 0, 0 },
		{ "--overlap-reads", OPTION_FLAG, &o->overlap_reads, 0, 0 },
		{ "--fill", OPTION_FLAG, &o->fill, 0, 0 },
		{ "--no-verify", OPTION_FLAG, &o->no_verify, 0, 0 },
		{ NULL, OPTION_FLAG, NULL, 0, 0 }
	};
	const char *words[2];

	*o = (struct options){
		.mix = DEFAULT_MIX, .hot = "80:20", .threads = 4, .depth = 4, .max = 1 << 20,
		.seed = time(NULL), .ops = UINT64_MAX,
	};
	options_parse(rules, usage, argv, words, 2);
	o->mode = words[0];
	o->path = words[1];
	check_options(o);
}

static void parse_hot(const char *text, struct exercise *ex)
{
	char *copy = strdup(text), *colon = strchr(copy, ':');

	if (!colon)
		die(EXIT_USAGE, "--hot: '%s' is not A:B", text);
	*colon = '\0';
	ex->hot_ops = parse_number("--hot", copy, 0, 100);
	ex->hot_span = parse_number("--hot", colon + 1, 1, 100);
	free(copy);
}

static enum op op_named(const char *name)
{
	unsigned int op;

	for (op = 0; op < NR_OPS; op++) {
		if (!strcmp(name, op_names[op]))
			return op;
	}
	die(EXIT_USAGE, "--mix: there is no operation '%s'", name);
}

static void parse_mix(const char *text, unsigned int *mix)
{
	char *copy = strdup(text), *rest = copy, *item, *equals;
	unsigned int total = 0, op;

	while ((item = strsep(&rest, ","))) {
		equals = strchr(item, '=');
		if (!equals)
			die(EXIT_USAGE, "--mix: '%s' is not OP=WEIGHT", item);
		*equals = '\0';
		op = op_named(item);
		mix[op] = parse_number("--mix", equals + 1, 0, 1000000);
	}
	for (op = 0; op < NR_OPS; op++)
		total += mix[op];
	if (!total)
		die(EXIT_USAGE, "--mix: all weights are 0");
	free(copy);
}

/* Nothing is known: an empty shadow of the span that was asked for. */
static void create_shadow(struct shadow *sh, const struct options *o, const struct device *dev)
{
	uint64_t first = bytes_to_sectors("--offset", o->offset, dev);
	uint64_t count = bytes_to_sectors("--span", o->span, dev);

	if (first < dev->sectors && !count)
		count = dev->sectors - first;
	count -= count % dev->unit;
	/* The tag tells this run from an earlier one of the same seed. */
	shadow_create(sh, mix64(o->seed ^ mix64(time(NULL) ^ mix64(getpid()))), first,
		      count);
}

static void prepare_shadow(struct shadow *sh, const struct options *o, const struct device *dev)
{
	if (o->state)
		shadow_load(sh, o->state);
	else if (o->after_crash)
		journal_create_shadow(o->log, sh);
	else
		create_shadow(sh, o, dev);
	if (!sh->count || sh->first + sh->count > dev->sectors)
		die(EXIT_USAGE, "the span, sectors %" PRIu64 "-%" PRIu64 ", is not on %s",
		    sh->first, sh->first + sh->count - 1, dev->path);
	if (o->after_crash)
		journal_replay(o->log, sh);
}

/* Read the whole span. Returns the number of wrong sectors. */
static uint64_t verify(const struct device *dev, struct shadow *sh, int settle)
{
	void *buf = alloc_pages(CHUNK_SECTORS * SECTOR_SIZE);
	uint64_t sector = sh->first, end = sh->first + sh->count, bad = 0;
	uint32_t nr;
	int ret;

	for (; sector < end; sector += nr) {
		nr = end - sector < CHUNK_SECTORS ? end - sector : CHUNK_SECTORS;
		ret = device_read(dev, sector, nr, buf);
		if (ret)
			die(EXIT_IO, "read of sectors %" PRIu64 "-%" PRIu64 " failed: %s", sector,
			    sector + nr - 1, strerror(-ret));
		bad += shadow_check(sh, sector, nr, buf, NULL);
		if (settle)
			shadow_settle(sh, sector, nr, buf);
	}
	free(buf);
	return bad;
}

static void fill(const struct device *dev, struct shadow *sh)
{
	void *buf = alloc_pages(CHUNK_SECTORS * SECTOR_SIZE);
	uint64_t sector = sh->first, end = sh->first + sh->count;
	uint32_t nr, gen;
	ssize_t bytes;

	for (; sector < end; sector += nr) {
		nr = end - sector < CHUNK_SECTORS ? end - sector : CHUNK_SECTORS;
		bytes = (ssize_t)nr * SECTOR_SIZE;
		gen = shadow_take_gen(sh);
		stamp_write(buf, sh->tag, sector, nr, gen);
		if (pwrite(dev->fd, buf, bytes, sector << SECTOR_SHIFT) != bytes)
			die(EXIT_IO, "write of sectors %" PRIu64 "-%" PRIu64 " failed: %m", sector,
			    sector + nr - 1);
		shadow_write_issued(sh, sector, nr, gen);
		shadow_write_done(sh, sector, nr, gen);
	}
	free(buf);
	if (fdatasync(dev->fd))
		die(EXIT_IO, "flush failed: %m");
}

static void report_load(const struct exercise *ex)
{
	unsigned int op;

	printf("%s: seed %" PRIu64 ":", program, ex->seed);
	for (op = 0; op < NR_OPS; op++) {
		if (ex->done[op])
			printf(" %" PRIu64 " %s", ex->done[op], op_names[op]);
	}
	printf(", %" PRIu64 " MiB\n", ex->bytes >> 20);
}

static void set_up_exercise(struct exercise *ex, const struct options *o, const struct device *dev)
{
	uint64_t align = o->align ? o->align : dev->unit * SECTOR_SIZE;

	ex->seed = o->seed;
	ex->ops = o->ops == UINT64_MAX ? 0 : o->ops;
	ex->tell = o->tell;
	ex->seconds = o->seconds || o->ops != UINT64_MAX ? o->seconds : 10;
	ex->threads = o->threads;
	ex->depth = o->depth;
	ex->align = bytes_to_sectors("--align", align, dev);
	ex->max = bytes_to_sectors("--max", o->max, dev);
	ex->overlap_reads = o->overlap_reads;
	ex->no_nowait = o->no_nowait;
	parse_hot(o->hot, ex);
	parse_mix(o->mix, ex->mix);
	if (ex->max > ex->shadow->count)
		ex->max = ex->shadow->count;
	if (ex->max < ex->align)
		die(EXIT_USAGE, "--max or the span is less than --align");
}

static int load_device(const struct options *o, const struct device *dev, struct shadow *sh)
{
	struct exercise ex = { .dev = dev, .shadow = sh };

	set_up_exercise(&ex, o, dev);
	if (o->fill)
		fill(dev, sh);
	ex.journal = o->log ? journal_open(o->log, sh) : NULL;
	if (o->ops)
		exercise_run(&ex);
	journal_close(ex.journal);
	report_load(&ex);
	if (ex.bad_sectors)
		return EXIT_MISMATCH;
	return ex.error ? EXIT_IO : EXIT_OK;
}

static int conclude(const struct options *o, const struct shadow *sh, uint64_t bad)
{
	if (o->save)
		shadow_save(sh, o->save);
	if (bad) {
		printf("%s: %" PRIu64 " of %" PRIu64 " sectors are wrong\n", program, bad,
		       sh->count);
		return EXIT_MISMATCH;
	}
	if (!o->no_verify)
		printf("%s: all %" PRIu64 " sectors are right\n", program, sh->count);
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	struct options o;
	struct device dev;
	struct shadow sh;
	uint64_t bad = 0;
	int ret = EXIT_OK;

	program = "fcx";
	setvbuf(stdout, NULL, _IOLBF, 0);
	parse_options(&o, argv);
	device_open(&dev, o.path);
	prepare_shadow(&sh, &o, &dev);
	if (!strcmp(o.mode, "run"))
		ret = load_device(&o, &dev, &sh);
	if (!ret && !o.no_verify)
		bad = verify(&dev, &sh, o.after_crash);
	if (!ret)
		ret = conclude(&o, &sh, bad);
	shadow_free(&sh);
	return ret;
}
