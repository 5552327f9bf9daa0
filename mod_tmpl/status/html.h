/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the status handler shows, as HTML: status.html, which loads nothing else and has no script.
 * It works under the Content-Security-Policy that it is sent with.
 */
#ifndef TMPL_HTML_H
#define TMPL_HTML_H

#include "members.h"

/* What is shown: data is what tmpl_data_server(), _site() or _sites() returned. */
typedef enum { TMPL_VIEW_SERVER, TMPL_VIEW_SITE, TMPL_VIEW_SITES, TMPL_VIEW_COUNT } tmpl_view_e;

/*
 * Sends data as a page, with the response's fields; adds members to data. location is the path of
 * the handler, without a slash at its end.
 */
void tmpl_html_write(request_rec *r, tmpl_view_e view, json_t *data, const char *location);

#endif
