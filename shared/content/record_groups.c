/* SPDX-License-Identifier: Apache-2.0 */
#include "content/record_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/*
 * Bytes: of a post's text at least, and in the mean; of the texts of cards, in the mean, at most;
 * of a short text of a card at least.
 */
#define TEXT_LEAST 4
#define TEXT_MEAN  15
#define CARD_MOST  800
#define CARD_TEXT  30

/* What an answer by its type counts for a name: a question may have one alone. */
#define ANSWER_WEIGHT 7

/* What elements say that are no cards. */
#define CUES_WITHIN (TMPL_CUE_TYPED | TMPL_CUE_COMMENT | TMPL_CUE_REVIEW | TMPL_CUE_ANSWER)

/* Words of an element's class that are read, and bytes of an id, at most. */
#define WORDS_MOST 8
#define ID_MOST    100

/* Groups of a page that are looked for. */
#define GROUPS_MOST 4

typedef struct {
    tmpl_record_page_t *p;
    unsigned char *used;         /* of each node: a mark of a group that was found */
    uint32_t *free_text;         /* p->text without text of records that were found */
    apr_array_header_t *records; /* tmpl_group_record_t */
    uint32_t n_groups;
} groups_finder_t;

/* A name that elements have in common, and how well its elements are records. */
typedef struct {
    const uint32_t *first, *after; /* its elements */
    uint32_t all;                  /* elements that say an author and a date */
    uint32_t good;                 /* records: of these, with a text that stays */
    uint32_t linked;               /* of these, with a linked title */
    uint32_t named; /* of these, that say that they are comments, reviews or answers */
    uint32_t posts; /* of these, that say that they are posts of any kind */
    uint32_t
        weight;     /* two for each record; three, if it says that it is a post; seven for an answer
                         by its type: a question may have one */
    uint64_t bytes; /* of their texts */
} common_name_t;

/* --- Marks of a record --- */

/* The first mark that is free in nodes [node, end); TMPL_NONE: there is none. */
static uint32_t free_mark(const groups_finder_t *f, tmpl_record_mark_e of, uint32_t node,
                          uint32_t end)
{
    enum { LOOKED = 32 };
    const uint32_t *marks = (const uint32_t *)f->p->marks[of]->elts;
    uint32_t n = (uint32_t)f->p->marks[of]->nelts;
    uint32_t first = tmpl_record_first_from(marks, sizeof(*marks), 0, n, node);
    for (uint32_t i = first; i < n && i < first + LOOKED && marks[i] < end; i++) {
        if (!f->used[marks[i]]) {
            return marks[i];
        }
    }
    return TMPL_NONE;
}

/* least: bytes of its text. A record of a group may have none: pictures alone, or a quote. */
static int is_good_post(const groups_finder_t *f, uint32_t node, uint32_t end, uint32_t least)
{
    return free_mark(f, TMPL_MARKS_AUTHORS, node, end) != TMPL_NONE &&
           tmpl_record_sum(f->p, f->free_text, node, end) >= least &&
           ((f->p->cues[node] & TMPL_CUE_TYPED) ||
            free_mark(f, TMPL_MARKS_DATES, node, end) != TMPL_NONE);
}

/* Whether an element is in the head of a table of data: what stands there heads a column. */
static int is_in_head(const tmpl_page_t *page, uint32_t node)
{
    enum { LEVELS = 4 };
    int is_head = 0;
    for (int i = 0; i < LEVELS && node != TMPL_NONE && !is_head; i++) {
        is_head = page->nodes[node].tag == TMPL_TAG_TH || page->nodes[node].tag == TMPL_TAG_THEAD;
        node = page->nodes[node].parent;
    }
    return is_head;
}

static int is_good_card(const groups_finder_t *f, uint32_t node, uint32_t end)
{
    uint32_t text = tmpl_record_sum(f->p, f->free_text, node, end);
    return text == tmpl_record_sum(f->p, f->p->text, node, end) &&
           free_mark(f, TMPL_MARKS_TITLES, node, end) != TMPL_NONE &&
           tmpl_record_sum(f->p, f->p->kept, node, end) > 0 && !is_in_head(f->p->page, node) &&
           (text >= CARD_TEXT || f->p->facts[end] > f->p->facts[node]);
}

