/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that the status handler shows, as JSON: what ?format=json sends, and what the page and the
 * metrics are made of. docs/operations.md lists the fields.
 *
 * Each site has two strings: "site", for people, and "query", its key with all bytes as %XX except
 * letters, digits, - . _ and ~, to be put behind "?site=". Times are seconds since 1970. A share is
 * 0 to 1.
 */
#ifndef TMPL_DATA_H
#define TMPL_DATA_H

#include "counters.h"

#define TMPL_DATA_SCHEMA 1

/* How many sites the object of the server has, those with most pages first. */
#define TMPL_DATA_SITES 50

/*
 * Everything about this server, with most decisions at most: "declined" is a reason, "any" for all
 * that were declined, or "" for all decisions. NULL: there is no such reason. The caller owns the
 * returned value of this function and of those below.
 */
json_t *tmpl_data_server(request_rec *r, const char *declined, size_t most);

/* All about one site, with its decisions; NULL: the site is not known. */
json_t *tmpl_data_site(request_rec *r, const char *key, size_t most);

#endif
