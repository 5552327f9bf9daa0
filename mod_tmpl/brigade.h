/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of pages in httpd's brigades. */
#ifndef TMPL_BRIGADE_H
#define TMPL_BRIGADE_H

#include "mod_tmpl.h"

/*
 * Appends a copy of len bytes to bb, in as few buckets as possible. apr_brigade_write() without a
 * flush function would make a bucket for each call once its first buffer is full.
 */
void tmpl_brigade_append(apr_bucket_brigade *bb, const char *data, apr_size_t len);

/*
 * Sets *page to the data of a page that has come: to ctx->held, or, if that is compressed, to a new
 * brigade with what it was made of. Returns why that is impossible: it is more than TmplMaxBody, or
 * than gzip could make of so few bytes; or it is not one complete member, or several of zstd: of
 * several of gzip (RFC 1952, 2.2) httpd's INFLATE would read the first one only. Else
 * TMPL_DECLINE_NONE. Data that is not compressed and begins as HTML is read as it is.
 */
tmpl_decline_e tmpl_brigade_page(apr_bucket_brigade **page, const tmpl_ctx_t *ctx);

/*
 * Applies edits to the data of bb in one pass. Metadata keeps its position; long runs of data are
 * shared, short ones and the edits' texts are copied together. The lengths of all buckets must be
 * known. Pointers into the data that were read from bb are invalid afterwards. Returns an error if
 * a bucket cannot be read or split.
 */
apr_status_t tmpl_brigade_edit(apr_bucket_brigade *bb, const tmpl_edits_t *edits);

/* Replaces the data of bb by all of made, which is empty then; the metadata of bb follows it. */
void tmpl_brigade_replace(apr_bucket_brigade *bb, apr_bucket_brigade *made);

#endif
