/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entity tags of pages that the module changes, and the conditions of requests by the tag of what
 * is sent (TmplValidate content). Strings are from pool.
 */
#ifndef TMPL_VALIDATORS_H
#define TMPL_VALIDATORS_H

#include "mod_tmpl.h"

/*
 * The tag of a variant (tmpl_conf_variant) of the page with the tag etag: W/"abc-tmpl-strip" of
 * "abc", W/"abc-tmpl-w-strip" of W/"abc". It is weak because the page changes a little whenever the
 * site's table changes; it names the variant because each is another representation. NULL if etag
 * is no entity tag.
 */
const char *tmpl_etag_of(const char *etag, const char *variant, apr_pool_t *pool);

/*
 * The tag of a variant by what is sent, "HASH-tmpl-strip": a hash of the data in sent (XXH3, 128
 * bits). It is strong, as equal tags mean equal bytes, on every proxy. Returns an error if a bucket
 * cannot be read.
 */
apr_status_t tmpl_etag_of_content(const char **etag, apr_bucket_brigade *sent, const char *variant,
                                  apr_pool_t *pool);

/* What an If-None-Match list for the backend has of the client's list. */
#define TMPL_TAGS_OURS     1u /* the variant's tags */
#define TMPL_TAGS_OTHERS   2u /* tags of other variants, and of the backend's own page */
#define TMPL_TAGS_BACKENDS 4u /* the backend's own tag for each of the variant's tags */

/*
 * The If-None-Match list for the backend: what keep (TMPL_TAGS_) names; each tag once. Returns list
 * itself if nothing changes; NULL if no tag is left.
 */
const char *tmpl_etag_for_backend(const char *list, const char *variant, unsigned keep,
                                  apr_pool_t *pool);

/* Whether a tag of the list is one of the variant's, as each of both kinds is. */
int tmpl_etag_names_variant(const char *list, const char *variant, apr_pool_t *pool);

/*
 * The tag in the If-None-Match list that names the variant of the page with the tag etag, with or
 * without the suffix of a compressing filter, weak. variant NULL: the tag that is etag itself, as
 * the list has it, with or without such a suffix. NULL if there is none.
 */
const char *tmpl_etag_listed(const char *list, const char *etag, const char *variant,
                             apr_pool_t *pool);

/*
 * Answers the conditions of a GET or HEAD by the response's tag (RFC 9110, 13.2.2), which is the
 * backend's if the page passes untouched: leaves what is held as it is; or makes the response a
 * 304, without data, or a 412.
 */
void tmpl_conditions_answer(request_rec *r, tmpl_ctx_t *ctx);

#endif
