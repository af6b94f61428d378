// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache dump: all that the metadata of a cache says.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include "describe.h"
#include "progress.h"
#include "stop.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache dump [--blocks | --all] [--json] [-q] SSD\n";

static const char help[] =
	"\n"
	"Prints what the metadata of a cache that does not run says: the superblock, and if\n"
	"wanted the blocks. Nothing is written. SSD may also be a file with a copy of the\n"
	"device.\n"
	"\n"
	"  -b, --blocks  the dirty blocks, one a line\n"
	"  -a, --all     all blocks\n"
	"  -j, --json    for machines, one object a line: first the superblock, then the\n"
	"                blocks; flashcache(8) describes them\n"
	"  -q, --quiet   no progress bar\n"
	"  -h, --help    this help\n"
	"\n"
	"Masks are hexadecimal; bit 0 is the unit with the lowest address.\n"
	"\n"
	"Example: where the dirty data would go on the disk\n"
	"  flashcache dump --blocks --json /dev/nvme0n1 | jq -r '.disk_sector // empty'\n";

enum wanted { WANT_SUPER, WANT_DIRTY, WANT_ALL };

struct dump {
	bool json;
	enum wanted wanted;
	struct device ssd;
	struct image image;
};

/* Return: -1 to go on, else an exit status. */
static int parse(struct dump *d, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "blocks", no_argument, NULL, 'b' }, { "all", no_argument, NULL, 'a' },
		{ "json", no_argument, NULL, 'j' }, { "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "bajqh", long_options, NULL)) != -1) {
		switch (option) {
		case 'b':
			d->wanted = WANT_DIRTY;
			break;
		case 'a':
			d->wanted = WANT_ALL;
			break;
		case 'j':
			d->json = true;
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

static struct json_object *super_report(const struct dump *d)
{
	struct json_object *report = json_report();

	json_text(report, "ssd", d->ssd.path);
	describe_super_json(report, &d->image.super);
	return report;
}

/* As JSON says it, so that nobody has to learn two sets of names. */
static void print_super_text(const struct dump *d)
{
	struct json_object *report = super_report(d);

	json_object_object_foreach(report, key, value)
		if (strcmp(key, "schema"))
			printf("%-20s %s\n", key, value ? json_object_get_string(value) : "-");
	json_object_put(report);
}

static void print_line(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static void print_block(const struct dump *d, u64 slot, const struct fc_slot *s)
{
	const struct fc_geo *geo = &d->image.super.geo;
	u64 disk = fc_geo_block_sector(geo, (struct fc_oblock){ s->block });
	u64 ssd = fc_geo_slot_sector(geo, (struct fc_slotno){ slot });
	struct json_object *line;

	if (!d->json) {
		printf("%12" PRIu64 " %14" PRIu64 " %14" PRIu64 "  %04x  %04x\n", slot, disk, ssd,
		       s->valid, s->dirty);
		return;
	}
	line = json_object_new_object();
	json_number(line, "slot", slot);
	json_number(line, "disk_sector", disk);
	json_number(line, "ssd_sector", ssd);
	json_number(line, "valid_units", s->valid);
	json_number(line, "dirty_units", s->dirty);
	print_line(line);
}

static void print_blocks(const struct dump *d)
{
	u64 slot;

	if (!d->json)
		printf("\n%12s %14s %14s  %4s  %4s\n", "slot", "disk sector", "ssd sector",
		       "valid", "dirty");
	for (slot = 0; slot < d->image.super.geo.nr_slots && !stop_asked(); slot++) {
		const struct fc_slot *s = image_slot(&d->image, slot);

		if (s->dirty || (s->valid && d->wanted == WANT_ALL))
			print_block(d, slot, s);
	}
}

static int dump(struct dump *d)
{
	if (d->wanted != WANT_SUPER && image_load(&d->image))
		return -1;
	if (d->json)
		print_line(super_report(d));
	else
		print_super_text(d);
	if (d->wanted != WANT_SUPER)
		print_blocks(d);
	if (fflush(stdout) || ferror(stdout))
		return fail("cannot write: %s", strerror(errno));
	if (d->image.nr_problems)
		note("warning: the cache is not sound, so blocks may be missing or wrong: "
		     "'flashcache check %s' says more", d->ssd.path);
	return 0;
}

int dump_main(int argc, char **argv)
{
	struct dump d = { .ssd.fd = -1 };
	int ret = parse(&d, argc, argv);

	if (ret >= 0)
		return ret;
	stop_catch();
	ret = device_open_image(&d.ssd, "SSD", argv[optind]) || image_open(&d.image, &d.ssd) ||
	      dump(&d);
	device_close(&d.ssd);
	image_free(&d.image);
	if (stop_asked())
		return EXIT_STOPPED;
	return ret ? 1 : 0;
}
