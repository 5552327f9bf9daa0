/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter for each selector of TmplKeep and TmplDrop: the pages with an element that the selector
 * matches. So a selector that never matches is noticed. Selectors are counted by directive and
 * text, whatever sections they are in. A graceful restart keeps the counts if the configuration has
 * the same selectors in the same order. A page from TmplCache is not judged, so it does not count.
 */
#ifndef TMPL_SELECTORS_H
#define TMPL_SELECTORS_H

#include "members.h"

/* pre_config hook: forgets the selectors. */
void tmpl_selectors_reset(apr_pool_t *pconf);

/* While the configuration is read: adds the selectors of list from index first on. */
void tmpl_selectors_add(const char *directive, const apr_array_header_t *list, int first);

/* post_config hook: creates the counters, which all children share. */
void tmpl_selectors_create(server_rec *s);

/* Counts a page: matched is a field of the page's tmpl_closure_t, and may be NULL. */
void tmpl_selectors_count(const tmpl_conf_t *conf, const unsigned char *matched, apr_pool_t *pool);

/*
 * The selectors as data.h has them, in the order of the configuration, with the pages on which each
 * matched. The caller owns the array.
 */
json_t *tmpl_selectors(apr_pool_t *pool);

#endif
