/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/warc_read.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"

/*
 * A record whose length is wrong may have swallowed others: reading goes back behind its head, so
 * often at most, because each time costs what was read again.
 */
#define REREADS 64

/* Bytes of a record's first line and the start of its second that tell it from other text. */
#define BEGIN_LEN 16

struct tmpl_warc_t {
    tmpl_members_t *members;
    apr_pool_t *scratch;        /* of a head that is looked at */
    tmpl_member_place_t record; /* the last record's start */
    apr_off_t content;          /* and its content's, inside the member */
    apr_uint64_t length, left;  /* of its content */
    int in_content;             /* its end was not checked yet */
    int is_lost;                /* the next record must be found */
    int rereads;
};

apr_status_t tmpl_warc_open(tmpl_warc_t **warc, apr_file_t *file, const tmpl_codec_t *const *codecs,
                            tmpl_error_t *err, apr_pool_t *pool)
{
    *warc = apr_pcalloc(pool, sizeof(**warc));
    apr_pool_create(&(*warc)->scratch, pool);
    return tmpl_members_open(&(*warc)->members, file, codecs, err, pool);
}

/* Notes that the next record must be found; err gets what is damaged and where. */
static apr_status_t warc_lose(tmpl_warc_t *warc, tmpl_member_place_t at, const char *what,
                              tmpl_error_t *err)
{
    warc->is_lost = 1;
    warc->in_content = 0;
    if (at.member == 0 || at.inside == 0) {
        return tmpl_fail(err, APR_EGENERAL, "byte %" APR_OFF_T_FMT ": %s", at.member + at.inside,
                         what);
    }
    return tmpl_fail(err, APR_EGENERAL,
                     "byte %" APR_OFF_T_FMT " and %" APR_OFF_T_FMT " inflated: %s", at.member,
                     at.inside, what);
}

static void skip_newlines(tmpl_members_t *members)
{
    apr_size_t len, n;
    do {
        const char *bytes = tmpl_members_peek(members, 4, &len);
        for (n = 0; n < len && (bytes[n] == '\r' || bytes[n] == '\n'); n++) {
        }
        tmpl_members_skip(members, n);
    } while (n > 0);
}

static int begins_record(const char *bytes, apr_size_t len)
{
    return len >= 7 && memcmp(bytes, "WARC/1.", 7) == 0;
}

/*
 * The content was read to its end: two empty lines must follow, or else, as some programs write
 * them, any newlines and then a record or the member's end.
 */
static apr_status_t check_end(tmpl_warc_t *warc, tmpl_error_t *err)
{
    apr_size_t len;
    char what[120];
    const char *damage = tmpl_members_damage(warc->members);
    warc->in_content = 0;
    if (warc->left == 0) {
        const char *bytes = tmpl_members_peek(warc->members, 4, &len);
        int is_ended = len >= 4 && memcmp(bytes, "\r\n\r\n", 4) == 0;
        skip_newlines(warc->members);
        bytes = tmpl_members_peek(warc->members, 7, &len);
        damage = tmpl_members_damage(warc->members);
        if (damage == NULL && (is_ended || len == 0 || begins_record(bytes, len))) {
            return APR_SUCCESS;
        }
    }
    if (damage != NULL) {
        apr_snprintf(what, sizeof(what), "the record is not whole, %s", damage);
    }
    else if (warc->left > 0) {
        apr_snprintf(what, sizeof(what),
                     "the record has %" APR_UINT64_T_FMT " of its %" APR_UINT64_T_FMT " bytes",
                     warc->length - warc->left, warc->length);
    }
    else {
        apr_snprintf(what, sizeof(what), "the record has more than its %" APR_UINT64_T_FMT " bytes",
                     warc->length);
    }
    if (damage == NULL && warc->rereads++ < REREADS) {
        tmpl_members_back(warc->members, warc->content);
    }
    return warc_lose(warc, warc->record, what, err);
}

