// SPDX-License-Identifier: GPL-2.0
#include "seq.h"

static struct fc_seq_stream *stream_of(struct fc_seq *seq, sector_t sector)
{
	struct fc_seq_stream *oldest = &seq->streams[0];
	u32 i;

	for (i = 0; i < FC_SEQ_STREAMS; i++) {
		struct fc_seq_stream *s = &seq->streams[i];

		if (s->used && sector > s->last && sector <= s->next)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	oldest->sectors = 0;
	oldest->next = sector;
	return oldest;
}

/**
 * fc_seq_note() - note a request
 * @seq: streams, zeroed at first
 * @sector: first sector
 * @nr: sectors
 * @threshold: sectors
 *
 * Return: true when the request belongs to a stream that is longer than @threshold with it.
 */
bool fc_seq_note(struct fc_seq *seq, sector_t sector, u32 nr, u64 threshold)
{
	struct fc_seq_stream *s = stream_of(seq, sector);

	if (sector + nr > s->next) {
		s->sectors += sector + nr - s->next;
		s->next = sector + nr;
	}
	s->last = sector;
	s->used = ++seq->clock;
	return s->sectors > threshold;
}
