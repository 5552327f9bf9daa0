/* SPDX-License-Identifier: Apache-2.0 */
#include "content/groups.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "content/alike.h"
#include "content/cues.h"
#include "content/record_fields.h"
#include "content/record_parts.h"
#include "metadata/dates.h"
#include "text/text.h"

/* Bytes: of a name or a date at most; of a post's text at least; of the texts of cards, in the
 * mean, at most; of a short text of a card at least. */
#define NAME_MOST  80
#define TEXT_LEAST 4
#define TEXT_MEAN  15
#define CARD_MOST  800
#define CARD_TEXT  30

/* What elements say that are no cards, and may be in other posts. */
#define CUES_WITHIN (TMPL_CUE_TYPED | TMPL_CUE_COMMENT | TMPL_CUE_REVIEW | TMPL_CUE_ANSWER)

/* Groups of a page that are looked for. */
#define GROUPS_MOST 4

/* What names the records of a group. */
typedef enum { AUTHORS, DATES, TITLES, MARKS } mark_e;

typedef struct {
    tmpl_record_page_t p;
    unsigned *cues;
    apr_array_header_t *marks[MARKS]; /* nodes (uint32_t), in order */
    unsigned char *used;              /* of each node: a mark of a group that was found */
    uint32_t *covered;                /* of each node: 1 + index of the record it is in; or 0 */
    uint32_t *free_text;              /* p.text without text of records that were found */
    uint32_t *facts;                  /* [i]: prices, dates and pictures before node i */
    apr_array_header_t *records;      /* tmpl_group_record_t */
    uint32_t n_groups;
} groups_finder_t;

/* Of a node: what it is in. */
enum { IN_QUOTE = 1, IN_PANE };

/* A name that elements have in common, and how well its elements are records. */
typedef struct {
    uint32_t name;
    uint32_t all;    /* elements that say an author and a date */
    uint32_t good;   /* records: of these, with a text that stays */
    uint32_t linked; /* of these, with a linked title */
    uint32_t named;  /* of these, that say that they are comments, reviews or answers */
    uint32_t posts;  /* of these, that say that they are posts of any kind */
    uint32_t weight; /* two for each record, and one for each that schema.org's types name */
    uint64_t bytes;  /* of their texts */
} common_name_t;

/* --- What the page says --- */

/* Whether an element near inside one says that it holds a text. */
static int holds_text(const groups_finder_t *f, uint32_t node)
{
    enum { WITHIN = 8 };
    const tmpl_node_t *nodes = f->p.page->nodes;
    for (uint32_t i = node + 1; i < nodes[node].after && i < node + WITHIN; i++) {
        if (f->cues[i] & TMPL_CUE_TEXT) {
            return 1;
        }
    }
    return 0;
}

/* Whether an element is a short text of who or when. */
static int is_beside_text(const groups_finder_t *f, uint32_t node)
{
    uint32_t length = tmpl_record_sum(&f->p, f->p.before, node, TMPL_NONE);
    unsigned cues = f->cues[node];
    return ((cues & (TMPL_CUE_AUTHOR | TMPL_CUE_USER | TMPL_CUE_DATE)) && length <= NAME_MOST) ||
           ((cues & (TMPL_CUE_PANE | TMPL_CUE_BESIDE)) && length <= TMPL_RECORD_PANE_MOST &&
            !holds_text(f, node));
}

static void sum_all_text(groups_finder_t *f, apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    uint32_t *before = apr_palloc(pool, (page->n_segments + 1) * sizeof(*before));
    before[0] = 0;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        int is_text = page->src[segment->span.start] != '<';
        before[s + 1] = before[s] + (is_text ? segment->length : 0);
    }
    f->p.before = before;
}

/* What stays, and what of it is a record's text: no link, no name, no date. */
static void sum_text(groups_finder_t *f, apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    const tmpl_edits_t *edits = f->p.edits;
    unsigned char *is_beside = apr_pcalloc(pool, page->n_nodes);
    uint32_t *kept = apr_pcalloc(pool, (apr_size_t)2 * (page->n_segments + 1) * sizeof(*kept));
    uint32_t *text = kept + page->n_segments + 1;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        is_beside[i] = is_beside[page->nodes[i].parent] || page->nodes[i].tag == TMPL_TAG_A ||
                       is_beside_text(f, i);
    }
    for (uint32_t s = 0, edit = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        while (edit < edits->n && edits->edits[edit].span.end <= segment->span.start) {
            edit++;
        }
        int stays = edit == edits->n || edits->edits[edit].span.start > segment->span.start;
        uint32_t length = stays ? f->p.before[s + 1] - f->p.before[s] : 0;
        kept[s + 1] = kept[s] + length;
        text[s + 1] = text[s] + (is_beside[segment->node] ? 0 : length);
    }
    f->p.kept = kept;
    f->p.text = text;
    f->free_text = apr_pmemdup(pool, text, (page->n_segments + 1) * sizeof(*text));
}

