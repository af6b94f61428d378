// SPDX-License-Identifier: GPL-2.0
/*
 * In the place of src/sys: no windows, and a gate that is open to all.
 */
#include "cache.h"
#include "sys/gate.h"
#include "sys/window.h"

void fc_gate_init(struct fc_cache *c) { }
void fc_gate_exit(struct fc_cache *c) { }
void fc_gate_tune(struct fc_cache *c) { }
void fc_gate_expire(struct fc_cache *c) { }

enum fc_gate_word fc_gate_ask(struct fc_cache *c, const struct bio *bio)
{
	return FC_GATE_ASK;
}

int fc_gate_message(struct fc_cache *c, unsigned int argc, char **argv)
{
	return -ENOENT;
}

int fc_window_module_init(void)
{
	return 0;
}

void fc_window_module_exit(void) { }
void fc_window_open(struct fc_cache *c) { }
void fc_window_close(struct fc_cache *c) { }

void fc_window_name(struct fc_cache *c, char *name, size_t size)
{
	name[0] = '\0';
}
