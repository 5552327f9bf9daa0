/* SPDX-License-Identifier: Apache-2.0 */
/* How a child ends. */
#ifndef TMPL_STOPPING_H
#define TMPL_STOPPING_H

#include "mod_tmpl.h"

/*
 * child_stopping hook. A child without threads may have been interrupted anywhere: it ends at most
 * two seconds later.
 */
void tmpl_stopping_child_stopping(apr_pool_t *pchild, int graceful);

/* Whether the child ends gracefully: no client waits for that. */
int tmpl_stopping_is_graceful(void);

/*
 * Whether the child ends at once: its stores may be closed before the pools of requests are
 * destroyed.
 */
int tmpl_stopping_is_closing(void);

#endif
