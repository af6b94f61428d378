// SPDX-License-Identifier: GPL-2.0
/*
 * fcfiles: writers that make files of known content, overwrite, replace and delete them, each step
 * made durable before the next, with a journal elsewhere; and a check, after a crash, that all that
 * fsync() returned for is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "options.h"
#include "stamp.h"

#define MAX_WRITERS	16
#define MAX_FILES	64		/* of a writer */
#define MAX_SECTORS	256u		/* of a file */

static const char usage[] =
"usage: fcfiles write [OPTION...] DIRECTORY   work there until something fails\n"
"       fcfiles check [OPTION...] DIRECTORY   what was made durable must be there\n"
"\n"
"  --journal FILE   what was begun and what was durable; on another device\n"
"  --seed N         [1]\n"
"  --seconds N      stop after so many                     [30]\n"
"  --writers N      [4]\n"
"\n"
"Exit: 0 all is well, 1 cannot run, 2 wrong data, 3 (write) stopped by an I/O error.\n";

struct options {
	const char *mode, *dir, *journal;
	uint64_t seed, seconds, writers;
};

enum op { CREATE = 'c', OVERWRITE = 'o', REPLACE = 'r', DELETE = 'd' };

/* What a file holds: sector i of version gens[i]. nr 0: there is none. */
struct file {
	uint32_t nr;
	uint32_t version;
	uint32_t gens[MAX_SECTORS];
};

/* A step: of file @id, sectors @first to @first + @nr; CREATE and REPLACE: all @nr of them. */
struct step {
	enum op op;
	uint32_t id, first, nr, gen;
};

struct writer {
	unsigned int index;
	const struct options *o;
	pthread_t thread;
	uint64_t random;
	struct file files[MAX_FILES];
	struct step last;		/* check: begun and perhaps not done */
	int pending;
	unsigned int steps;
	int error;
	void *buf;
};

static int journal = -1;
static struct timespec end_time;

/* --- steps and their effects ------------------------------------------------------------------ */

static uint64_t tag_of(const struct writer *w, uint32_t id)
{
	return mix64(w->o->seed ^ mix64(w->index * MAX_FILES + id));
}

static void name_of(const struct writer *w, uint32_t id, const char *suffix, char *path,
		    size_t bytes)
{
	snprintf(path, bytes, "%s/w%u/f%u%s", w->o->dir, w->index, id, suffix);
}

/* The file once the step is done. */
static void apply(struct file *f, const struct step *s)
{
	uint32_t i;

	if (s->op == DELETE) {
		f->nr = 0;
		return;
	}
	if (s->op != OVERWRITE)
		f->nr = s->nr;
	for (i = 0; i < s->nr; i++)
		f->gens[s->first + i] = s->gen;
	f->version = s->gen;
}

/* 'i': begun; 'd': durable. Written in one piece, to a file that outlives the file system. */
static void note(const struct writer *w, char what, const struct step *s)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%c %u %c %u %u %u %u\n", what, w->index, s->op, s->id,
			 s->first, s->nr, s->gen);

	if (write(journal, line, n) != n)
		die(EXIT_USAGE, "cannot write the journal: %s", strerror(errno));
}

/* --- writing ---------------------------------------------------------------------------------- */

static uint32_t below(struct writer *w, uint32_t limit)
{
	return mix64(w->random++) % limit;
}

static struct step choose(struct writer *w)
{
	struct step s = { .id = below(w, MAX_FILES) };
	struct file *f = &w->files[s.id];
	uint32_t chance = below(w, 10);

	s.gen = f->version + 1;
	if (!f->nr) {
		s.op = CREATE;
		s.nr = 1 + below(w, below(w, 3) ? 32 : MAX_SECTORS);
	} else if (chance < 6) {
		s.op = OVERWRITE;
		s.first = below(w, f->nr);
		s.nr = 1 + below(w, f->nr - s.first);
	} else if (chance < 9) {
		s.op = REPLACE;
		s.nr = 1 + below(w, MAX_SECTORS);
	} else {
		s.op = DELETE;
	}
	return s;
}

static int sync_directory(const struct writer *w)
{
	char path[512];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/w%u", w->o->dir, w->index);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return -errno;
	ret = fsync(fd) ? -errno : 0;
	close(fd);
	return ret;
}

/*
 * Is the file system still one? XFS answers fsync() of a directory with success when its log has just
 * died with what was to be synced (xfs_dir_fsync() of 6.1 does not look; xfs_file_fsync() does, and a
 * log drops what it holds only after it was marked dead).
 */
static int check_alive(const struct writer *w)
{
	char path[512];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/w%u/alive", w->o->dir, w->index);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	ret = fsync(fd) ? -errno : 0;
	close(fd);
	return ret;
}

