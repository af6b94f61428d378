// SPDX-License-Identifier: GPL-2.0
/*
 * JSON output, through json-c.
 */
#include <stdio.h>
#include "json.h"
#include "number.h"
#include "tool.h"

/** json_report() - a new report; json_print() ends it */
struct json_object *json_report(void)
{
	struct json_object *report = json_object_new_object();

	json_number(report, "schema", JSON_SCHEMA);
	return report;
}

/** json_child() - an object in an object */
struct json_object *json_child(struct json_object *to, const char *key)
{
	struct json_object *child = json_object_new_object();

	json_object_object_add(to, key, child);
	return child;
}

/** json_list() - an array in an object */
struct json_object *json_list(struct json_object *to, const char *key)
{
	struct json_object *list = json_object_new_array();

	json_object_object_add(to, key, list);
	return list;
}

/** json_item() - another object in an array */
struct json_object *json_item(struct json_object *list)
{
	struct json_object *item = json_object_new_object();

	json_object_array_add(list, item);
	return item;
}

/** json_text() - a text; null for NULL */
void json_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, text ? json_object_new_string(text) : NULL);
}

void json_number(struct json_object *to, const char *key, u64 number)
{
	json_object_object_add(to, key, json_object_new_uint64(number));
}

/** json_ratio() - a number from 0 to 1 with four decimals; null of nothing */
void json_ratio(struct json_object *to, const char *key, u64 part, u64 whole)
{
	double ratio = whole ? (double)part / (double)whole : 0;
	char text[32];

	snprintf(text, sizeof(text), "%.4f", ratio);
	json_object_object_add(to, key,
			       whole ? json_object_new_double_s(ratio, text) : NULL);
}

void json_flag(struct json_object *to, const char *key, bool flag)
{
	json_object_object_add(to, key, json_object_new_boolean(flag));
}

/** json_word() - a word from the kernel: a number if it is one, else a text */
void json_word(struct json_object *to, const char *key, const char *word)
{
	u64 number;

	if (number_parse(word, &number))
		json_text(to, key, word);
	else
		json_number(to, key, number);
}

/** json_print() - print a report and free it */
int json_print(struct json_object *report)
{
	const char *text = json_object_to_json_string_ext(report, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_SPACED |
							  JSON_C_TO_STRING_NOSLASHESCAPE);
	int ret = 0;

	if (!text || puts(text) < 0 || fflush(stdout))
		ret = fail("cannot write the report: %s", strerror(errno));
	json_object_put(report);
	return ret;
}