/* Whether the text of a link is the title of an answer in a thread. */
static int is_reply(const groups_finder_t *f, uint32_t node)
{
    const tmpl_page_t *page = f->p.page;
    const tmpl_node_t *n = &page->nodes[node];
    if (n->first_segment == n->after_segment) {
        return 0;
    }
    tmpl_span_t span = page->segments[n->first_segment].span;
    return tmpl_span_len(span) > 3 && apr_cstr_casecmpn(page->src + span.start, "Re:", 3) == 0;
}

/* Whether a link leads to the page of a card: it is in a heading, holds one, or is named so. */
static int is_card_title(const groups_finder_t *f, uint32_t node)
{
    enum { UP = 3, DOWN = 8 };
    const tmpl_page_t *page = f->p.page;
    const tmpl_node_t *nodes = page->nodes;
    const tmpl_known_attr_t *href = tmpl_node_attr(page, &nodes[node], TMPL_ATTR_HREF);
    if (href == NULL || tmpl_span_len(href->value) < 2 ||
        memchr(page->src + href->value.start, '#', tmpl_span_len(href->value)) != NULL ||
        (f->cues[node] & TMPL_CUE_USER) || is_reply(f, node)) {
        return 0;
    }
    uint32_t up = node;
    for (int i = 0; i < UP && up > 0; i++, up = nodes[up].parent) {
        if ((tmpl_tag_flags((tmpl_tag_e)nodes[up].tag) & TMPL_IS_HEADING) ||
            (f->cues[up] & (TMPL_CUE_TITLE | TMPL_CUE_AUTHOR)) == TMPL_CUE_TITLE) {
            return 1;
        }
    }
    for (uint32_t i = node + 1; i < nodes[node].after && i < node + DOWN; i++) {
        if ((tmpl_tag_flags((tmpl_tag_e)nodes[i].tag) & TMPL_IS_HEADING) ||
            (f->cues[i] & (TMPL_CUE_TITLE | TMPL_CUE_AUTHOR)) == TMPL_CUE_TITLE) {
            return 1;
        }
    }
    return 0;
}

static void see_mark(groups_finder_t *f, uint32_t node, int in)
{
    unsigned cues = f->cues[node];
    uint32_t length = tmpl_record_sum(&f->p, f->p.before, node, TMPL_NONE);
    int is_short = (length > 1 && length <= NAME_MOST) || (cues & TMPL_CUE_PROP);
    int is_pane = (cues & TMPL_CUE_PANE) && length > 1 && length <= TMPL_RECORD_PANE_MOST;
    if (in == IN_QUOTE) {
        return;
    }
    if (((cues & (TMPL_CUE_AUTHOR | TMPL_CUE_USER)) && is_short) || is_pane) {
        APR_ARRAY_PUSH(f->marks[AUTHORS], uint32_t) = node;
    }
    if ((cues & TMPL_CUE_DATE) && in != IN_PANE &&
        (is_short || f->p.page->nodes[node].tag == TMPL_TAG_TIME)) {
        APR_ARRAY_PUSH(f->marks[DATES], uint32_t) = node;
    }
    if (f->p.page->nodes[node].tag == TMPL_TAG_A && length > 1 && is_card_title(f, node)) {
        APR_ARRAY_PUSH(f->marks[TITLES], uint32_t) = node;
    }
}

/*
 * Whether a short line has a date that is the record's: not behind a label ("Joined:") or a word
 * for one.
 */
