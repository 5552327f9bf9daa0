/* SPDX-License-Identifier: Apache-2.0 */
/* A listed page that is missing now (404, 410) leaves the list. */
#ifndef TMPL_MISSING_H
#define TMPL_MISSING_H

#include "mod_tmpl.h"

/* httpd's log_transaction hook: the client has been served. */
int tmpl_missing_served(request_rec *r);

#endif
