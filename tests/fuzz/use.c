// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to a core, one at a time.
 */
#include "fixture.h"
#include "use.h"

static unsigned int end_plan(struct fc_core *core, struct fc_set *set, struct fc_plan *plan,
			     bool write, bool ok)
{
	bool elsewhere;

	switch (plan->verdict) {
	case FC_HIT:
		if (write)
			return fc_desk_done_write(core, set, plan, ok);
		return fc_desk_done_read(core, set, plan, ok, &elsewhere);
	case FC_FILL:
	case FC_FETCH:
		return fc_desk_done_fill(core, set, plan, ok);
	case FC_BOTH:
		return fc_desk_done_both(core, set, plan, ok);
	case FC_AROUND:
		return fc_desk_done_around(core, set, plan);
	default:
		return 0;
	}
}

unsigned int fuzz_use(struct fc_core *core, sector_t sector, u32 nr, bool write, bool ok)
{
	sector_t end = fc_geo_run_end(&core->geo, sector);
	struct fc_set *set = fix_set(core, sector);
	struct fc_ask ask;
	struct fc_plan plan;

	if (end > core->geo.disk_sectors)
		end = core->geo.disk_sectors;
	if (nr > end - sector)
		nr = (u32)(end - sector);
	ask = fix_ask(core, sector, nr);
	if (write)
		fc_desk_write(core, set, &ask, &plan);
	else
		fc_desk_read(core, set, &ask, &plan);
	return end_plan(core, set, &plan, write, ok);
}

unsigned int fuzz_clean(struct fc_core *core, u64 block)
{
	struct fc_oblock b = { block };
	struct fc_set *set = fix_set(core, fc_geo_block_sector(&core->geo, b));
	struct fc_clean_item item;
	u16 units;

	if (!fc_clean_find(core, set, b, &item))
		return 0;
	units = fc_clean_begin(core, set, &item);
	return fc_clean_end(core, set, &item, units, true);
}
