/* SPDX-License-Identifier: Apache-2.0 */
/* page -> parts and their features. */
#include <math.h>
#include <string.h>

#include "detect/pagelevel.h"
#include "page/attr.h"

/* Sums over the segments before one: what a part holds is a difference of two. */
typedef struct {
    uint32_t length;
    uint32_t link;  /* of it in anchors */
    uint32_t links; /* anchors begun */
    uint32_t stops; /* ends of sentences */
    uint32_t commas;
    uint32_t digits;
    uint32_t repeat; /* length of segments whose key the page has more than once */
} sums_t;

/* What an element says of itself, or what the elements around it do. */
#define SAYS_TEMPLATE 0x0001
#define SAYS_CONTENT  0x0002
#define SAYS_WIDTH    0x0004
#define SAYS_HEIGHT   0x0008
#define SAYS_COLOUR   0x0010
#define IN_LIST       0x0020
#define IN_CELL       0x0040
#define IN_FORM       0x0080
#define IN_EDGE       0x0100
#define IN_MAIN       0x0200
#define IN_TEMPLATE   0x0400
#define IN_CONTENT    0x0800
#define IN_LINK       0x1000
#define IN_ANY                                                                                     \
    (IN_LIST | IN_CELL | IN_FORM | IN_EDGE | IN_MAIN | IN_TEMPLATE | IN_CONTENT | IN_LINK)

typedef struct {
    const tmpl_page_t *page;
    tmpl_regions_t *parts;
    sums_t *sums;
    uint16_t *says; /* by node */
    uint32_t *rank; /* by part */
    uint32_t *children;
} work_t;

static const uint16_t tag_says[TMPL_TAG_COUNT] = {
    [TMPL_TAG_UL] = IN_LIST,    [TMPL_TAG_OL] = IN_LIST,     [TMPL_TAG_DL] = IN_LIST,
    [TMPL_TAG_MENU] = IN_LIST,  [TMPL_TAG_TABLE] = IN_CELL,  [TMPL_TAG_FORM] = IN_FORM,
    [TMPL_TAG_NAV] = IN_EDGE,   [TMPL_TAG_HEADER] = IN_EDGE, [TMPL_TAG_FOOTER] = IN_EDGE,
    [TMPL_TAG_ASIDE] = IN_EDGE, [TMPL_TAG_MAIN] = IN_MAIN,   [TMPL_TAG_ARTICLE] = IN_MAIN,
    [TMPL_TAG_A] = IN_LINK,
};

static const unsigned char tag_feature[TMPL_TAG_COUNT] = {
    [TMPL_TAG_UL] = TMPL_FEATURE_TAG_LIST,    [TMPL_TAG_OL] = TMPL_FEATURE_TAG_LIST,
    [TMPL_TAG_DL] = TMPL_FEATURE_TAG_LIST,    [TMPL_TAG_MENU] = TMPL_FEATURE_TAG_LIST,
    [TMPL_TAG_LI] = TMPL_FEATURE_TAG_ITEM,    [TMPL_TAG_DT] = TMPL_FEATURE_TAG_ITEM,
    [TMPL_TAG_DD] = TMPL_FEATURE_TAG_ITEM,    [TMPL_TAG_P] = TMPL_FEATURE_TAG_P,
    [TMPL_TAG_PRE] = TMPL_FEATURE_TAG_P,      [TMPL_TAG_BLOCKQUOTE] = TMPL_FEATURE_TAG_P,
    [TMPL_TAG_TABLE] = TMPL_FEATURE_TAG_CELL, [TMPL_TAG_TBODY] = TMPL_FEATURE_TAG_CELL,
    [TMPL_TAG_TR] = TMPL_FEATURE_TAG_CELL,    [TMPL_TAG_TD] = TMPL_FEATURE_TAG_CELL,
    [TMPL_TAG_TH] = TMPL_FEATURE_TAG_CELL,    [TMPL_TAG_THEAD] = TMPL_FEATURE_TAG_CELL,
};

