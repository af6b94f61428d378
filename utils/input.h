/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_INPUT_H
#define FC_UTILS_INPUT_H

#include "env.h"

struct input;

struct input *input_open(const char *path);
int __must_check input_line(struct input *in, char *line, size_t len);
void input_close(struct input *in);

#endif /* FC_UTILS_INPUT_H */
