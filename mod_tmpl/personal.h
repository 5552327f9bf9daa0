/* SPDX-License-Identifier: Apache-2.0 */
/* A person's own pages must leave no trace in the table that all visitors share. */
#ifndef TMPL_PERSONAL_H
#define TMPL_PERSONAL_H

#include "mod_tmpl.h"

/* Whether the response to r may be one person's own. */
int tmpl_is_personal(request_rec *r);

/* Whether the response to r may be learnt from (TmplLearn). */
int tmpl_may_learn(request_rec *r, const tmpl_conf_t *conf);

/*
 * Whether the response to r may be listed (TmplDocuments): anybody would get it. TMPL_LISTS_GONE
 * also for a page that is missing.
 */
tmpl_lists_e tmpl_may_list(request_rec *r, const tmpl_conf_t *conf);

#endif
