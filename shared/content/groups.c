/* SPDX-License-Identifier: Apache-2.0 */
#include "content/groups.h"

#include <stdlib.h>
#include <string.h>

#include "content/alike.h"
#include "content/cues.h"
#include "content/record_fields.h"

/* Bytes: of a name or a date at most; of a post's text at least; of the texts of cards, in the
 * mean, at most; of a short text of a card at least. */
#define NAME_MOST  80
#define TEXT_LEAST 8
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
    unsigned char *covered;           /* of each node: IN_RECORD, IS_RECORD or 0 */
    uint32_t *free_text;              /* p.text without text of records that were found */
    uint32_t *facts;                  /* [i]: prices, dates and pictures before node i */
    apr_array_header_t *records;      /* tmpl_group_record_t */
    uint32_t n_groups;
} groups_finder_t;

/* Of a node: it is in a record that was found, or is its element. */
enum { IN_RECORD = 1, IS_RECORD };

/* A name that elements have in common, and how well its elements are records. */
typedef struct {
    uint32_t name;
    uint32_t good;   /* records */
    uint32_t linked; /* of these, with a linked title */
    uint32_t named;  /* of these, that say that they are comments, reviews or answers */
    uint32_t posts;  /* of these, that say that they are posts of any kind */
    uint64_t bytes;  /* of their texts */
} common_name_t;

/* --- What the page says --- */

