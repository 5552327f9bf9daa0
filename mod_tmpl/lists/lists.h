/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the documents that TmplDocuments lists. "SetHandler tmpl-sitemap" sends the list
 * as Markdown if the path ends in .md or is that of an llms.txt, else as a sitemap in XML;
 * "SetHandler tmpl-feed" sends a feed. Site and store are those of the section.
 */
#ifndef TMPL_LISTS_H
#define TMPL_LISTS_H

#include "mod_tmpl.h"

/* Whether one of these handlers answers r. */
int tmpl_lists_handles(const request_rec *r);

/* httpd's handler hook. */
int tmpl_lists_handler(request_rec *r);

#endif
