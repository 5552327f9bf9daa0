/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes records of WARC/1.1. A record is made as bytes, by any thread, so that only appending them
 * to the file is one after the other.
 */
#ifndef TMPL_WARC_WRITE_H
#define TMPL_WARC_WRITE_H

#include "base/buf.h"
#include "base/tmpl.h"

/* Begins a head: its first line. */
void tmpl_warc_head_begin(tmpl_buf_t *head);

/* Adds a field; nothing if value is NULL. */
void tmpl_warc_head_add(tmpl_buf_t *head, const char *name, const char *value);

/* "sha1:" and the digest of len bytes in base 32, as WARC-Block-Digest has it; from pool. */
const char *tmpl_warc_digest(const char *bytes, apr_size_t len, apr_pool_t *pool);

/*
 * "<urn:uuid:...>", from pool: a UUID of name (RFC 9562, 5.5), so the same input gives the same
 * records.
 */
const char *tmpl_warc_id(const char *name, apr_pool_t *pool);

/*
 * Adds a whole record to to: the head with its empty line, the content, and the two newlines behind
 * it. head has all fields but Content-Length, which this adds; unless it ends in an empty line.
 */
void tmpl_warc_add(tmpl_buf_t *to, const tmpl_buf_t *head, const char *content, apr_size_t len);

/* Bytes that are made of a record piece by piece: as they are, or as a gzip member. */
typedef struct tmpl_warc_pack_t tmpl_warc_pack_t;

/* Begins to add to to, from its pool. */
tmpl_warc_pack_t *tmpl_warc_pack_begin(tmpl_buf_t *to, int gzip);
void tmpl_warc_pack_add(tmpl_warc_pack_t *pack, const char *bytes, apr_size_t len);
void tmpl_warc_pack_end(tmpl_warc_pack_t *pack);

#endif