apr_status_t tmpl_warc_piece(tmpl_warc_t *warc, const char **piece, apr_size_t *len,
                             tmpl_error_t *err)
{
    *len = 0;
    if (!warc->in_content) {
        return APR_SUCCESS;
    }
    if (warc->left > 0) {
        *piece = tmpl_members_peek(warc->members, 1, len);
        *len = *len < warc->left ? *len : (apr_size_t)warc->left;
        tmpl_members_skip(warc->members, *len);
        warc->left -= *len;
    }
    return *len > 0 ? APR_SUCCESS : check_end(warc, err);
}

apr_status_t tmpl_warc_content(tmpl_warc_t *warc, const char **content, apr_size_t most,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t status;
    apr_size_t len, at = 0;
    const char *piece = NULL;
    if (warc->length > most) {
        return APR_ENOSPC;
    }
    char *bytes = apr_palloc(pool, (apr_size_t)warc->length + 1);
    while ((status = tmpl_warc_piece(warc, &piece, &len, err)) == APR_SUCCESS && len > 0) {
        memcpy(bytes + at, piece, len);
        at += len;
    }
    bytes[at] = '\0';
    *content = bytes;
    return status;
}

/* Whether a record begins here, as far as its first line and the start of its second say so. */
static int is_record_here(tmpl_members_t *members)
{
    apr_size_t len;
    const char *bytes = tmpl_members_peek(members, BEGIN_LEN, &len);
    len = len < BEGIN_LEN ? len : BEGIN_LEN;
    const char *second = begins_record(bytes, len) ? memchr(bytes, '\n', len) : NULL;
    return second != NULL && second + 5 <= bytes + len &&
           (memcmp(second + 1, "WARC", 4) == 0 || memcmp(second + 1, "Cont", 4) == 0);
}

/* Goes to the next line of the member that begins a record; returns 0 at the member's end. */
static int find_in_member(tmpl_members_t *members)
{
    static const char line[] = "\nWARC/1.";
    const apr_size_t n = sizeof(line) - 1;
    for (;;) {
        apr_size_t len;
        const char *bytes = tmpl_members_peek(members, BEGIN_LEN, &len);
        const char *at = memmem(bytes, len, line, n);
        if (at != NULL) {
            tmpl_members_skip(members, (apr_size_t)(at + 1 - bytes));
            if (is_record_here(members)) {
                return 1;
            }
        }
        else if (len < BEGIN_LEN) {
            return 0;
        }
        else {
            tmpl_members_skip(members, len - (n - 1));
        }
    }
}

/* Goes to a record: at the start of a member, or within this one. APR_EOF: the file has none. */
static apr_status_t find_record(tmpl_warc_t *warc)
{
    tmpl_members_t *members = warc->members;
    for (;;) {
        if (is_record_here(members) || find_in_member(members)) {
            return APR_SUCCESS;
        }
        apr_status_t status =
            tmpl_members_damage(members) == NULL ? tmpl_members_next(members) : APR_EGENERAL;
        if (status == APR_EGENERAL) {
            status = tmpl_members_find(members);
        }
        if (status != APR_SUCCESS) {
            return status;
        }
    }
}

/* Goes to the start of the next record in order. */
static apr_status_t reach_record(tmpl_warc_t *warc, tmpl_error_t *err)
{
    tmpl_members_t *members = warc->members;
    apr_size_t len;
    const char *piece;
    while (warc->in_content) {
        apr_status_t status = tmpl_warc_piece(warc, &piece, &len, err);
        if (status != APR_SUCCESS) {
            return status;
        }
    }
    for (;;) {
        skip_newlines(members);
        const char *bytes = tmpl_members_peek(members, 7, &len);
        if (begins_record(bytes, len)) {
            return APR_SUCCESS;
        }
        tmpl_member_place_t at = tmpl_members_place(members);
        if (tmpl_members_damage(members) != NULL) {
            return warc_lose(warc, at, tmpl_members_damage(members), err);
        }
        if (len > 0) {
            return warc_lose(warc, at, "no record of WARC/1.0 or 1.1 begins here", err);
        }
        apr_off_t end = tmpl_members_consumed(members);
        apr_status_t status = tmpl_members_next(members);
        if (status == APR_EGENERAL) {
            return warc_lose(warc, (tmpl_member_place_t){ end, 0 }, "no record begins here", err);
        }
        if (status != APR_SUCCESS) {
            return status;
        }
    }
}

