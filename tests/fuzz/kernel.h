/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: As much of the kernel as src/dm, src/meta, src/sys and src/cache.c need, in one thread.
 *
 * The headers are the simulator's (tests/sim/kernel/include), what is behind them is not: work that
 * is queued is never run, nobody ever waits, and memory is malloc()'s, so that the sanitizer
 * watches it. I/O goes straight to memory (rooms.c).
 */
#ifndef FC_FUZZ_KERNEL_H
#define FC_FUZZ_KERNEL_H

#include <linux/device-mapper.h>

/**
 * struct fuzz_dev - memory; behind @len bytes it reads as zeros and forgets what is written
 * @sectors: its size
 * @data: its beginning
 * @len: bytes of @data
 * @writes: how often it was written to
 */
struct fuzz_dev {
	sector_t sectors;
	u8 *data;
	size_t len;
	unsigned long writes;
};

/* What the module registered. */
extern struct target_type *fuzz_target;
/* Devices, and the paths "a" to "z" by which dm_get_device() knows them; open ones are counted. */
extern struct fuzz_dev fuzz_devs[26];
extern unsigned int fuzz_open_devices;
/* The last error in the log, "" when there is none, and how many there were. */
extern char fuzz_error[1024];
extern unsigned int fuzz_errors;

/*
 * From now on device "b" forgets what it was not told to flush when its power fails, which is at
 * the @writes-th write from here; 0: never. What is lost is chosen by @seed, sector by sector.
 */
void fuzz_power(unsigned int writes, u64 seed);
bool fuzz_power_failed(void);

#endif /* FC_FUZZ_KERNEL_H */