const tmpl_tag_set_t tmpl_separators_pagelevel = {
    .has = {
        [TMPL_TAG_TABLE] = 1,   [TMPL_TAG_DIV] = 1,        [TMPL_TAG_SECTION] = 1,
        [TMPL_TAG_ARTICLE] = 1, [TMPL_TAG_NAV] = 1,        [TMPL_TAG_HEADER] = 1,
        [TMPL_TAG_FOOTER] = 1,  [TMPL_TAG_ASIDE] = 1,      [TMPL_TAG_MAIN] = 1,
        [TMPL_TAG_FORM] = 1,    [TMPL_TAG_UL] = 1,         [TMPL_TAG_OL] = 1,
        [TMPL_TAG_DL] = 1,      [TMPL_TAG_P] = 1,          [TMPL_TAG_LI] = 1,
        [TMPL_TAG_DT] = 1,      [TMPL_TAG_DD] = 1,         [TMPL_TAG_TR] = 1,
        [TMPL_TAG_TD] = 1,      [TMPL_TAG_TH] = 1,         [TMPL_TAG_CAPTION] = 1,
        [TMPL_TAG_PRE] = 1,     [TMPL_TAG_BLOCKQUOTE] = 1, [TMPL_TAG_ADDRESS] = 1,
        [TMPL_TAG_H1] = 1,      [TMPL_TAG_H2] = 1,         [TMPL_TAG_H3] = 1,
        [TMPL_TAG_H4] = 1,      [TMPL_TAG_H5] = 1,         [TMPL_TAG_H6] = 1,
        [TMPL_TAG_CENTER] = 1,  [TMPL_TAG_FIELDSET] = 1,   [TMPL_TAG_FIGURE] = 1,
        [TMPL_TAG_HR] = 1,      [TMPL_TAG_DETAILS] = 1,    [TMPL_TAG_SUMMARY] = 1,
        [TMPL_TAG_TBODY] = 1,   [TMPL_TAG_THEAD] = 1,      [TMPL_TAG_TFOOT] = 1,
    },
};

/* Parts of the names that authors give to what they build; English, as such names are. */
static const struct {
    const char *part;
    uint16_t says;
} words[] = {
    { "nav", SAYS_TEMPLATE },       { "menu", SAYS_TEMPLATE },    { "foot", SAYS_TEMPLATE },
    { "head", SAYS_TEMPLATE },      { "side", SAYS_TEMPLATE },    { "crumb", SAYS_TEMPLATE },
    { "copyright", SAYS_TEMPLATE }, { "widget", SAYS_TEMPLATE },  { "share", SAYS_TEMPLATE },
    { "social", SAYS_TEMPLATE },    { "related", SAYS_TEMPLATE }, { "banner", SAYS_TEMPLATE },
    { "toolbar", SAYS_TEMPLATE },   { "search", SAYS_TEMPLATE },  { "login", SAYS_TEMPLATE },
    { "pag", SAYS_TEMPLATE },       { "promo", SAYS_TEMPLATE },   { "sponsor", SAYS_TEMPLATE },
    { "toc", SAYS_TEMPLATE },       { "cookie", SAYS_TEMPLATE },  { "popular", SAYS_TEMPLATE },
    { "recent", SAYS_TEMPLATE },    { "tags", SAYS_TEMPLATE },    { "rail", SAYS_TEMPLATE },
    { "content", SAYS_CONTENT },    { "main", SAYS_CONTENT },     { "article", SAYS_CONTENT },
    { "post", SAYS_CONTENT },       { "entry", SAYS_CONTENT },    { "body", SAYS_CONTENT },
    { "text", SAYS_CONTENT },       { "story", SAYS_CONTENT },    { "doc", SAYS_CONTENT },
};

/* What ends a sentence where '.', '!' and '?' do not: CJK, Devanagari, Arabic, Urdu. */
static const char *const stops[] = { "\xE3\x80\x82", "\xEF\xBC\x81", "\xEF\xBC\x9F",
                                     "\xE0\xA5\xA4", "\xD8\x9F",     "\xDB\x94" };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static int ends_sentence(const char *src, uint32_t p, uint32_t end)
{
    if (src[p] == '.' || src[p] == '!' || src[p] == '?') {
        return p + 1 == end || tmpl_is_space(src[p + 1]) || src[p + 1] == '"';
    }
    if ((unsigned char)src[p] < 0x80) {
        /* Thai has no mark: a space after a letter of it is the end */
        return tmpl_is_space(src[p]) && p >= 3 && src[p - 3] == '\xE0' &&
               (src[p - 2] == '\xB8' || src[p - 2] == '\xB9');
    }
    for (apr_size_t i = 0; i < COUNT_OF(stops); i++) {
        apr_size_t len = strlen(stops[i]);
        if (end - p >= len && memcmp(src + p, stops[i], len) == 0) {
            return 1;
        }
    }
    return 0;
}