static int is_date_line(groups_finder_t *f, uint32_t segment)
{
    const tmpl_page_t *page = f->p.page;
    tmpl_span_t span = page->segments[segment].span;
    if (tmpl_span_len(span) > NAME_MOST || page->src[span.start] == '<' ||
        !tmpl_date_may_be(page->src + span.start, tmpl_span_len(span))) {
        return 0;
    }
    if (segment > 0 && page->segments[segment - 1].block == page->segments[segment].block) {
        tmpl_span_t before = page->segments[segment - 1].span;
        while (before.end > before.start && tmpl_is_space(page->src[before.end - 1])) {
            before.end--;
        }
        if (before.end > before.start && page->src[before.end - 1] == ':') {
            return 0;
        }
    }
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin;
    tmpl_buf_clear(&f->p.buf);
    tmpl_text_segment(&f->p.buf, page, segment, f->p.decoder);
    const char *text = f->p.buf.len > 0 ? f->p.buf.at : "";
    if (tmpl_date_find(iso, &begin, text, strlen(text)) == 0) {
        return 0;
    }
    const char *colon = memchr(text, ':', begin);
    return colon == NULL || apr_cstr_casecmpn(text, "post", 4) == 0;
}

static void see_date_lines(groups_finder_t *f)
{
    for (uint32_t s = 0; s < f->p.page->n_segments; s++) {
        uint32_t node = f->p.page->segments[s].node;
        if (!(f->cues[node] & (TMPL_CUE_DATE | TMPL_CUE_NOT)) && is_date_line(f, s)) {
            f->cues[node] |= TMPL_CUE_DATE;
        }
    }
}

/*
 * The names in quotes are others', and the dates in what is said of an author are of when they
 * joined.
 */
static void see_marks(groups_finder_t *f, apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    unsigned char *in = apr_pcalloc(pool, page->n_nodes);
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        uint32_t length = tmpl_record_sum(&f->p, f->p.before, i, TMPL_NONE);
        in[i] = in[page->nodes[i].parent];
        if (page->nodes[i].tag == TMPL_TAG_BLOCKQUOTE || (f->cues[i] & TMPL_CUE_QUOTE)) {
            in[i] = IN_QUOTE;
        }
        else if (in[i] == 0 && (f->cues[i] & TMPL_CUE_PANE) && length <= TMPL_RECORD_PANE_MOST) {
            in[i] = IN_PANE;
        }
        see_mark(f, i, in[i]);
    }
}

static void read_cues(groups_finder_t *f, apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    f->cues = apr_palloc(pool, page->n_nodes * sizeof(*f->cues));
    f->facts = apr_palloc(pool, (page->n_nodes + 1) * sizeof(*f->facts));
    f->facts[0] = 0;
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        f->cues[i] = tmpl_cues_of(page, i);
        int is_fact = (f->cues[i] & (TMPL_CUE_PRICE | TMPL_CUE_DATE | TMPL_CUE_RATING)) ||
                      node->tag == TMPL_TAG_IMG;
        f->facts[i + 1] = f->facts[i] + (is_fact ? 1 : 0);
    }
    f->p.cues = f->cues;
}

/* --- Marks of a record --- */

