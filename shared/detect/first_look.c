/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/first_look.h"

/* A tag or name around the headline, too, says nothing: it is of the page. */
static int is_outside(const tmpl_ruled_t *judged, uint32_t block, uint32_t headline)
{
    static const unsigned edges =
        TMPL_IN_NAV | TMPL_IN_HEADER | TMPL_IN_FOOTER | TMPL_IN_ASIDE | TMPL_IN_FORM;
    static const unsigned char names[] = { TMPL_NAME_MENU,  TMPL_NAME_SIDE,  TMPL_NAME_EDGE,
                                           TMPL_NAME_SHARE, TMPL_NAME_OFFER, TMPL_NAME_RELATED };
    const tmpl_page_t *page = judged->reading->page;
    uint32_t node = page->segments[page->blocks[block].first_segment].node;
    const tmpl_context_t *context = tmpl_context(judged->reading, node);
    unsigned good = context->near.steps[TMPL_NAME_GOOD];
    unsigned far = 0; /* elements below the one around both */
    for (; node > headline || page->nodes[node].after <= headline;
         node = page->nodes[node].parent) {
        far++;
    }
    int is = (context->in & ~tmpl_context(judged->reading, node)->in & edges) != 0;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unsigned steps = context->near.steps[names[i]];
        is |= steps > 0 && steps <= far && (good == 0 || steps < good);
    }
    return is;
}

static int is_everywhere(const tmpl_ruled_t *judged, uint32_t block)
{
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_block_t *b = &page->blocks[block];
    double df = 0;
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        df += (double)segment->length * judged->counts->records[segment->key].df;
    }
    return df > TMPL_FIRST_LOOK_PAGES * judged->counts->pages * b->length;
}

/*
 * The smallest element around the headline that has TMPL_FIRST_LOOK_WORDS more words of content;
 * or the largest one of those inside it of which half of the words are content, if that is wanted,
 * but at least the smallest one that holds more than the headline.
 */
static tmpl_span_t region_of(const tmpl_ruled_t *judged, tmpl_span_t headline,
                             const uint32_t *content, int by_half)
{
    const tmpl_page_t *page = judged->reading->page;
    const uint32_t *words = judged->reading->before.words;
    tmpl_span_t region = { 0, 0 };
    uint32_t enough = content[headline.end] - content[headline.start] + 2 * TMPL_FIRST_LOOK_WORDS;
    uint32_t n = 0;
    uint32_t node = headline.start < headline.end ? page->blocks[headline.start].node : TMPL_NONE;
    for (; node != TMPL_NONE && n <= enough; node = page->nodes[node].parent) {
        tmpl_span_t in = { tmpl_first_block(page, node), tmpl_after_block(page, node) };
        n = content[in.end] - content[in.start];
        int has_more = region.end - region.start > headline.end - headline.start;
        region = !by_half || !has_more || 2 * n >= words[in.end] - words[in.start] ? in : region;
    }
    return region;
}

/* Whether a block may be a fact: opening hours, a price, an address. */
static int may_be_fact(const tmpl_ruled_t *judged, uint32_t block)
{
    tmpl_tally_t tally = tmpl_tally_of(judged->reading, block);
    return tally.digits > 0 && tally.words <= 2 * TMPL_BYLINE_WORDS;
}

/* Whether a block may be a byline. stay: halves of words before each block that stay. */
static int is_beside(const tmpl_ruled_t *judged, const uint32_t *stay, uint32_t block,
                     tmpl_span_t headline)
{
    const uint32_t *words = judged->reading->before.words;
    uint32_t node = judged->reading->page->blocks[block].node;
    return block >= headline.end && block < headline.end + TMPL_BYLINE_BLOCKS &&
           words[block + 1] - words[block] <= 2 * TMPL_BYLINE_WORDS &&
           stay[block] - stay[headline.end] <= 2 * TMPL_BYLINE_WORDS &&
           !(tmpl_context(judged->reading, node)->in & TMPL_IN_LIST);
}

