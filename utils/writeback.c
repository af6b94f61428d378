// SPDX-License-Identifier: GPL-2.0
/*
 * flashcache writeback: the rescue. Writes the dirty blocks of a cache to its disk without the
 * kernel module.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "describe.h"
#include "human.h"
#include "identity.h"
#include "locate.h"
#include "progress.h"
#include "rescue.h"
#include "stop.h"
#include "tool.h"

static const char usage[] =
	"Usage: flashcache writeback [-n] [--keep] [--force] [--salvage] [--json] [-q]\n"
	"                            SSD [DISK]\n";

static const char help[] =
	"\n"
	"The rescue: writes the dirty blocks of a cache that does not run to its disk,\n"
	"without the kernel module. Afterwards the disk is up to date and can be used by\n"
	"itself, and the cache is empty. If all is well, 'flashcache load' and 'flashcache\n"
	"unload' do the same and keep the cache warm.\n"
	"\n"
	"It can be stopped (Ctrl-C, a crash, a power cut) and repeated at any time; nothing\n"
	"is lost. The disk is found by its identity unless DISK is named.\n"
	"\n"
	"  -n, --dry-run  only say what would be written\n"
	"  -k, --keep     write nothing to SSD, not even that its blocks are clean now\n"
	"  -f, --force    although DISK is not the one that was cached (a copy of it, say),\n"
	"                 or was written without its cache\n"
	"      --salvage  although the cache is not sound: write what can be had. Changes\n"
	"                 nothing on SSD. Check the file system afterwards\n"
	"  -j, --json     report for machines; flashcache(8) describes it\n"
	"  -q, --quiet    no progress bar\n"
	"  -h, --help     this help\n"
	"\n"
	"SSD and DISK may also be files with copies of the devices.\n"
	"\n"
	"Example: the kernel module is not there after an upgrade\n"
	"  flashcache check /dev/nvme0n1\n"
	"  flashcache writeback /dev/nvme0n1\n"
	"  mount /dev/sdb /data\n"
	"\n"
	"Exit status: 0 all is on the disk, 1 not all, 130 stopped.\n";

struct writeback {
	bool dry_run;
	bool keep;
	bool force;
	bool salvage;
	bool json;
	const char *ssd_path;
	const char *disk_path;
	char found_path[LOCATE_PATH_LEN];
	struct device ssd;
	struct device disk;
	struct image image;
	struct rescue rescue;
};

static bool set_option(struct writeback *w, int option)
{
	switch (option) {
	case 'n':
		return w->dry_run = true;
	case 'k':
		return w->keep = true;
	case 'f':
		return w->force = true;
	case 's':
		return w->salvage = w->keep = true;
	case 'j':
		return w->json = true;
	case 'q':
		progress_quiet();
		return true;
	default:
		return false;
	}
}

/* Return: -1 to go on, else an exit status. */
static int parse(struct writeback *w, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "dry-run", no_argument, NULL, 'n' }, { "keep", no_argument, NULL, 'k' },
		{ "force", no_argument, NULL, 'f' }, { "salvage", no_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' }, { "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "nkfjqh", long_options, NULL)) != -1) {
		if (option == 'h') {
			printf("%s%s", usage, help);
			return 0;
		}
		if (!set_option(w, option))
			return usage_error(usage, NULL);
	}
	if (argc - optind < 1 || argc - optind > 2)
		return usage_error(usage, "name the ssd, and perhaps the disk");
	w->ssd_path = argv[optind];
	w->disk_path = argc - optind == 2 ? argv[optind + 1] : NULL;
	return -1;
}

/* --- the disk --------------------------------------------------------------------------------- */

static int find_disk(struct writeback *w)
{
	char command[512];

	snprintf(command, sizeof(command), "flashcache writeback %s", w->ssd_path);
	if (locate_disk(&w->image.super, &w->ssd, command, w->found_path))
		return -1;
	w->disk_path = w->found_path;
	return 0;
}

static int check_identity(const struct writeback *w)
{
	const char *id = w->image.super.disk_id;

	if (!id[0] || (!w->disk.file && identity_matches(w->disk.dev, id)))
		return 0;
	if (!w->force)
		return fail("disk %s is not the one that was cached (%s): name that, or use "
			    "--force if it is a copy of it", w->disk_path, id);
	note("warning: disk %s is not the one that was cached (%s); going on as told",
	     w->disk_path, id);
	return 0;
}

/* After an orderly stop it can be told whether somebody has written the disk since. */
static int check_print(const struct writeback *w)
{
	static u8 start[FCD_PRINT_SECTORS * SECTOR_SIZE];
	const struct fc_super *super = &w->image.super;
	size_t len = sizeof(start);

	if (!w->image.orderly || !(super->flags & FCD_SUPER_FINGERPRINT))
		return 0;
	if (super->geo.disk_sectors < FCD_PRINT_SECTORS)
		len = super->geo.disk_sectors * SECTOR_SIZE;
	if (device_read(&w->disk, 0, start, len))
		return -1;
	if (crc32c(~0u, start, len) == super->disk_print)
		return 0;
	if (!w->force)
		return fail("disk %s was written without its cache since that was stopped: the "
			    "dirty blocks are older than that; --force writes them all the same",
			    w->disk_path);
	note("warning: disk %s was written without its cache; going on as told", w->disk_path);
	return 0;
}

