/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: What may be read from each sector.
 *
 * A sector is an atomic register: a read gives a version whose write may have been the last one.
 * After a power cut that is: the last version that was flushed, or one that was written later (P1,
 * P2). Each write of a sector has a number of its own, its version, which is also the stamp that
 * lies in the sector; so what is read says where it came from.
 */
#ifndef SIM_JUDGE_H
#define SIM_JUDGE_H

#include "kernel/disk.h"

void judge_reset(u32 sectors);

/* Versions of writes: consecutive numbers for consecutive sectors. */
u32 judge_versions(u32 sector, u32 nr);

/* A write, or with @version 0 a discard, of sectors; a moment passes with each call. */
u64 judge_now(void);
void judge_started(u32 sector, u32 nr, u32 version, bool fua, u64 start);
void judge_ended(u32 sector, u32 nr, u32 version, u64 start, bool failed);
void judge_flushed(u64 start);
void judge_oldest(u64 start);

bool judge_read(u32 sector, u32 value, u64 start);
bool judge_cut(u32 sector, u32 value);
void judge_explain(u32 sector, u32 value, bool cut);
bool judge_certain(u32 sector);

/* What it read after a recovery is what it is, and all that was before is history. */
void judge_restart(u32 sector, u32 value);

/* The one version that can be read now or after a cut, or STAMP_NEVER when there are several. */
extern u32 judge_sole[MAX_SECTORS];

#endif /* SIM_JUDGE_H */
