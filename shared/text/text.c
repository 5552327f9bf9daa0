/* SPDX-License-Identifier: Apache-2.0 */
#include "text/text.h"

#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "html/tag.h"
#include "text/decode.h"

#define BYTE_ORDER_MARK 0xFEFF
#define SOFT_HYPHEN     0xAD

/* A line that is being written: the ctx of the sink of add_code and add_ascii. */
typedef struct {
    tmpl_buf_t *buf;
    apr_size_t start; /* start of the line in buf */
    int space;        /* white space was seen since the last character */
} line_t;

/* The sink of a text whose white space is displayed. */
static void add_any(void *ctx, uint32_t code)
{
    tmpl_buf_add_char(ctx, code);
}

static void add_any_ascii(void *ctx, const char *bytes, apr_size_t len)
{
    tmpl_buf_add(ctx, bytes, len);
}

/* The state while text is read. */
typedef struct {
    const tmpl_text_sink_t *sink;
    const tmpl_page_t *page;
    const tmpl_decoder_t *decoder;
    tmpl_buf_t utf8; /* a segment converted from another charset */
} text_reader_t;

/*
 * White space, including Unicode's line separators and no-break spaces: to tools, one line is one
 * block.
 */
static inline int is_space(uint32_t code)
{
    return code <= 0x20 || code == 0x85 || code == 0xA0 || code == 0x2028 || code == 0x2029;
}

static void add_code(void *ctx, uint32_t code)
{
    line_t *line = ctx;
    if (code == ' ') {
        line->space = 1;
        return;
    }
    if (line->space && line->buf->len > line->start) {
        tmpl_buf_add(line->buf, " ", 1);
    }
    line->space = 0;
    tmpl_buf_add_char(line->buf, code);
}

/* add_code for many bytes of ASCII at once. */
static void add_ascii(void *ctx, const char *bytes, apr_size_t len)
{
    line_t *line = ctx;
    char *at = tmpl_buf_room(line->buf, len + 1); /* a space may go before them */
    char *to = at;
    int begun = line->buf->len > line->start;
    for (apr_size_t i = 0; i < len;) {
        if (bytes[i] <= ' ') {
            line->space = 1;
            i++;
            continue;
        }
        if (line->space && begun) {
            *to++ = ' ';
        }
        line->space = 0;
        begun = 1;
        while (i < len && bytes[i] > ' ') {
            *to++ = bytes[i++];
        }
    }
    *to = '\0';
    line->buf->len += (apr_size_t)(to - at);
}

typedef signed char signed_sixteen_t __attribute__((vector_size(TMPL_BYTES16)));

/*
 * A set of the bytes that are not ASCII, NUL, or an ampersand. As signed numbers, NUL and
 * bytes that are not ASCII are below 1.
 */
static inline unsigned not_plain(tmpl_bytes16_t bytes)
{
    tmpl_bytes16_t odd = (tmpl_bytes16_t)((signed_sixteen_t)bytes < 1);
    return tmpl_bytes16_bits(odd | (tmpl_bytes16_t)(bytes == (unsigned char)'&'));
}

/*
 * The length of the plain text at the start: ASCII without NUL and references. Bytes from
 * limit on are not read.
 */
static apr_size_t plain_ascii(const char *text, apr_size_t len, const char *limit)
{
    for (apr_size_t n = 0; n < len; n += TMPL_BYTES16) {
        unsigned marks = not_plain(tmpl_bytes16(text + n, limit));
        if (marks != 0) {
            n += (unsigned)__builtin_ctz(marks);
            return n < len ? n : len;
        }
    }
    return len;
}

static void give_code(const tmpl_text_sink_t *sink, uint32_t code)
{
    if (code != BYTE_ORDER_MARK && code != SOFT_HYPHEN) {
        sink->take(sink->ctx, is_space(code) ? ' ' : code);
    }
}