static void add_text(sums_t *sums, const tmpl_page_t *page, tmpl_span_t span)
{
    for (uint32_t p = span.start; p < span.end; p++) {
        char c = page->src[p];
        sums->stops += ends_sentence(page->src, p, span.end);
        sums->commas += c == ',';
        sums->digits += (unsigned)(c - '0') < 10u;
    }
}

static void add_segments(work_t *w, apr_pool_t *pool)
{
    const tmpl_page_t *page = w->page;
    uint32_t *times = apr_pcalloc(pool, (page->n_keys + 1) * sizeof(*times));
    w->sums = apr_pcalloc(pool, (page->n_segments + 1) * sizeof(*w->sums));
    for (uint32_t s = 0; s < page->n_segments; s++) {
        times[page->segments[s].key]++;
    }
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        sums_t *sums = &w->sums[s + 1];
        int link = (w->says[segment->node] & IN_LINK) != 0;
        *sums = w->sums[s];
        sums->length += segment->length;
        sums->link += link ? segment->length : 0;
        sums->links += (uint32_t)link;
        sums->repeat += times[segment->key] > 1 ? segment->length : 0;
        if (page->src[segment->span.start] != '<') {
            add_text(sums, page, segment->span);
        }
    }
}

static sums_t difference(const work_t *w, uint32_t first, uint32_t after)
{
    const sums_t *a = &w->sums[first];
    const sums_t *b = &w->sums[after];
    return (sums_t){ b->length - a->length, b->link - a->link,     b->links - a->links,
                     b->stops - a->stops,   b->commas - a->commas, b->digits - a->digits,
                     b->repeat - a->repeat };
}

/* Whether part (lower case) stands in the value, in any case. */
static int has_part(const char *src, tmpl_span_t value, const char *part)
{
    uint32_t len = (uint32_t)strlen(part);
    for (uint32_t p = value.start; p + len <= value.end; p++) {
        if ((src[p] | 0x20) == part[0] && tmpl_span_is(src, (tmpl_span_t){ p, p + len }, part)) {
            return 1;
        }
    }
    return 0;
}

static uint16_t value_says(const char *src, tmpl_span_t value)
{
    uint16_t says = 0;
    for (apr_size_t i = 0; i < COUNT_OF(words); i++) {
        if (!(says & words[i].says) && has_part(src, value, words[i].part)) {
            says |= words[i].says;
        }
    }
    return says;
}

/* A width of a column at the side: below 300, or 30 of 100. */
static int is_narrow(const char *src, tmpl_span_t value)
{
    uint32_t n = 0;
    uint32_t p = value.start;
    while (p < value.end && n < 100000 && (unsigned)(src[p] - '0') < 10u) {
        n = 10 * n + (uint32_t)(src[p++] - '0');
    }
    return p > value.start && n < (p < value.end && src[p] == '%' ? 30u : 300u);
}

static uint16_t attributes_say(const tmpl_page_t *page, tmpl_span_t tag)
{
    uint16_t says = 0;
    tmpl_attr_t attr;
    uint32_t at = tag.start;
    if (tmpl_span_len(tag) == 0) {
        return 0;
    }
    at = tmpl_attr_first(page->src, tag);
    while (tmpl_attr_next(&attr, page->src, tag.end, &at) == TMPL_ATTR_FOUND) {
        if (tmpl_span_is(page->src, attr.name, "class") ||
            tmpl_span_is(page->src, attr.name, "id") ||
            tmpl_span_is(page->src, attr.name, "role")) {
            says |= value_says(page->src, attr.value);
        }
        else if (tmpl_span_is(page->src, attr.name, "width")) {
            says |= is_narrow(page->src, attr.value) ? SAYS_WIDTH : 0;
        }
        else if (tmpl_span_is(page->src, attr.name, "height")) {
            says |= SAYS_HEIGHT;
        }
        else if (tmpl_span_is(page->src, attr.name, "bgcolor")) {
            says |= SAYS_COLOUR;
        }
    }
    return says;
}

static void add_nodes(work_t *w, apr_pool_t *pool)
{
    const tmpl_page_t *page = w->page;
    w->says = apr_pcalloc(pool, page->n_nodes * sizeof(*w->says));
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        uint16_t above = w->says[node->parent];
        if (node->first_segment == node->after_segment) {
            continue;
        }
        uint16_t own = node->tag == TMPL_TAG_A ? 0 : attributes_say(page, node->open);
        above |= above & SAYS_TEMPLATE ? IN_TEMPLATE : 0;
        above |= above & SAYS_CONTENT ? IN_CONTENT : 0;
        w->says[i] = (uint16_t)(own | (above & IN_ANY) | tag_says[node->tag]);
    }
}