/* The end of the own part of an element: behind it, or where the next one of its name begins. */
static uint32_t own_end(const groups_finder_t *f, const common_name_t *name, const uint32_t *node)
{
    uint32_t after = f->p->page->nodes[*node].after;
    return node + 1 < name->after && node[1] < after ? node[1] : after;
}

static int is_good(const groups_finder_t *f, tmpl_record_mark_e by, uint32_t node, uint32_t end,
                   uint32_t least)
{
    return !f->p->owners[node] && (by == TMPL_MARKS_TITLES ? is_good_card(f, node, end)
                                                           : is_good_post(f, node, end, least));
}

static void weigh_name(common_name_t *common, const groups_finder_t *f, tmpl_record_mark_e by)
{
    const unsigned of_posts = TMPL_CUE_TYPED | TMPL_CUES_OF_POSTS;
    for (const uint32_t *node = common->first; node < common->after; node++) {
        uint32_t end = own_end(f, common, node);
        common->all += by == TMPL_MARKS_AUTHORS && is_good(f, by, *node, end, 0) ? 1 : 0;
        if (is_good(f, by, *node, end, TEXT_LEAST)) {
            unsigned cues = f->p->cues[*node];
            common->good++;
            int is_answer = (cues & TMPL_CUE_TYPED) && (cues & TMPL_CUE_ANSWER);
            common->weight += is_answer ? ANSWER_WEIGHT : (cues & of_posts) ? 3 : 2;
            common->bytes += tmpl_record_sum(f->p, f->p->text, *node, end);
            common->linked += free_mark(f, TMPL_MARKS_TITLES, *node, end) != TMPL_NONE ? 1 : 0;
            common->named += (cues & CUES_WITHIN) ? 1 : 0;
            common->posts += (cues & TMPL_CUES_OF_POSTS) ? 1 : 0;
        }
    }
}

/* Whether a name's elements are a group. */
static int is_group(const common_name_t *common, tmpl_record_mark_e by)
{
    if (by == TMPL_MARKS_TITLES) {
        return common->good >= 3 && common->bytes <= (uint64_t)CARD_MOST * common->good;
    }
    int is_listing = 2 * common->linked > common->good && 2 * common->named < common->good;
    return !is_listing && 2 * common->good >= common->all &&
           common->bytes >= (uint64_t)TEXT_MEAN * common->good &&
           (common->weight == ANSWER_WEIGHT ||
            common->good >= (2 * common->posts >= common->good ? 2u : 3u));
}

/* --- Names --- */

/*
 * Elements that have a name in common: their tag, if it is one that records have, a word of their
 * class, or the letters of their id. Digits of words count as 0, those of ids as nothing. The
 * elements of name i are nodes[first[i]] to nodes[after[i] - 1], in document order.
 */
typedef struct {
    uint32_t n;
    const uint32_t *nodes, *first, *after;
} names_t;

/* A name of a node. */
typedef struct {
    uint32_t name, node;
} named_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_numbering_t numbers; /* of names */
    apr_array_header_t *all;  /* named_t */
} names_reader_t;

/*
 * Adds a name: a hash of its kind and the bytes of a word, by FNV-1a. as: what a digit counts as;
 * '\0': it does not count.
 */
static void add_name(names_reader_t *r, uint32_t node, uint64_t kind, tmpl_span_t word, char as)
{
    uint64_t hash = 0xCBF29CE484222325u ^ kind;
    for (uint32_t at = word.start; at < word.end; at++) {
        char c = tmpl_is_digit(r->page->src[at]) ? as : r->page->src[at];
        hash = c != '\0' ? (hash ^ (unsigned char)c) * 0x100000001B3u : hash;
    }
    APR_ARRAY_PUSH(r->all, named_t) = (named_t){ tmpl_numbering_add(&r->numbers, hash), node };
}

