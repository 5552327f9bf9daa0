/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/first_look.h"

#include <stdlib.h>
#include <stdio.h>

typedef struct {
    const tmpl_ruled_t *judged;
    const tmpl_page_t *page;
    const uint32_t *words;
    unsigned char *inside; /* while the region is not known: would be content */
    uint32_t first, after; /* blocks of the region */
} look_t;

static int is_in_doubt(const look_t *look, uint32_t b)
{
    static const unsigned edges =
        TMPL_IN_NAV | TMPL_IN_HEADER | TMPL_IN_FOOTER | TMPL_IN_ASIDE | TMPL_IN_FORM;
    static const unsigned char outside[] = { TMPL_NAME_MENU,  TMPL_NAME_SIDE,  TMPL_NAME_EDGE,
                                             TMPL_NAME_SHARE, TMPL_NAME_OFFER, TMPL_NAME_RELATED };
    const tmpl_page_t *page = look->page;
    const tmpl_context_t *context = tmpl_context(
        look->judged->reading, page->segments[page->blocks[b].first_segment].node);
    const uint16_t *steps = context->near.steps;
    int is_bad = 0;
    for (unsigned i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        unsigned at = steps[outside[i]];
        is_bad |= at > 0 && (steps[TMPL_NAME_GOOD] == 0 || steps[TMPL_NAME_GOOD] > at);
    }
    return look->judged->verdicts[b].template && look->words[b + 1] > look->words[b] && !is_bad &&
           !(context->in & edges);
}

void tmpl_first_look_judge(float *alone, const tmpl_ruled_t *judged, const tmpl_trees_t *trees,
                           tmpl_rows_t *rows, apr_pool_t *pool)
{
    const tmpl_page_t *page = judged->reading->page;
    look_t look = { .judged = judged, .page = page, .words = judged->reading->before.words };
    uint32_t *blocks = apr_palloc(pool, page->n_blocks * sizeof(*blocks));
    uint32_t n = 0;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        blocks[n] = b;
        n += is_in_doubt(&look, b) ? 1 : 0;
        alone[b] = judged->verdicts[b].ratio;
    }
    tmpl_judge_rows_alone(alone, trees, rows, page->n_blocks, blocks, n, pool);
}

/* Blocks in doubt are content like half of the blocks of their field. */
static void agree_in_fields(const look_t *look, const tmpl_records_t *records)
{
    for (uint32_t i = 0; i < records->n_fields; i++) {
        const tmpl_field_t *field = &records->fields[i];
        uint32_t n = 0;
        for (uint32_t b = field->first; b != TMPL_NONE; b = records->next[b]) {
            n += look->inside[b] || !look->judged->verdicts[b].template ? 1 : 0;
        }
        for (uint32_t b = field->first; 2 * n >= field->n && n < field->n && b != TMPL_NONE; b = records->next[b]) {
            look->inside[b] |= is_in_doubt(look, b) ? 1 : 0;
        }
    }
}

/* Halves of words in [first, after) that stay, or that stay and would stay. */
static uint32_t content_in(const look_t *look, uint32_t first, uint32_t after, int would)
{
    uint32_t words = 0;
    for (uint32_t b = first; b < after; b++) {
        int is = !look->judged->verdicts[b].template || (would && look->inside[b]);
        words += is ? look->words[b + 1] - look->words[b] : 0;
    }
    return words;
}

/* Blocks in doubt are content like half of the words of their table or list. */
static void agree_in_lists(const look_t *look)
{
    static const unsigned char is_list[TMPL_TAG_COUNT] = { [TMPL_TAG_TABLE] = 1, [TMPL_TAG_UL] = 1, [TMPL_TAG_OL] = 1, [TMPL_TAG_DL] = 1 };
    const tmpl_page_t *page = look->page;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        if (getenv("XTAB") && node->tag != TMPL_TAG_TABLE && !(atoi(getenv("XTAB")) & 2)) continue;
        if (getenv("XTAB")) { int bad = 0; for (uint32_t k = i + 1; k < node->after; k++) bad |= page->nodes[k].tag == TMPL_TAG_TABLE; for (uint32_t k = node->parent; k != TMPL_NONE && k > 0; k = page->nodes[k].parent) bad |= page->nodes[k].tag == TMPL_TAG_TABLE; if (bad) continue; }
        if (!is_list[node->tag] || node->first_segment >= node->after_segment) {
            continue;
        }
        uint32_t first = tmpl_first_block(page, i);
        uint32_t after = tmpl_after_block(page, i);
        uint32_t content = content_in(look, first, after, 1);
        if (2 * content > look->words[after] - look->words[first]) {
            for (uint32_t b = first; b < after; b++) {
                look->inside[b] |= is_in_doubt(look, b) ? 1 : 0;
            }
        }
    }
}

