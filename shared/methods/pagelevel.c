/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/pagelevel.h"

#include <math.h>

#include "feature/reading.h"
#include "html/attr.h"

/* ---- regions and their features ---- */

/* What is counted in the blocks before each; the sums of a region are the difference of two. */
typedef struct {
    uint32_t length; /* bytes of segments */
#define SUM(name) uint32_t name;
    TMPL_TALLIES(SUM)
#undef SUM
} region_sums_t;

/* Elements around a region that suggest template, and content. */
enum {
    IN_EDGE = TMPL_IN_NAV | TMPL_IN_HEADER | TMPL_IN_FOOTER | TMPL_IN_ASIDE,
    IN_MAIN = TMPL_IN_MAIN | TMPL_IN_ARTICLE
};

/*
 * Kinds of class and id names that suggest template. Names for comments and for authors are left
 * out: corpora disagree whether these are template.
 */
static const tmpl_name_e template_names[] = { TMPL_NAME_MENU, TMPL_NAME_SIDE,  TMPL_NAME_MORE,
                                              TMPL_NAME_EDGE, TMPL_NAME_SHARE, TMPL_NAME_OFFER };

typedef struct {
    const tmpl_page_t *page;
    const tmpl_reading_t *reading;
    tmpl_regions_t *regions;
    region_sums_t *sums;
    uint32_t *rank;     /* of a region: siblings before it */
    uint32_t *children; /* of a region: their number */
} regions_work_t;

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

static void sum_up_regions(regions_work_t *w, apr_pool_t *pool)
{
    w->sums = apr_pcalloc(pool, (w->page->n_blocks + 1) * sizeof(*w->sums));
    for (uint32_t b = 0; b < w->page->n_blocks; b++) {
        const region_sums_t *before = &w->sums[b];
        tmpl_tally_t tally = tmpl_tally_of(w->reading, b);
#define SUM(name) .name = before->name + tally.name,
        w->sums[b + 1] = (region_sums_t){ .length = before->length + w->page->blocks[b].length,
                                          TMPL_TALLIES(SUM) };
#undef SUM
    }
}

/* The sums of the blocks [first, after). */
static region_sums_t difference(const regions_work_t *w, uint32_t first, uint32_t after)
{
    const region_sums_t *to = &w->sums[after];
    const region_sums_t *from = &w->sums[first];
#define SUM(name) .name = to->name - from->name,
    return (region_sums_t){ .length = to->length - from->length, TMPL_TALLIES(SUM) };
#undef SUM
}

static uint32_t first_block(const regions_work_t *w, const tmpl_region_t *region)
{
    return w->page->segments[region->first_segment].block;
}

static uint32_t after_block(const regions_work_t *w, const tmpl_region_t *region)
{
    return w->page->segments[region->after_segment - 1].block + 1;
}

static region_sums_t sums_of(const regions_work_t *w, const tmpl_region_t *region)
{
    return difference(w, first_block(w, region), after_block(w, region));
}

/* Whether a width is that of a side column: below 300 pixels, or below 30 per cent. */
static int is_narrow(const char *src, tmpl_span_t value)
{
    uint32_t n = 0;
    uint32_t p = value.start;
    while (p < value.end && n < 100000 && (unsigned)(src[p] - '0') < 10u) {
        n = 10 * n + (uint32_t)(src[p++] - '0');
    }
    return p > value.start && n < (p < value.end && src[p] == '%' ? 30u : 300u);
}

/* Whether the element holds whole blocks, and more than one of them. */
static int is_region(const tmpl_page_t *page, uint32_t i)
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

static uint32_t add_region(tmpl_regions_t *regions, tmpl_region_t region)
{
    uint32_t up = regions->n > 0 ? regions->n - 1 : TMPL_NONE;
    while (up != TMPL_NONE && (regions->all[up].block != TMPL_NONE ||
                               regions->all[up].after_segment <= region.first_segment)) {
        up = regions->all[up].parent;
    }
    region.parent = up;
    regions->all[regions->n] = region;
    return regions->n++;
}

static void add_regions(regions_work_t *w, apr_pool_t *pool)
{
    const tmpl_page_t *page = w->page;
    tmpl_regions_t *regions = w->regions;
    uint32_t next = 0;
    regions->n = 0;
    regions->all =
        apr_palloc(pool, ((apr_size_t)page->n_nodes + page->n_blocks) * sizeof(*regions->all));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        for (; next < page->n_nodes && page->nodes[next].first_segment <= block->first_segment;
             next++) {
            if (is_region(page, next)) {
                add_region(regions,
                           (tmpl_region_t){ .first_segment = page->nodes[next].first_segment,
                                            .after_segment = page->nodes[next].after_segment,
                                            .node = next,
                                            .block = TMPL_NONE });
            }
        }
        add_region(regions, (tmpl_region_t){ .first_segment = block->first_segment,
                                             .after_segment = block->after_segment,
                                             .node = block->node,
                                             .block = b });
    }
}

