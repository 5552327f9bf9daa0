/* SPDX-License-Identifier: Apache-2.0 */
#include "content/record_page.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "metadata/dates.h"
#include "text/decode.h"
#include "text/text.h"

/* Bytes of a name or a date, at most. */
#define NAME_MOST 80

/* Segments of an element without text that stays, so that its elements are not looked at. */
#define CUT_LEAST 40

/* Of a node: what it is in. */
enum { IN_NONE, IN_PANE, IN_QUOTE };

typedef struct {
    tmpl_record_page_t *p;
    unsigned *cues;  /* p->cues */
    uint32_t *nodes; /* those that are looked at, in order */
    uint32_t n;
} page_reader_t;

/* The nodes outside of large parts that edits delete, and of listings. */
static void find_nodes(page_reader_t *r, apr_pool_t *pool)
{
    static const unsigned char over[TMPL_TAG_COUNT] = {
        [TMPL_TAG_PRE] = 1, [TMPL_TAG_SVG] = 1, [TMPL_TAG_MATH] = 1, [TMPL_TAG_SELECT] = 1
    };
    const tmpl_page_t *page = r->p->page;
    r->nodes = apr_palloc(pool, page->n_nodes * sizeof(*r->nodes));
    for (uint32_t i = 1; i < page->n_nodes;) {
        const tmpl_node_t *node = &page->nodes[i];
        if (node->after_segment - node->first_segment > CUT_LEAST &&
            r->p->kept[node->first_segment] == r->p->kept[node->after_segment]) {
            i = node->after;
            continue;
        }
        r->nodes[r->n++] = i;
        i = over[node->tag] ? node->after : i + 1;
    }
}

/* The text of all segments, and of those that stay. */
static void sum_all_text(tmpl_record_page_t *p, apr_pool_t *pool)
{
    const tmpl_page_t *page = p->page;
    const tmpl_edits_t *edits = p->edits;
    apr_size_t n = page->n_segments + 1;
    uint32_t *before = apr_palloc(pool, 2 * n * sizeof(*before));
    uint32_t *kept = before + n;
    unsigned char *stays = apr_palloc(pool, n);
    before[0] = kept[0] = 0;
    for (uint32_t s = 0, edit = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        uint32_t length = page->src[segment->span.start] != '<' ? segment->length : 0;
        while (edit < edits->n && edits->edits[edit].span.end <= segment->span.start) {
            edit++;
        }
        stays[s] = edit == edits->n || edits->edits[edit].span.start > segment->span.start;
        before[s + 1] = before[s] + length;
        kept[s + 1] = kept[s] + (stays[s] ? length : 0);
    }
    p->before = before;
    p->kept = kept;
    p->stays = stays;
}

/* --- Cues --- */

/* Reads the cues of nodes. Returns the union of them. */
static unsigned read_cues(page_reader_t *r)
{
    const tmpl_page_t *page = r->p->page;
    unsigned all = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const tmpl_node_t *node = &page->nodes[r->nodes[i]];
        int has_cues = page->attrs[node->attrs].value.start < node->open.end ||
                       node->tag == TMPL_TAG_TIME || node->tag == TMPL_TAG_OTHER;
        unsigned cues = has_cues ? tmpl_cues_of(page, r->nodes[i]) : 0;
        r->cues[r->nodes[i]] = cues | TMPL_CUE_LOOKED;
        all |= cues;
    }
    return all;
}

/* Whether the text in front of a segment is a label that ends in a colon, as "Joined:". */
static int is_behind_label(const tmpl_page_t *page, uint32_t segment)
{
    if (segment == 0 || page->segments[segment - 1].block != page->segments[segment].block) {
        return 0;
    }
    tmpl_span_t before = page->segments[segment - 1].span;
    while (before.end > before.start && tmpl_is_space(page->src[before.end - 1])) {
        before.end--;
    }
    return before.end > before.start && page->src[before.end - 1] == ':';
}

