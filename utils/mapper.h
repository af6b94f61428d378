/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_MAPPER_H
#define FC_UTILS_MAPPER_H

#include "env.h"

#define MAPPER_UUID_PREFIX	"FLASHCACHE-"	/* of the mapped device; then the cache's UUID */

int __must_check mapper_check_name(const char *name);
int __must_check mapper_check_target(void);
int __must_check mapper_check_free(const char *name);
int __must_check mapper_create(const char *name, const char *uuid, u64 sectors,
			       const char *params);

#endif /* FC_UTILS_MAPPER_H */
