// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a file or of standard input, as they are or compressed by xz.
 */
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <unistd.h>
#include "input.h"
#include "tool.h"

#define CHUNK		65536u
#define MAX_MEMORY	(256u << 20)	/* that xz may take */

/**
 * struct input - lines to come
 * @path: for messages
 * @fd: where they come from
 * @xz: they are compressed
 * @ended: nothing more comes from @fd
 * @lzma: the decoder
 * @raw: what came from @fd, when compressed
 * @text: text to be cut into lines
 * @at: place in @text
 * @len: length of @text
 */
struct input {
	const char *path;
	int fd;
	bool xz;
	bool ended;
	lzma_stream lzma;
	u8 raw[CHUNK];
	u8 text[CHUNK];
	size_t at;
	size_t len;
};

/* Return: bytes, 0 at the end, -1 on errors. */
static ssize_t read_chunk(struct input *in, u8 *buf)
{
	ssize_t got;

	do {
		got = read(in->fd, buf, CHUNK);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return fail("cannot read %s: %s", in->path, strerror(errno));
	in->ended = !got;
	return got;
}

static int begin_xz(struct input *in)
{
	lzma_stream start = LZMA_STREAM_INIT;

	in->lzma = start;
	if (lzma_stream_decoder(&in->lzma, MAX_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		return fail("not enough memory");
	memcpy(in->raw, in->text, in->len);
	in->lzma.next_in = in->raw;
	in->lzma.avail_in = in->len;
	in->len = 0;
	in->xz = true;
	return 0;
}

static int begin(struct input *in)
{
	static const u8 magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	ssize_t got = read_chunk(in, in->text);

	if (got < 0)
		return -1;
	in->len = (size_t)got;
	if (in->len >= sizeof(magic) && !memcmp(in->text, magic, sizeof(magic)))
		return begin_xz(in);
	return 0;
}

/**
 * input_open() - open a file for reading lines
 * @path: file, "-" is standard input
 *
 * Return: NULL when that is not possible, and it has been said why.
 */
struct input *input_open(const char *path)
{
	struct input *in = calloc(1, sizeof(*in));
	bool standard = !strcmp(path, "-");

	if (!in) {
		fail("not enough memory");
		return NULL;
	}
	in->path = standard ? "standard input" : path;
	in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		fail("cannot open %s: %s", path, strerror(errno));
	else if (!begin(in))
		return in;
	input_close(in);
	return NULL;
}

static int decode(struct input *in)
{
	lzma_ret ret = LZMA_OK;

	in->lzma.next_out = in->text;
	in->lzma.avail_out = CHUNK;
	while (in->lzma.avail_out == CHUNK && ret == LZMA_OK) {
		if (!in->lzma.avail_in && !in->ended) {
			ssize_t got = read_chunk(in, in->raw);

			if (got < 0)
				return -1;
			in->lzma.next_in = in->raw;
			in->lzma.avail_in = (size_t)got;
		}
		ret = lzma_code(&in->lzma, in->ended ? LZMA_FINISH : LZMA_RUN);
	}
	if (ret != LZMA_OK && ret != LZMA_STREAM_END)
		return fail("%s: its compression (xz) is damaged or cut off", in->path);
	in->len = CHUNK - in->lzma.avail_out;
	return 0;
}

static int refill(struct input *in)
{
	ssize_t got;

	in->at = 0;
	in->len = 0;
	if (in->xz)
		return decode(in);
	got = in->ended ? 0 : read_chunk(in, in->text);
	if (got < 0)
		return -1;
	in->len = (size_t)got;
	return 0;
}

/**
 * input_line() - the next line, without its end
 * @in: input
 * @line: filled; what does not fit is left out
 * @len: size of @line
 *
 * Return: 1, 0 at the end, -1 on errors, which have been told.
 */
int input_line(struct input *in, char *line, size_t len)
{
	size_t used = 0;
	bool some = false;

	for (;;) {
		if (in->at == in->len && refill(in))
			return -1;
		if (!in->len)
			break;
		some = true;
		if (in->text[in->at] == '\n') {
			in->at++;
			break;
		}
		if (used < len - 1)
			line[used++] = (char)in->text[in->at];
		in->at++;
	}
	line[used] = '\0';
	return some;
}

void input_close(struct input *in)
{
	if (in->xz)
		lzma_end(&in->lzma);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in);
}