static int parse_length(apr_uint64_t *length, const char *text)
{
    *length = 0;
    if (text == NULL || *text == '\0') {
        return 0;
    }
    for (; tmpl_is_digit(*text) && *length < (apr_uint64_t)1 << 56; text++) {
        *length = 10 * *length + (apr_uint64_t)(*text - '0');
    }
    return *text == '\0';
}

/* Reads the head that begins here. NULL; or what is wrong with it. */
static const char *read_head(tmpl_warc_t *warc, tmpl_warc_record_t *record, apr_pool_t *pool)
{
    apr_size_t len, head = 0;
    const char *bytes;
    for (apr_size_t want = 1024; head == 0; want *= 2) {
        bytes = tmpl_members_peek(warc->members, want, &len);
        head = tmpl_fields_len(bytes, len);
        if (head > TMPL_WARC_HEAD_MOST ||
            (head == 0 && (len < want || len >= TMPL_WARC_HEAD_MOST))) {
            const char *damage = tmpl_members_damage(warc->members);
            return damage != NULL ? damage : "the record's head has no end in 64 KiB";
        }
    }
    warc->record = tmpl_members_place(warc->members);
    record->head = (tmpl_fields_t){ bytes, head };
    apr_pool_clear(warc->scratch);
    const char *length = tmpl_fields_get(&record->head, "Content-Length", warc->scratch);
    int is_record = parse_length(&record->length, length);
    if (is_record) {
        /* not of damaged heads: a file may have any number of them */
        record->head.text = apr_pstrmemdup(pool, bytes, head);
    }
    tmpl_members_skip(warc->members, head);
    warc->content = tmpl_members_place(warc->members).inside;
    if (!is_record) {
        return "the record's Content-Length is missing or no number";
    }
    record->type = tmpl_fields_get(&record->head, "WARC-Type", pool);
    record->type = record->type != NULL ? record->type : "";
    warc->length = warc->left = record->length;
    warc->in_content = 1;
    return NULL;
}

/*
 * Goes behind bytes in which no head ends. What begins in the first half of them has a head of more
 * than 32 KiB: it is given up, for to look at each line would take a time that is not linear.
 */
static void skip_headless(tmpl_members_t *members)
{
    apr_size_t len;
    tmpl_members_peek(members, TMPL_WARC_HEAD_MOST, &len);
    tmpl_members_skip(members, len >= TMPL_WARC_HEAD_MOST ? TMPL_WARC_HEAD_MOST / 2 : len);
}

apr_status_t tmpl_warc_next(tmpl_warc_t *warc, tmpl_warc_record_t *record, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    for (;;) {
        apr_status_t status = warc->is_lost ? find_record(warc) : reach_record(warc, err);
        if (status != APR_SUCCESS) {
            return status;
        }
        tmpl_member_place_t at = tmpl_members_place(warc->members);
        const char *wrong = read_head(warc, record, pool);
        if (wrong == NULL) {
            warc->is_lost = 0;
            return APR_SUCCESS;
        }
        int was_lost = warc->is_lost;
        status = warc_lose(warc, at, wrong, err);
        if (tmpl_members_place(warc->members).inside == at.inside) {
            skip_headless(warc->members);
        }
        if (!was_lost) {
            return status;
        }
    }
}

apr_off_t tmpl_warc_consumed(const tmpl_warc_t *warc)
{
    return tmpl_members_consumed(warc->members);
}

apr_status_t tmpl_warc_failed(const tmpl_warc_t *warc)
{
    return tmpl_members_failed(warc->members);
}
