// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache: one program for all commands.
 *
 * The command is the program's name (flashcache_create) or its first argument (flashcache create).
 */
#include <stdio.h>
#include "flashcache/version.h"
#include "tool.h"

static const struct command {
	const char *name;
	const char *full_name;
	int (*main)(int argc, char **argv);
	const char *what;
} commands[] = {
	{ "create", "flashcache_create", create_main, "put an SSD in front of a disk" },
	{ "load", "flashcache_load", load_main, "start a cache that exists on an SSD" },
	{ "unload", "flashcache unload", unload_main, "stop a running cache" },
	{ "attach", "flashcache attach", attach_main,
	  "put an SSD under a mounted file system" },
	{ "detach", "flashcache detach", detach_main,
	  "take a cache away under a mounted file system" },
	{ "destroy", "flashcache_destroy", destroy_main, "forget the cache on an SSD" },
	{ "list", "flashcache list", list_main, "name the caches" },
	{ "status", "flashcache status", status_main, "tell how caches are" },
	{ "top", "flashcache top", top_main, "show what caches do right now" },
	{ "get", "flashcache get", get_main, "print settings" },
	{ "set", "flashcache set", set_main, "change settings" },
	{ "grow", "flashcache grow", grow_main, "cover a disk that has grown" },
	{ "flush", "flashcache flush", flush_main, "write dirty blocks to the disk" },
	{ "check", "flashcache check", check_main, "tell whether a stopped cache is sound" },
	{ "dump", "flashcache dump", dump_main, "print the metadata of a stopped cache" },
	{ "writeback", "flashcache writeback", writeback_main,
	  "the rescue: dirty blocks to the disk, without the module" },
	{ "advise", "flashcache advise", advise_main, "from a trace: how large a cache?" },
	{ "udev", "flashcache udev", udev_main, "for udev's rule: what is a device to us?" },
	{ "setioctl", "flashcache_setioctl", setioctl_main, "lists of processes to cache or not" },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *word)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(word, commands[i].name) || !strcmp(word, commands[i].full_name))
			return &commands[i];
	return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
	tool_name = command->full_name;
	argv[0] = (char *)command->full_name;	/* getopt's messages begin with it */
	return command->main(argc, argv);
}

static void help(FILE *to)
{
	size_t i;

	fprintf(to, "Usage: flashcache COMMAND [ARGUMENTS]\n\n");
	fprintf(to, "Commands (COMMAND -h explains each):\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].what);
	fprintf(to, "\nflashcache_create, _load, _destroy and _setioctl are other names of these commands.\n"
		    "Exit status: 0 done, 1 not done, 2 a check found something, 130 stopped by Ctrl-C.\n"
		    "flashcache --version prints the version; flashcache(8) is the manual.\n");
}

/* "help COMMAND" is "COMMAND --help". */
static int explain(int argc, char **argv)
{
	const struct command *command = argc > 2 ? find_command(argv[2]) : NULL;
	char option[] = "--help", *words[] = { NULL, option, NULL };

	if (command)
		return run(command, 2, words);
	help(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	const char *base = argc ? strrchr(argv[0], '/') : NULL;
	const struct command *command;

	command = argc ? find_command(base ? base + 1 : argv[0]) : NULL;
	if (command)
		return run(command, argc, argv);
	if (argc < 2) {
		help(stderr);
		return 1;
	}
	command = find_command(argv[1]);
	if (command)
		return run(command, argc - 1, argv + 1);
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
		return explain(argc, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("flashcache %s\n", FC_VERSION);
		return 0;
	}
	fail("unknown command '%s': 'flashcache --help' lists the commands", argv[1]);
	return 1;
}
