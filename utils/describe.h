/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_DESCRIBE_H
#define FC_UTILS_DESCRIBE_H

#include "image.h"
#include "json.h"

const char *describe_state(const struct fc_super *super);
const char *describe_mode(const struct fc_super *super);
const char *describe_policy(const struct fc_super *super);
const char *describe_found(enum fc_found found);
void describe_super_json(struct json_object *to, const struct fc_super *super);
void describe_image_json(struct json_object *to, const struct image *image);

#endif /* FC_UTILS_DESCRIBE_H */