/* Whether a short line has a date that is the record's: not behind a label. */
static int is_date_line(tmpl_record_page_t *p, uint32_t segment)
{
    const tmpl_page_t *page = p->page;
    tmpl_span_t span = page->segments[segment].span;
    if (tmpl_span_len(span) > NAME_MOST || page->src[span.start] == '<' ||
        !tmpl_date_may_be(page->src + span.start, tmpl_span_len(span)) ||
        is_behind_label(page, segment)) {
        return 0;
    }
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin;
    tmpl_buf_clear(&p->buf);
    tmpl_text_segment(&p->buf, page, segment, p->decoder);
    const char *text = p->buf.len > 0 ? p->buf.at : "";
    if (tmpl_date_find(iso, &begin, text, strlen(text)) == 0) {
        return 0;
    }
    const char *colon = memchr(text, ':', begin);
    return colon == NULL || apr_cstr_casecmpn(text, "post", 4) == 0;
}

/* Links to people's pages, and dates in lines: only a page with posts has them. */
static void add_cues_of_posts(const page_reader_t *r)
{
    const tmpl_page_t *page = r->p->page;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t node = r->nodes[i];
        int may = page->nodes[node].tag == TMPL_TAG_A &&
                  tmpl_record_length(r->p, node) <= NAME_MOST &&
                  !(r->cues[node] & (TMPL_CUE_NOT | TMPL_CUE_TEXT));
        const tmpl_known_attr_t *href =
            may ? tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_HREF) : NULL;
        if (href != NULL && tmpl_cues_is_of_user(page->src, href->value)) {
            r->cues[node] |= TMPL_CUE_USER;
        }
    }
    for (uint32_t s = 0; s < page->n_segments; s++) {
        unsigned *cues = &r->cues[page->segments[s].node];
        if ((*cues & (TMPL_CUE_LOOKED | TMPL_CUE_DATE | TMPL_CUE_NOT)) == TMPL_CUE_LOOKED &&
            is_date_line(r->p, s)) {
            *cues |= TMPL_CUE_DATE;
        }
    }
}

/* --- Texts of records --- */

/* Whether an element is a short text of who or when, a link, or a signature. */
static int is_beside_text(const tmpl_record_page_t *p, uint32_t node)
{
    const unsigned short_ones = TMPL_CUE_AUTHOR | TMPL_CUE_USER | TMPL_CUE_DATE;
    unsigned cues = p->cues[node];
    if (p->page->nodes[node].tag == TMPL_TAG_A ||
        (cues & TMPL_CUES_OF_SIGNATURE) == TMPL_CUES_OF_SIGNATURE) {
        return 1;
    }
    int is_post = (cues & TMPL_CUE_PROP) && tmpl_cues_said_author(p->page, node) != NULL;
    return ((cues & short_ones) && !is_post && tmpl_record_length(p, node) <= NAME_MOST) ||
           ((cues & (TMPL_CUE_PANE | TMPL_CUE_BESIDE)) &&
            tmpl_record_length(p, node) <= TMPL_RECORD_PANE_MOST);
}

/* Sums up what stays and is a record's text: no link, no name, no date. */
static void sum_text(const page_reader_t *r, apr_pool_t *pool)
{
    tmpl_record_page_t *p = r->p;
    const tmpl_page_t *page = p->page;
    unsigned char *out = apr_pcalloc(pool, page->n_nodes);
    uint32_t *text = apr_palloc(pool, (page->n_segments + 1) * sizeof(*text));
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t node = r->nodes[i];
        out[node] = out[page->nodes[node].parent] || is_beside_text(p, node);
    }
    text[0] = 0;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t length = out[page->segments[s].node] ? 0 : p->kept[s + 1] - p->kept[s];
        text[s + 1] = text[s] + length;
    }
    p->text = text;
}

/* --- Marks --- */

/* Whether the text of a link is the title of an answer in a thread. */
static int is_reply(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *n = &page->nodes[node];
    tmpl_span_t span = page->segments[n->first_segment].span;
    return tmpl_span_len(span) > 3 && apr_cstr_casecmpn(page->src + span.start, "Re:", 3) == 0;
}

