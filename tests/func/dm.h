/* SPDX-License-Identifier: GPL-2.0 */
/* Device-mapper by its ioctls, without udev: a process for each order would take most of the time. */
#ifndef FC_TEST_DM_H
#define FC_TEST_DM_H

#include <stddef.h>
#include <stdint.h>

/*
 * All take the name of a device and return 0 or a negative error number. dm_path() is the node of
 * the device that was created last under that name.
 */
int dm_create(const char *name, uint64_t sectors, const char *target, const char *params);
int dm_remove(const char *name);
int dm_suspend(const char *name);
int dm_resume(const char *name);
int dm_message(const char *name, const char *message);

/* The status line of the device's only target. */
int dm_status(const char *name, char *line, size_t bytes);

/* A number in a line of key=value words; dies when it is not there. */
uint64_t dm_word(const char *line, const char *key);

/* Is the word KEY=VALUE in the line? */
int dm_word_is(const char *line, const char *key, const char *value);

/* The device's node, for as long as it exists. */
int dm_path(const char *name, char *path, size_t bytes);

#endif
