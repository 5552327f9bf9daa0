/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What JSON-LD says of a page (https://schema.org/). Objects stand at the top, in a list at the
 * top, or in @graph, or are the mainEntity of an object there; what lists of items hold is
 * other pages'. By the end of its type an object is one of these:
 *
 *     article       Article, Posting, Report, Recipe and others that people write
 *     page          WebPage and the like: its dates only
 *     product       Product, Book and the like; its first offer
 *     site, organization, breadcrumb
 */
#ifndef TMPL_LINKED_DATA_H
#define TMPL_LINKED_DATA_H

#include "metadata/claims.h"

/*
 * Adds the claims of one script; nothing if the script is not JSON. of: the number of the
 * script.
 */
void tmpl_linked_data_read(tmpl_claims_t *claims, const char *json, uint32_t of);

#endif
