// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers and sizes as users write them.
 */
#include "number.h"

#define SECTOR_SHIFT	9

/* Reads digits; returns what follows them, NULL if there are none or too many. */
static const char *digits(const char *text, u64 *value)
{
	const char *c = text;

	*value = 0;
	for (; *c >= '0' && *c <= '9'; c++)
		if (__builtin_mul_overflow(*value, 10u, value) ||
		    __builtin_add_overflow(*value, (u64)(*c - '0'), value))
			return NULL;
	return c == text ? NULL : c;
}

/* log2 of the bytes that a unit letter stands for; -1 if it is none. */
static int unit_shift(char letter)
{
	switch (letter) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	case 't':
	case 'T':
		return 40;
	default:
		return -1;
	}
}

/**
 * number_parse() - read a decimal number
 * @text: digits, nothing else
 * @value: result
 *
 * Return: 0 or -1; says nothing.
 */
int number_parse(const char *text, u64 *value)
{
	const char *end = digits(text, value);

	return end && !*end ? 0 : -1;
}

/**
 * number_parse_sectors() - read a size
 * @text: a number of 512-byte sectors, or a number with k, m, g or t for powers of 1024 bytes
 * @sectors: result
 *
 * Return: 0, or -1 if it is no such size or does not fit a 64-bit number of bytes; says nothing.
 */
int number_parse_sectors(const char *text, u64 *sectors)
{
	const char *end = digits(text, sectors);
	int shift = SECTOR_SHIFT;

	if (!end)
		return -1;
	if (*end) {
		shift = unit_shift(*end);
		if (shift < 0 || end[1])
			return -1;
	}
	if (*sectors > UINT64_MAX >> shift)
		return -1;
	*sectors <<= shift - SECTOR_SHIFT;
	return 0;
}
