/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a head, as records of WARC and messages of HTTP have them: "Name: value" lines. */
#ifndef TMPL_HEAD_FIELDS_H
#define TMPL_HEAD_FIELDS_H

#include "base/tmpl.h"

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
 * lines that continue it are joined by a blank. NULL: there is none.
 */
const char *tmpl_fields_get(const tmpl_fields_t *fields, const char *name, apr_pool_t *pool);

/*
 * The line, with the lines that continue it, at *line; *line advances behind it. *name_len gets the
 * length of the field's name, 0 for a line that is no field. Returns 0 at the empty line and at the
 * end. Begins with the head's first line.
 */
int tmpl_fields_line(const tmpl_fields_t *fields, const char **line, apr_size_t *len,
                     apr_size_t *name_len);

#endif
