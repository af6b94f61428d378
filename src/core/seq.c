// SPDX-License-Identifier: GPL-2.0
#include "seq.h"

/* The stream to be forgotten: the next one that was not continued since its last turn. */
static struct fc_seq_stream *forget(struct fc_seq *seq)
{
	struct fc_seq_stream *s;

	for (;;) {
		s = &seq->streams[seq->turn++ % FC_SEQ_STREAMS];
		if (!s->spared)
			return s;
		s->spared = false;
	}
}

static struct fc_seq_stream *stream_of(struct fc_seq *seq, sector_t sector)
{
	struct fc_seq_stream *s;

	for (s = seq->streams; s < seq->streams + FC_SEQ_STREAMS; s++) {
		if (sector <= s->next && sector > s->last) {
			s->spared = true;
			return s;
		}
	}
	s = forget(seq);
	s->sectors = 0;
	s->next = sector;
	return s;
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
	return s->sectors > threshold;
}
