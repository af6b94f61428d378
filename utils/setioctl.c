// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache_setioctl: lists of processes whose I/O is cached, or is not. The name is the
 * original's, which used ioctls; we send messages, as it did on newer kernels.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include "cache.h"
#include "number.h"
#include "tool.h"

#define PID_MOST	4194304u	/* the kernel's own limit */

static const char usage[] =
	"Usage: flashcache_setioctl (-c | -a | -r) (-b PID | -w PID) cachedev\n";

static const char help[] =
	"\n"
	"Puts processes on a list of a running cache: those whose I/O is not to be cached\n"
	"(black list), or is (white list).\n"
	"\n"
	"  -a      add the process to the list\n"
	"  -r      remove it\n"
	"  -c      empty the list (the PID is not looked at)\n"
	"  -b PID  the black list\n"
	"  -w PID  the white list\n"
	"  -h      this help\n"
	"\n"
	"Example: do not let a backup push out what is used\n"
	"  flashcache_setioctl -a -b $$ /dev/mapper/fast && tar -cf /backup.tar /data\n";

struct lists {
	const char *verb;
	const char *list;
	u64 pid;
};

static int parse_pid(struct lists *l, const char *list, const char *text)
{
	if (l->list)
		return fail("one of -b and -w");
	l->list = list;
	if (number_parse(text, &l->pid) || !l->pid || l->pid > PID_MOST)
		return fail("Bad PID! %s is not the number of a process", text);
	return 0;
}

static int parse_verb(struct lists *l, const char *verb)
{
	if (l->verb)
		return fail("one of -a, -r and -c");
	l->verb = verb;
	return 0;
}

static int parse_option(struct lists *l, int option)
{
	switch (option) {
	case 'a':
		return parse_verb(l, "add");
	case 'r':
		return parse_verb(l, "del");
	case 'c':
		return parse_verb(l, "delall");
	case 'b':
		return parse_pid(l, "blacklist", optarg);
	case 'w':
		return parse_pid(l, "whitelist", optarg);
	default:
		return -1;	/* getopt has said why */
	}
}

/* Return: -1 to go on, else an exit status. */
static int parse(struct lists *l, int argc, char **argv)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int option;

	while ((option = getopt_long(argc, argv, "carb:w:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (parse_option(l, option))
			return usage_error(usage, NULL);
	}
	if (!l->verb || !l->list)
		return usage_error(usage, "one of -a, -r and -c, and one of -b and -w are needed");
	return argc - optind == 1 ? -1 : usage_error(usage, "name one cachedev");
}

static int send_message(const struct lists *l, const struct cache *c)
{
	char message[64];
	int error;

	if (!strcmp(l->verb, "delall"))
		snprintf(message, sizeof(message), "%s delall", l->list);
	else
		snprintf(message, sizeof(message), "%s %s %" PRIu64, l->list, l->verb, l->pid);
	error = mapper_send(c->name, message);
	if (error == EINVAL)
		return fail("%s refuses '%s': the process may be gone, or the kernel module has no "
			    "lists of processes", c->name, message);
	return error ? fail("%s: '%s' failed: %s", c->name, message, strerror(error)) : 0;
}

int setioctl_main(int argc, char **argv)
{
	struct lists l = { .verb = NULL };
	struct cache cache = { .sectors = 0 };
	int ret = parse(&l, argc, argv);

	if (ret >= 0)
		return ret;
	ret = cache_get(&cache, argv[optind]) || send_message(&l, &cache);
	cache_free(&cache);
	return ret ? 1 : 0;
}