static void find_doubts(tmpl_first_look_t *look, const tmpl_ruled_t *judged,
                        const tmpl_records_t *records)
{
    const uint32_t *words = judged->reading->before.words;
    const tmpl_page_t *page = judged->reading->page;
    uint32_t n_blocks = page->n_blocks;
    uint32_t doubt = 0;
    for (uint32_t b = 0; b < n_blocks; b++) {
        uint32_t n = words[b + 1] - words[b];
        look->stay[b + 1] = look->stay[b] + (judged->verdicts[b].template ? 0 : n);
    }
    tmpl_span_t headline = look->headline;
    tmpl_span_t region = region_of(judged, headline, look->stay, 0);
    uint32_t node = headline.start < headline.end ? page->blocks[headline.start].node : 0;
    for (uint32_t b = region.start; b < region.end; b++) {
        uint32_t n = words[b + 1] - words[b];
        if (judged->verdicts[b].template && n > 0 && !is_outside(judged, b, node)) {
            look->doubt[b] = is_everywhere(judged, b) && !may_be_fact(judged, b)
                                 ? TMPL_DOUBT_EVERYWHERE
                                 : TMPL_DOUBT_SOME;
            doubt += n;
        }
    }
    for (uint32_t b = region.start; b < region.end && look->stay[n_blocks] >= doubt; b++) {
        if (look->doubt[b] == TMPL_DOUBT_EVERYWHERE &&
            !is_beside(judged, look->stay, b, headline) &&
            records->fields[records->field[b]].n < TMPL_RECORDS_LEAST) {
            look->doubt[b] = TMPL_DOUBT_NO;
        }
    }
}

int tmpl_first_look(tmpl_first_look_t *look, const tmpl_ruled_t *judged,
                    const tmpl_records_t *records, const tmpl_trees_t *trees,
                    tmpl_judging_t *judging, apr_pool_t *pool)
{
    uint32_t n_blocks = judged->reading->page->n_blocks;
    uint32_t *blocks = apr_palloc(pool, n_blocks * sizeof(*blocks));
    uint32_t n = 0;
    look->doubt = apr_pcalloc(pool, n_blocks);
    look->stay = apr_pcalloc(pool, (n_blocks + 1) * sizeof(*look->stay));
    look->alone = apr_palloc(pool, n_blocks * sizeof(*look->alone));
    look->headline = tmpl_headline_find(judged);
    find_doubts(look, judged, records);
    for (uint32_t b = 0; b < n_blocks; b++) {
        look->alone[b] = judged->verdicts[b].ratio;
        blocks[n] = b;
        n += look->doubt[b] != TMPL_DOUBT_NO;
    }
    if (n > 0) {
        tmpl_judge_rows_alone(look->alone, trees, judging, blocks, n, pool);
    }
    return n > 0;
}

typedef struct {
    const tmpl_ruled_t *judged;
    const tmpl_page_t *page;
    const uint32_t *words;
    unsigned char *doubt;
    unsigned char *would; /* of each block in doubt, 1: it would be content */
    /* [i]: halves of words before block i that stay, and that are content or would be */
    uint32_t *stay;
    uint32_t *content;
} keeping_t;

static void keeping_sum(const keeping_t *k)
{
    for (uint32_t b = 0; b < k->page->n_blocks; b++) {
        uint32_t words = k->words[b + 1] - k->words[b];
        int stays = !k->judged->verdicts[b].template;
        k->stay[b + 1] = k->stay[b] + (stays ? words : 0);
        k->content[b + 1] = k->content[b] + (stays || k->would[b] ? words : 0);
    }
}

/*
 * Blocks in doubt are as half of their table's words; its values may be everywhere, but not its
 * links. A table around another, or around the headline, is for layout.
 */
