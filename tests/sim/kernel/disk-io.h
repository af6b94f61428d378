/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the devices' files share.
 */
#ifndef SIM_DISK_IO_H
#define SIM_DISK_IO_H

#include "kernel.h"

/**
 * struct io - an I/O in flight
 * @next: next free one
 * @leg: device
 * @opf: operation
 * @sector: first sector
 * @nr: sectors, 0 of a flush
 * @left: sectors that have not been transferred
 * @id: number, rising; also the moment at which it was sent
 * @status: how it will end
 * @flushing: the flush in front of it has not been done
 * @over: it has ended; of one that somebody waits for
 * @held_until: see struct task
 * @bio: bio, or NULL when somebody waits for it
 * @room: length of @at and @done
 * @at: bytes of each sector
 * @done: sectors that were transferred
 */
struct io {
	struct io *next;
	struct leg *leg;
	blk_opf_t opf;
	u32 sector;
	u32 nr;
	u32 left;
	u64 id;
	blk_status_t status;
	bool flushing;
	bool over;
	u64 held_until;
	struct bio *bio;
	u32 room;
	u8 **at;
	u8 *done;
};

u32 disk_content(const struct io *io, u32 i);
bool disk_read_whole(const struct io *io);
u32 blob_new(const u8 *data);
const u8 *blob_data(u32 blob);

#endif /* SIM_DISK_IO_H */