static void add_names(names_reader_t *r, uint32_t node)
{
    /* tags of records that need no name */
    static const unsigned char tags[TMPL_TAG_COUNT] = {
        [TMPL_TAG_ARTICLE] = 1, [TMPL_TAG_LI] = 1, [TMPL_TAG_SECTION] = 1,
        [TMPL_TAG_TR] = 1,      [TMPL_TAG_DD] = 1,
    };
    const tmpl_page_t *page = r->page;
    const tmpl_node_t *n = &page->nodes[node];
    uint64_t kind = (uint64_t)n->tag << 8;
    const tmpl_known_attr_t *class = tmpl_node_attr(page, n, TMPL_ATTR_CLASS);
    const tmpl_known_attr_t *id = tmpl_node_attr(page, n, TMPL_ATTR_ID);
    if (tags[n->tag]) {
        add_name(r, node, kind, (tmpl_span_t){ 0, 0 }, '0');
    }
    else if (n->tag == TMPL_TAG_OTHER) {
        uint32_t name = n->open.start + 1;
        uint32_t end = tmpl_tag_name_end(page->src, page->len, name);
        add_name(r, node, kind | 1, (tmpl_span_t){ name, end }, '0');
    }
    if (id != NULL && tmpl_span_len(id->value) < ID_MOST) {
        add_name(r, node, kind | 2, id->value, '\0');
    }
    tmpl_span_t word = { 0, 0 };
    if (class != NULL) {
        word.start = word.end = class->value.start;
    }
    for (int i = 0;
         class != NULL && i < WORDS_MOST && tmpl_word_next(&word, page->src, class->value); i++) {
        add_name(r, node, kind | 3, word, '0');
    }
}

/* Reads the names of the nodes that are set in wanted, from pool. */
static void read_names(names_t *names, const tmpl_page_t *page, const unsigned char *wanted,
                       apr_pool_t *pool)
{
    names_reader_t r = { .page = page, .all = apr_array_make(pool, 1024, sizeof(named_t)) };
    tmpl_numbering_init(&r.numbers, 256, pool, pool);
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        if (wanted[i]) {
            add_names(&r, i);
        }
    }
    uint32_t n = r.numbers.n, sum = 0;
    uint32_t *first = apr_pcalloc(pool, 2 * (n + 1) * sizeof(*first)), *after = first + n + 1;
    uint32_t *nodes = apr_palloc(pool, ((apr_size_t)r.all->nelts + 1) * sizeof(*nodes));
    for (int i = 0; i < r.all->nelts; i++) {
        first[APR_ARRAY_IDX(r.all, i, named_t).name]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        sum += first[i];
        after[i] = first[i] = sum - first[i];
    }
    for (int i = 0; i < r.all->nelts; i++) {
        named_t it = APR_ARRAY_IDX(r.all, i, named_t);
        uint32_t *at = &after[it.name];
        if (*at == first[it.name] || nodes[*at - 1] != it.node) { /* else a class says it twice */
            nodes[(*at)++] = it.node;
        }
    }
    *names = (names_t){ n, nodes, first, after };
}

/* --- Groups --- */

/* All elements around free marks, by their names. */
static void find_common_names(names_t *names, const groups_finder_t *f, tmpl_record_mark_e by,
                              apr_pool_t *pool)
{
    const tmpl_page_t *page = f->p->page;
    unsigned char *is_around = apr_pcalloc(pool, page->n_nodes);
    for (int i = 0; i < f->p->marks[by]->nelts; i++) {
        uint32_t node = APR_ARRAY_IDX(f->p->marks[by], i, uint32_t);
        while (!f->used[node] && node > 0 && !is_around[node]) {
            is_around[node] = 1;
            node = page->nodes[node].parent;
        }
    }
    read_names(names, page, is_around, pool);
}

/* Of names with nearly the most records, the one whose records have the most text; or none. */
static common_name_t find_best_name(const groups_finder_t *f, tmpl_record_mark_e by,
                                    apr_pool_t *pool)
{
    common_name_t best = { 0 };
    names_t names;
    find_common_names(&names, f, by, pool);
    common_name_t *all = apr_pcalloc(pool, (names.n + 1) * sizeof(*all));
    uint32_t most = 0;
    for (uint32_t i = 0; i < names.n; i++) {
        all[i].first = names.nodes + names.first[i];
        all[i].after = names.nodes + names.after[i];
        weigh_name(&all[i], f, by);
        most = is_group(&all[i], by) && all[i].weight > most ? all[i].weight : most;
    }
    for (uint32_t i = 0; i < names.n; i++) {
        if (is_group(&all[i], by) && all[i].weight >= most - most / 10 &&
            (best.good == 0 || all[i].bytes > best.bytes)) {
            best = all[i];
        }
    }
    return best;
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
    for (int i = 0; i < UP && node > 0; i++, node = f->p->page->nodes[node].parent) {
        if (f->p->cues[node] & kinds) {
            return kind_of(f->p->cues[node]);
        }
        if (f->p->cues[node] & TMPL_CUE_POST) {
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
        kind == TMPL_RECORD_CARD ? free_mark(f, TMPL_MARKS_TITLES, node, end) : TMPL_NONE;
    for (int of = 0; of < TMPL_RECORD_MARKS; of++) {
        uint32_t mark = free_mark(f, (tmpl_record_mark_e)of, node, end);
        if (mark != TMPL_NONE) {
            f->used[mark] = 1;
        }
    }
}

/* Notes which nodes and which text are in the records from index first on. */
static void cover(groups_finder_t *f, int first)
{
    const tmpl_page_t *page = f->p->page;
    uint32_t *owners = f->p->owners;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        uint32_t around = owners[page->nodes[i].parent];
        if (first < f->records->nelts &&
            i == APR_ARRAY_IDX(f->records, first, tmpl_group_record_t).node) {
            owners[i] = i;
            first++;
        }
        else if (around > owners[i]) { /* in the inner one of two */
            owners[i] = around;
        }
    }
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t bytes = f->p->text[s + 1] - f->p->text[s];
        f->free_text[s + 1] = f->free_text[s] + (owners[page->segments[s].node] ? 0 : bytes);
    }
}

