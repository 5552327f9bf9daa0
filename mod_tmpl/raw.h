/* SPDX-License-Identifier: Apache-2.0 */
/* A compressed page as it came, kept beside the inflated one. */
#ifndef TMPL_RAW_H
#define TMPL_RAW_H

#include "mod_tmpl.h"

/* From now on the page and its header fields are kept as they come. */
void tmpl_raw_start(tmpl_ctx_t *ctx, request_rec *r);

/*
 * Keeps a copy of bb, which counts in ctx->raw_length. If that would pass most bytes, as far as bb's
 * length is known without reading, takes its buckets instead: a file may be of any length, and the
 * page is to be passed on. What apr_bucket_read returns if that fails.
 */
apr_status_t tmpl_raw_keep(tmpl_ctx_t *ctx, apr_bucket_brigade *bb, apr_off_t most);

/*
 * Whether the ctx->length bytes that INFLATE has made of the page are all of it. A gzip file may
 * have several members (RFC 1952, 2.2), and INFLATE stops behind the first one.
 */
int tmpl_raw_is_all(const tmpl_ctx_t *ctx);

/* Makes the page and its header fields what came; metadata, EOS too, as it came. */
void tmpl_raw_restore(tmpl_ctx_t *ctx, request_rec *r);

/* Frees what is kept; ctx->raw is NULL then. */
void tmpl_raw_drop(tmpl_ctx_t *ctx);

#endif
