// SPDX-License-Identifier: GPL-2.0
/*
 * The list of this machine's caches.
 *
 * A line that cannot be read is told and otherwise left alone: neither does it keep the other caches
 * from coming up, nor is it lost when the file is written.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uuid/uuid.h>
#include "locate.h"
#include "sysfs.h"
#include "tab.h"
#include "tool.h"

#define LINE_LEN	1024

static const char head[] =
	"# flashcachetab(5): the caches of this machine, and the disks that belong to them.\n"
	"# name\tcache\tdisk\toptions\n";

/** tab_path() - where the list is */
const char *tab_path(void)
{
	const char *path = getenv("FLASHCACHETAB");

	return path && path[0] ? path : "/etc/flashcachetab";
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool is_comment(const char *text)
{
	text += strspn(text, " \t\n");
	return !*text || *text == '#';
}

static const char *parse_option(struct tab_line *line, const char *word)
{
	if (!strcmp(word, "noauto"))
		line->noauto = true;
	else if (strcmp(word, "auto") && strcmp(word, "-"))
		return "an option is neither auto nor noauto";
	return NULL;
}

static const char *parse_options(struct tab_line *line, char *words)
{
	const char *why = NULL;
	char *rest, *word;

	for (word = strtok_r(words, ",", &rest); word && !why; word = strtok_r(NULL, ",", &rest))
		why = parse_option(line, word);
	return why;
}

/* Return: what is wrong, or NULL. */
static const char *parse_line(struct tab_line *line, const char *text)
{
	char name[LINE_LEN], cache[LINE_LEN], disk[LINE_LEN] = "-", options[LINE_LEN] = "-";
	char rest[2];
	uuid_t uuid;
	int words = sscanf(text, "%1023s %1023s %1023s %1023s %1s", name, cache, disk, options,
			   rest);

	if (words < 2 || words > 4)
		return "a line has two to four words: name, cache, disk, options";
	if (strlen(name) >= sizeof(line->name))
		return "the name is too long";
	if (strncmp(cache, LOCATE_PREFIX, strlen(LOCATE_PREFIX)) ||
	    uuid_parse(cache + strlen(LOCATE_PREFIX), uuid))
		return "the cache is not named by UUID=, as 'flashcache list --all --json' shows it";
	if (strlen(disk) >= sizeof(line->disk_id) || (strcmp(disk, "-") && !strchr(disk, '=')))
		return "the disk is neither '-' nor an identity such as WWID=...";
	strcpy(line->name, name);
	uuid_unparse_lower(uuid, line->uuid);
	strcpy(line->disk_id, strcmp(disk, "-") ? disk : "");
	return parse_options(line, options);
}

/**
 * tab_each() - visit the caches that are listed
 * @visit: called with each
 * @arg: for @visit
 *
 * A file that is missing is an empty one.
 *
 * Return: 0, or -1 if it cannot be read.
 */
int tab_each(tab_visit_fn visit, void *arg)
{
	FILE *file = fopen(tab_path(), "re");
	char text[LINE_LEN];
	unsigned int number = 0;
	bool stop = false;

	if (!file)
		return errno == ENOENT ? 0 : fail("cannot read %s: %m", tab_path());
	while (!stop && fgets(text, sizeof(text), file)) {
		struct tab_line line = { .noauto = false };
		const char *why = is_comment(text) ? NULL : parse_line(&line, text);

		number++;
		if (why)
			note("%s:%u: %s; the line is left out", tab_path(), number, why);
		else if (line.name[0])
			stop = visit(&line, arg);
	}
	fclose(file);
	return 0;
}

struct sought {
	const char *uuid;
	struct tab_line *line;
	bool found;
};

static bool match(const struct tab_line *line, void *arg)
{
	struct sought *sought = arg;

	if (strcmp(line->uuid, sought->uuid))
		return false;
	*sought->line = *line;
	sought->found = true;
	return true;
}

/** tab_find() - true if a cache is listed; @line is filled then */
bool tab_find(const char *uuid, struct tab_line *line)
{
	struct sought sought = { .uuid = uuid, .line = line };

	return !tab_each(match, &sought) && sought.found;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void print_line(FILE *to, const struct tab_line *line)
{
	fprintf(to, "%s\t%s%s\t%s\t%s\n", line->name, LOCATE_PREFIX, line->uuid,
		line->disk_id[0] ? line->disk_id : "-", line->noauto ? "noauto" : "auto");
}

static bool is_of(const char *text, const char *uuid)
{
	struct tab_line line = { .noauto = false };

	return !is_comment(text) && !parse_line(&line, text) && !strcmp(line.uuid, uuid);
}

/* All lines but those of @uuid; then @line, unless it is NULL. */
static void copy_lines(FILE *from, FILE *to, const char *uuid, const struct tab_line *line)
{
	char text[LINE_LEN];

	if (!from)
		fputs(head, to);
	while (from && fgets(text, sizeof(text), from))
		if (!is_of(text, uuid))
			fputs(text, to);
	if (line)
		print_line(to, line);
}

/* A new name lasts when the directory is on its disk, too. */
static void store_name(void)
{
	char path[512], *slash;
	int fd;

	snprintf(path, sizeof(path), "%s", tab_path());
	slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
	fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fsync(fd))
		errno = 0;	/* not all file systems can */
	close(fd);
}

/* The new file takes the place of the old one only when all of it is on its disk. */
static int replace(const char *temp, FILE *to)
{
	bool bad = ferror(to) || fflush(to) || fsync(fileno(to));

	if (fclose(to) || bad || rename(temp, tab_path())) {
		unlink(temp);
		return -1;
	}
	store_name();
	return 0;
}

/* Two that write at the same time do it one after the other. */
static int lock_file(void)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s.lock", tab_path());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && lockf(fd, F_LOCK, 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int rewrite(const char *uuid, const struct tab_line *line)
{
	FILE *from, *to;
	char temp[512];

	snprintf(temp, sizeof(temp), "%s.new", tab_path());
	to = fopen(temp, "we");
	if (!to)
		return -1;
	from = fopen(tab_path(), "re");
	if (!from && errno != ENOENT) {
		fclose(to);
		unlink(temp);
		return -1;
	}
	if (fchmod(fileno(to), 0644))
		note("%s: %m", temp);
	copy_lines(from, to, uuid, line);
	if (from)
		fclose(from);
	return replace(temp, to);
}

static int change(const char *uuid, const struct tab_line *line)
{
	int lock = lock_file(), ret;

	if (lock < 0)
		return -1;
	ret = rewrite(uuid, line);
	close(lock);
	return ret;
}

/* Lists a cache, instead of what is listed with its UUID; options stay. */
static int remember(const struct tab_line *line)
{
	struct tab_line new = *line, old;

	if (tab_find(line->uuid, &old)) {
		if (!strcmp(old.name, new.name) && !strcmp(old.disk_id, new.disk_id))
			return 0;
		new.noauto = old.noauto;
	}
	return change(line->uuid, &new);
}

static int remember_table(const struct table *table)
{
	struct tab_line line = { .noauto = false };

	snprintf(line.name, sizeof(line.name), "%s", table->name);
	uuid_unparse_lower(table->uuid, line.uuid);
	snprintf(line.disk_id, sizeof(line.disk_id), "%s", table->disk_id);
	return remember(&line);
}

/**
 * tab_remember() - list a cache that is about to be used
 * @table: its table
 *
 * When it returns 0 that is on the disk.
 */
int tab_remember(const struct table *table)
{
	if (remember_table(table))
		return fail("%s cannot be written: %m", tab_path());
	return 0;
}

/**
 * tab_remember_started() - list a cache that runs now
 * @table: its table
 * @ssd: its device
 * @disk: its disk, which from now on is not to be used without it, after the next boot either
 *
 * A cache that cannot be listed runs all the same; the user is told.
 */
void tab_remember_started(const struct table *table, dev_t ssd, dev_t disk)
{
	if (remember_table(table))
		note("%s cannot be written (%m): cache %s will not come up by itself, and its disk "
		     "is not kept from use without it", tab_path(), table->name);
	sysfs_announce(ssd);
	sysfs_announce(disk);
}

/** tab_forget() - take a cache out of the list */
void tab_forget(const char *uuid)
{
	struct tab_line old;

	if (tab_find(uuid, &old) && change(uuid, NULL))
		note("%s cannot be written (%m): take the line of %s out by hand", tab_path(),
		     old.name);
}
