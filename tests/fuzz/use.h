/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_FUZZ_USE_H
#define FC_FUZZ_USE_H

#include "desk.h"

/*
 * A request to a core at rest, of @nr sectors or fewer, and its end, well or badly. Return:
 * FC_DONE_* flags for the set of @sector.
 */
unsigned int fuzz_use(struct fc_core *core, sector_t sector, u32 nr, bool write, bool ok);

/* Cleans what is dirty of a block. Return: FC_DONE_* flags. */
unsigned int fuzz_clean(struct fc_core *core, u64 block);

#endif /* FC_FUZZ_USE_H */
