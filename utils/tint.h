/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_TINT_H
#define FC_UTILS_TINT_H

enum tint { TINT_NONE, TINT_BOLD, TINT_GOOD, TINT_WARN, TINT_BAD };

const char *tint(enum tint which);
enum tint tint_of_health(const char *health);

#endif /* FC_UTILS_TINT_H */
