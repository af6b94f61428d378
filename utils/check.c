// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache check: what is in a cache that does not run, and whether it is sound.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include "describe.h"
#include "human.h"
#include "progress.h"
#include "stop.h"
#include "tint.h"
#include "tool.h"

#define EXIT_UNSOUND	2

static const char usage[] =
	"Usage: flashcache check [--json] [-q] SSD\n";

static const char help[] =
	"\n"
	"Reads the metadata of a cache that does not run, without the kernel module, and says\n"
	"what is in it and whether it is sound. Nothing is written. SSD may also be a file\n"
	"with a copy of the device.\n"
	"\n"
	"  -j, --json   for machines; flashcache(8) describes it\n"
	"  -q, --quiet  no progress bar\n"
	"  -h, --help   this help\n"
	"\n"
	"Exit status: 0 sound, 2 not sound, 1 nothing could be checked (no cache there).\n"
	"A cache that is not sound cannot be loaded. 'flashcache writeback --salvage' saves\n"
	"what can be saved of its dirty blocks.\n";

struct check {
	bool json;
	struct device ssd;
	struct image image;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct check *c, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' }, { "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "jqh", long_options, NULL)) != -1) {
		switch (option) {
		case 'j':
			c->json = true;
			break;
		case 'q':
			progress_quiet();
			break;
		case 'h':
			printf("%s%s", usage, help);
			return 0;
		default:
			return usage_error(usage, NULL);
		}
	}
	return argc - optind == 1 ? -1 : usage_error(usage, "name one ssd");
}

static void print_supers(const struct image *image)
{
	const struct image_super *copy;
	unsigned int i;

	for (i = 0; i < FCD_SUPER_COPIES; i++) {
		copy = &image->copies[i];
		printf("  superblock %u  %s", i, describe_found(copy->found));
		if (copy->found == FC_FOUND_GOOD)
			printf(", number %" PRIu64 ", %s%s", copy->super.seq,
			       describe_state(&copy->super),
			       copy->super.seq == image->super.seq ? ": this one counts" : "");
		printf("\n");
	}
}

static void print_table(const struct image *image)
{
	const struct image_table *t = &image->table;

	printf("  table         %" PRIu64 " blocks", image->super.geo.table_blocks);
	if (t->unreadable)
		printf(", %" PRIu64 " copies cannot be read", t->unreadable);
	if (t->remains)
		printf(", %" PRIu64 " with remains of a checkpoint that was cut short", t->remains);
	printf("\n");
}

static void print_log(const struct image *image)
{
	const struct image_log *l = &image->log;

	if (image->orderly) {
		printf("  log           not needed: the cache was stopped in order\n");
		return;
	}
	printf("  log           %" PRIu64 " commits with %" PRIu64 " records", l->commits,
	       l->records);
	if (l->torn)
		printf(", behind them %" PRIu64 " blocks of one that was cut short", l->torn);
	printf("\n");
}

static void print_content(const struct image *image)
{
	const struct fc_geo *geo = &image->super.geo;
	human_text size, share, dirty;

	printf("  cached        %" PRIu64 " of %" PRIu64 " blocks of %s, %s\n", image->cached,
	       geo->nr_slots, human_bytes(size, (u64)geo->block_sectors * SECTOR_SIZE),
	       human_percent(share, image->cached, geo->nr_slots));
	printf("  dirty         %s%" PRIu64 " blocks, %s in them%s\n",
	       image->dirty ? tint(TINT_WARN) : "", image->dirty,
	       human_bytes(dirty, image->dirty_sectors * SECTOR_SIZE),
	       image->dirty ? tint(TINT_NONE) : "");
}

static int print_text(const struct check *c)
{
	const struct image *image = &c->image;
	unsigned int i;

	printf("%s%s%s: cache %s, %s, %s\n", tint(TINT_BOLD), c->ssd.path, tint(TINT_NONE),
	       image->super.name, describe_mode(&image->super), describe_policy(&image->super));
	printf("  disk          %s\n", image->super.disk_id[0] ? image->super.disk_id : "unknown");
	print_supers(image);
	print_table(image);
	print_log(image);
	print_content(image);
	if (!image->nr_problems)
		printf("%ssound%s: %s\n", tint(TINT_GOOD), tint(TINT_NONE), image->orderly ?
		       "it was stopped in order" :
		       "it was not stopped in order; all that is dirty is there");
	for (i = 0; i < image->nr_problems && i < IMAGE_PROBLEMS; i++)
		printf("%snot sound%s: %s\n", tint(TINT_BAD), tint(TINT_NONE), image->problems[i]);
	return fflush(stdout) ? fail("cannot write: %s", strerror(errno)) : 0;
}

static int print_json(const struct check *c)
{
	const struct image *image = &c->image;
	struct json_object *report = json_report(), *list, *item;
	unsigned int i;

	json_text(report, "ssd", c->ssd.path);
	json_flag(report, "sound", !image->nr_problems);
	list = json_list(report, "problems");
	for (i = 0; i < image->nr_problems && i < IMAGE_PROBLEMS; i++)
		json_object_array_add(list, json_object_new_string(image->problems[i]));
	list = json_list(report, "superblocks");
	for (i = 0; i < FCD_SUPER_COPIES; i++) {
		item = json_item(list);
		json_text(item, "found", describe_found(image->copies[i].found));
		if (image->copies[i].found == FC_FOUND_GOOD)
			json_number(item, "seq", image->copies[i].super.seq);
	}
	describe_super_json(json_child(report, "superblock"), &image->super);
	describe_image_json(report, image);
	return json_print(report);
}

int check_main(int argc, char **argv)
{
	struct check c = { .ssd.fd = -1 };
	int ret = parse(&c, argc, argv);

	if (ret >= 0)
		return ret;
	stop_catch();
	ret = device_open_image(&c.ssd, "SSD", argv[optind]) || image_open(&c.image, &c.ssd) ||
	      image_load(&c.image);
	if (!ret)
		ret = c.json ? print_json(&c) : print_text(&c);
	device_close(&c.ssd);
	image_free(&c.image);
	if (stop_asked())
		return EXIT_STOPPED;
	return ret ? 1 : c.image.nr_problems ? EXIT_UNSOUND : 0;
}
