/* SPDX-License-Identifier: Apache-2.0 */
/* The list in Markdown, for agents: sections by the first part of the path. */
#ifndef TMPL_OUTLINE_H
#define TMPL_OUTLINE_H

#include "list.h"

/* Documents in sitemap.md and in llms.txt, at most: those with the shortest paths. */
#define TMPL_OUTLINE_SITEMAP 5000
#define TMPL_OUTLINE_LLMS    500

/* Sends the outline. Returns the store's error, before which nothing was sent. */
apr_status_t tmpl_outline_send(tmpl_list_t *list, int most, tmpl_error_t *err);

#endif
