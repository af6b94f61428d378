/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: JSON output.
 *
 * Each report is one object; "schema" is its version, raised when something goes away or changes
 * its meaning. New members may come at any time. flashcache(8) describes all of them.
 */
#ifndef FC_UTILS_JSON_H
#define FC_UTILS_JSON_H

#include <json-c/json.h>
#include "env.h"

#define JSON_SCHEMA	1

struct json_object *json_report(void);
struct json_object *json_child(struct json_object *to, const char *key);
struct json_object *json_list(struct json_object *to, const char *key);
struct json_object *json_item(struct json_object *list);
void json_text(struct json_object *to, const char *key, const char *text);
void json_number(struct json_object *to, const char *key, u64 number);
void json_ratio(struct json_object *to, const char *key, u64 part, u64 whole);
void json_flag(struct json_object *to, const char *key, bool flag);
void json_word(struct json_object *to, const char *key, const char *word);
int __must_check json_print(struct json_object *report);

#endif /* FC_UTILS_JSON_H */