static int is_title_element(const tmpl_record_page_t *p, uint32_t node)
{
    return (tmpl_tag_flags((tmpl_tag_e)p->page->nodes[node].tag) & TMPL_IS_HEADING) != 0 ||
           (p->cues[node] & (TMPL_CUE_TITLE | TMPL_CUE_AUTHOR)) == TMPL_CUE_TITLE;
}

/* Whether a link leads to the page of a card: it is in a heading, holds one, or is named so. */
static int is_card_title(const tmpl_record_page_t *p, uint32_t node)
{
    enum { UP = 3, DOWN = 8, BESIDE_TITLE = 40 /* bytes, but text of a link in a sentence */ };
    const tmpl_page_t *page = p->page;
    int is_title = 0;
    uint32_t up = node;
    uint32_t most = 2 * tmpl_record_length(p, node) + BESIDE_TITLE;
    for (int i = 0; i < UP && up > 0 && !is_title; i++, up = page->nodes[up].parent) {
        is_title = is_title_element(p, up) && tmpl_record_length(p, up) <= most;
    }
    for (uint32_t i = node + 1; !is_title && i < page->nodes[node].after && i < node + DOWN; i++) {
        is_title = is_title_element(p, i);
    }
    const tmpl_known_attr_t *href =
        is_title ? tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_HREF) : NULL;
    return href != NULL && tmpl_span_len(href->value) > 1 && !is_reply(page, node) &&
           memchr(page->src + href->value.start, '#', tmpl_span_len(href->value)) == NULL &&
           !tmpl_cues_is_of_user(page->src, href->value);
}

static void add_mark(tmpl_record_page_t *p, tmpl_record_mark_e of, uint32_t node)
{
    APR_ARRAY_PUSH(p->marks[of], uint32_t) = node;
}

static void see_mark(tmpl_record_page_t *p, uint32_t node, int in)
{
    unsigned cues = p->cues[node];
    tmpl_tag_e tag = (tmpl_tag_e)p->page->nodes[node].tag;
    uint32_t length = tmpl_record_length(p, node);
    int is_short = (length > 1 && length <= NAME_MOST) || (cues & TMPL_CUE_PROP);
    int is_pane = (cues & TMPL_CUE_PANE) && length > 1 && length <= TMPL_RECORD_PANE_MOST;
    if (((cues & (TMPL_CUE_AUTHOR | TMPL_CUE_USER)) && is_short) || is_pane) {
        add_mark(p, TMPL_MARKS_AUTHORS, node);
    }
    if ((cues & TMPL_CUE_DATE) && in != IN_PANE && (is_short || tag == TMPL_TAG_TIME)) {
        add_mark(p, TMPL_MARKS_DATES, node);
    }
    if (tag == TMPL_TAG_A && length > 1 && is_card_title(p, node)) {
        add_mark(p, TMPL_MARKS_TITLES, node);
    }
}

/*
 * The names in quotes are others', and dates in what is said of an author are of joining.
 */
static void see_marks(const page_reader_t *r, apr_pool_t *pool)
{
    const tmpl_page_t *page = r->p->page;
    unsigned char *in = apr_pcalloc(pool, page->n_nodes);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t node = r->nodes[i];
        unsigned cues = r->cues[node] & ~(unsigned)TMPL_CUE_LOOKED;
        tmpl_tag_e tag = (tmpl_tag_e)page->nodes[node].tag;
        in[node] = in[page->nodes[node].parent];
        if (tag == TMPL_TAG_BLOCKQUOTE || (cues & (TMPL_CUE_QUOTE | TMPL_CUE_OTHERS))) {
            in[node] = IN_QUOTE;
        }
        else if (in[node] == IN_NONE && (cues & TMPL_CUE_PANE) &&
                 tmpl_record_length(r->p, node) <= TMPL_RECORD_PANE_MOST) {
            in[node] = IN_PANE;
        }
        if (in[node] != IN_QUOTE && (cues != 0 || tag == TMPL_TAG_A)) {
            see_mark(r->p, node, in[node]);
        }
    }
}

