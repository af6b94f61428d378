/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_REPORT_H
#define FC_UTILS_REPORT_H

#include <stdio.h>
#include "cache.h"
#include "json.h"

bool report_is_counter(const char *word, const char **value);
void report_json(struct json_object *to, const struct cache *c);
void report_prometheus(FILE *to, const struct cache_list *list);

#endif /* FC_UTILS_REPORT_H */
