/* SPDX-License-Identifier: Apache-2.0 */
/* What a page says, as values of JSON. A value that is not what its member is adds nothing. */
#ifndef TMPL_VALUES_H
#define TMPL_VALUES_H

#include "base/buf.h"
#include "content/href.h"

/* Adds a text; NULL or "" adds nothing. */
void tmpl_value_text(tmpl_buf_t *out, const char *name, const char *text);

/* Adds an address, made absolute; nothing if it is not safe (href.h). */
void tmpl_value_address(tmpl_buf_t *out, const char *name, const char *address,
                        const tmpl_hrefs_t *hrefs, apr_pool_t *pool);

/* Adds a number, without zeros in front. */
void tmpl_value_number(tmpl_buf_t *out, const char *name, const char *text);

/* Adds "4.5/5" or "4.5" as an object. */
void tmpl_value_rating(tmpl_buf_t *out, const char *name, const char *text, apr_pool_t *pool);

/* Adds "true" as true. */
void tmpl_value_true(tmpl_buf_t *out, const char *name, const char *text);

#endif
