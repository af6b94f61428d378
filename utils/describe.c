// SPDX-License-Identifier: GPL-2.0
/*
 * Words for what lies on an SSD.
 */
#include <stdio.h>
#include <uuid/uuid.h>
#include "describe.h"
#include "flashcache/uapi.h"

const char *describe_state(const struct fc_super *super)
{
	return super->state == FCD_STATE_ORDERLY ? "orderly" : "running";
}

const char *describe_mode(const struct fc_super *super)
{
	static const char *const modes[] = FC_MODE_NAMES;

	return modes[super->mode];
}

const char *describe_policy(const struct fc_super *super)
{
	static const char *const policies[] = FC_POLICY_NAMES;

	return policies[super->policy];
}

const char *describe_found(enum fc_found found)
{
	switch (found) {
	case FC_FOUND_GOOD:
		return "good";
	case FC_FOUND_NOTHING:
		return "absent";
	case FC_FOUND_DAMAGED:
		return "damaged";
	case FC_FOUND_NEWER:
		return "newer";
	}
	return "?";
}

static void add_geometry(struct json_object *to, const struct fc_geo *geo)
{
	json_number(to, "block_bytes", (u64)geo->block_sectors * SECTOR_SIZE);
	json_number(to, "unit_bytes", (u64)SECTOR_SIZE << geo->unit_shift);
	json_number(to, "assoc", geo->assoc);
	json_number(to, "cluster_blocks", 1ull << geo->cluster_shift);
	json_number(to, "sets", geo->nr_sets);
	json_number(to, "blocks", geo->nr_slots);
	json_number(to, "log_blocks", geo->log_blocks);
	json_number(to, "table_blocks", geo->table_blocks);
	json_number(to, "data_start_sector", geo->data_start);
	json_number(to, "ssd_sectors", geo->flash_sectors);
	json_number(to, "disk_sectors", geo->disk_sectors);
}

/** describe_super_json() - all that a superblock says */
void describe_super_json(struct json_object *to, const struct fc_super *super)
{
	char uuid[37];

	uuid_unparse_lower(super->uuid, uuid);
	json_text(to, "name", super->name);
	json_text(to, "uuid", uuid);
	json_text(to, "disk_id", super->disk_id[0] ? super->disk_id : NULL);
	json_text(to, "state", describe_state(super));
	json_text(to, "mode", describe_mode(super));
	json_text(to, "policy", describe_policy(super));
	add_geometry(to, &super->geo);
	json_number(to, "seq", super->seq);
	json_number(to, "tail_seq", super->tail_seq);
	json_number(to, "table_generation", super->table_gen);
	json_flag(to, "has_disk_print", super->flags & FCD_SUPER_FINGERPRINT);
	json_number(to, "disk_print", super->disk_print);
	json_number(to, "dirty_thresh_pct", super->dirty_thresh_pct);
	json_number(to, "skip_seq_thresh_kb", super->skip_seq_thresh_kb);
	json_number(to, "fallow_delay", super->fallow_delay);
}

/** describe_image_json() - what table and log are like, and what they hold */
void describe_image_json(struct json_object *to, const struct image *image)
{
	struct json_object *table = json_child(to, "table"), *log = json_child(to, "log");

	json_number(table, "unreadable", image->table.unreadable);
	json_number(table, "lost_blocks", image->table.lost);
	json_number(table, "unfinished_blocks", image->table.remains);
	json_number(table, "impossible_entries", image->table.impossible);
	json_flag(table, "sum_differs", image->table.sum_differs);
	json_number(log, "commits", image->log.commits);
	json_number(log, "blocks", image->log.blocks);
	json_number(log, "records", image->log.records);
	json_number(log, "torn_blocks", image->log.torn);
	json_number(log, "impossible_records", image->log.impossible);
	json_number(log, "next_seq", image->log.next_seq);
	json_number(to, "cached_blocks", image->cached);
	json_number(to, "dirty_blocks", image->dirty);
	json_number(to, "dirty_bytes", image->dirty_sectors * SECTOR_SIZE);
}
