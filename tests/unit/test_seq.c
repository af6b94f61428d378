// SPDX-License-Identifier: GPL-2.0
/*
 * Sequential streams.
 */
#include "harness.h"
#include "seq.h"

TEST(seq_one_stream)
{
	struct fc_seq seq = { 0 };

	CHECK(!fc_seq_note(&seq, 1000, 64, 128));
	CHECK(!fc_seq_note(&seq, 1064, 64, 128));
	CHECK(fc_seq_note(&seq, 1128, 1, 128));
	CHECK(fc_seq_note(&seq, 1129, 8, 128));
}

TEST(seq_gap_begins_anew)
{
	struct fc_seq seq = { 0 };

	CHECK(!fc_seq_note(&seq, 0, 100, 128));
	CHECK(!fc_seq_note(&seq, 101, 100, 128));
	CHECK(!fc_seq_note(&seq, 0, 100, 128));
	CHECK(fc_seq_note(&seq, 201, 100, 128));
}

/* device-mapper cuts a request and hands in the rest again: that is still the same request. */
TEST(seq_rest_of_a_request)
{
	struct fc_seq seq = { 0 };

	CHECK(!fc_seq_note(&seq, 1000, 100, 150));
	CHECK(!fc_seq_note(&seq, 1030, 70, 150));
	CHECK(!fc_seq_note(&seq, 1060, 40, 150));
	CHECK(fc_seq_note(&seq, 1100, 100, 150));
	CHECK(fc_seq_note(&seq, 1130, 70, 150));
	CHECK(!fc_seq_note(&seq, 1050, 10, 150));
	CHECK(!fc_seq_note(&seq, 1201, 10, 150));
}

TEST(seq_request_longer_than_the_threshold)
{
	struct fc_seq seq = { 0 };

	CHECK(fc_seq_note(&seq, 5000, 129, 128));
	CHECK(!fc_seq_note(&seq, 0, 128, 128));
}

/* As many streams at once as there is room for. */
TEST(seq_many_streams)
{
	struct fc_seq seq = { 0 };
	u32 i, round;

	for (round = 0; round < 10; round++)
		for (i = 0; i < FC_SEQ_STREAMS; i++)
			CHECK_EQ(fc_seq_note(&seq, i * 1000000ull + round * 8, 8, 40), round >= 5);
}

TEST(seq_random_requests_do_not_end_a_live_stream)
{
	struct fc_seq seq = { 0 };
	u32 i, j;

	for (i = 0; i < 50; i++) {
		CHECK_EQ(fc_seq_note(&seq, i * 8, 8, 80), i >= 10);
		for (j = 0; j < FC_SEQ_STREAMS - 1; j++)
			fc_seq_note(&seq, (1ull << 40) + test_random() % (1ull << 30), 8, 80);
	}
}

/* Untouched streams go oldest first. */
TEST(seq_forgets_the_oldest)
{
	struct fc_seq seq = { 0 };
	u32 i;

	for (i = 0; i < FC_SEQ_STREAMS + 1; i++)
		CHECK(!fc_seq_note(&seq, i * 1000000ull, 100, 150));
	CHECK(!fc_seq_note(&seq, 100, 100, 150));		/* stream 0 is gone */
	CHECK(fc_seq_note(&seq, 2000000ull + 100, 100, 150));	/* stream 2 is not */
}

TEST(seq_beyond_32_bits)
{
	struct fc_seq seq = { 0 };
	u64 at = 1ull << 45;
	u32 i;

	for (i = 0; i < 4; i++, at += 0xffffff00u)
		CHECK_EQ(fc_seq_note(&seq, at, 0xffffff00u, 3ull << 32), i >= 3);
	CHECK(!fc_seq_note(&seq, (1ull << 44), 8, 8));
}
