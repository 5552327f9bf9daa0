/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fingerprint of what is left of a page, as a member of the Tmpl field: a string, since RFC 9651's
 * integers have room for 15 digits only.
 */
#include "mod_tmpl.h"

#include "fingerprint/fingerprint.h"
#include "page/charset.h"

void tmpl_headers_fingerprint(request_rec *r, const tmpl_outcome_t *outcome)
{
    const char *field = apr_table_get(r->headers_out, "Tmpl");
    const char *fingerprint;
    apr_pool_t *pool;

    if (field == NULL || outcome->decline != TMPL_DECLINE_NONE || outcome->verdicts == NULL) {
        return;
    }
    apr_pool_create(&pool, r->pool);
    apr_pool_tag(pool, "tmpl_fingerprint");
    fingerprint = tmpl_fingerprint_text(outcome->page, outcome->verdicts,
                                        tmpl_charset_of_type(r->content_type, pool), pool);
    if (fingerprint != NULL) {
        apr_table_setn(r->headers_out, "Tmpl",
                       apr_psprintf(r->pool, "%s, fingerprint=\"%s\"", field, fingerprint));
    }
    apr_pool_destroy(pool);
}