/* Gives the characters of the reference at text; returns its length, 0 for a mere ampersand. */
static apr_size_t give_reference(const tmpl_text_sink_t *sink, const char *text, apr_size_t len)
{
    tmpl_reference_t reference = tmpl_reference_read(text, len, TMPL_IN_TEXT);
    if (reference.used > 0) {
        give_code(sink, reference.codes[0]);
    }
    if (reference.codes[1] != 0) {
        give_code(sink, reference.codes[1]);
    }
    return reference.used;
}

/*
 * Gives the character at the start, and those beyond ASCII that follow it; returns the length of
 * all: in many scripts plain text has few letters.
 */
static apr_size_t give_wide(const tmpl_text_sink_t *sink, const char *text, apr_size_t len)
{
    apr_size_t at = 0;
    do {
        apr_size_t used;
        give_code(sink, tmpl_utf8_next(text + at, len - at, &used));
        at += used;
    } while (at < len && text[at] < 0);
    return at;
}

/* text is UTF-8. Bytes before limit may be read. */
static void give_text(const tmpl_text_sink_t *sink, const char *text, apr_size_t len,
                      const char *limit)
{
    for (apr_size_t i = 0, used; i < len; i += used) {
        used = plain_ascii(text + i, len - i, limit);
        if (used > 0) {
            sink->take_ascii(sink->ctx, text + i, used);
            continue;
        }
        if (text[i] == '&') {
            used = give_reference(sink, text + i, len - i);
        }
        if (used == 0) {
            used = give_wide(sink, text + i, len - i);
        }
    }
}

/*
 * Whether the span is the start tag of an image or of a link without text: no text begins like a
 * start tag.
 */
static int is_tag(const tmpl_page_t *page, tmpl_span_t span)
{
    return tmpl_span_len(span) > 1 && page->src[span.start] == '<' &&
           tmpl_is_alpha(page->src[span.start + 1]);
}

static void give_span(text_reader_t *reader, tmpl_span_t span)
{
    const tmpl_page_t *page = reader->page;
    if (reader->decoder->xlate == NULL) {
        give_text(reader->sink, page->src + span.start, tmpl_span_len(span), page->src + page->len);
        return;
    }
    tmpl_buf_clear(&reader->utf8);
    tmpl_decode(&reader->utf8, reader->decoder, page->src + span.start, tmpl_span_len(span));
    give_text(reader->sink, reader->utf8.at, reader->utf8.len, reader->utf8.at + reader->utf8.len);
}

static void give_segment(text_reader_t *reader, uint32_t segment)
{
    const tmpl_page_t *page = reader->page;
    tmpl_span_t span = page->segments[segment].span;
    if (is_tag(page, span)) {
        if (page->nodes[page->segments[segment].node].tag == TMPL_TAG_IMG) {
            reader->sink->take(reader->sink->ctx, ' ');
        }
        return;
    }
    if (tmpl_text_is_unsaid(page, &page->segments[segment])) {
        return;
    }
    int may_be = tmpl_text_may_be_for_machines(page->src, span);
    for (tmpl_span_t machines; span.start < span.end; span.start = machines.end) {
        machines = may_be ? tmpl_text_for_machines(page, page->segments[segment].node, span)
                          : (tmpl_span_t){ span.end, span.end };
        give_span(reader, (tmpl_span_t){ span.start, machines.start });
    }
}

/* The tag of the element that holds a segment. */
static tmpl_tag_e tag_of(const tmpl_page_t *page, uint32_t segment)
{
    return (tmpl_tag_e)page->nodes[page->segments[segment].node].tag;
}

/* Gives the sign of a reading in ruby, unless the page has one in the segment beside. */
static void give_sign(const tmpl_text_sink_t *sink, const tmpl_page_t *page, uint32_t segment,
                      uint32_t beside, uint32_t sign)
{
    if (beside >= page->n_segments ||
        (tag_of(page, beside) != TMPL_TAG_RP &&
         page->segments[beside].node != page->segments[segment].node)) {
        sink->take(sink->ctx, sign);
    }
}

