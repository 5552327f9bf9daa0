/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a WARC file (ISO 28500: WARC/1.0 and 1.1), plain or compressed, a member for each
 * record or one for all. Damage costs the record that has it: reading goes on at the next record
 * that can be found.
 */
#ifndef TMPL_WARC_READ_H
#define TMPL_WARC_READ_H

#include <apr_file_io.h>

#include "base/codec.h"
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

/*
 * An archive's file as inflated bytes, member by member. A member is a gzip member or a zstd frame;
 * a file that is not compressed is one member.
 */

typedef struct tmpl_members_t tmpl_members_t;

/* Where a byte is: `inside` inflated bytes behind the start of the member at an offset. */
typedef struct {
    apr_off_t member; /* its offset in the file */
    apr_off_t inside;
} tmpl_member_place_t;

/* As tmpl_warc_open(). */
apr_status_t tmpl_members_open(tmpl_members_t **members, apr_file_t *file,
                               const tmpl_codec_t *const *codecs, tmpl_error_t *err,
                               apr_pool_t *pool);

/* Bytes that peek can show at once. */
#define TMPL_MEMBERS_WINDOW (512 * 1024)

/*
 * The next bytes of the member, at least want of them unless it ends or is damaged before; at most
 * TMPL_MEMBERS_WINDOW. They are valid until the next call.
 */
const char *tmpl_members_peek(tmpl_members_t *members, apr_size_t want, apr_size_t *len);

/* Goes behind n bytes that peek has shown. */
void tmpl_members_skip(tmpl_members_t *members, apr_size_t n);

/* Where the next byte is. */
tmpl_member_place_t tmpl_members_place(const tmpl_members_t *members);

/* Why peek shows no more: NULL at the end of a member that is whole. */
const char *tmpl_members_damage(const tmpl_members_t *members);

/*
 * Goes to the member behind one that was read to its end. APR_EOF: there is none; APR_EGENERAL:
 * there is something else, find one.
 */
apr_status_t tmpl_members_next(tmpl_members_t *members);

/*
 * Looks for the start of another member behind the start of this one, as far as that is in memory,
 * or behind the garbage. A match may be chance. APR_EOF: there is none.
 */
apr_status_t tmpl_members_find(tmpl_members_t *members);

/* Goes back to an offset, in a file that is not compressed and can seek; stays in others. */
void tmpl_members_back(tmpl_members_t *members, apr_off_t offset);

/* Bytes of the file read so far; and why it could not be read to its end. */
apr_off_t tmpl_members_consumed(const tmpl_members_t *members);
apr_status_t tmpl_members_failed(const tmpl_members_t *members);

#endif