/* Finds a group of posts or of cards, and uses up its marks. Returns 0 if there is none. */
static int find_group(groups_finder_t *f, tmpl_record_mark_e by, apr_pool_t *pool)
{
    common_name_t best = find_best_name(f, by, pool);
    int first = f->records->nelts;
    for (const uint32_t *node = best.first; node < best.after; node++) {
        uint32_t end = own_end(f, &best, node);
        if (is_good(f, by, *node, end, 0) && tmpl_record_sum(f->p, f->p->kept, *node, end) > 0) {
            add_record(f, *node, end,
                       by == TMPL_MARKS_TITLES ? TMPL_RECORD_CARD : kind_around(f, *node));
        }
    }
    if (best.good > 0) {
        cover(f, first);
        f->n_groups++;
    }
    return best.good > 0;
}

/*
 * A post that schema.org's types name and that is like no other one, as a question. Its element is
 * the one around its author that has half of the text up to the first record in the typed element.
 */
static void find_single(groups_finder_t *f, uint32_t typed)
{
    enum { LEAST = 40 };
    const tmpl_node_t *nodes = f->p->page->nodes;
    uint32_t end = typed + 1;
    while (end < nodes[typed].after && !f->p->owners[end]) {
        end++;
    }
    uint32_t text = tmpl_record_sum(f->p, f->p->text, typed, end);
    uint32_t node = free_mark(f, TMPL_MARKS_AUTHORS, typed, end);
    if (text < LEAST || node == TMPL_NONE || tmpl_record_length(f->p, node) == 0) {
        return;
    }
    while (node > typed && 2 * tmpl_record_sum(f->p, f->p->text, node,
                                               end < nodes[node].after ? end : nodes[node].after) <
                               text) {
        node = nodes[node].parent;
    }
    int first = f->records->nelts;
    add_record(f, node, end, kind_of(f->p->cues[typed]));
    cover(f, first);
    f->n_groups++;
}

static void find_singles(groups_finder_t *f)
{
    for (uint32_t i = 0; i < f->p->page->n_nodes; i++) {
        if ((f->p->cues[i] & TMPL_CUE_TYPED) && !f->p->owners[i] && f->n_groups > 0) {
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

void tmpl_record_groups(tmpl_record_page_t *p, apr_pool_t *scratch)
{
    groups_finder_t f = { .p = p, .used = apr_pcalloc(scratch, p->page->n_nodes) };
    f.free_text = apr_pmemdup(scratch, p->text, (p->page->n_segments + 1) * sizeof(*p->text));
    f.records = apr_array_make(p->pool, 16, sizeof(tmpl_group_record_t));
    for (int i = 0; i < GROUPS_MOST && find_group(&f, TMPL_MARKS_AUTHORS, scratch); i++) {
    }
    find_singles(&f);
    for (int i = 0; i < GROUPS_MOST && find_group(&f, TMPL_MARKS_TITLES, scratch); i++) {
    }
    qsort(f.records->elts, (size_t)f.records->nelts, sizeof(tmpl_group_record_t), compare_records);
    p->groups->records = (tmpl_group_record_t *)f.records->elts;
    p->groups->n = (uint32_t)f.records->nelts;
    p->groups->n_groups = f.n_groups;
}
