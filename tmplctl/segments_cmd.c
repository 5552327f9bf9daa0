/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl segments: the blocks and segments of a page, with their counts and verdicts. */
#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "ctl.h"
#include "json.h"
#include "page_input.h"
#include "progress.h"
#include "text_table.h"
#include "text/text.h"

/* Characters of a segment's text that are shown. */
#define SNIPPET 48

static const ctl_column_t columns[] = {
    { "block", 1 }, { "segment", 1 }, { "bytes", 1 }, { "length", 1 },    { "DF", 1 },
    { "ratio", 1 }, { "verdict", 0 }, { "key", 0 },   { "node path", 0 }, { "text", 0 },
};

#define N_COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))

typedef struct {
    ctl_text_table_t *table;
    const tmpl_outcome_t *outcome;
    tmpl_decoder_t charset;
    apr_pool_t *pool;
} segments_cmd_listing_t;

static const char *span_text(tmpl_span_t span, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%u-%u", span.start, span.end);
}

static void list_block(segments_cmd_listing_t *listing, uint32_t index)
{
    const tmpl_page_t *page = listing->outcome->page;
    const tmpl_verdict_t *verdicts = listing->outcome->verdicts;
    const tmpl_block_t *block = &page->blocks[index];
    apr_pool_t *pool = listing->pool;
    const char *cells[N_COLUMNS] = {
        ctl_number_cell(index, pool),
        "",
        span_text(ctl_block_span(page, block), pool),
        ctl_number_cell(block->length, pool),
        "",
        verdicts != NULL ? apr_psprintf(pool, "%.2f", (double)verdicts[index].ratio) : "",
        verdicts == NULL           ? ""
        : verdicts[index].template ? "template"
                                   : "content",
        "",
        ctl_node_path(page, block->node, pool),
        "",
    };
    ctl_text_table_row(listing->table, cells);
}

static void list_segment(segments_cmd_listing_t *listing, uint32_t index)
{
    const tmpl_page_t *page = listing->outcome->page;
    const tmpl_record_t *records = listing->outcome->counts.records;
    const tmpl_segment_t *segment = &page->segments[index];
    apr_pool_t *pool = listing->pool;
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    tmpl_text_segment(&text, page, index, &listing->charset);
    tmpl_text_shorten(&text, SNIPPET);
    const char *cells[N_COLUMNS] = {
        "",
        ctl_number_cell(index, pool),
        span_text(segment->span, pool),
        ctl_number_cell(segment->length, pool),
        records != NULL ? ctl_number_cell(records[segment->key].df, pool) : "",
        "",
        "",
        apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, (apr_uint64_t)page->keys[segment->key]),
        ctl_node_path(page, segment->node, pool),
        text.at,
    };
    ctl_text_table_row(listing->table, cells);
}

static void print_page(const tmpl_outcome_t *outcome, const tmpl_input_t *input, apr_pool_t *pool)
{
    const tmpl_page_t *page = outcome->page;
    segments_cmd_listing_t listing = {
        ctl_text_table_make(columns, N_COLUMNS, pool), outcome, { 0 }, pool
    };
    tmpl_decoder_find(&listing.charset, input->body, input->len, input->charset, pool);
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        list_block(&listing, i);
        for (uint32_t s = page->blocks[i].first_segment; s < page->blocks[i].after_segment; s++) {
            list_segment(&listing, s);
        }
    }
    printf("%u nodes, %u blocks, %u segments, %u keys, length %u", page->n_nodes, page->n_blocks,
           page->n_segments, page->n_keys, page->length);
    if (outcome->counts.records != NULL) {
        printf("; %u pages seen, %s", outcome->counts.pages, tmpl_state_name(outcome->state));
    }
    printf("\n\n");
    ctl_text_table_print(listing.table);
}

static json_t *segment_json(const tmpl_outcome_t *outcome, uint32_t index,
                            const tmpl_decoder_t *charset, apr_pool_t *pool)
{
    const tmpl_page_t *page = outcome->page;
    const tmpl_record_t *records = outcome->counts.records;
    const tmpl_segment_t *segment = &page->segments[index];
    const char *key =
        apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, (apr_uint64_t)page->keys[segment->key]);
    const char *path = ctl_node_path(page, segment->node, pool);
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    tmpl_text_segment(&text, page, index, charset);
    return json_pack("{s:o, s:I, s:o, s:s, s:o, s:o}", "span", ctl_json_span(segment->span),
                     "length", (json_int_t)segment->length, "df",
                     records != NULL ? json_integer(records[segment->key].df) : json_null(), "key",
                     key, "path", ctl_json_text(path, pool), "text",
                     json_stringn(text.at, text.len));
}

/* Prints the object of mode blocks, with the segments of each block. */
static int segments_cmd_print_json(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                   const char *name, apr_pool_t *pool)
{
    ctl_page_t of = { .path = name, .input = input, .outcome = outcome };
    const tmpl_page_t *page = outcome->page;
    json_t *json = ctl_json_page(&of, pool);
    json_t *block;
    size_t i;
    tmpl_decoder_t charset;
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    tmpl_decoder_find(&charset, input->body, input->len, input->charset, pool);
    json_array_foreach(json_object_get(json, "blocks"), i, block)
    {
        json_t *segments = json_array();
        for (uint32_t s = page->blocks[i].first_segment; s < page->blocks[i].after_segment; s++) {
            json_array_append_new(segments, segment_json(outcome, s, &charset, scratch));
            apr_pool_clear(scratch);
        }
        json_object_set_new(block, "segments", segments);
    }
    json_object_del(json, "cuts"); /* nothing is cut here */
    return ctl_json_print(json);
}

static int show_segments(ctl_t *ctl, const tmpl_input_t *input, const char *name,
                         tmpl_store_t *store)
{
    tmpl_outcome_t outcome;
    tmpl_clean_opts_t opts = ctl->options.clean;
    opts.mode = TMPL_MODE_HEADERS;
    tmpl_clean(&outcome, input, &opts, store, CTL_STORE_TIMEOUT, ctl->pool);
    if (outcome.page == NULL) {
        return ctl_page_declined(&outcome, input, name, ctl->pool);
    }
    int code = CTL_OK;
    if (ctl->options.json) {
        code = segments_cmd_print_json(&outcome, input, name, ctl->pool);
    }
    else {
        print_page(&outcome, input, ctl->pool);
    }
    if (store != NULL && outcome.store_error.status != APR_SUCCESS) {
        ctl_say("%s: store: %s", name, outcome.store_error.text);
        return CTL_FAILED;
    }
    return code;
}

int ctl_segments(ctl_t *ctl)
{
    return ctl_page_with(ctl, show_segments);
}