/* Passes the text of segments [first, after) to sink. */
static void give_segments(const tmpl_text_sink_t *sink, const tmpl_page_t *page, uint32_t first,
                          uint32_t after, const tmpl_decoder_t *decoder, apr_pool_t *pool)
{
    text_reader_t reader = { .sink = sink, .page = page, .decoder = decoder };
    if (decoder->xlate != NULL) {
        tmpl_buf_init(&reader.utf8, pool);
    }
    for (uint32_t i = first; i < after; i++) {
        if (i > first && (page->segments[i].apart || page->segments[i].boxed)) {
            sink->take(sink->ctx, ' ');
        }
        if (tag_of(page, i) != TMPL_TAG_RT) {
            give_segment(&reader, i);
            continue;
        }
        give_sign(sink, page, i, i - 1, '(');
        give_segment(&reader, i);
        give_sign(sink, page, i, i + 1, ')');
    }
}

void tmpl_text_segments(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t first, uint32_t after,
                        const tmpl_decoder_t *decoder)
{
    line_t line = { buf, buf->len, 0 };
    tmpl_text_sink_t sink = { add_code, add_ascii, &line };
    give_segments(&sink, page, first, after, decoder, buf->pool);
}

void tmpl_text_block_to(const tmpl_text_sink_t *sink, const tmpl_page_t *page, uint32_t block,
                        const tmpl_decoder_t *decoder, apr_pool_t *pool)
{
    const tmpl_block_t *b = &page->blocks[block];
    give_segments(sink, page, b->first_segment, b->after_segment, decoder, pool);
}

void tmpl_text_segment(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t segment,
                       const tmpl_decoder_t *decoder)
{
    tmpl_text_segments(buf, page, segment, segment + 1, decoder);
}

void tmpl_text_block(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t block,
                     const tmpl_decoder_t *decoder)
{
    const tmpl_block_t *b = &page->blocks[block];
    tmpl_text_segments(buf, page, b->first_segment, b->after_segment, decoder);
}

/* Whether a line of a listing ends in front of a segment, or begins there. */
static int is_between_lines(const tmpl_page_t *page, uint32_t segment)
{
    const tmpl_node_t *of = &page->nodes[page->segments[segment - 1].node];
    int is = 0;
    for (; of->after_segment <= segment && of->tag == TMPL_TAG_SPAN && !is;
         of = &page->nodes[of->parent]) {
        is = tmpl_node_is_line(page, of);
    }
    for (of = &page->nodes[page->segments[segment].node];
         of->first_segment >= segment && of->tag == TMPL_TAG_SPAN && !is;
         of = &page->nodes[of->parent]) {
        is = tmpl_node_is_line(page, of);
    }
    return is;
}

/*
 * Adds what displays as white space between two segments of a pre: blanks between tags, and line
 * ends for elements that begin a line.
 */
static void add_pre_gap(const tmpl_text_sink_t *sink, const tmpl_page_t *page, uint32_t segment)
{
    const tmpl_buf_t *buf = sink->ctx;
    const char *at = page->src + page->segments[segment - 1].span.end;
    const char *end = page->src + page->segments[segment].span.start;
    apr_size_t before = buf->len;
    while (at < end) {
        const char *tag = memchr(at, '<', (apr_size_t)(end - at));
        const char *behind = tag != NULL ? memchr(tag, '>', (apr_size_t)(end - tag)) : NULL;
        give_text(sink, at, (apr_size_t)((tag != NULL ? tag : end) - at), end);
        at = behind != NULL ? behind + 1 : end;
    }
    int is_new_line = buf->len > 0 && buf->at[buf->len - 1] == '\n';
    if (buf->len == before &&
        (page->segments[segment].apart || (!is_new_line && is_between_lines(page, segment)))) {
        sink->take(sink->ctx, '\n');
    }
}