static void agree_in_tables(const keeping_t *k, tmpl_span_t headline)
{
    const tmpl_node_t *nodes = k->page->nodes;
    const uint32_t *linked = k->judged->reading->before.linked;
    for (uint32_t i = 1, next; i < k->page->n_nodes; i = next) {
        next = i + 1;
        if (nodes[i].tag != TMPL_TAG_TABLE || nodes[i].first_segment >= nodes[i].after_segment) {
            continue;
        }
        while (next < nodes[i].after && nodes[next].tag != TMPL_TAG_TABLE) {
            next++;
        }
        int is_for_layout = next < nodes[i].after;
        next = nodes[i].after;
        uint32_t first = tmpl_first_block(k->page, i);
        uint32_t after = tmpl_after_block(k->page, i);
        is_for_layout |= first <= headline.start && headline.start < after;
        int is_of_links = 2 * (linked[after] - linked[first]) > k->words[after] - k->words[first];
        if (!is_for_layout &&
            2 * (k->content[after] - k->content[first]) > k->words[after] - k->words[first]) {
            for (uint32_t b = first; b < after; b++) {
                k->would[b] = k->doubt[b] != TMPL_DOUBT_NO;
                k->doubt[b] = k->would[b] && !is_of_links ? TMPL_DOUBT_SOME : k->doubt[b];
            }
        }
    }
}

/* Whether more would be content in the region than stays on the page, without the headline. */
static int is_lost(const keeping_t *k, tmpl_span_t region, tmpl_span_t headline)
{
    uint32_t would = k->content[region.end] - k->content[region.start] -
                     (k->stay[region.end] - k->stay[region.start]);
    return would > k->stay[k->page->n_blocks] - (k->stay[headline.end] - k->stay[headline.start]);
}

/* Keeps what would be content in records of which something stays. */
static void keep_in_records(const keeping_t *k, const tmpl_records_t *records)
{
    for (uint32_t i = 0; i < records->n_fields; i++) {
        const tmpl_field_t *field = &records->fields[i];
        uint32_t run = field->n < TMPL_RECORDS_LEAST ? 0 : tmpl_records_run(records, field);
        for (uint32_t b = field->first; run > 0 && b != TMPL_NONE; b = records->next[b]) {
            if (k->would[b]) {
                uint32_t record = tmpl_records_record(k->page, run, b);
                uint32_t first = tmpl_first_block(k->page, record);
                uint32_t after = tmpl_after_block(k->page, record);
                k->judged->verdicts[b].template &= k->stay[after] == k->stay[first];
            }
        }
    }
}

const unsigned char *tmpl_first_look_keep(const tmpl_first_look_t *look, const tmpl_ruled_t *judged,
                                          const tmpl_records_t *records, double threshold,
                                          apr_pool_t *pool)
{
    uint32_t n = judged->reading->page->n_blocks;
    tmpl_span_t headline = look->headline;
    keeping_t k = { .judged = judged,
                    .page = judged->reading->page,
                    .words = judged->reading->before.words,
                    .doubt = look->doubt };
    unsigned char *inside = apr_pcalloc(pool, n);
    k.would = apr_palloc(pool, n);
    k.stay = look->stay;
    k.content = apr_pcalloc(pool, (n + 1) * sizeof(*k.content));
    for (uint32_t b = 0; b < n; b++) {
        k.would[b] = look->doubt[b] != TMPL_DOUBT_NO && (double)look->alone[b] <= threshold;
    }
    keeping_sum(&k);
    agree_in_tables(&k, headline);
    keeping_sum(&k);
    tmpl_span_t region = region_of(judged, headline, k.content, 1);
    int all = is_lost(&k, region, headline);
    uint32_t node = headline.start < headline.end ? k.page->blocks[headline.start].node : 0;
    for (uint32_t b = 0; b < n; b++) {
        int is_in = b >= region.start && b < region.end;
        inside[b] = is_in && (look->doubt[b] != TMPL_DOUBT_NO ||
                              (!judged->verdicts[b].template && !is_outside(judged, b, node)));
        k.would[b] &= inside[b];
        if (k.would[b] &&
            (all || look->doubt[b] == TMPL_DOUBT_SOME || is_beside(judged, k.stay, b, headline))) {
            judged->verdicts[b].template = 0;
        }
    }
    keeping_sum(&k);
    keep_in_records(&k, records);
    return inside;
}
