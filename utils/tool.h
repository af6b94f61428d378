/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What all commands of the tool share.
 *
 * Functions that can fail return 0, or -1 after they have told the user why in one line on stderr:
 * what is wrong, then what to do. A command turns -1 into exit status 1; nothing is printed twice.
 */
#ifndef FC_UTILS_TOOL_H
#define FC_UTILS_TOOL_H

#include "env.h"

/* The command as the user called it, for messages. */
extern const char *tool_name;

int fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), cold));
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_later(void);
void say_now(void);
int parse_one_word(int argc, char **argv, const char *usage, const char *help,
		   const char *missing);
int usage_error(const char *usage, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The commands: argv[0] is the command's name. Return: exit status. */
int create_main(int argc, char **argv);
int load_main(int argc, char **argv);
int destroy_main(int argc, char **argv);
int attach_main(int argc, char **argv);
int detach_main(int argc, char **argv);
int grow_main(int argc, char **argv);
int setioctl_main(int argc, char **argv);
int list_main(int argc, char **argv);
int status_main(int argc, char **argv);
int get_main(int argc, char **argv);
int set_main(int argc, char **argv);
int flush_main(int argc, char **argv);
int check_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int top_main(int argc, char **argv);
int advise_main(int argc, char **argv);
int writeback_main(int argc, char **argv);
int udev_main(int argc, char **argv);
int unload_main(int argc, char **argv);

#endif /* FC_UTILS_TOOL_H */
