/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of html.h, between header and footer. */
#ifndef TMPL_VIEWS_H
#define TMPL_VIEWS_H

#include "markup.h"

void tmpl_view_server(const tmpl_html_t *h);
void tmpl_view_site(const tmpl_html_t *h);
void tmpl_view_sites(const tmpl_html_t *h);

/* Tables that more than one page has. */
void tmpl_put_sites(const tmpl_html_t *h, const char *caption, const json_t *sites);

/* A table of the newest decisions, TMPL_DECISIONS_MOST at most. */
#define TMPL_DECISIONS_MOST 100
void tmpl_put_decisions(const tmpl_html_t *h, const json_t *decisions, int with_site);

/* A figure with its name, in a <dl>. */
void tmpl_put_figure(const tmpl_html_t *h, const char *name, const char *figure);

#endif
