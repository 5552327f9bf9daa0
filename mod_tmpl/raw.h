/* SPDX-License-Identifier: Apache-2.0 */
/* A compressed page as it came, kept beside the inflated one. */
#ifndef TMPL_RAW_H
#define TMPL_RAW_H

#include "mod_tmpl.h"

/* From now on the page and its header fields are kept as they come. */
void tmpl_raw_start(tmpl_ctx_t *ctx, request_rec *r);

/* Keeps a copy of bb. What apr_bucket_read returns if that fails. */
apr_status_t tmpl_raw_keep(tmpl_ctx_t *ctx, apr_bucket_brigade *bb);

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