/* The first mark that is free in nodes [node, end); TMPL_NONE: there is none. */
static uint32_t free_mark(const groups_finder_t *f, mark_e of, uint32_t node, uint32_t end)
{
    enum { LOOKED = 32 };
    const apr_array_header_t *marks = f->marks[of];
    int low = 0, high = marks->nelts;
    while (low < high) {
        int middle = (low + high) / 2;
        if (APR_ARRAY_IDX(marks, middle, uint32_t) < node) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    for (int i = low; i < marks->nelts && i < low + LOOKED; i++) {
        uint32_t mark = APR_ARRAY_IDX(marks, i, uint32_t);
        if (mark >= end) {
            return TMPL_NONE;
        }
        if (!f->used[mark]) {
            return mark;
        }
    }
    return TMPL_NONE;
}

/* least: bytes of its text. A record of a group may have none: pictures alone, or a quote. */
static int is_good_post(const groups_finder_t *f, uint32_t node, uint32_t end, uint32_t least)
{
    const uint32_t *text = f->covered[node] ? f->p.text : f->free_text;
    return free_mark(f, AUTHORS, node, end) != TMPL_NONE &&
           tmpl_record_sum(&f->p, text, node, end) >= least &&
           ((f->cues[node] & TMPL_CUE_TYPED) || free_mark(f, DATES, node, end) != TMPL_NONE);
}

static int is_good_card(const groups_finder_t *f, uint32_t node, uint32_t end)
{
    uint32_t text = tmpl_record_sum(&f->p, f->free_text, node, end);
    return text == tmpl_record_sum(&f->p, f->p.text, node, end) &&
           free_mark(f, TITLES, node, end) != TMPL_NONE &&
           tmpl_record_sum(&f->p, f->p.kept, node, end) > 0 &&
           (text >= CARD_TEXT || f->facts[end] > f->facts[node]);
}

/* The end of the own part of an element: behind it, or where the next one of its name begins. */
static uint32_t own_end(const groups_finder_t *f, const tmpl_alike_t *alike,
                        const tmpl_alike_element_t *element)
{
    const tmpl_alike_element_t *next = tmpl_alike_at(alike, element->next);
    uint32_t after = f->p.page->nodes[element->node].after;
    return next != NULL && next->node < after ? next->node : after;
}

/*
 * Within a record, other records say what they are, as comments on an answer do. What has more than
 * half of a record's text is no other one.
 */
static int may_be_within(const groups_finder_t *f, uint32_t node)
{
    uint32_t record =
        APR_ARRAY_IDX(f->records, (int)f->covered[node] - 1, tmpl_group_record_t).node;
    return node != record && (f->cues[node] & CUES_WITHIN) != 0 &&
           2 * tmpl_record_sum(&f->p, f->p.text, node, TMPL_NONE) <
               tmpl_record_sum(&f->p, f->p.text, record, TMPL_NONE);
}

static int is_good(const groups_finder_t *f, mark_e by, uint32_t node, uint32_t end, uint32_t least)
{
    if (by == TITLES) {
        return !f->covered[node] && is_good_card(f, node, end);
    }
    return (f->covered[node] == 0 || may_be_within(f, node)) && is_good_post(f, node, end, least);
}

static void weigh_name(common_name_t *common, const groups_finder_t *f, const tmpl_alike_t *alike,
                       mark_e by)
{
    for (const tmpl_alike_element_t *e = tmpl_alike_first(alike, common->name); e != NULL;
         e = tmpl_alike_at(alike, e->next)) {
        uint32_t end = own_end(f, alike, e);
        common->all += by == AUTHORS && is_good(f, by, e->node, end, 0) ? 1 : 0;
        if (is_good(f, by, e->node, end, TEXT_LEAST)) {
            unsigned cues = f->cues[e->node];
            common->good++;
            common->weight += (cues & TMPL_CUE_TYPED) ? 3 : 2;
            common->bytes += tmpl_record_sum(&f->p, f->p.text, e->node, end);
            common->linked += free_mark(f, TITLES, e->node, end) != TMPL_NONE ? 1 : 0;
            common->named += (cues & CUES_WITHIN) ? 1 : 0;
            common->posts += (cues & TMPL_CUES_OF_POSTS) ? 1 : 0;
        }
    }
}

/* Whether a name's elements are a group. */
static int is_group(const common_name_t *common, mark_e by)
{
    if (by == TITLES) {
        return common->good >= 3 && common->bytes <= (uint64_t)CARD_MOST * common->good;
    }
    int is_listing = 2 * common->linked > common->good && 2 * common->named < common->good;
    return !is_listing && 2 * common->good >= common->all &&
           common->bytes >= (uint64_t)TEXT_MEAN * common->good &&
           common->good >= (2 * common->posts >= common->good ? 2u : 3u);
}

/* --- Groups --- */

/* All elements around free marks, by their names. */
static void find_common_names(tmpl_alike_t *alike, const groups_finder_t *f, mark_e by,
                              apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    unsigned char *is_around = apr_pcalloc(pool, page->n_nodes);
    for (int i = 0; i < f->marks[by]->nelts; i++) {
        uint32_t node = APR_ARRAY_IDX(f->marks[by], i, uint32_t);
        while (!f->used[node] && node > 0 && !is_around[node]) {
            is_around[node] = 1;
            node = page->nodes[node].parent;
        }
    }
    tmpl_alike_init(alike, pool);
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        if (is_around[i]) {
            tmpl_alike_add(alike, page, i);
        }
    }
}

/* Of names with nearly the most records, the one whose records have the most text. */
static int find_best_name(common_name_t *best, const groups_finder_t *f, const tmpl_alike_t *alike,
                          mark_e by, apr_pool_t *pool)
{
    common_name_t *all = apr_pcalloc(pool, alike->names.n * sizeof(*all) + 1);
    uint32_t most = 0;
    for (uint32_t i = 0; i < alike->names.n; i++) {
        all[i].name = i;
        weigh_name(&all[i], f, alike, by);
        most = is_group(&all[i], by) && all[i].weight > most ? all[i].weight : most;
    }
    int found = 0;
    for (uint32_t i = 0; i < alike->names.n; i++) {
        if (is_group(&all[i], by) && all[i].weight >= most - most / 10 &&
            (!found || all[i].bytes > best->bytes)) {
            *best = all[i];
            found = 1;
        }
    }
    return found;
}

