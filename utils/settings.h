/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_SETTINGS_H
#define FC_UTILS_SETTINGS_H

#include "cache.h"

/**
 * struct setting - something that can be changed while a cache runs
 * @name: word of the message
 * @standard: value of a new cache
 * @least: least value
 * @most: greatest value
 * @what: what it is, if uapi.h says so
 */
struct setting {
	const char *name;
	u64 standard;
	u64 least;
	u64 most;
	const char *what;
};

extern const struct setting settings[];
extern const size_t nr_settings;

/**
 * struct change - a change that was asked for
 * @name: word of the message
 * @value: as the kernel wants it
 */
struct change {
	const char *name;
	char value[24];
};

const char *setting_text(const char *name);
const char *setting_value(const struct cache *c, const char *name, char value[24]);
int __must_check change_parse(struct change *change, const char *word);

#endif /* FC_UTILS_SETTINGS_H */