static void sum_text(groups_finder_t *f, apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    const tmpl_edits_t *edits = f->p.content->edits;
    uint32_t *sums = apr_pcalloc(pool, (apr_size_t)3 * (page->n_segments + 1) * sizeof(*sums));
    uint32_t *before = sums, *kept = before + page->n_segments + 1;
    uint32_t *text = kept + page->n_segments + 1;
    uint32_t edit = 0;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        while (edit < edits->n && edits->edits[edit].span.end <= segment->span.start) {
            edit++;
        }
        int stays = edit == edits->n || edits->edits[edit].span.start > segment->span.start;
        int is_text = page->src[segment->span.start] != '<';
        uint32_t length = is_text ? segment->length : 0;
        before[s + 1] = before[s] + length;
        kept[s + 1] = kept[s] + (stays ? length : 0);
        text[s + 1] = text[s] + (stays && !f->p.is_link[segment->node] ? length : 0);
    }
    f->p.before = before;
    f->p.kept = kept;
    f->p.text = text;
    f->free_text = apr_pmemdup(pool, text, (page->n_segments + 1) * sizeof(*text));
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
        (f->cues[node] & TMPL_CUE_USER)) {
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

static void see_mark(groups_finder_t *f, uint32_t node)
{
    unsigned cues = f->cues[node];
    uint32_t length = tmpl_record_sum(&f->p, f->p.before, node, TMPL_NONE);
    int is_short = (length > 1 && length <= NAME_MOST) || (cues & TMPL_CUE_PROP);
    if ((cues & (TMPL_CUE_AUTHOR | TMPL_CUE_USER)) && is_short) {
        APR_ARRAY_PUSH(f->marks[AUTHORS], uint32_t) = node;
    }
    if ((cues & TMPL_CUE_DATE) && (is_short || f->p.page->nodes[node].tag == TMPL_TAG_TIME)) {
        APR_ARRAY_PUSH(f->marks[DATES], uint32_t) = node;
    }
    if (f->p.page->nodes[node].tag == TMPL_TAG_A && length > 1 && is_card_title(f, node)) {
        APR_ARRAY_PUSH(f->marks[TITLES], uint32_t) = node;
    }
}

static void read_cues(groups_finder_t *f, apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p.page;
    unsigned char *is_link = apr_pcalloc(pool, page->n_nodes);
    f->cues = apr_palloc(pool, page->n_nodes * sizeof(*f->cues));
    f->facts = apr_palloc(pool, (page->n_nodes + 1) * sizeof(*f->facts));
    f->facts[0] = 0;
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        f->cues[i] = tmpl_cues_of(page, i);
        is_link[i] = node->tag == TMPL_TAG_A || (i > 0 && is_link[node->parent]);
        int is_fact = (f->cues[i] & (TMPL_CUE_PRICE | TMPL_CUE_DATE | TMPL_CUE_RATING)) ||
                      node->tag == TMPL_TAG_IMG;
        f->facts[i + 1] = f->facts[i] + (is_fact ? 1 : 0);
    }
    f->p.cues = f->cues;
    f->p.is_link = is_link;
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

static int is_good_post(const groups_finder_t *f, uint32_t node, uint32_t end)
{
    const uint32_t *text = f->covered[node] ? f->p.text : f->free_text;
    return free_mark(f, AUTHORS, node, end) != TMPL_NONE &&
           tmpl_record_sum(&f->p, text, node, end) >= TEXT_LEAST &&
           ((f->cues[node] & TMPL_CUE_TYPED) || free_mark(f, DATES, node, end) != TMPL_NONE);
}

static int is_good_card(const groups_finder_t *f, uint32_t node, uint32_t end)
{
    uint32_t text = tmpl_record_sum(&f->p, f->free_text, node, end);
    return free_mark(f, TITLES, node, end) != TMPL_NONE &&
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

/* Within a record, other records say what they are, as comments on an answer do. */
static int is_good(const groups_finder_t *f, mark_e by, uint32_t node, uint32_t end)
{
    if (by == TITLES) {
        return !f->covered[node] && is_good_card(f, node, end);
    }
    int may =
        !f->covered[node] || (f->covered[node] == IN_RECORD && (f->cues[node] & CUES_WITHIN) != 0);
    return may && is_good_post(f, node, end);
}

static void weigh_name(common_name_t *common, const groups_finder_t *f, const tmpl_alike_t *alike,
                       mark_e by)
{
    for (const tmpl_alike_element_t *e = tmpl_alike_first(alike, common->name); e != NULL;
         e = tmpl_alike_at(alike, e->next)) {
        uint32_t end = own_end(f, alike, e);
        if (is_good(f, by, e->node, end)) {
            unsigned cues = f->cues[e->node];
            common->good++;
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
    return !is_listing && common->good >= (2 * common->posts >= common->good ? 2u : 3u);
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
        most = is_group(&all[i], by) && all[i].good > most ? all[i].good : most;
    }
    int found = 0;
    for (uint32_t i = 0; i < alike->names.n; i++) {
        if (is_group(&all[i], by) && all[i].good >= most - most / 10 &&
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

static void add_record(groups_finder_t *f, uint32_t node, uint32_t end, tmpl_record_kind_e kind)
{
    tmpl_group_record_t *record = &APR_ARRAY_PUSH(f->records, tmpl_group_record_t);
    *record = (tmpl_group_record_t){ .node = node, .text = node, .group = f->n_groups };
    record->kind = kind;
    for (int i = 0; i < TMPL_RECORD_FIELD_COUNT; i++) {
        record->fields[i].node = TMPL_NONE;
    }
    record->fields[TMPL_RECORD_TITLE].node = free_mark(f, TITLES, node, end);
    for (int of = 0; of < MARKS; of++) {
        uint32_t mark = free_mark(f, (mark_e)of, node, end);
        if (mark != TMPL_NONE) {
            f->used[mark] = 1;
        }
    }
}

/* Notes which nodes and which text are in the records from index first on. */
static void cover(groups_finder_t *f, int first)
{
    const tmpl_page_t *page = f->p.page;
    uint32_t behind = 0;
    for (int i = first; i < f->records->nelts; i++) {
        uint32_t node = APR_ARRAY_IDX(f->records, i, tmpl_group_record_t).node;
        for (uint32_t in = node > behind ? node : behind; in < page->nodes[node].after; in++) {
            f->covered[in] = f->covered[in] == IS_RECORD ? IS_RECORD : IN_RECORD;
        }
        behind = page->nodes[node].after > behind ? page->nodes[node].after : behind;
    }
    for (int i = first; i < f->records->nelts; i++) {
        f->covered[APR_ARRAY_IDX(f->records, i, tmpl_group_record_t).node] = IS_RECORD;
    }
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t bytes = f->p.text[s + 1] - f->p.text[s];
        f->free_text[s + 1] = f->free_text[s] + (f->covered[page->segments[s].node] ? 0 : bytes);
    }
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
    int first = f->records->nelts;
    for (const tmpl_alike_element_t *e = tmpl_alike_first(&alike, best.name); e != NULL;
         e = tmpl_alike_at(&alike, e->next)) {
        uint32_t end = own_end(f, &alike, e);
        if (is_good(f, by, e->node, end)) {
            add_record(f, e->node, end,
                       by == TITLES ? TMPL_RECORD_CARD : kind_of(f->cues[e->node]));
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
    if (text < LEAST || node == TMPL_NONE) {
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

int tmpl_record_is_post(tmpl_record_kind_e kind)
{
    static const unsigned char posts[] = {
#define IS_POST(id, key, is_post) is_post,
        TMPL_RECORD_KINDS(IS_POST)
#undef IS_POST
    };
    return posts[kind];
}

static void init_finder(groups_finder_t *f, const tmpl_content_t *content, apr_pool_t *pool,
                        apr_pool_t *scratch)
{
    f->p.content = content;
    f->p.page = content->page;
    f->p.pool = pool;
    tmpl_buf_init(&f->p.buf, scratch);
    f->used = apr_pcalloc(scratch, content->page->n_nodes);
    f->covered = apr_pcalloc(scratch, content->page->n_nodes);
    f->records = apr_array_make(pool, 16, sizeof(tmpl_group_record_t));
    for (int of = 0; of < MARKS; of++) {
        f->marks[of] = apr_array_make(scratch, 16, sizeof(uint32_t));
    }
    read_cues(f, scratch);
    sum_text(f, scratch);
    for (uint32_t i = 1; i < content->page->n_nodes; i++) {
        see_mark(f, i);
    }
}

void tmpl_groups_find(tmpl_groups_t *groups, const tmpl_content_t *content, apr_pool_t *pool)
{
    groups_finder_t f = { .n_groups = 0 };
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    init_finder(&f, content, pool, scratch);
    while (f.n_groups < GROUPS_MOST && find_group(&f, AUTHORS, scratch)) {
    }
    find_singles(&f);
    while (f.n_groups < 2 * GROUPS_MOST && find_group(&f, TITLES, scratch)) {
    }
    qsort(f.records->elts, (size_t)f.records->nelts, sizeof(tmpl_group_record_t), compare_records);
    groups->records = (tmpl_group_record_t *)f.records->elts;
    groups->n = (uint32_t)f.records->nelts;
    groups->n_groups = f.n_groups;
    find_parents(groups, content->page);
    const uint32_t *owners = find_owners(groups, content->page, scratch);
    for (uint32_t i = 0; i < groups->n; i++) {
        tmpl_record_read(groups, i, owners, &f.p);
    }
    apr_pool_destroy(scratch);
}
