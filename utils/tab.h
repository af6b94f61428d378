/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: /etc/flashcachetab, the caches of this machine.
 *
 * It says which caches come up by themselves and, before they do, which disks are not to be used
 * without them: at boot the disk may be there long before its SSD. create and load write it,
 * destroy takes out what it destroys, and people may edit it; flashcachetab(5) is its manual.
 */
#ifndef FC_UTILS_TAB_H
#define FC_UTILS_TAB_H

#include "env.h"
#include "identity.h"
#include "mapper.h"
#include "table.h"

/**
 * struct tab_line - a cache
 * @name: of the mapped device
 * @uuid: of the cache
 * @disk_id: identity of its disk, or "" when it has none
 * @noauto: it does not come up by itself
 */
struct tab_line {
	char name[MAPPER_NAME_LEN];
	char uuid[UUID_TEXT_LEN];
	char disk_id[IDENTITY_LEN];
	bool noauto;
};

/* Return: true to stop. */
typedef bool (*tab_visit_fn)(const struct tab_line *line, void *arg);

const char *tab_path(void);
int __must_check tab_each(tab_visit_fn visit, void *arg);
bool tab_find(const char *uuid, struct tab_line *line);
int __must_check tab_remember(const struct table *table);
void tab_remember_started(const struct table *table, dev_t ssd, dev_t disk);
void tab_forget(const char *uuid);

#endif /* FC_UTILS_TAB_H */
