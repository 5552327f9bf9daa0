/* SPDX-License-Identifier: Apache-2.0 */
/* A compressed page as it came, kept beside the inflated one. */
#ifndef TMPL_RAW_H
#define TMPL_RAW_H

#include "mod_tmpl.h"

/* Copies the header fields as they came, and prepares ctx->raw to keep the page as it comes. */
void tmpl_raw_start(tmpl_ctx_t *ctx, request_rec *r);

/*
 * Keeps a copy of bb, and adds its length to ctx->raw_length. If the sum would be more than most
 * bytes, as far as bb's length is known without reading, takes bb's buckets instead of a copy: a
 * file may be of any length, and the page is to be passed on. Returns an error if a bucket cannot
 * be read.
 */
apr_status_t tmpl_raw_keep(tmpl_ctx_t *ctx, apr_bucket_brigade *bb, apr_off_t most);

/*
 * Whether the ctx->length bytes that INFLATE has made are the whole page. A gzip file may have
 * several members (RFC 1952, 2.2), and INFLATE stops behind the first one.
 */
int tmpl_raw_is_all(const tmpl_ctx_t *ctx);

/* Restores the page, with its metadata and EOS, and its header fields as they came. */
void tmpl_raw_restore(tmpl_ctx_t *ctx, request_rec *r);

/* Frees what is kept; ctx->raw is NULL then. */
void tmpl_raw_drop(tmpl_ctx_t *ctx);

#endif
