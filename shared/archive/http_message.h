/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP response that a record of an archive has: status, fields and body. */
#ifndef TMPL_HTTP_MESSAGE_H
#define TMPL_HTTP_MESSAGE_H

#include "archive/codec.h"
#include "archive/head_fields.h"

typedef struct {
    int status;
    tmpl_fields_t head; /* with the status line */
    const char *body;   /* as it was sent */
    apr_size_t len;
    int is_cut; /* the archive has only the begin of the body: set by the caller */
} tmpl_http_message_t;

/* Splits bytes, which must live as long. Returns 0 if they are no HTTP response. */
int tmpl_http_parse(tmpl_http_message_t *message, const char *bytes, apr_size_t len);

/*
 * The body without its Transfer-Encoding and Content-Encoding: of the message, or from pool.
 * Archives that keep these fields beside a body that is decoded already are read, too. Of a body
 * that is cut, what there is. codecs ends in NULL.
 * TMPL_DECLINE_NONE; TMPL_DECLINE_ENCODING for an encoding without codec, or for more than 4;
 * TMPL_DECLINE_INFLATE or TMPL_DECLINE_BROKEN if it is damaged; TMPL_DECLINE_TOO_LARGE if it has
 * more than most bytes.
 */
tmpl_decline_e tmpl_http_body(const char **body, apr_size_t *len,
                              const tmpl_http_message_t *message, const tmpl_codec_t *const *codecs,
                              apr_size_t most, apr_pool_t *pool);

#endif
