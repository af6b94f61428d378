// SPDX-License-Identifier: GPL-2.0
/*
 * Sysctls: a window's knobs, dev.flashcache.<window>.<knob>.
 */
#include "sys/window.h"

#define DM_MSG_PREFIX "flashcache"

#define TEXT_LEN	16	/* a number, a line feed, and the end */

static int read_knob(u32 value, char *buffer, size_t *lenp, loff_t *ppos)
{
	char text[TEXT_LEN];
	size_t len = *ppos ? 0 : scnprintf(text, sizeof(text), "%u\n", value);

	*lenp = min(*lenp, len);
	memcpy(buffer, text, *lenp);
	*ppos += *lenp;
	return 0;
}

static int write_knob(struct fc_cache *c, unsigned int which, const char *buffer, size_t len,
		      loff_t *ppos)
{
	char text[TEXT_LEN];
	int r;

	if (*ppos || len >= sizeof(text))
		return -EINVAL;
	memcpy(text, buffer, len);
	text[len] = '\0';
	r = fc_knob_set(c, which, strim(text));
	if (!r)
		*ppos += len;
	return r;
}

static int knob_handler(fc_ctl_table *table, int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	struct fc_window *w = table->extra1;
	unsigned int which = table - w->knobs;
	int r;

	mutex_lock(&w->lock);
	if (!w->c)
		r = -ENODEV;
	else if (write)
		r = write_knob(w->c, which, buffer, *lenp, ppos);
	else
		r = read_knob(fc_knob_get(w->c, which), buffer, lenp, ppos);
	mutex_unlock(&w->lock);
	return r;
}

/** fc_sysctl_add() - make a window's sysctls; it lives without them if that fails */
void fc_sysctl_add(struct fc_window *w)
{
	char path[FC_WINDOW_NAME + 16];
	unsigned int i;

	for (i = 0; i < FC_NR_KNOBS; i++) {
		w->knobs[i].procname = fc_knob_name(i);
		w->knobs[i].maxlen = sizeof(int);
		w->knobs[i].mode = 0644;
		w->knobs[i].proc_handler = knob_handler;
		w->knobs[i].extra1 = w;
	}
	snprintf(path, sizeof(path), "dev/flashcache/%s", w->name);
	w->sysctl = fc_register_sysctl(path, w->knobs, FC_NR_KNOBS);
	if (!w->sysctl)
		DMWARN("%s: no sysctls", w->c->cfg.name);
}

/** fc_sysctl_remove() - remove them, when their last user is through */
void fc_sysctl_remove(struct fc_window *w)
{
	if (w->sysctl)
		unregister_sysctl_table(w->sysctl);
}