/* Finds the region of the headline. Returns the halves of words of content there that stay, or 0. */
static void find_region(look_t *look, uint32_t first, uint32_t after)
{
    const tmpl_page_t *page = look->page;
    uint32_t enough = content_in(look, first, after, 1) + 2 * TMPL_FIRST_LOOK_WORDS;
    uint32_t content = 0;
    for (uint32_t node = page->blocks[first].node; node != TMPL_NONE && content <= enough;
         node = page->nodes[node].parent) {
        first = tmpl_first_block(page, node);
        after = tmpl_after_block(page, node);
        content = content_in(look, first, after, 1);
        if (2 * content >= look->words[after] - look->words[first]) {
            look->first = first;
            look->after = after;
        }
    }
}

/* Whether a text is on so many of the site's pages that it is no value. */
static int is_everywhere(const look_t *look, uint32_t b)
{
    const tmpl_counts_t *counts = look->judged->counts;
    const tmpl_block_t *block = &look->page->blocks[b];
    double df = 0;
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        const tmpl_segment_t *segment = &look->page->segments[s];
        df += (double)segment->length * counts->records[segment->key].df;
    }
    double most = getenv("XTH") ? atof(getenv("XTH")) : TMPL_FIRST_LOOK_PAGES;
    return df > most * counts->pages * block->length;
}

/* Keeps blocks inside that are everywhere, but stand in records of which other blocks stay. */
static void keep_in_records(const look_t *look, const tmpl_records_t *records)
{
    const tmpl_page_t *page = look->page;
    for (uint32_t i = 0; i < records->n_fields; i++) {
        const tmpl_field_t *field = &records->fields[i];
        uint32_t run = field->n >= TMPL_RECORDS_LEAST ? tmpl_records_run(records, field) : 0;
        for (uint32_t b = field->first; run > 0 && b != TMPL_NONE; b = records->next[b]) {
            if (look->inside[b] && look->judged->verdicts[b].template) {
                uint32_t record = tmpl_records_record(page, run, b);
                look->judged->verdicts[b].template = content_in(look, tmpl_first_block(page, record), tmpl_after_block(page, record), 0) == 0;
            }
        }
    }
}

const unsigned char *tmpl_first_look(const tmpl_ruled_t *judged, const float *alone, double threshold,
                                     const tmpl_records_t *records, apr_pool_t *pool)
{
    const tmpl_page_t *page = judged->reading->page;
    look_t look = { .judged = judged, .page = page, .words = judged->reading->before.words };
    uint32_t first;
    uint32_t after;
    look.inside = apr_pcalloc(pool, page->n_blocks);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        look.inside[b] = is_in_doubt(&look, b) && (double)alone[b] <= threshold;
    }
    if (!getenv("XNA")) agree_in_fields(&look, records);
    if (!getenv("XNL")) agree_in_lists(&look);
    if (tmpl_headline_find(judged, &first, &after)) {
        find_region(&look, first, after);
    }
    uint32_t head = content_in(&look, first, after, 1);
    uint32_t all = content_in(&look, look.first, look.after, 1) - head;
    int is_lost = 2 * (content_in(&look, look.first, look.after, 0) -
                       content_in(&look, first, after, 0)) < all;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        if (getenv("XSHOW")) fprintf(stderr, "%u doubt %d alone %.2f thr %.2f region %u-%u lost %d tmpl %d in %d\n", b, is_in_doubt(&look,b), (double)alone[b], threshold, look.first, look.after, is_lost, judged->verdicts[b].template, look.inside[b]);
        look.inside[b] = look.inside[b] && b >= look.first && b < look.after;
        if (look.inside[b] && (is_lost || !is_everywhere(&look, b))) {
            judged->verdicts[b].template = 0;
        }
    }
    if (!getenv("XNR")) keep_in_records(&look, records);
    return look.inside;
}