static tmpl_record_kind_e kind_of(unsigned cues)
{
    return (cues & TMPL_CUE_ANSWER)     ? TMPL_RECORD_ANSWER
           : (cues & TMPL_CUE_REVIEW)   ? TMPL_RECORD_REVIEW
           : (cues & TMPL_CUE_QUESTION) ? TMPL_RECORD_QUESTION
           : (cues & TMPL_CUE_COMMENT)  ? TMPL_RECORD_COMMENT
                                        : TMPL_RECORD_POST;
}

/* The kind that an element, or one near around it, names. */
static tmpl_record_kind_e kind_around(const groups_finder_t *f, uint32_t node)
{
    enum { UP = 3 };
    const unsigned kinds = TMPL_CUE_ANSWER | TMPL_CUE_REVIEW | TMPL_CUE_QUESTION | TMPL_CUE_COMMENT;
    for (int i = 0; i < UP && node > 0; i++, node = f->p.page->nodes[node].parent) {
        if (f->cues[node] & kinds) {
            return kind_of(f->cues[node]);
        }
        if (f->cues[node] & TMPL_CUE_POST) {
            break;
        }
    }
    return TMPL_RECORD_POST;
}

static void add_record(groups_finder_t *f, uint32_t node, uint32_t end, tmpl_record_kind_e kind)
{
    tmpl_group_record_t *record = &APR_ARRAY_PUSH(f->records, tmpl_group_record_t);
    *record = (tmpl_group_record_t){ .node = node, .text = node, .group = f->n_groups };
    record->kind = kind;
    record->headline = TMPL_NONE;
    for (int i = 0; i < TMPL_RECORD_FIELD_COUNT; i++) {
        record->fields[i].node = TMPL_NONE;
    }
    record->fields[TMPL_RECORD_TITLE].node =
        kind == TMPL_RECORD_CARD ? free_mark(f, TITLES, node, end) : TMPL_NONE;
    for (int of = 0; of < MARKS; of++) {
        uint32_t mark = free_mark(f, (mark_e)of, node, end);
        if (mark != TMPL_NONE) {
            f->used[mark] = 1;
        }
    }
}

/* Whether a record (1 + its index; 0: none) is in another one. */
static int is_inner(const groups_finder_t *f, uint32_t record, uint32_t other)
{
    return record > 0 && APR_ARRAY_IDX(f->records, (int)record - 1, tmpl_group_record_t).node >
                             APR_ARRAY_IDX(f->records, (int)other - 1, tmpl_group_record_t).node;
}

/* Notes which nodes and which text are in the records from index first on. */
static void cover(groups_finder_t *f, int first)
{
    const tmpl_page_t *page = f->p.page;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        uint32_t around = f->covered[page->nodes[i].parent];
        if (first < f->records->nelts &&
            i == APR_ARRAY_IDX(f->records, first, tmpl_group_record_t).node) {
            f->covered[i] = (uint32_t)++first;
        }
        else if (f->covered[i] == 0 || is_inner(f, around, f->covered[i])) {
            f->covered[i] = around;
        }
    }
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t bytes = f->p.text[s + 1] - f->p.text[s];
        f->free_text[s + 1] = f->free_text[s] + (f->covered[page->segments[s].node] ? 0 : bytes);
    }
}

/*
 * Whether what says the authors of most records are names. Else they are used up: they are not
 * looked at again.
 */
static int have_names(groups_finder_t *f, const tmpl_alike_t *alike, uint32_t name)
{
    uint32_t n = 0, named = 0;
    for (const tmpl_alike_element_t *e = tmpl_alike_first(alike, name); e != NULL;
         e = tmpl_alike_at(alike, e->next)) {
        uint32_t mark = free_mark(f, AUTHORS, e->node, own_end(f, alike, e));
        if (mark != TMPL_NONE) {
            n++;
            named += tmpl_record_author(&f->p, mark) != NULL ? 1 : 0;
        }
    }
    if (2 * named >= n) {
        return 1;
    }
    for (const tmpl_alike_element_t *e = tmpl_alike_first(alike, name); e != NULL;
         e = tmpl_alike_at(alike, e->next)) {
        uint32_t mark = free_mark(f, AUTHORS, e->node, own_end(f, alike, e));
        if (mark != TMPL_NONE) {
            f->used[mark] = 1;
        }
    }
    return 0;
}

