// SPDX-License-Identifier: GPL-2.0
/*
 * A small core for the fuzzers of table and log.
 */
#include <stdlib.h>

#include "desk.h"
#include "fixture.h"
#include "rig.h"
#include "use.h"

#define MAX_USES 16

static void choose_geometry(struct fuzz_in *in, struct fc_geo *geo)
{
	u8 shape = fuzz_u8(in);
	struct fc_geo_want want = {
		.block_sectors = 8u << (shape >> 6),
		.assoc = (shape & 0x23) == 0x22 ? 512 : 256,
		.disk_sectors = 1 + fuzz_u16(in) * (shape & 0x10 ? 1021 : 1),
	};
	const char *why;

	want.cluster_sectors = want.block_sectors << (shape >> 2 & 3);
	want.flash_sectors = FCD_DATA_ALIGN + (1 + (shape & 3)) *
			     want.assoc * want.block_sectors;
	CHECK(!fc_geo_init(geo, &want, &why));
	CHECK_EQ(geo->nr_sets, 1 + (shape & 3));
}

static void zero_sets(struct fc_core *core, char **memory)
{
	if (!*memory)
		*memory = aligned_alloc(64, 4 * (fc_set_bytes(512) + 64));
	CHECK(*memory);
	core->stride = fc_set_bytes(core->geo.assoc);
	core->sets = *memory;
	memset(core->sets, 0, core->geo.nr_sets * core->stride);
}

static void build_sets(struct fc_core *core)
{
	static char *memory;
	u32 i;

	zero_sets(core, &memory);
	for (i = 0; i < core->geo.nr_sets; i++)
		fc_set_init(core, fc_core_set(core, i));
}

struct fc_core *rig_zeroed(const struct rig *rig)
{
	static struct fc_core core;
	static char *memory;

	core = rig->core;
	zero_sets(&core, &memory);
	return &core;
}

struct rig *rig_new(struct fuzz_in *in)
{
	static struct rig rig;
	u8 flags = fuzz_u8(in);

	memset(&rig, 0, sizeof(rig));
	choose_geometry(in, &rig.sb.geo);
	rig.sb.seed = 0x1234567;
	rig.sb.tail_seq = 1000;
	rig.sb.table_gen = 7;
	rig.orderly = flags & 1;
	rig.core.geo = rig.sb.geo;
	rig.core.mode = FC_MODE_WRITEBACK + (flags >> 1 & 3) % 3;
	rig.core.policy = (flags >> 3 & 3) % 3;
	rig.core.dirty_limit = (u16)(rig.core.geo.assoc / 5);
	build_sets(&rig.core);
	return &rig;
}

/* An entry or record that the format found possible must be so by its own numbers. */
static void check_possible(const struct rig *rig, struct fc_slotno slot, struct fc_oblock b,
			   u16 units)
{
	const struct fc_geo *geo = &rig->sb.geo;
	sector_t start = b.n * geo->block_sectors;
	u32 per_unit = geo->block_sectors / geo->units, i;

	CHECK(slot.n < geo->nr_slots);
	CHECK(start < geo->disk_sectors);
	CHECK_EQ(slot.n / geo->assoc, fc_geo_set(geo, fc_geo_hash(geo, b)));
	for (i = 0; i < 16; i++)
		if (units >> i & 1)
			CHECK(i < geo->units && start + i * per_unit < geo->disk_sectors);
}

void rig_load(struct rig *rig, struct fc_slotno slot, const struct fc_entry *entry)
{
	check_possible(rig, slot, entry->block, entry->valid);
	CHECK(!(entry->dirty & ~entry->valid));
	fc_ledger_load(&rig->core, slot, entry, rig->orderly);
	rig->want[slot.n] = *entry;
	if (!rig->orderly)
		rig->want[slot.n].valid = entry->dirty;
}

void rig_replay(struct rig *rig, const struct fc_record *rec)
{
	check_possible(rig, rec->slot, rec->block, rec->dirty);
	fc_ledger_replay(&rig->core, rec);
	rig->want[rec->slot.n] = (struct fc_entry){ rec->block, rec->dirty, rec->dirty, 0 };
}

bool rig_has_double(const struct rig *rig)
{
	u64 nr = rig->sb.geo.nr_slots, held[RIG_SLOTS], n = 0, i, k;

	for (i = 0; i < nr; i++) {
		if (!rig->want[i].valid)
			continue;
		for (k = 0; k < n; k++)
			if (held[k] == rig->want[i].block.n)
				return true;
		held[n++] = rig->want[i].block.n;
	}
	return false;
}

bool rig_put_together(struct fc_core *core)
{
	u32 i;

	for (i = 0; i < core->geo.nr_sets; i++)
		if (!fc_ledger_settle(core, fc_core_set(core, i)))
			return false;
	return true;
}

static void check_slots(const struct rig *rig)
{
	const struct fc_core *core = &rig->core;
	u64 i;

	for (i = 0; i < core->geo.nr_slots; i++) {
		const struct fc_entry *want = &rig->want[i];
		struct fc_set *set = fc_core_set(core, (u32)(i / core->geo.assoc));
		u16 way = (u16)(i % core->geo.assoc);
		struct fc_entry found;

		fc_ledger_snapshot(set, way, &found);
		CHECK_EQ(found.valid, want->valid);
		if (!want->valid)
			continue;
		CHECK_EQ(found.block.n, want->block.n);
		CHECK_EQ(found.dirty, want->dirty);
		CHECK_EQ(fix_find(core, want->block.n), way);
	}
}

/* What a loaded core is for: a request, which ends well or badly. */
static void use(struct fc_core *core, struct fuzz_in *in)
{
	sector_t sector = fuzz_u64(in) % core->geo.disk_sectors;
	u8 how = fuzz_u8(in);

	fuzz_use(core, sector, 1 + (how >> 2), how & 1, !(how & 2));
	fc_check_set(core, fix_set(core, sector));
}

bool rig_settle(struct rig *rig)
{
	bool twice = rig_has_double(rig);
	u32 i;

	CHECK_EQ(rig_put_together(&rig->core), !twice);
	if (twice)
		return false;
	for (i = 0; i < rig->core.geo.nr_sets; i++)
		fc_check_idle(&rig->core, fc_core_set(&rig->core, i));
	check_slots(rig);
	return true;
}

void rig_use(struct rig *rig, struct fuzz_in *in)
{
	int i;

	if (!in->left)
		return;
	for (i = 0; in->left && i < MAX_USES; i++)
		use(&rig->core, in);
	fix_commit(&rig->core);
	fc_check_core(&rig->core);
}