/* Writes the step's sectors and makes them durable; 0 or an error. */
static int write_sectors(struct writer *w, const struct step *s, const char *path, int flags)
{
	ssize_t bytes = (ssize_t)s->nr << SECTOR_SHIFT;
	int fd = open(path, flags, 0644), ret = 0;

	if (fd < 0)
		return -errno;
	stamp_write(w->buf, tag_of(w, s->id), s->first, s->nr, s->gen);
	if (pwrite(fd, w->buf, bytes, (off_t)s->first << SECTOR_SHIFT) != bytes ||
	    (s->op == OVERWRITE ? fdatasync(fd) : fsync(fd)))
		ret = errno ? -errno : -EIO;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int carry_out(struct writer *w, const struct step *s)
{
	char path[512], other[512];
	int ret;

	name_of(w, s->id, "", path, sizeof(path));
	name_of(w, s->id, ".new", other, sizeof(other));
	switch (s->op) {
	case OVERWRITE:
		ret = write_sectors(w, s, path, O_WRONLY);
		return ret ? ret : check_alive(w);
	case DELETE:
		ret = unlink(path) ? -errno : 0;
		break;
	case REPLACE:
		ret = write_sectors(w, s, other, O_WRONLY | O_CREAT | O_TRUNC);
		if (!ret && rename(other, path))
			ret = -errno;
		break;
	default:
		ret = write_sectors(w, s, path, O_WRONLY | O_CREAT | O_TRUNC);
	}
	if (!ret)
		ret = sync_directory(w);
	return ret ? ret : check_alive(w);
}

static int time_is_up(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec >= end_time.tv_sec;
}

static void *work(void *arg)
{
	struct writer *w = arg;

	while (!time_is_up() && !w->error) {
		struct step s = choose(w);

		note(w, 'i', &s);
		w->error = carry_out(w, &s);
		if (w->error)
			break;
		note(w, 'd', &s);
		apply(&w->files[s.id], &s);
		w->steps++;
	}
	return NULL;
}

static void make_file(const char *dir, const char *name)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	if (fd < 0)
		die(EXIT_IO, "%s: %s", path, strerror(errno));
	close(fd);
}

static void make_directories(const struct options *o)
{
	char path[512];
	unsigned int i;

	if (mkdir(o->dir, 0755) && errno != EEXIST)
		die(EXIT_IO, "%s: %s", o->dir, strerror(errno));
	for (i = 0; i < o->writers; i++) {
		snprintf(path, sizeof(path), "%s/w%u", o->dir, i);
		if (mkdir(path, 0755))
			die(EXIT_IO, "%s: %s", path, strerror(errno));
		make_file(path, "alive");
	}
	/* The directories themselves are to be found again. */
	sync();
}

