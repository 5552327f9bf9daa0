/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/warc_read.h"

#include <string.h>

#include "base/buf.h"

#define RAW (256 * 1024)
/* Bytes that are ready when a member begins: codecs are fastest if they get it whole. */
#define RAW_AHEAD (64 * 1024)

/* The longest dictionary. */
#define DICTIONARY_MOST (16 * 1024 * 1024)

/* The member: more bytes may come, it is whole, it is damaged, or the file ends within it. */
typedef enum { MEMBER_OPEN, MEMBER_ENDED, MEMBER_BAD, MEMBER_CUT } member_e;

struct tmpl_members_t {
    apr_file_t *file;
    const tmpl_codec_t *const *codecs;
    const tmpl_codec_t *codec; /* NULL: the file is not compressed */
    void *state;
    apr_pool_t *pool; /* of state */
    member_e is;
    apr_off_t member; /* offset of the member's start */
    apr_off_t inside; /* of the member, in front of window[from] */
    /* bytes of the file: [raw_from, raw_len) are not used yet */
    char raw[RAW];
    apr_size_t raw_from, raw_len;
    apr_off_t raw_end; /* offset behind raw */
    int at_end;        /* the file has no more */
    apr_status_t failed;
    /* bytes of the member: [from, len) were not skipped yet */
    char window[TMPL_MEMBERS_WINDOW];
    apr_size_t from, len;
};

/* Makes at least want bytes of the file available, unless it ends before. */
static apr_size_t raw_fill(tmpl_members_t *m, apr_size_t want)
{
    while (m->raw_len - m->raw_from < want && !m->at_end) {
        if (m->raw_from > 0) {
            memmove(m->raw, m->raw + m->raw_from, m->raw_len - m->raw_from);
            m->raw_len -= m->raw_from;
            m->raw_from = 0;
        }
        apr_size_t n = RAW - m->raw_len;
        apr_status_t status = apr_file_read(m->file, m->raw + m->raw_len, &n);
        m->at_end = status != APR_SUCCESS;
        m->failed = m->at_end && !APR_STATUS_IS_EOF(status) ? status : m->failed;
        n = m->at_end ? 0 : n;
        m->raw_len += n;
        m->raw_end += (apr_off_t)n;
    }
    return m->raw_len - m->raw_from;
}

static apr_off_t raw_offset(const tmpl_members_t *m)
{
    return m->raw_end - (apr_off_t)(m->raw_len - m->raw_from);
}

/* Begins the member at the file's position. */
static void member_begin(tmpl_members_t *m)
{
    m->member = raw_offset(m);
    m->inside = 0;
    m->from = m->len = 0;
    m->is = MEMBER_OPEN;
    if (m->codec != NULL && m->codec->again != NULL && m->state != NULL) {
        m->codec->again(m->state);
    }
    else if (m->codec != NULL) {
        apr_pool_clear(m->pool);
        m->state = m->codec->begin(m->pool);
    }
}

/*
 * The frame that an archive of zstd may begin with: a dictionary, which all others need, compressed
 * itself or not (iipc.github.io/warc-specifications, "Zstandard Compression").
 */
static int has_dictionary(tmpl_members_t *m)
{
    return raw_fill(m, 8) >= 8 && memcmp(m->raw, "\x5d\x2a\x4d\x18", 4) == 0;
}

/* Reads it. NULL; or what is wrong with it. */
static const char *dictionary_read(tmpl_members_t *m, tmpl_buf_t *to)
{
    const unsigned char *size = (const unsigned char *)m->raw + 4;
    apr_size_t left =
        size[0] | (apr_size_t)size[1] << 8 | (apr_size_t)size[2] << 16 | (apr_size_t)size[3] << 24;
    if (left > DICTIONARY_MOST) {
        return "it has more than 16 MiB";
    }
    for (m->raw_from = 8; left > 0;) {
        apr_size_t n = raw_fill(m, 1);
        n = n < left ? n : left;
        if (n == 0) {
            return "the file ends within it";
        }
        tmpl_buf_add(to, m->raw + m->raw_from, n);
        m->raw_from += n;
        left -= n;
    }
    return NULL;
}

/* Gives it to the codec. NULL; or what is wrong with it. */
static const char *dictionary_use(const tmpl_members_t *m, const tmpl_buf_t *dictionary)
{
    const tmpl_codec_t *const only[] = { m->codec, NULL };
    tmpl_buf_t bytes = *dictionary;
    if (m->codec == NULL || m->codec->prime == NULL) {
        return "no frame of zstd follows";
    }
    if (tmpl_codec_of_bytes(only, bytes.at, bytes.len) != NULL) {
        tmpl_buf_init(&bytes, dictionary->pool);
        if (tmpl_codec_undo(&bytes, m->codec, m->state, dictionary->at, dictionary->len,
                            DICTIONARY_MOST) != TMPL_CODEC_END) {
            return "it is damaged, or has more than 16 MiB";
        }
        m->codec->again(m->state);
    }
    return m->codec->prime(m->state, bytes.at, bytes.len) ? NULL : "it is none";
}