/* Finds a group of posts or of cards, and uses up its marks. Returns 0 if there is none. */
static int find_group(groups_finder_t *f, mark_e by, apr_pool_t *pool)
{
    tmpl_alike_t alike;
    common_name_t best = { 0 };
    find_common_names(&alike, f, by, pool);
    if (!find_best_name(&best, f, &alike, by, pool)) {
        return 0;
    }
    if (by == AUTHORS && !have_names(f, &alike, best.name)) {
        return 1;
    }
    int first = f->records->nelts;
    for (const tmpl_alike_element_t *e = tmpl_alike_first(&alike, best.name); e != NULL;
         e = tmpl_alike_at(&alike, e->next)) {
        uint32_t end = own_end(f, &alike, e);
        if (is_good(f, by, e->node, end, 0) &&
            tmpl_record_sum(&f->p, f->p.kept, e->node, end) > 0) {
            add_record(f, e->node, end, by == TITLES ? TMPL_RECORD_CARD : kind_around(f, e->node));
        }
    }
    cover(f, first);
    f->n_groups++;
    return 1;
}

/*
 * A post that schema.org's types name and that is like no other one, as a question. Its element is
 * the one around its author that has half of the text up to the first record in the typed element.
 */
static void find_single(groups_finder_t *f, uint32_t typed)
{
    enum { LEAST = 40 };
    const tmpl_node_t *nodes = f->p.page->nodes;
    uint32_t end = typed + 1;
    while (end < nodes[typed].after && !f->covered[end]) {
        end++;
    }
    uint32_t text = tmpl_record_sum(&f->p, f->p.text, typed, end);
    uint32_t node = free_mark(f, AUTHORS, typed, end);
    if (text < LEAST || node == TMPL_NONE ||
        tmpl_record_sum(&f->p, f->p.before, node, TMPL_NONE) == 0) {
        return;
    }
    while (node > typed && 2 * tmpl_record_sum(&f->p, f->p.text, node,
                                               end < nodes[node].after ? end : nodes[node].after) <
                               text) {
        node = nodes[node].parent;
    }
    int first = f->records->nelts;
    add_record(f, node, end, kind_of(f->cues[typed]));
    cover(f, first);
    f->n_groups++;
}

static void find_singles(groups_finder_t *f)
{
    for (uint32_t i = 0; i < f->p.page->n_nodes; i++) {
        if ((f->cues[i] & TMPL_CUE_TYPED) && !f->covered[i] && f->n_groups > 0) {
            find_single(f, i);
        }
    }
}

static int compare_records(const void *a, const void *b)
{
    uint32_t first = ((const tmpl_group_record_t *)a)->node;
    uint32_t second = ((const tmpl_group_record_t *)b)->node;
    return first < second ? -1 : first > second;
}

/* The record that each record is in; an answer that is in none answers the question before it. */
static void find_parents(tmpl_groups_t *groups, const tmpl_page_t *page)
{
    uint32_t question = TMPL_NONE, around = TMPL_NONE;
    for (uint32_t i = 0; i < groups->n; i++) {
        tmpl_group_record_t *record = &groups->records[i];
        while (around != TMPL_NONE &&
               page->nodes[groups->records[around].node].after <= record->node) {
            groups->records[around].behind = i;
            around = groups->records[around].parent;
        }
        record->parent = around;
        around = i;
        question = record->kind == TMPL_RECORD_QUESTION ? i : question;
    }
    for (; around != TMPL_NONE; around = groups->records[around].parent) {
        groups->records[around].behind = groups->n;
    }
    for (uint32_t i = question; i < groups->n; i++) {
        tmpl_group_record_t *record = &groups->records[i];
        if (record->kind == TMPL_RECORD_ANSWER && record->parent == TMPL_NONE) {
            record->parent = question;
        }
    }
}

/* The record in whose own part each node is; TMPL_NONE: in none. */
static const uint32_t *find_owners(const tmpl_groups_t *groups, const tmpl_page_t *page,
                                   apr_pool_t *pool)
{
    uint32_t *owners = apr_palloc(pool, page->n_nodes * sizeof(*owners));
    uint32_t next = 0;
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        owners[i] = i > 0 ? owners[page->nodes[i].parent] : TMPL_NONE;
        if (next < groups->n && groups->records[next].node == i) {
            owners[i] = next++;
        }
    }
    return owners;
}

