/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: How a disk is known again.
 *
 * Names such as /dev/sdb change from boot to boot. An identity is one string KEY=value that depends
 * on the disk, not on where it is plugged in, and if possible not on what is written on it: a new
 * file system on the cache must not make the disk unknown.
 */
#ifndef FC_UTILS_IDENTITY_H
#define FC_UTILS_IDENTITY_H

#include <sys/types.h>
#include "env.h"
#include "flashcache/format.h"

#define IDENTITY_LEN	FCD_ID_LEN	/* with the zero at its end */

struct identity_search {
	const char *id;		/* what is sought */
	u64 min_sectors;	/* smaller devices do not count */
	dev_t not_this;		/* nor does this one, the SSD */
	unsigned int found;	/* how many match */
	dev_t dev;		/* the first of them */
	char names[256];	/* of all of them, for messages */
};

void identity_of_event(dev_t dev);
bool identity_get(dev_t dev, char id[IDENTITY_LEN]);
bool identity_matches(dev_t dev, const char *id);
void identity_search(struct identity_search *search);
int __must_check identity_node(dev_t dev, char *path, size_t len);

#endif /* FC_UTILS_IDENTITY_H */
