/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noscript is text to browsers that run scripts, and markup to all others. Pages are parsed as by a
 * browser that runs scripts, but edits must be safe for both kinds of browsers. Most noscripts are
 * closed: behind such a noscript the parser's state is the same as in front of it. A page with a
 * noscript that may not be closed is parsed twice, and an edit must be safe in both results.
 */
#include "html/attr.h"
#include "html/builder.h"

enum { MAX_OPEN = 16 };

/* A check of the content of a noscript, whose tags must pair. */
typedef struct {
    const tmpl_builder_t *b;
    tmpl_scan_t scan;
    tmpl_tag_e open[MAX_OPEN];
    unsigned n;
    unsigned n_p; /* number of p in open */
} look_t;

/* Whether a start tag only opens its element, wherever the noscript stands. */
static int is_simple(const look_t *l, tmpl_tag_e tag)
{
    unsigned flags = tmpl_tag_flags(tag);
    if (flags & (TMPL_IS_PLACED | TMPL_IS_MARKER | TMPL_IS_NEVER_EDIT)) {
        return 0;
    }
    if ((flags & TMPL_IS_FORMATTING) && l->b->s.n_active > 0) {
        return 0;
    }
    return !(flags & TMPL_IS_CLOSES_P) || (l->n_p == 0 && l->b->s.n_of[TMPL_TAG_P] == 0);
}

static int look_at_start_tag(look_t *l, tmpl_tag_e tag)
{
    unsigned flags = tmpl_tag_flags(tag);
    if (tag == TMPL_TAG_OTHER || tag == TMPL_TAG_SCRIPT || tag == TMPL_TAG_XMP) {
        return 0;
    }
    if (flags & TMPL_IS_VOID) {
        return tag != TMPL_TAG_COL && (tag == TMPL_TAG_INPUT || is_simple(l, tag));
    }
    for (unsigned i = 0; i < l->n && (flags & TMPL_IS_FORMATTING); i++) {
        if (l->open[i] == tag) {
            return 0;
        }
    }
    if (l->n == MAX_OPEN || (!(flags & TMPL_IS_RAW) && !is_simple(l, tag))) {
        return 0;
    }
    if (flags & TMPL_IS_RAW) {
        tmpl_scan_raw(&l->scan, tag);
    }
    l->n_p += tag == TMPL_TAG_P;
    l->open[l->n++] = tag;
    return 1;
}

/* Whether the token is an end tag that pairs, a simple start tag, or a comment with an end. */
static int look_at(look_t *l, const tmpl_token_t *token)
{
    tmpl_tag_e tag = (tmpl_tag_e)token->tag;
    const char *src = l->scan.src;
    if (token->type == TMPL_TOKEN_START) {
        return look_at_start_tag(l, tag);
    }
    if (token->type == TMPL_TOKEN_OTHER) {
        return tmpl_span_len(token->span) > 4 && memcmp(src + token->span.start, "<!--", 4) == 0 &&
               memcmp(src + token->span.end - 3, "-->", 3) == 0;
    }
    if (l->n == 0 || l->open[l->n - 1] != tag) {
        return 0;
    }
    l->n--;
    l->n_p -= tag == TMPL_TAG_P;
    return 1;
}

int tmpl_noscript_is_closed(const tmpl_builder_t *b, uint32_t start, uint32_t end)
{
    if (tmpl_opens_is_dangling(&b->s) || memmem(b->src + start, end - start, "tmpl", 4) != NULL) {
        return 0;
    }
    apr_pool_t *scratch;
    apr_pool_create(&scratch, b->scan.scratch);
    look_t l = { .b = b };
    tmpl_scan_init(&l.scan, b->src + start, end - start, end - start, scratch, scratch);
    int is_read = 1;
    while (is_read && tmpl_scan_next(&l.scan)) {
        is_read = look_at(&l, &l.scan.tokens[l.scan.n - 1]);
    }
    is_read &= l.n == 0 && l.scan.text_end == end - start;
    apr_pool_destroy(scratch);
    return is_read;
}

/* The offset behind an element's end tag; 0 if it has none in the source. */
static uint32_t end_of_element(const tmpl_tokens_t *tokens, const tmpl_token_t *token)
{
    return token->is_paired ? tokens->tokens[token->end].span.end : 0;
}

/* The offset at which the text in front of token i begins. */
static uint32_t text_start(const tmpl_tokens_t *tokens, uint32_t i)
{
    return i > 0 ? tokens->tokens[i - 1].span.end : tokens->begin;
}

static void join_foreign_marks(tmpl_tokens_t *page, const tmpl_tokens_t *without, apr_pool_t *pool)
{
    uint32_t *joined =
        apr_palloc(pool, (page->n_foreign_marks + without->n_foreign_marks) * sizeof(*joined));
    uint32_t n = 0;
    uint32_t a = 0;
    uint32_t b = 0;
    while (a < page->n_foreign_marks || b < without->n_foreign_marks) {
        uint32_t next = a < page->n_foreign_marks ? page->foreign_marks[a] : TMPL_NONE;
        if (b < without->n_foreign_marks && without->foreign_marks[b] < next) {
            next = without->foreign_marks[b];
        }
        a += a < page->n_foreign_marks && page->foreign_marks[a] == next;
        b += b < without->n_foreign_marks && without->foreign_marks[b] == next;
        joined[n++] = next;
    }
    page->foreign_marks = joined;
    page->n_foreign_marks = n;
}

void tmpl_noscript_agree(tmpl_tokens_t *page, const tmpl_tokens_t *without, apr_pool_t *pool)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < page->n; i++) {
        tmpl_token_t *token = &page->tokens[i];
        while (k < without->n && without->tokens[k].span.start < token->span.start) {
            k++;
        }
        const tmpl_token_t *other = k < without->n ? &without->tokens[k] : NULL;
        int is_there = other != NULL && other->span.start == token->span.start;
        if (!is_there || text_start(page, i) != text_start(without, k) ||
            !(other->flags & TMPL_TOKEN_TEXT_MAY)) {
            token->flags &= (unsigned char)~TMPL_TOKEN_TEXT_MAY;
        }
        token->may = is_there && end_of_element(page, token) == end_of_element(without, other)
                         ? token->may & other->may
                         : 0;
    }
    if (text_start(page, page->n) != text_start(without, without->n)) {
        page->text &= ~(unsigned)TMPL_TOKEN_TEXT_MAY;
    }
    else {
        page->text &= without->text | ~(unsigned)TMPL_TOKEN_TEXT_MAY;
    }
    join_foreign_marks(page, without, pool);
}
