/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP response that a record of an archive has: status, fields and body. */
#ifndef TMPL_HTTP_MESSAGE_H
#define TMPL_HTTP_MESSAGE_H

#include "base/codec.h"
#include "base/tmpl.h"

/* --- the fields of a head, as records of WARC and messages of HTTP have them: "Name: value" --- */

/* A head: its first line, its fields, and the empty line behind them. */
typedef struct {
    const char *text;
    apr_size_t len;
} tmpl_fields_t;

/*
 * The length of the head that bytes begin with, up to the end of its empty line; lines end in CRLF
 * or LF. 0: it does not end within len bytes.
 */
apr_size_t tmpl_fields_len(const char *bytes, apr_size_t len);

/*
 * The value of the first field of that name, in any case, without white space around it, from pool;
 * line breaks in it become blanks. NULL: there is none.
 */
const char *tmpl_fields_get(const tmpl_fields_t *fields, const char *name, apr_pool_t *pool);

/*
 * The line, with the lines that continue it, at *line; *line advances behind it. *name_len gets the
 * length of the field's name, 0 for a line that is no field. Returns 0 at the empty line and at the
 * end. Begins with the head's first line.
 */
int tmpl_fields_line(const tmpl_fields_t *fields, const char **line, apr_size_t *len,
                     apr_size_t *name_len);

/* --- messages --- */

typedef struct {
    int status;
    tmpl_fields_t head; /* with the status line */
    const char *body;   /* as it was sent */
    apr_size_t len;
    int is_cut; /* the archive has only the start of the body: set by the caller */
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
