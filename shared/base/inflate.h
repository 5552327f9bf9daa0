/* SPDX-License-Identifier: Apache-2.0 */
/* Undoes gzip, piece by piece. */
#ifndef TMPL_INFLATE_H
#define TMPL_INFLATE_H

#include "base/tmpl.h"

/* Where compressed data comes from, and where inflated data goes. */
typedef struct {
    /* Sets the next piece of the data. APR_EOF: there is no more; or an error. */
    apr_status_t (*next)(void *ctx, const char **data, apr_size_t *len);
    /* Takes inflated bytes, which are valid during the call only. */
    void (*take)(void *ctx, const char *bytes, apr_size_t len);
    void *ctx;
} tmpl_inflate_t;

/*
 * Inflates data that is exactly one complete member of gzip (RFC 1952, 2.2). APR_ENOSPC if it
 * inflates to more than limit bytes, of which take gets a few more; APR_EGENERAL if the data is
 * anything else than one member, or next failed.
 */
apr_status_t tmpl_inflate(const tmpl_inflate_t *inflate, apr_off_t limit);

/* Whether the bytes begin like a member of gzip. */
int tmpl_inflate_is_gzip(const char *bytes, apr_size_t len);

/* Whether bytes that are called compressed are a page in the open: begin with <, or with a BOM. */
int tmpl_inflate_is_open(const char *bytes, apr_size_t len);

#endif
