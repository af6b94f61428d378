/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_NUMBER_H
#define FC_UTILS_NUMBER_H

#include "env.h"

int __must_check number_parse(const char *text, u64 *value);
int __must_check number_parse_sectors(const char *text, u64 *sectors);

#endif /* FC_UTILS_NUMBER_H */
