/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a WARC file (ISO 28500: WARC/1.0 and 1.1), plain or compressed, a member for each
 * record or one for all. Damage costs the record that has it: reading goes on at the next record
 * that can be found.
 */
#ifndef TMPL_WARC_READ_H
#define TMPL_WARC_READ_H

#include <apr_file_io.h>

#include "archive/codec.h"
#include "archive/http_message.h"

typedef struct tmpl_warc_t tmpl_warc_t;

typedef struct {
    tmpl_fields_t head;  /* with its first line, from pool */
    const char *type;    /* WARC-Type; "" if it has none */
    apr_uint64_t length; /* bytes of its content */
} tmpl_warc_record_t;

/* The longest head of a record. */
#define TMPL_WARC_HEAD_MOST (64 * 1024)

/*
 * Begins to read an open file from its position, which is its start. codecs ends in NULL, and lives
 * as long. APR_ENOTIMPL with text for a form that no codec reads.
 */
apr_status_t tmpl_warc_open(tmpl_warc_t **warc, apr_file_t *file, const tmpl_codec_t *const *codecs,
                            tmpl_error_t *err, apr_pool_t *pool);

/*
 * Reads the head of the next record, from pool; what was not read of the last one is skipped.
 * APR_EOF: there is none. Any other error is damage, of this record or what is left of the last
 * one; err says where and which: call it again.
 */
apr_status_t tmpl_warc_next(tmpl_warc_t *warc, tmpl_warc_record_t *record, tmpl_error_t *err,
                            apr_pool_t *pool);

/*
 * Reads the whole content of the record that tmpl_warc_next() gave, from pool. APR_ENOSPC if it is
 * longer than most: nothing was read. Another error is damage, as above.
 */
apr_status_t tmpl_warc_content(tmpl_warc_t *warc, const char **content, apr_size_t most,
                               tmpl_error_t *err, apr_pool_t *pool);

/*
 * The next piece of the content, valid until the next call; *len 0 at its end, where what follows
 * was checked. On damage as above.
 */
apr_status_t tmpl_warc_piece(tmpl_warc_t *warc, const char **piece, apr_size_t *len,
                             tmpl_error_t *err);

/* Bytes of the file read so far. */
apr_off_t tmpl_warc_consumed(const tmpl_warc_t *warc);

/* Why the file could not be read to its end; APR_SUCCESS: it could. */
apr_status_t tmpl_warc_failed(const tmpl_warc_t *warc);

#endif
