/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive's file as inflated bytes, member by member. A member is a gzip member or a zstd frame;
 * a file that is not compressed is one member.
 */
#ifndef TMPL_WARC_MEMBERS_H
#define TMPL_WARC_MEMBERS_H

#include "archive/warc_read.h"

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
