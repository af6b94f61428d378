// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU that counts how often each instruction is executed.
 *
 * Arguments: dir=DIR. Whenever a file DIR/mark appears, its content is taken for a name, all counts
 * go to DIR/NAME.counts, and the file is removed. A line of it is an address of 16 hex digits and a
 * count; what is not in the kernel's half of the address space is one line, address 0.
 *
 * The guest has one CPU and rests while a mark is there, so nothing is locked. QEMU's header is not
 * packaged everywhere; what is needed of its documented interface, version 1, is declared here.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT	__attribute__((visibility("default")))
#define OP_ADD_U64	0
#define KERNEL	(1ull << 63)
#define HASH_BITS	18

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*tb_trans_cb)(uint64_t id, struct qemu_plugin_tb *tb);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, tb_trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *ptr,
					      uint64_t imm);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

/* Instructions that are executed together: all of them, or none. */
struct block {
	struct block *next;
	uint64_t count;
	uint64_t start;
	size_t nr;
	uint64_t addr[];
};

static struct block *blocks[1 << HASH_BITS];
static uint64_t user_count;
static const char *dir = ".";

static struct block **bucket_of(uint64_t start)
{
	return &blocks[(start * 0x9e3779b97f4a7c15ull) >> (64 - HASH_BITS)];
}

/* Code is translated again and again; its count stays. */
static struct block *block_of(const struct qemu_plugin_tb *tb)
{
	uint64_t start = qemu_plugin_tb_vaddr(tb);
	size_t nr = qemu_plugin_tb_n_insns(tb), i;
	struct block **bucket = bucket_of(start);
	struct block *b;

	for (b = *bucket; b; b = b->next)
		if (b->start == start && b->nr == nr)
			return b;
	b = calloc(1, sizeof(*b) + nr * sizeof(b->addr[0]));
	if (!b)
		abort();
	b->start = start;
	b->nr = nr;
	for (i = 0; i < nr; i++)
		b->addr[i] = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
	b->next = *bucket;
	*bucket = b;
	return b;
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	uint64_t *count = &user_count;
	uint64_t by = qemu_plugin_tb_n_insns(tb);

	if (qemu_plugin_tb_vaddr(tb) & KERNEL) {
		count = &block_of(tb)->count;
		by = 1;
	}
	qemu_plugin_register_vcpu_tb_exec_inline(tb, OP_ADD_U64, count, by);
}

static void dump(const char *name)
{
	char path[4096];
	struct block *b;
	size_t i, k;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.counts", dir, name);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "%016x %" PRIu64 "\n", 0, user_count);
	for (i = 0; i < 1 << HASH_BITS; i++)
		for (b = blocks[i]; b; b = b->next)
			for (k = 0; b->count && k < b->nr; k++)
				fprintf(f, "%016" PRIx64 " %" PRIu64 "\n", b->addr[k], b->count);
	fclose(f);
}

static bool read_mark(const char *path, char *name, int size)
{
	FILE *f = fopen(path, "r");
	bool whole = false;

	if (!f)
		return false;
	if (fgets(name, size, f) && strchr(name, '\n')) {
		*strchr(name, '\n') = 0;
		whole = true;
	}
	fclose(f);
	return whole;
}

static void *wait_for_marks(void *unused)
{
	char path[4096], name[256];

	snprintf(path, sizeof(path), "%s/mark", dir);
	for (;;) {
		if (read_mark(path, name, sizeof(name))) {
			dump(name);
			unlink(path);
		}
		usleep(50000);
	}
	return NULL;
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	pthread_t thread;

	if (argc == 1 && !strncmp(argv[0], "dir=", 4))
		dir = strdup(argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return pthread_create(&thread, NULL, wait_for_marks, NULL);
}
