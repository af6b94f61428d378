// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as people read them. All functions fill the caller's text and return it.
 */
#include <inttypes.h>
#include <stdio.h>
#include "human.h"

static const char *scaled(human_text text, u64 n, unsigned int step, const char *const *units)
{
	double value = (double)n;
	unsigned int unit = 0;
	bool whole;

	while (value >= step && units[unit + 1]) {
		value /= step;
		unit++;
	}
	/* "64 MiB", "1.5 MiB", "150 MiB": three digits are enough. */
	whole = value == (double)(u64)value;
	if (!unit)
		snprintf(text, HUMAN_LEN, "%" PRIu64 "%s", n, units[0]);
	else
		snprintf(text, HUMAN_LEN, "%.*f%s", whole || value >= 99.95 ? 0 : 1, value,
			 units[unit]);
	return text;
}

/** human_bytes() - "512 B", "1.5 GiB" */
const char *human_bytes(human_text text, u64 bytes)
{
	static const char *const units[] = {
		" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB", NULL
	};

	return scaled(text, bytes, 1024, units);
}

/** human_count() - "512", "1.5 M" */
const char *human_count(human_text text, u64 count)
{
	static const char *const units[] = { "", " k", " M", " G", " T", NULL };

	if (count < 100000) {
		snprintf(text, HUMAN_LEN, "%" PRIu64, count);
		return text;
	}
	return scaled(text, count, 1000, units);
}

/** human_percent() - "12.3 %", "-" of nothing */
const char *human_percent(human_text text, u64 part, u64 whole)
{
	if (whole)
		snprintf(text, HUMAN_LEN, "%.1f %%", 100.0 * (double)part / (double)whole);
	else
		snprintf(text, HUMAN_LEN, "-");
	return text;
}

/** human_seconds() - "12 s", "3:05 min", "2:07 h", "3 d" */
const char *human_seconds(human_text text, u64 seconds)
{
	if (seconds < 60)
		snprintf(text, HUMAN_LEN, "%" PRIu64 " s", seconds);
	else if (seconds < 3600)
		snprintf(text, HUMAN_LEN, "%" PRIu64 ":%02" PRIu64 " min", seconds / 60,
			 seconds % 60);
	else if (seconds < 48 * 3600)
		snprintf(text, HUMAN_LEN, "%" PRIu64 ":%02" PRIu64 " h", seconds / 3600,
			 seconds / 60 % 60);
	else
		snprintf(text, HUMAN_LEN, "%" PRIu64 " d", seconds / 86400);
	return text;
}
