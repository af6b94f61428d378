/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: Sequential streams, several at once.
 *
 * A request that begins where a stream ended continues it, and so does one that begins within its
 * latest request: that is the rest of it, which device-mapper has cut off and hands in again. A
 * stream longer than the threshold passes by the cache. The caller serialises calls.
 */
#ifndef FC_CORE_SEQ_H
#define FC_CORE_SEQ_H

#include "env.h"

#define FC_SEQ_STREAMS	32u

/**
 * struct fc_seq_stream - a stream
 * @last: first sector of its latest request
 * @next: sector that continues it
 * @sectors: length so far
 * @spared: it was continued since it was last looked at for being forgotten
 */
struct fc_seq_stream {
	sector_t last;
	sector_t next;
	u64 sectors;
	bool spared;
};

/**
 * struct fc_seq - the streams of a cache
 * @turn: which stream is looked at next when one has to be forgotten
 * @streams: %FC_SEQ_STREAMS, most of them continued lately
 */
struct fc_seq {
	u32 turn;
	struct fc_seq_stream streams[FC_SEQ_STREAMS];
};

bool fc_seq_note(struct fc_seq *seq, sector_t sector, u32 nr, u64 threshold);

#endif /* FC_CORE_SEQ_H */
