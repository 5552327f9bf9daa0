/* SPDX-License-Identifier: Apache-2.0 */
/* Header fields: of a response, of lists, and copies of fields. */
#ifndef TMPL_FIELDS_H
#define TMPL_FIELDS_H

#include "mod_tmpl.h"

/* All of the response's field lines of that name, joined by commas; NULL if there are none. */
const char *tmpl_field(request_rec *r, const char *name);

/* Removes the response's field lines of that name, or of these names; the list ends in NULL. */
void tmpl_field_unset(request_rec *r, const char *name);
void tmpl_fields_unset(request_rec *r, const char *const *names);

/* Adds an item to a list that apr_array_pstrcat() will join by ','; a blank follows each comma. */
void tmpl_field_list_add(apr_array_header_t *items, const char *item);

/* A copy of the fields of those names, lines of one name joined. The list of names ends in NULL. */
apr_table_t *tmpl_fields_copy(const apr_table_t *from, const char *const *names, apr_pool_t *pool);

/*
 * Makes these fields what they were when the copy was made; removes those that did not exist then.
 */
void tmpl_fields_restore(apr_table_t *to, const char *const *names, const apr_table_t *copy);

#endif
