/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FC_UTILS_STOP_H
#define FC_UTILS_STOP_H

#include "env.h"

#define EXIT_STOPPED	130	/* as a shell says of a program ended by Ctrl-C */

void stop_catch(void);
void stop_ignore(void);
bool stop_asked(void);
bool stop_sleep(unsigned int milliseconds);

#endif /* FC_UTILS_STOP_H */