static int open_disk(struct writeback *w)
{
	if (!w->disk_path && find_disk(w))
		return -1;
	if (!w->ssd.file && device_same(&w->ssd, w->disk_path))
		return fail("%s and %s are the same device: name the disk that was cached",
			    w->ssd_path, w->disk_path);
	if (device_open_image(&w->disk, "disk", w->disk_path))
		return -1;
	if (!w->dry_run && device_open_for_write(&w->disk))
		return -1;
	if (w->disk.sectors < w->image.super.geo.disk_sectors)
		return fail("disk %s has %" PRIu64 " sectors, the cached disk had %" PRIu64 ": not "
			    "the same disk", w->disk_path, w->disk.sectors,
			    w->image.super.geo.disk_sectors);
	return check_identity(w) || check_print(w) ? -1 : 0;
}

/* --- the work --------------------------------------------------------------------------------- */

static int open_ssd(struct writeback *w)
{
	if (device_open_image(&w->ssd, "SSD", w->ssd_path))
		return -1;
	if (!w->dry_run && !w->keep && w->ssd.read_only)
		return fail("SSD %s is read-only: --keep writes the disk alone", w->ssd_path);
	if (!w->dry_run && !w->keep && device_open_for_write(&w->ssd))
		return -1;
	return image_open(&w->image, &w->ssd);
}

static int check_sound(const struct writeback *w)
{
	if (!w->image.nr_problems)
		return 0;
	if (!w->salvage)
		return fail("the cache on %s is not sound: %s: 'flashcache check' says more, "
			    "--salvage writes what can be had", w->ssd_path, w->image.problems[0]);
	note("warning: the cache is not sound: %s; going on as told", w->image.problems[0]);
	return 0;
}

static bool complete(const struct rescue *r)
{
	return r->written == r->sectors;
}

static bool emptied(const struct writeback *w)
{
	return complete(&w->rescue) && w->rescue.nr_pieces && !w->keep && !w->dry_run;
}

static int copy(struct writeback *w)
{
	struct rescue *r = &w->rescue;

	if (!r->nr_pieces)
		return 0;
	if (!w->image.super.disk_id[0])
		note("the cache does not know its disk: %s is taken as told", w->disk_path);
	if (!w->keep && rescue_mark_begun(&w->image))
		return -1;
	if (rescue_copy(r))
		return -1;
	if (!emptied(w))
		return 0;
	stop_ignore();
	return rescue_mark_done(&w->image);
}

static int prepare(struct writeback *w)
{
	w->rescue.image = &w->image;
	w->rescue.disk = &w->disk;
	return open_ssd(w) || open_disk(w) || image_load(&w->image) || check_sound(w) ||
	       rescue_plan(&w->rescue) ? -1 : 0;
}

/* --- the result ------------------------------------------------------------------------------- */

static int print_json(const struct writeback *w)
{
	const struct rescue *r = &w->rescue;
	struct json_object *report = json_report();

	json_text(report, "ssd", w->ssd_path);
	json_text(report, "disk", w->disk_path);
	json_flag(report, "dry_run", w->dry_run);
	json_flag(report, "sound", !w->image.nr_problems);
	json_number(report, "dirty_blocks", w->image.dirty);
	json_number(report, "dirty_bytes", r->sectors * SECTOR_SIZE);
	json_number(report, "written_bytes", r->written * SECTOR_SIZE);
	json_number(report, "unreadable_bytes", r->unreadable * SECTOR_SIZE);
	json_number(report, "unwritable_bytes", r->unwritable * SECTOR_SIZE);
	json_number(report, "disputed_bytes", r->disputed * SECTOR_SIZE);
	json_flag(report, "complete", complete(r));
	json_flag(report, "emptied", emptied(w));
	return json_print(report);
}

static void print_success(const struct writeback *w)
{
	human_text size;

	if (!w->rescue.nr_pieces) {
		printf("nothing is dirty on %s: %s is up to date\n", w->ssd_path, w->disk_path);
		return;
	}
	printf("%" PRIu64 " dirty blocks, %s in them, %s %s%s\n", w->image.dirty,
	       human_bytes(size, w->rescue.sectors * SECTOR_SIZE),
	       w->dry_run ? "would be written to" : "written to", w->disk_path,
	       w->dry_run ? "" : ", which is up to date");
	if (w->dry_run)
		return;
	if (w->keep)
		printf("nothing was changed on %s: it still calls them dirty\n", w->ssd_path);
	else
		printf("the cache on %s is empty\n", w->ssd_path);
}

static int tell(const struct writeback *w)
{
	const struct rescue *r = &w->rescue;
	human_text left, unread, unwritten;

	if (w->json && print_json(w))
		return 1;
	if (stop_asked() && !complete(r)) {
		fail("stopped: %s are left to write: call it again, nothing is lost",
		     human_bytes(left, (r->sectors - r->written) * SECTOR_SIZE));
		return EXIT_STOPPED;
	}
	if (!complete(r) && !w->dry_run) {
		fail("%s could not be written (%s unreadable, %s unwritable); %s still has all "
		     "that it had", human_bytes(left, (r->sectors - r->written) * SECTOR_SIZE),
		     human_bytes(unread, r->unreadable * SECTOR_SIZE),
		     human_bytes(unwritten, r->unwritable * SECTOR_SIZE), w->ssd_path);
		return 1;
	}
	if (!w->json)
		print_success(w);
	return 0;
}

int writeback_main(int argc, char **argv)
{
	struct writeback w = { .ssd.fd = -1, .disk.fd = -1 };
	int ret = parse(&w, argc, argv);

	if (ret >= 0)
		return ret;
	stop_catch();
	ret = prepare(&w);
	if (!ret && !w.dry_run)
		ret = copy(&w);
	if (!ret)
		ret = tell(&w);
	else
		ret = stop_asked() ? EXIT_STOPPED : 1;
	device_close(&w.ssd);
	device_close(&w.disk);
	image_free(&w.image);
	free(w.rescue.pieces);
	return ret;
}
