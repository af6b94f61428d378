/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_FUZZ_POWER_H
#define FC_FUZZ_POWER_H

#include "scene.h"

/* The devices hold scene @s: power fails in a life that begins with this kind of table line. */
void power_one(const struct scene *s, u8 line, struct fuzz_in *in);

#endif /* FC_FUZZ_POWER_H */
