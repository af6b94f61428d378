// SPDX-License-Identifier: GPL-2.0
/* Device-mapper's ioctls. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "device.h"
#include "dm.h"

#define BUFFER_BYTES	16384

/* The head of an order, with room for what follows it. */
union order {
	struct dm_ioctl head;
	char bytes[BUFFER_BYTES];
};

static void begin(union order *order, const char *name)
{
	memset(order, 0, sizeof(*order));
	order->head.version[0] = DM_VERSION_MAJOR;
	order->head.data_size = sizeof(*order);
	order->head.data_start = sizeof(order->head);
	snprintf(order->head.name, sizeof(order->head.name), "%s", name);
}

static int carry_out(union order *order, unsigned long what)
{
	static int control = -1;

	if (control < 0) {
		control = open("/dev/mapper/control", O_RDWR);
		if (control < 0)
			die(EXIT_USAGE, "no device-mapper: %s", strerror(errno));
	}
	return ioctl(control, what, order) ? -errno : 0;
}

static int simple(const char *name, unsigned long what, uint32_t flags)
{
	union order order;

	begin(&order, name);
	order.head.flags = flags;
	return carry_out(&order, what);
}

static int load_table(const char *name, uint64_t sectors, const char *target, const char *params)
{
	union order order;
	struct dm_target_spec *spec = (void *)(order.bytes + sizeof(order.head));
	size_t room = sizeof(order) - sizeof(order.head) - sizeof(*spec);

	begin(&order, name);
	order.head.target_count = 1;
	spec->length = sectors;
	snprintf(spec->target_type, sizeof(spec->target_type), "%s", target);
	snprintf((char *)(spec + 1), room, "%s", params);
	return carry_out(&order, DM_TABLE_LOAD);
}

int dm_create(const char *name, uint64_t sectors, const char *target, const char *params)
{
	int ret = simple(name, DM_DEV_CREATE, 0);

	if (ret)
		return ret;
	ret = load_table(name, sectors, target, params);
	if (!ret)
		ret = dm_resume(name);
	if (ret)
		simple(name, DM_DEV_REMOVE, 0);
	return ret;
}

int dm_remove(const char *name)
{
	return simple(name, DM_DEV_REMOVE, 0);
}

int dm_suspend(const char *name)
{
	return simple(name, DM_DEV_SUSPEND, DM_SUSPEND_FLAG);
}

int dm_resume(const char *name)
{
	return simple(name, DM_DEV_SUSPEND, 0);
}

int dm_message(const char *name, const char *message)
{
	union order order;
	struct dm_target_msg *msg = (void *)(order.bytes + sizeof(order.head));
	size_t room = sizeof(order) - sizeof(order.head) - sizeof(*msg);

	begin(&order, name);
	snprintf(msg->message, room, "%s", message);
	return carry_out(&order, DM_TARGET_MSG);
}

int dm_status(const char *name, char *line, size_t bytes)
{
	union order order;
	struct dm_target_spec *spec;
	int ret;

	begin(&order, name);
	ret = carry_out(&order, DM_TABLE_STATUS);
	if (ret)
		return ret;
	spec = (void *)(order.bytes + order.head.data_start);
	snprintf(line, bytes, " %s", (char *)(spec + 1));
	return 0;
}

static const char *value_of(const char *line, const char *key)
{
	char word[64];
	const char *at;

	snprintf(word, sizeof(word), " %s=", key);
	at = strstr(line, word);
	if (!at)
		die(EXIT_USAGE, "the status line has no word %s:%s", key, line);
	return at + strlen(word);
}

uint64_t dm_word(const char *line, const char *key)
{
	return strtoull(value_of(line, key), NULL, 10);
}

int dm_word_is(const char *line, const char *key, const char *value)
{
	const char *at = value_of(line, key);

	return !strncmp(at, value, strlen(value)) && (!at[strlen(value)] || at[strlen(value)] == ' ');
}

int dm_path(const char *name, char *path, size_t bytes)
{
	union order order;
	int ret;

	begin(&order, name);
	ret = carry_out(&order, DM_DEV_STATUS);
	if (!ret)
		snprintf(path, bytes, "/dev/dm-%u", minor(order.head.dev));
	return ret;
}