static int run_writers(const struct options *o, struct writer *writers)
{
	unsigned int i, steps = 0;
	int error = 0;

	journal = open(o->journal, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
	if (journal < 0)
		die(EXIT_USAGE, "%s: %s", o->journal, strerror(errno));
	make_directories(o);
	clock_gettime(CLOCK_MONOTONIC, &end_time);
	end_time.tv_sec += o->seconds;
	for (i = 0; i < o->writers; i++) {
		if (pthread_create(&writers[i].thread, NULL, work, &writers[i]))
			die(EXIT_USAGE, "cannot start a thread");
	}
	for (i = 0; i < o->writers; i++) {
		pthread_join(writers[i].thread, NULL);
		steps += writers[i].steps;
		error = error ? error : writers[i].error;
	}
	printf("fcfiles: %u steps were made durable; %s\n", steps,
	       error ? strerror(-error) : "no error");
	return error ? EXIT_IO : EXIT_OK;
}

/* --- checking --------------------------------------------------------------------------------- */

static void read_journal(const struct options *o, struct writer *writers)
{
	FILE *in = fopen(o->journal, "r");
	unsigned int index;
	struct step s;
	char what, op;

	if (!in)
		die(EXIT_USAGE, "%s: %s", o->journal, strerror(errno));
	while (fscanf(in, "%c %u %c %u %u %u %u\n", &what, &index, &op, &s.id, &s.first, &s.nr,
		      &s.gen) == 7) {
		if (index >= o->writers || s.id >= MAX_FILES || s.first + s.nr > MAX_SECTORS)
			die(EXIT_USAGE, "%s is not a journal", o->journal);
		s.op = op;
		writers[index].last = s;
		writers[index].pending = what == 'i';
		if (what == 'd') {
			apply(&writers[index].files[s.id], &s);
			writers[index].steps++;
		}
	}
	fclose(in);
}

/* Reads a file of at most one sector more than there may be; its size, or -1: there is none. */
static ssize_t read_file(struct writer *w, uint32_t id)
{
	char path[512];
	ssize_t got;
	int fd;

	name_of(w, id, "", path, sizeof(path));
	fd = open(path, O_RDONLY);
	if (fd < 0 && errno == ENOENT)
		return -1;
	got = fd < 0 ? -1 : read(fd, w->buf, (MAX_SECTORS + 1) << SECTOR_SHIFT);
	if (got < 0)
		die(EXIT_IO, "%s: %s", path, strerror(errno));
	close(fd);
	return got;
}

/* Is it this file? @other: sectors may be of that version as well. Returns what is wrong. */
static const char *compare(struct writer *w, uint32_t id, const struct file *f, ssize_t size,
			   const struct file *other, uint32_t *where)
{
	uint32_t i;

	*where = 0;
	if (!f->nr)
		return size < 0 ? NULL : "it is there";
	if (size < 0)
		return "it is not there";
	if (size != (ssize_t)f->nr << SECTOR_SHIFT)
		return "its size is wrong";
	for (i = 0; i < f->nr; i++) {
		struct stamp found = stamp_read((char *)w->buf + (i << SECTOR_SHIFT),
						tag_of(w, id), i);

		*where = i;
		if (found.kind != STAMP_GOOD)
			return "a sector is no sector of it";
		if (found.gen != f->gens[i] && (!other || found.gen != other->gens[i]))
			return "a sector is not the one that was written last";
	}
	return NULL;
}

/* A step that was under way: the file is as before, or as after; overwritten sectors are either. */
static const char *check_file(struct writer *w, uint32_t id, uint32_t *where)
{
	struct file *before = &w->files[id], after = *before;
	ssize_t size = read_file(w, id);
	const char *why;

	if (!w->pending || w->last.id != id)
		return compare(w, id, before, size, NULL, where);
	if (w->last.op == CREATE)
		return NULL;
	apply(&after, &w->last);
	if (w->last.op == OVERWRITE)
		return compare(w, id, before, size, &after, where);
	why = compare(w, id, before, size, NULL, where);
	return why && compare(w, id, &after, size, NULL, where) ? why : NULL;
}

static int check_all(const struct options *o, struct writer *writers)
{
	unsigned int i, files = 0, steps = 0, wrong = 0, pending = 0;
	uint32_t id, where;

	read_journal(o, writers);
	for (i = 0; i < o->writers; i++) {
		steps += writers[i].steps;
		pending += writers[i].pending;
		for (id = 0; id < MAX_FILES; id++) {
			const char *why = check_file(&writers[i], id, &where);

			files += writers[i].files[id].nr > 0;
			if (!why)
				continue;
			wrong++;
			printf("fcfiles: w%u/f%u: %s (sector %u)\n", i, id, why, where);
		}
	}
	printf("fcfiles: %u files of %u durable steps, %u steps under way, %u files wrong\n", files,
	       steps, pending, wrong);
	return wrong ? EXIT_MISMATCH : EXIT_OK;
}

static void parse_options(struct options *o, char **argv)
{
	const struct option_rule rules[] = {
		{ "--journal", OPTION_TEXT, &o->journal, 0, 0 },
		{ "--seed", OPTION_NUMBER, &o->seed, 0, 0 },
		{ "--seconds", OPTION_NUMBER, &o->seconds, 1, 100000 },
		{ "--writers", OPTION_NUMBER, &o->writers, 1, MAX_WRITERS },
		{ NULL, OPTION_FLAG, NULL, 0, 0 }
	};
	const char *words[2];

	*o = (struct options){ .seed = 1, .seconds = 30, .writers = 4 };
	options_parse(rules, usage, argv, words, 2);
	o->mode = words[0];
	o->dir = words[1];
	if (!o->journal)
		die(EXIT_USAGE, "--journal must be given");
}

int main(int argc, char **argv)
{
	static struct writer writers[MAX_WRITERS];
	struct options o;
	unsigned int i;

	program = "fcfiles";
	parse_options(&o, argv);
	for (i = 0; i < o.writers; i++) {
		writers[i].index = i;
		writers[i].o = &o;
		writers[i].random = mix64(o.seed ^ mix64(i));
		writers[i].buf = alloc_pages((MAX_SECTORS + 1) << SECTOR_SHIFT);
	}
	if (!strcmp(o.mode, "write"))
		return run_writers(&o, writers);
	if (!strcmp(o.mode, "check"))
		return check_all(&o, writers);
	die(EXIT_USAGE, "'%s' is neither write nor check", o.mode);
}
