/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that repeat.
 */
#ifndef SIM_RNG_H
#define SIM_RNG_H

#include <linux/types.h>

struct rng {
	u64 state;
};

static inline u64 rng_mix(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static inline void rng_seed(struct rng *rng, u64 seed)
{
	rng->state = rng_mix(seed + 0x9e3779b97f4a7c15ull) | 1;
}

static inline u64 rng_next(struct rng *rng)
{
	rng->state ^= rng->state >> 12;
	rng->state ^= rng->state << 25;
	rng->state ^= rng->state >> 27;
	return rng->state * 0x2545f4914f6cdd1dull;
}

static inline u32 rng_below(struct rng *rng, u32 limit)
{
	return (u32)((rng_next(rng) >> 32) * limit >> 32);
}

static inline bool rng_chance(struct rng *rng, u32 percent)
{
	return rng_below(rng, 100) < percent;
}

static inline bool rng_one_in(struct rng *rng, u32 n)
{
	return !rng_below(rng, n);
}

#endif /* SIM_RNG_H */