static void sum_facts(const page_reader_t *r, apr_pool_t *pool)
{
    const unsigned says = TMPL_CUE_PRICE | TMPL_CUE_DATE | TMPL_CUE_RATING;
    const tmpl_page_t *page = r->p->page;
    uint32_t *facts = apr_palloc(pool, (page->n_nodes + 1) * sizeof(*facts));
    facts[0] = 0;
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        int is_fact = (r->cues[i] & says) || page->nodes[i].tag == TMPL_TAG_IMG;
        facts[i + 1] = facts[i] + (is_fact ? 1 : 0);
    }
    r->p->facts = facts;
}

/* The text of the first h1 that stays; "": none. */
static const char *text_of_headline(tmpl_record_page_t *p, apr_pool_t *pool)
{
    const tmpl_page_t *page = p->page;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (node->tag == TMPL_TAG_H1 &&
            p->kept[node->after_segment] > p->kept[node->first_segment]) {
            tmpl_buf_clear(&p->buf);
            tmpl_text_segments(&p->buf, page, node->first_segment, node->after_segment, p->decoder);
            return p->buf.len > 0 ? apr_pstrmemdup(pool, p->buf.at, p->buf.len) : "";
        }
    }
    return "";
}

int tmpl_record_page_read(tmpl_record_page_t *p, apr_pool_t *pool)
{
    const unsigned of_posts =
        TMPL_CUE_AUTHOR | TMPL_CUE_USER | TMPL_CUE_PANE | TMPL_CUE_DATE | TMPL_CUE_TYPED;
    page_reader_t r = { .p = p };
    p->cues = r.cues = apr_pcalloc(pool, p->page->n_nodes * sizeof(*r.cues));
    tmpl_buf_init(&p->buf, pool);
    sum_all_text(p, pool);
    find_nodes(&r, pool);
    if (read_cues(&r) & of_posts) {
        add_cues_of_posts(&r);
    }
    for (int of = 0; of < TMPL_RECORD_MARKS; of++) {
        p->marks[of] = apr_array_make(pool, 16, sizeof(uint32_t));
    }
    see_marks(&r, pool);
    if (p->marks[TMPL_MARKS_AUTHORS]->nelts < 2 && p->marks[TMPL_MARKS_TITLES]->nelts < 3) {
        return 0;
    }
    p->owners = apr_pcalloc(p->pool, p->page->n_nodes * sizeof(*p->owners));
    sum_facts(&r, pool);
    sum_text(&r, pool);
    p->headline = text_of_headline(p, pool);
    return 1;
}

const char *tmpl_record_segments(tmpl_record_page_t *p, uint32_t first, uint32_t after,
                                 apr_size_t most)
{
    tmpl_buf_clear(&p->buf);
    if (p->before[after] - p->before[first] > 2 * most) {
        return "";
    }
    tmpl_text_segments(&p->buf, p->page, first, after, p->decoder);
    return p->buf.len > 0 && p->buf.len <= most ? p->buf.at : "";
}

const char *tmpl_record_text(tmpl_record_page_t *p, uint32_t node, apr_size_t most)
{
    const tmpl_node_t *n = &p->page->nodes[node];
    return tmpl_record_segments(p, n->first_segment, n->after_segment, most);
}

const char *tmpl_record_attribute(tmpl_record_page_t *p, uint32_t node, const char *name)
{
    tmpl_attr_t attr;
    if (!tmpl_attr_find(&attr, p->page->src, p->page->nodes[node].open, name) ||
        tmpl_span_len(attr.value) == 0) {
        return NULL;
    }
    tmpl_buf_t value;
    const char *decoded = tmpl_value_decode(p->page->src, attr.value, p->pool);
    tmpl_buf_init(&value, p->pool);
    tmpl_decode(&value, p->decoder, decoded, strlen(decoded));
    return value.len > 0 ? value.at : NULL;
}