apr_status_t tmpl_members_open(tmpl_members_t **members, apr_file_t *file,
                               const tmpl_codec_t *const *codecs, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    tmpl_buf_t dictionary;
    tmpl_members_t *m = apr_pcalloc(pool, sizeof(*m));
    m->file = file;
    m->codecs = codecs;
    apr_pool_create(&m->pool, pool);
    tmpl_buf_init(&dictionary, pool);
    int is_primed = has_dictionary(m);
    const char *wrong = is_primed ? dictionary_read(m, &dictionary) : NULL;
    apr_size_t len = raw_fill(m, 4);
    m->codec = tmpl_codec_of_bytes(codecs, m->raw + m->raw_from, len);
    member_begin(m);
    if (is_primed && wrong == NULL) {
        wrong = dictionary_use(m, &dictionary);
    }
    if (wrong != NULL) {
        return tmpl_fail(err, APR_ENOTIMPL, "its dictionary cannot be used: %s", wrong);
    }
    *members = m;
    return APR_SUCCESS;
}

/* Inflates into the window, which has room. */
static void window_inflate(tmpl_members_t *m)
{
    tmpl_codec_io_t io = { .out = m->window + m->len, .out_len = sizeof(m->window) - m->len };
    apr_size_t room = io.out_len;
    io.in_len = raw_fill(m, m->inside == 0 && m->len == 0 ? RAW_AHEAD : 1);
    io.in = m->raw + m->raw_from;
    apr_size_t given = io.in_len;
    tmpl_codec_e got = m->codec->step(m->state, &io);
    m->raw_from += given - io.in_len;
    m->len += room - io.out_len;
    if (got == TMPL_CODEC_END) {
        m->is = MEMBER_ENDED;
    }
    else if (got == TMPL_CODEC_BAD) {
        m->is = MEMBER_BAD;
    }
    else if (given == 0 && room == io.out_len) {
        m->is = MEMBER_CUT;
    }
}

static void window_copy(tmpl_members_t *m)
{
    apr_size_t n = raw_fill(m, 1), room = sizeof(m->window) - m->len;
    n = n < room ? n : room;
    memcpy(m->window + m->len, m->raw + m->raw_from, n);
    m->raw_from += n;
    m->len += n;
    m->is = n > 0 ? MEMBER_OPEN : MEMBER_ENDED;
}

const char *tmpl_members_peek(tmpl_members_t *m, apr_size_t want, apr_size_t *len)
{
    want = want < sizeof(m->window) ? want : sizeof(m->window);
    if (m->len - m->from < want && m->is == MEMBER_OPEN && m->from > 0) {
        memmove(m->window, m->window + m->from, m->len - m->from);
        m->len -= m->from;
        m->from = 0;
    }
    while (m->len - m->from < want && m->is == MEMBER_OPEN) {
        if (m->codec != NULL) {
            window_inflate(m);
        }
        else {
            window_copy(m);
        }
    }
    *len = m->len - m->from;
    return m->window + m->from;
}

void tmpl_members_skip(tmpl_members_t *m, apr_size_t n)
{
    m->from += n;
    m->inside += (apr_off_t)n;
}

tmpl_member_place_t tmpl_members_place(const tmpl_members_t *m)
{
    return (tmpl_member_place_t){ m->member, m->inside };
}

const char *tmpl_members_damage(const tmpl_members_t *m)
{
    static const char *const damages[] = { [MEMBER_OPEN] = NULL,
                                           [MEMBER_ENDED] = NULL,
                                           [MEMBER_BAD] = "its compressed data is damaged",
                                           [MEMBER_CUT] = "the file ends within it" };
    return damages[m->is];
}

apr_status_t tmpl_members_next(tmpl_members_t *m)
{
    apr_size_t len = raw_fill(m, 4);
    if (len == 0) {
        return APR_EOF;
    }
    if (m->codec == NULL || tmpl_codec_of_bytes(m->codecs, m->raw + m->raw_from, len) != m->codec) {
        return APR_EGENERAL;
    }
    member_begin(m);
    return APR_SUCCESS;
}

apr_status_t tmpl_members_find(tmpl_members_t *m)
{
    if (m->codec == NULL) {
        return APR_EOF;
    }
    apr_off_t begin = m->raw_end - (apr_off_t)m->raw_len;
    if (m->is != MEMBER_ENDED && m->member >= begin) {
        m->raw_from = (apr_size_t)(m->member + 1 - begin);
    }
    m->is = MEMBER_ENDED;
    apr_size_t n = strlen(m->codec->magic);
    while (raw_fill(m, n) >= n) {
        const char *from = m->raw + m->raw_from;
        const char *at = memmem(from, m->raw_len - m->raw_from, m->codec->magic, n);
        if (at != NULL) {
            m->raw_from += (apr_size_t)(at - from);
            member_begin(m);
            return APR_SUCCESS;
        }
        m->raw_from = m->raw_len - (n - 1);
    }
    m->raw_from = m->raw_len;
    return APR_EOF;
}

void tmpl_members_back(tmpl_members_t *m, apr_off_t offset)
{
    if (m->codec == NULL && apr_file_seek(m->file, APR_SET, &offset) == APR_SUCCESS) {
        m->raw_from = m->raw_len = 0;
        m->raw_end = offset;
        m->at_end = 0;
        member_begin(m);
        m->member = 0;
        m->inside = offset;
    }
}

apr_off_t tmpl_members_consumed(const tmpl_members_t *m)
{
    return raw_offset(m);
}

apr_status_t tmpl_members_failed(const tmpl_members_t *m)
{
    return m->failed;
}