int tmpl_text_says_sign(const tmpl_page_t *page, uint32_t node)
{
    static const unsigned char says[TMPL_TAG_COUNT] = {
        [TMPL_TAG_TD] = 1,   [TMPL_TAG_TH] = 1,     [TMPL_TAG_DT] = 1,   [TMPL_TAG_DD] = 1,
        [TMPL_TAG_CODE] = 1, [TMPL_TAG_KBD] = 1,    [TMPL_TAG_SAMP] = 1, [TMPL_TAG_TT] = 1,
        [TMPL_TAG_B] = 1,    [TMPL_TAG_STRONG] = 1,
    };
    enum { UP = 4 };
    int is = 0;
    for (int up = 0; up < UP && node != TMPL_NONE && !is; up++) {
        tmpl_tag_e tag = (tmpl_tag_e)page->nodes[node].tag;
        is = says[tag] || (tmpl_tag_flags(tag) & TMPL_IS_HEADING);
        node = page->nodes[node].parent;
    }
    return is;
}

void tmpl_text_drop_sign(tmpl_buf_t *buf, apr_size_t start, int alone)
{
    static const char *const signs[] = { "\xC2\xB7", "\xE2\x80\xA2", "|",           "/", ">", ":",
                                         ",",        "\xC2\xBB",     "\xE2\x80\xBA" };
    enum { AT_END = 2 /* of signs */ };
    const char *text = buf->at + start;
    apr_size_t len = buf->len - start;
    unsigned n = alone ? sizeof(signs) / sizeof(signs[0]) : AT_END, i = 0;
    while (len > 0 && tmpl_is_space(text[len - 1])) {
        len--;
    }
    if (len == 0 || strchr("\xB7\xA2|/>:,\xBB\xBA", text[len - 1]) == NULL) {
        return; /* no sign ends in this byte */
    }
    while (i < n && (len < strlen(signs[i]) ||
                     memcmp(text + len - strlen(signs[i]), signs[i], strlen(signs[i])) != 0)) {
        i++;
    }
    apr_size_t before = i < n ? len - strlen(signs[i]) : 0;
    int is_behind = before > 0 && (text[before - 1] == ' ' || tmpl_is_alnum(text[before - 1]));
    while (before > 0 && tmpl_is_space(text[before - 1])) {
        before--;
    }
    if (i < n && (before == 0 || (i < AT_END && is_behind))) {
        buf->len = start + before;
        buf->at[buf->len] = '\0';
    }
}

void tmpl_text_lines(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t block,
                     const tmpl_decoder_t *decoder)
{
    const tmpl_block_t *b = &page->blocks[block];
    if (!tmpl_node_is_listing(page, &page->nodes[b->node])) {
        apr_size_t before = buf->len;
        tmpl_text_block(buf, page, block, decoder);
        if (b->after_segment > b->first_segment &&
            !tmpl_text_says_sign(page, page->segments[b->after_segment - 1].node)) {
            tmpl_text_drop_sign(buf, before, 1);
        }
        return;
    }
    tmpl_text_sink_t sink = { add_any, add_any_ascii, buf };
    apr_size_t start = buf->len, blank = 0;
    for (uint32_t i = b->first_segment; i < b->after_segment; i++) {
        if (i > b->first_segment) {
            add_pre_gap(&sink, page, i);
        }
        give_segments(&sink, page, i, i + 1, decoder, buf->pool);
    }
    while (buf->len > start && tmpl_is_space(buf->at[buf->len - 1])) {
        buf->at[--buf->len] = '\0';
    }
    while (start + blank < buf->len && strchr("\r\n", buf->at[start + blank]) != NULL) {
        blank++;
    }
    if (blank > 0) {
        buf->len -= blank;
        memmove(buf->at + start, buf->at + start + blank, buf->len - start + 1);
    }
}

void tmpl_text_shorten(tmpl_buf_t *buf, apr_size_t characters)
{
    apr_size_t used, n = 0, cut = 0;
    for (apr_size_t i = 0; i < buf->len; i += used) {
        tmpl_utf8_next(buf->at + i, buf->len - i, &used);
        if (n + 1 == characters) {
            cut = i;
        }
        if (++n > characters) {
            buf->len = cut;
            tmpl_buf_add(buf, "\xE2\x80\xA6", 3);
            return;
        }
    }
}
