/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SetHandler tmpl-status, at any location:
 *
 *     LOCATION            all about the server: a page, or ?format=json, ?format=metrics
 *     LOCATION/metrics    the metrics
 *     LOCATION/SITE       all about a site; LOCATION?site=SITE too, with any bytes in SITE
 *
 * GET and HEAD show the status, in the format that ?format= names, else by Accept. A POST with
 * ?site= carries out an action on a site.
 */
#ifndef TMPL_HANDLER_H
#define TMPL_HANDLER_H

#include "mod_tmpl.h"

/* The name for SetHandler. */
#define TMPL_STATUS_HANDLER "tmpl-status"

/* Whether r is for this handler: the handler's answers are not judged. */
int tmpl_status_handles(const request_rec *r);

/* handler hook. */
int tmpl_status_handler(request_rec *r);

#endif
