// SPDX-License-Identifier: GPL-2.0
/*
 * The forecast as a picture: hit ratio over cache size, a line for each policy.
 */
#include <math.h>
#include <stdio.h>
#include "forecast.h"
#include "human.h"
#include "tool.h"

#define WIDTH	760
#define HEIGHT	460
#define LEFT	70
#define RIGHT	20
#define TOP	50
#define BOTTOM	60

static const char *const colours[FORECAST_POLICIES] = { "#d95f02", "#7570b3", "#1b9e77" };

/* The size axis is logarithmic: each size is at least a little larger than the one before. */
static double x_of(const struct forecast *f, unsigned int size)
{
	double low = log2((double)f->sizes[0]), high = log2((double)f->sizes[f->nr_sizes - 1]);
	double share = high > low ? (log2((double)f->sizes[size]) - low) / (high - low) : 0.5;

	return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double y_of(double percent)
{
	return HEIGHT - BOTTOM - percent / 100 * (HEIGHT - TOP - BOTTOM);
}

static double percent(const struct forecast *f, u64 hits)
{
	return 100.0 * (double)hits / (double)f->set.accesses;
}

static void draw_frame(FILE *to, const struct forecast *f)
{
	human_text text;
	unsigned int i;
	int y;

	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\" font-size=\"13\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<text x=\"%d\" y=\"28\" font-size=\"16\">Blocks that hit, by cache size</text>\n",
		WIDTH, HEIGHT, LEFT);
	for (y = 0; y <= 100; y += 20)
		fprintf(to, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n", LEFT,
			WIDTH - RIGHT, y_of(y), y_of(y), LEFT - 8, y_of(y) + 4, y);
	for (i = 0; i < f->nr_sizes; i++)
		fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			x_of(f, i), HEIGHT - BOTTOM + 22, human_bytes(text, forecast_bytes(f, i)));
}

static void draw_limit(FILE *to, const struct forecast *f)
{
	double most = percent(f, f->set.accesses - f->set.distinct);

	fprintf(to, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#888\" "
		"stroke-dasharray=\"4 4\"/>\n<text x=\"%d\" y=\"%.1f\" fill=\"#666\">"
		"all but the first touches</text>\n", LEFT, WIDTH - RIGHT, y_of(most), y_of(most),
		LEFT + 6, y_of(most) - 6);
}

static void draw_policy(FILE *to, const struct forecast *f, unsigned int policy)
{
	unsigned int i;

	fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
		colours[policy]);
	for (i = 0; i < f->nr_sizes; i++)
		fprintf(to, "%s%.1f,%.1f", i ? " " : "", x_of(f, i),
			y_of(percent(f, f->cells[i][policy].hits)));
	fprintf(to, "\"/>\n");
	for (i = 0; i < f->nr_sizes; i++)
		fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x_of(f, i),
			y_of(percent(f, f->cells[i][policy].hits)), colours[policy]);
	fprintf(to, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n",
		LEFT + 90 * (int)policy, HEIGHT - 12, colours[policy], forecast_policy(policy));
}

/**
 * plot_write() - write the picture
 * @f: after forecast_run()
 * @path: an SVG file, which is replaced
 */
int plot_write(const struct forecast *f, const char *path)
{
	FILE *to = fopen(path, "we");
	unsigned int policy;
	bool failed;

	if (!to)
		return fail("cannot write %s: %s", path, strerror(errno));
	draw_frame(to, f);
	draw_limit(to, f);
	for (policy = 0; policy < FORECAST_POLICIES; policy++)
		draw_policy(to, f, policy);
	fprintf(to, "</svg>\n");
	failed = ferror(to);
	return fclose(to) || failed ? fail("cannot write %s: %s", path, strerror(errno)) : 0;
}