static void count_siblings(regions_work_t *w, apr_pool_t *pool)
{
    tmpl_regions_t *regions = w->regions;
    w->rank = apr_pcalloc(pool, regions->n * sizeof(*w->rank));
    w->children = apr_pcalloc(pool, regions->n * sizeof(*w->children));
    for (uint32_t i = 0; i < regions->n; i++) {
        tmpl_region_t *region = &regions->all[i];
        region->length = sums_of(w, region).length;
        if (i > 0) {
            w->rank[i] = w->children[region->parent]++;
        }
    }
}

static float share_of(double part, double whole)
{
    return whole > 0 ? (float)(part / whole) : 0;
}

static float log_of(double n)
{
    return (float)log1p(n);
}

static void features_of_place(float *f, const regions_work_t *w, uint32_t i)
{
    const tmpl_region_t *region = &w->regions->all[i];
    double all = w->sums[w->page->n_blocks].length;
    double before = w->sums[first_block(w, region)].length;
    double after = all - w->sums[after_block(w, region)].length;
    f[TMPL_FEATURE_START] = share_of(before, all);
    f[TMPL_FEATURE_END] = share_of(after, all);
    f[TMPL_FEATURE_EDGE] = share_of(fabs(before - after), all);
    f[TMPL_FEATURE_BEFORE] = log_of(before);
    f[TMPL_FEATURE_AFTER] = log_of(after);
    f[TMPL_FEATURE_ORDER] = share_of(i, w->regions->n);
    f[TMPL_FEATURE_LENGTH] = log_of(region->length);
    f[TMPL_FEATURE_SHARE] = share_of(region->length, all);
    f[TMPL_FEATURE_SEGMENTS] = log_of(region->after_segment - region->first_segment);
    f[TMPL_FEATURE_PAGE] = log_of(all);
}

static void flag(float *f, tmpl_feature_e feature, int is)
{
    f[feature] = is ? 1 : 0;
}

static void features_of_tree(float *f, const regions_work_t *w, uint32_t i)
{
    const tmpl_region_t *region = &w->regions->all[i];
    const tmpl_region_t *box = &w->regions->all[i > 0 ? region->parent : 0];
    tmpl_tag_e tag = w->page->nodes[region->node].tag;
    f[TMPL_FEATURE_DEPTH] = (float)w->page->nodes[region->node].depth;
    f[TMPL_FEATURE_RANK] = log_of(w->rank[i]);
    f[TMPL_FEATURE_SIBLINGS] = log_of(i > 0 ? w->children[region->parent] : 0);
    f[TMPL_FEATURE_BOX] = log_of(box->length);
    f[TMPL_FEATURE_BOX_SHARE] = share_of(region->length, box->length);
    if (tag_feature[tag] != 0) {
        f[tag_feature[tag]] = 1;
    }
    flag(f, TMPL_FEATURE_TAG_HEADING, tmpl_tag_flags(tag) & TMPL_IS_HEADING);
}

static void names(float *f, const uint16_t *steps)
{
    for (unsigned i = 0; i < sizeof(template_names) / sizeof(template_names[0]); i++) {
        unsigned up = steps[template_names[i]];
        if (up > 0) {
            f[up == 1 ? TMPL_FEATURE_WORD_TEMPLATE : TMPL_FEATURE_IN_WORD_TEMPLATE] = 1;
        }
    }
    flag(f, TMPL_FEATURE_WORD_CONTENT, steps[TMPL_NAME_GOOD] == 1);
    flag(f, TMPL_FEATURE_IN_WORD_CONTENT, steps[TMPL_NAME_GOOD] > 1);
}

/* Features of the region's own element and of those around it. */
static void features_around(float *f, const regions_work_t *w, uint32_t i)
{
    uint32_t node = w->regions->all[i].node;
    const tmpl_context_t *at = tmpl_context(w->reading, node);
    const char *src = w->page->src;
    tmpl_span_t tag = w->page->nodes[node].open;
    tmpl_attr_t attr;
    flag(f, TMPL_FEATURE_IN_LIST, at->in & TMPL_IN_LIST);
    flag(f, TMPL_FEATURE_IN_CELL, at->in & TMPL_IN_TABLE);
    flag(f, TMPL_FEATURE_IN_FORM, at->in & TMPL_IN_FORM);
    flag(f, TMPL_FEATURE_IN_EDGE, at->in & IN_EDGE);
    flag(f, TMPL_FEATURE_IN_MAIN, at->in & IN_MAIN);
    names(f, at->near.steps);
    flag(f, TMPL_FEATURE_WIDTH,
         tmpl_attr_find(&attr, src, tag, "width") && is_narrow(src, attr.value));
    flag(f, TMPL_FEATURE_HEIGHT, tmpl_attr_find(&attr, src, tag, "height"));
    flag(f, TMPL_FEATURE_COLOUR, tmpl_attr_find(&attr, src, tag, "bgcolor"));
}

/* The share of words in links. Without words (images only): 1 if there is a link. */
static float linked(const region_sums_t *sums)
{
    return sums->words > 0 ? share_of(sums->linked, sums->words) : sums->links > 0 ? 1 : 0;
}

