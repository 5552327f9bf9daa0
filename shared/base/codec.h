/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed data, undone piece by piece: the members of a compressed archive, and bodies with a
 * Content-Encoding. A program may bring other codecs (tmplctl/lab).
 */
#ifndef TMPL_CODEC_H
#define TMPL_CODEC_H

#include "base/buf.h"
#include "base/tmpl.h"

/* What step() may use and fill. It advances all four. */
typedef struct {
    const char *in;
    apr_size_t in_len;
    char *out;
    apr_size_t out_len; /* room at out */
} tmpl_codec_io_t;

typedef enum {
    TMPL_CODEC_MORE, /* it needs more input, or more room */
    TMPL_CODEC_END,  /* the member is complete; in is behind it */
    TMPL_CODEC_BAD   /* the data is damaged */
} tmpl_codec_e;

typedef struct {
    const char *encoding;             /* its name as a Content-Encoding */
    const char *magic;                /* bytes that each member begins with; "": they have none */
    int is_chain;                     /* a body may have several members, and frames to skip */
    void *(*begin)(apr_pool_t *pool); /* state of a member, freed with pool */
    tmpl_codec_e (*step)(void *state, tmpl_codec_io_t *io);
    void (*again)(void *state); /* begins another member; NULL: call begin anew */
    /* sets the dictionary of all members, and copies it; 0: it is none. NULL: not supported */
    int (*prime)(void *state, const char *dictionary, apr_size_t len);
} tmpl_codec_t;

extern const tmpl_codec_t tmpl_codec_gzip;    /* RFC 1952 */
extern const tmpl_codec_t tmpl_codec_deflate; /* RFC 1950, or RFC 1951, which some servers send */
extern const tmpl_codec_t tmpl_codec_br;      /* RFC 7932 */
extern const tmpl_codec_t tmpl_codec_zstd;    /* RFC 8878; windows of at most 8 MB (RFC 9659) */
/* zstd of archives: windows of at most 128 MB, and dictionaries */
extern const tmpl_codec_t tmpl_codec_zstd_wide;

/*
 * Adds to to what len bytes become: a member, and those that follow it at once; nothing else may
 * follow if is_chain is set. Stops when to has more than most bytes. TMPL_CODEC_MORE: the bytes end
 * within a member.
 */
tmpl_codec_e tmpl_codec_undo(tmpl_buf_t *to, const tmpl_codec_t *codec, void *state,
                             const char *bytes, apr_size_t len, apr_size_t most);

/* Whether bytes that are called compressed are a page in the open: begin with <, or with a BOM. */
int tmpl_codec_is_open(const char *bytes, apr_size_t len);

/* The codec of a list that ends in NULL whose magic bytes begins with; NULL: there is none. */
const tmpl_codec_t *tmpl_codec_of_bytes(const tmpl_codec_t *const *codecs, const char *bytes,
                                        apr_size_t len);

/* The codec of a list that ends in NULL by its Content-Encoding; NULL: there is none. */
const tmpl_codec_t *tmpl_codec_of_encoding(const tmpl_codec_t *const *codecs, const char *encoding);

#endif