/* Whether the element holds whole blocks, and is not what a single block is. */
static int is_part(const tmpl_page_t *page, uint32_t i)
{
    const tmpl_node_t *node = &page->nodes[i];
    if (node->first_segment == node->after_segment) {
        return 0;
    }
    const tmpl_block_t *first = &page->blocks[page->segments[node->first_segment].block];
    const tmpl_block_t *last = &page->blocks[page->segments[node->after_segment - 1].block];
    return first->first_segment == node->first_segment &&
           last->after_segment == node->after_segment && (first != last || i == 0);
}

static uint32_t add_part(tmpl_regions_t *parts, tmpl_region_t part)
{
    uint32_t up = parts->n > 0 ? parts->n - 1 : TMPL_NONE;
    while (up != TMPL_NONE && (parts->parts[up].block != TMPL_NONE ||
                               parts->parts[up].after_segment <= part.first_segment)) {
        up = parts->parts[up].parent;
    }
    part.parent = up;
    parts->parts[parts->n] = part;
    return parts->n++;
}

static void add_parts(work_t *w, apr_pool_t *pool)
{
    const tmpl_page_t *page = w->page;
    tmpl_regions_t *parts = w->parts;
    uint32_t next = 0;
    parts->n = 0;
    parts->parts =
        apr_palloc(pool, ((apr_size_t)page->n_nodes + page->n_blocks) * sizeof(*parts->parts));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        for (; next < page->n_nodes && page->nodes[next].first_segment <= block->first_segment;
             next++) {
            if (is_part(page, next)) {
                add_part(parts, (tmpl_region_t){ .first_segment = page->nodes[next].first_segment,
                                                 .after_segment = page->nodes[next].after_segment,
                                                 .node = next,
                                                 .block = TMPL_NONE });
            }
        }
        add_part(parts, (tmpl_region_t){ .first_segment = block->first_segment,
                                         .after_segment = block->after_segment,
                                         .node = block->node,
                                         .block = b });
    }
}

static void count_siblings(work_t *w, apr_pool_t *pool)
{
    tmpl_regions_t *parts = w->parts;
    w->rank = apr_pcalloc(pool, parts->n * sizeof(*w->rank));
    w->children = apr_pcalloc(pool, parts->n * sizeof(*w->children));
    for (uint32_t i = 0; i < parts->n; i++) {
        tmpl_region_t *part = &parts->parts[i];
        part->length = difference(w, part->first_segment, part->after_segment).length;
        if (i > 0) {
            w->rank[i] = w->children[part->parent]++;
        }
    }
}

static float share(double part, double whole)
{
    return whole > 0 ? (float)(part / whole) : 0;
}

static float log_of(double n)
{
    return (float)log1p(n);
}

static void place(float *f, const work_t *w, uint32_t i)
{
    const tmpl_region_t *part = &w->parts->parts[i];
    double all = w->sums[w->page->n_segments].length;
    double before = w->sums[part->first_segment].length;
    double after = all - w->sums[part->after_segment].length;
    f[TMPL_FEATURE_START] = share(before, all);
    f[TMPL_FEATURE_END] = share(after, all);
    f[TMPL_FEATURE_EDGE] = share(fabs(before - after), all);
    f[TMPL_FEATURE_BEFORE] = log_of(before);
    f[TMPL_FEATURE_AFTER] = log_of(after);
    f[TMPL_FEATURE_ORDER] = share(i, w->parts->n);
    f[TMPL_FEATURE_LENGTH] = log_of(part->length);
    f[TMPL_FEATURE_SHARE] = share(part->length, all);
    f[TMPL_FEATURE_SEGMENTS] = log_of(part->after_segment - part->first_segment);
    f[TMPL_FEATURE_PAGE] = log_of(all);
}

static void flag(float *f, tmpl_feature_e feature, unsigned bits)
{
    f[feature] = bits != 0 ? 1 : 0;
}

