/* SPDX-License-Identifier: Apache-2.0 */
/* The list as a feed of new and changed documents: Atom (RFC 4287). */
#ifndef TMPL_FEED_H
#define TMPL_FEED_H

#include "list.h"

/* The entries of a feed, at most. */
#define TMPL_FEED_MOST 100

/* Sends the feed. Returns the store's error, before which nothing was sent. */
apr_status_t tmpl_feed_send(tmpl_list_t *list, tmpl_error_t *err);

#endif