const tmpl_group_record_t *tmpl_record_of(const tmpl_groups_t *groups, uint32_t node)
{
    uint32_t low = 0, high = groups->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (groups->records[middle].node < node) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low < groups->n && groups->records[low].node == node ? &groups->records[low] : NULL;
}

static const char *without_reply(const char *title)
{
    return apr_cstr_casecmpn(title, "Re: ", 4) == 0 ? title + 4 : title;
}

/* Drops titles that posts repeat: those are of the thread. */
static void drop_titles(const tmpl_groups_t *groups)
{
    const char *before = NULL; /* the title of the last post that had one */
    const tmpl_group_record_t *first = NULL;
    for (uint32_t i = 0; i < groups->n; i++) {
        tmpl_group_record_t *record = &groups->records[i];
        const char **title = &record->fields[TMPL_RECORD_TITLE].value;
        if (*title == NULL || !tmpl_record_is_post(record->kind)) {
            continue;
        }
        if (before != NULL && first->group == record->group &&
            strcmp(without_reply(before), without_reply(*title)) == 0) {
            *title = NULL;
        }
        else {
            before = *title;
            first = record;
        }
    }
}

int tmpl_record_is_post(tmpl_record_kind_e kind)
{
    static const unsigned char posts[] = {
#define IS_POST(id, key, is_post) is_post,
        TMPL_RECORD_KINDS(IS_POST)
#undef IS_POST
    };
    return posts[kind];
}

/* The text of the first h1 that stays; "": none. */
static const char *text_of_headline(groups_finder_t *f, apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (node->tag == TMPL_TAG_H1 && tmpl_record_sum(&f->p, f->p.kept, i, TMPL_NONE) > 0) {
            tmpl_buf_clear(&f->p.buf);
            tmpl_text_segments(&f->p.buf, page, node->first_segment, node->after_segment,
                               f->p.decoder);
            return f->p.buf.len > 0 ? apr_pstrmemdup(pool, f->p.buf.at, f->p.buf.len) : "";
        }
    }
    return "";
}

static void init_finder(groups_finder_t *f, apr_pool_t *pool, apr_pool_t *scratch)
{
    const tmpl_page_t *page = f->p.page;
    f->p.pool = pool;
    tmpl_buf_init(&f->p.buf, scratch);
    f->used = apr_pcalloc(scratch, page->n_nodes);
    f->covered = apr_pcalloc(scratch, page->n_nodes * sizeof(*f->covered));
    f->records = apr_array_make(pool, 16, sizeof(tmpl_group_record_t));
    for (int of = 0; of < MARKS; of++) {
        f->marks[of] = apr_array_make(scratch, 16, sizeof(uint32_t));
    }
    read_cues(f, scratch);
    sum_all_text(f, scratch);
    see_date_lines(f);
    sum_text(f, scratch);
    see_marks(f, scratch);
    f->p.headline = text_of_headline(f, scratch);
}

void tmpl_groups_find(tmpl_groups_t *groups, const tmpl_page_t *page, const tmpl_edits_t *edits,
                      const tmpl_decoder_t *decoder, apr_pool_t *pool)
{
    groups_finder_t f = { .p = { .page = page, .edits = edits, .decoder = decoder } };
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    init_finder(&f, pool, scratch);
    for (int i = 0; i < GROUPS_MOST && find_group(&f, AUTHORS, scratch); i++) {
    }
    find_singles(&f);
    for (int i = 0; i < GROUPS_MOST && find_group(&f, TITLES, scratch); i++) {
    }
    qsort(f.records->elts, (size_t)f.records->nelts, sizeof(tmpl_group_record_t), compare_records);
    groups->records = (tmpl_group_record_t *)f.records->elts;
    groups->n = (uint32_t)f.records->nelts;
    groups->n_groups = f.n_groups;
    find_parents(groups, page);
    const uint32_t *owners = find_owners(groups, page, scratch);
    for (uint32_t i = 0; i < groups->n; i++) {
        tmpl_record_read(groups, i, owners, &f.p);
    }
    drop_titles(groups);
    groups->parts = groups->n > 0 ? tmpl_record_parts(groups, owners, &f.p) : NULL;
    apr_pool_destroy(scratch);
}