static void tree(float *f, const work_t *w, uint32_t i)
{
    const tmpl_region_t *part = &w->parts->parts[i];
    const tmpl_region_t *box = &w->parts->parts[i > 0 ? part->parent : 0];
    tmpl_tag_e tag = w->page->nodes[part->node].tag;
    uint16_t says = w->says[part->node];
    f[TMPL_FEATURE_DEPTH] = (float)w->page->nodes[part->node].depth;
    f[TMPL_FEATURE_RANK] = log_of(w->rank[i]);
    f[TMPL_FEATURE_SIBLINGS] = log_of(i > 0 ? w->children[part->parent] : 0);
    f[TMPL_FEATURE_BOX] = log_of(box->length);
    f[TMPL_FEATURE_BOX_SHARE] = share(part->length, box->length);
    if (tag_feature[tag] != 0) {
        f[tag_feature[tag]] = 1;
    }
    flag(f, TMPL_FEATURE_TAG_HEADING, tmpl_tag_flags(tag) & TMPL_IS_HEADING);
    flag(f, TMPL_FEATURE_IN_LIST, says & IN_LIST);
    flag(f, TMPL_FEATURE_IN_CELL, says & IN_CELL);
    flag(f, TMPL_FEATURE_IN_FORM, says & IN_FORM);
    flag(f, TMPL_FEATURE_IN_EDGE, says & IN_EDGE);
    flag(f, TMPL_FEATURE_IN_MAIN, says & IN_MAIN);
    flag(f, TMPL_FEATURE_WORD_TEMPLATE, says & SAYS_TEMPLATE);
    flag(f, TMPL_FEATURE_WORD_CONTENT, says & SAYS_CONTENT);
    flag(f, TMPL_FEATURE_IN_WORD_TEMPLATE, says & IN_TEMPLATE);
    flag(f, TMPL_FEATURE_IN_WORD_CONTENT, says & IN_CONTENT);
    flag(f, TMPL_FEATURE_WIDTH, says & SAYS_WIDTH);
    flag(f, TMPL_FEATURE_HEIGHT, says & SAYS_HEIGHT);
    flag(f, TMPL_FEATURE_COLOUR, says & SAYS_COLOUR);
}

static void text(float *f, const work_t *w, uint32_t i)
{
    const tmpl_region_t *part = &w->parts->parts[i];
    const tmpl_region_t *box = &w->parts->parts[i > 0 ? part->parent : 0];
    sums_t own = difference(w, part->first_segment, part->after_segment);
    sums_t around = difference(w, box->first_segment, box->after_segment);
    const sums_t *all = &w->sums[w->page->n_segments];
    f[TMPL_FEATURE_LINK] = share(own.link, own.length);
    f[TMPL_FEATURE_LINKS] = log_of(own.links);
    f[TMPL_FEATURE_BOX_LINK] = share(around.link, around.length);
    f[TMPL_FEATURE_PAGE_LINK] = share(all->link, all->length);
    f[TMPL_FEATURE_SENTENCE] = log_of(share(own.length, own.stops > 0 ? own.stops : 1));
    f[TMPL_FEATURE_STOPS] = log_of(own.stops);
    f[TMPL_FEATURE_COMMAS] = share(100.0 * own.commas, own.length);
    f[TMPL_FEATURE_DIGITS] = share(own.digits, own.length);
    f[TMPL_FEATURE_REPEAT] = share(own.repeat, own.length);
}

/* The two blocks before the part and the two behind it. */
static void near(float *f, const work_t *w, uint32_t i)
{
    const tmpl_page_t *page = w->page;
    const tmpl_region_t *part = &w->parts->parts[i];
    uint32_t first = page->segments[part->first_segment].block;
    uint32_t last = page->segments[part->after_segment - 1].block;
    const tmpl_block_t *from = &page->blocks[first > 2 ? first - 2 : 0];
    const tmpl_block_t *to =
        &page->blocks[last + 2 < page->n_blocks ? last + 2 : page->n_blocks - 1];
    sums_t before = difference(w, from->first_segment, part->first_segment);
    sums_t after = difference(w, part->after_segment, to->after_segment);
    f[TMPL_FEATURE_NEAR_LENGTH] = log_of((double)before.length + after.length);
    f[TMPL_FEATURE_NEAR_LINK] =
        share((double)before.link + after.link, (double)before.length + after.length);
}

void tmpl_regions(tmpl_regions_t *parts, const tmpl_page_t *page, apr_pool_t *pool)
{
    work_t w = { .page = page, .parts = parts };
    add_nodes(&w, pool);
    add_segments(&w, pool);
    add_parts(&w, pool);
    count_siblings(&w, pool);
    parts->features = apr_pcalloc(pool, (apr_size_t)parts->n * TMPL_FEATURE_COUNT * sizeof(float));
    for (uint32_t i = 0; i < parts->n; i++) {
        float *f = &parts->features[(apr_size_t)i * TMPL_FEATURE_COUNT];
        place(f, &w, i);
        tree(f, &w, i);
        text(f, &w, i);
        near(f, &w, i);
    }
}