static void features_of_text(float *f, const regions_work_t *w, uint32_t i)
{
    const tmpl_region_t *region = &w->regions->all[i];
    region_sums_t own = sums_of(w, region);
    region_sums_t box = sums_of(w, &w->regions->all[i > 0 ? region->parent : 0]);
    f[TMPL_FEATURE_LINK] = linked(&own);
    f[TMPL_FEATURE_LINKS] = log_of(own.links);
    f[TMPL_FEATURE_BOX_LINK] = linked(&box);
    f[TMPL_FEATURE_PAGE_LINK] = linked(&w->sums[w->page->n_blocks]);
    f[TMPL_FEATURE_SENTENCE] = log_of(share_of(own.words, 2.0 * (own.stops > 0 ? own.stops : 1)));
    f[TMPL_FEATURE_STOPS] = log_of(own.stops);
    f[TMPL_FEATURE_COMMAS] = share_of(200.0 * own.commas, own.words);
    f[TMPL_FEATURE_DIGITS] = share_of(own.digits, own.chars);
    f[TMPL_FEATURE_REPEAT] = share_of(own.again, own.length);
}

/* Features of the two blocks before the region and the two behind it. */
static void features_beside(float *f, const regions_work_t *w, uint32_t i)
{
    uint32_t n = w->page->n_blocks;
    uint32_t first = first_block(w, &w->regions->all[i]);
    uint32_t after = after_block(w, &w->regions->all[i]);
    region_sums_t before = difference(w, first > 2 ? first - 2 : 0, first);
    region_sums_t behind = difference(w, after, n - after > 2 ? after + 2 : n);
    region_sums_t both = { .words = before.words + behind.words,
                           .linked = before.linked + behind.linked,
                           .links = before.links + behind.links };
    f[TMPL_FEATURE_NEAR_LENGTH] = log_of((double)before.length + behind.length);
    f[TMPL_FEATURE_NEAR_LINK] = linked(&both);
}

void tmpl_regions(tmpl_regions_t *regions, const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_reading_t *reading = tmpl_read_blocks(page, pool);
    regions_work_t w = { .page = page, .reading = reading, .regions = regions };
    tmpl_read_text(reading, pool);
    sum_up_regions(&w, pool);
    add_regions(&w, pool);
    count_siblings(&w, pool);
    regions->features =
        apr_pcalloc(pool, (apr_size_t)regions->n * TMPL_FEATURE_COUNT * sizeof(float));
    for (uint32_t i = 0; i < regions->n; i++) {
        float *f = &regions->features[(apr_size_t)i * TMPL_FEATURE_COUNT];
        features_of_place(f, &w, i);
        features_of_tree(f, &w, i);
        features_around(f, &w, i);
        features_of_text(f, &w, i);
        features_beside(f, &w, i);
    }
}

/* ---- verdicts ---- */

/*
 * The weights of smoothing: a region of n bytes of text has alpha (n + 1)^ALPHA_POWER, and beta,
 * the price of disagreeing with its parent, BETA * alpha. docs/lab/accuracy.md says where they come
 * from.
 */
#define ALPHA_POWER 0.5
#define BETA        0.5

void tmpl_detect_pagelevel(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                           const tmpl_model_t *model, tmpl_smoothing_e smoothing, double threshold,
                           apr_pool_t *pool)
{
    tmpl_regions_t regions;
    threshold = threshold < 0 ? model->threshold : threshold;
    tmpl_regions(&regions, page, pool);
    tmpl_isotonic_node_t *nodes = apr_palloc(pool, regions.n * sizeof(*nodes));
    float *y = apr_palloc(pool, regions.n * sizeof(*y));
    for (uint32_t i = 0; i < regions.n; i++) {
        const tmpl_region_t *region = &regions.all[i];
        const tmpl_model_class_t *of_size = &model->classes[tmpl_size_class(region->length)];
        const float *features = &regions.features[(apr_size_t)i * TMPL_FEATURE_COUNT];
        float alpha = (float)pow(region->length + 1.0, ALPHA_POWER);
        y[i] = (float)tmpl_logistic(&of_size->logistic, features);
        nodes[i] = (tmpl_isotonic_node_t){ y[i], alpha, (float)BETA * alpha, region->parent };
    }
    if (smoothing != TMPL_SMOOTHING_OFF) {
        tmpl_isotonic(y, nodes, regions.n,
                      smoothing == TMPL_SMOOTHING_MAX ? TMPL_ISOTONIC_MAX : TMPL_ISOTONIC_MIN,
                      TMPL_ISOTONIC_LEVELS, pool);
    }
    for (uint32_t i = 0; i < regions.n; i++) {
        if (regions.all[i].block != TMPL_NONE) {
            tmpl_verdict_t *verdict = &verdicts[regions.all[i].block];
            verdict->ratio = y[i];
            verdict->template = (double)y[i] > threshold;
        }
    }
}
