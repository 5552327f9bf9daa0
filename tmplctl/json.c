/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <string.h>

#include "base/buf.h"
#include "ctl.h"
#include "node_path.h"
#include "outcome.h"
#include "progress.h"
#include "text/text.h"

/* Characters of a block's text that are shown. */
#define SNIPPET 80

/* The numbers of all objects. */
#define FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(6))

json_t *ctl_json_string(const char *bytes, apr_size_t len, apr_pool_t *pool)
{
    const tmpl_decoder_t utf8 = { "UTF-8", NULL };
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    tmpl_decode(&buf, &utf8, bytes, len);
    return json_stringn(buf.at, buf.len);
}

static json_t *string_json(const char *text, apr_pool_t *pool)
{
    return ctl_json_string(text, strlen(text), pool);
}

json_t *ctl_json_span(tmpl_span_t span)
{
    json_t *array = json_array();
    json_array_append_new(array, json_integer(span.start));
    json_array_append_new(array, json_integer(span.end));
    return array;
}

static json_t *block_json(const tmpl_outcome_t *outcome, uint32_t index,
                          const tmpl_decoder_t *charset, apr_pool_t *pool)
{
    const tmpl_page_t *page = outcome->page;
    const tmpl_block_t *block = &page->blocks[index];
    json_t *json = json_object();
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    tmpl_text_block(&text, page, index, charset);
    tmpl_text_shorten(&text, SNIPPET);
    json_object_set_new(json, "span", ctl_json_span(ctl_block_span(page, block)));
    if (outcome->verdicts != NULL) {
        json_object_set_new(json, "template", json_boolean(outcome->verdicts[index].template));
        json_object_set_new(json, "ratio", json_real((double)outcome->verdicts[index].ratio));
        json_object_set_new(
            json, "part", json_string(tmpl_part_name((tmpl_part_e)outcome->verdicts[index].part)));
    }
    else {
        json_object_set_new(json, "template", json_null());
        json_object_set_new(json, "ratio", json_null());
        json_object_set_new(json, "part", json_null());
    }
    json_object_set_new(json, "length", json_integer(block->length));
    json_object_set_new(json, "path", string_json(ctl_node_path(page, block->node, pool), pool));
    json_object_set_new(json, "text", json_stringn(text.at, text.len));
    return json;
}

static json_t *blocks_json(const ctl_page_t *page, apr_pool_t *pool)
{
    json_t *blocks = json_array();
    tmpl_decoder_t charset;
    apr_pool_t *scratch;
    if (page->outcome->page == NULL) {
        return blocks;
    }
    tmpl_decoder_find(&charset, page->input->body, page->input->len, page->input->charset, pool);
    apr_pool_create(&scratch, pool);
    for (uint32_t i = 0; i < page->outcome->page->n_blocks; i++) {
        json_array_append_new(blocks, block_json(page->outcome, i, &charset, scratch));
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
    return blocks;
}

static json_t *cuts_json(const tmpl_outcome_t *outcome, apr_pool_t *pool)
{
    json_t *cuts = json_array();
    for (uint32_t i = 0; i < outcome->closure.n_cuts; i++) {
        const tmpl_cut_t *cut = &outcome->closure.cuts[i];
        json_t *json = json_object();
        json_object_set_new(json, "span", ctl_json_span(cut->span));
        json_object_set_new(json, "path",
                            cut->node == TMPL_NONE
                                ? json_null()
                                : string_json(ctl_node_path(outcome->page, cut->node, pool), pool));
        json_array_append_new(cuts, json);
    }
    return cuts;
}

static int add_chunk(const char *bytes, size_t len, void *buf)
{
    tmpl_buf_add(buf, bytes, len);
    return 0;
}

json_t *ctl_json_page(const ctl_page_t *page, apr_pool_t *pool)
{
    const tmpl_outcome_t *outcome = page->outcome;
    json_t *json = json_object();
    json_object_set_new(json, "file", string_json(page->path, pool));
    if (page->address != NULL) {
        json_object_set_new(json, "address", string_json(page->address, pool));
    }
    json_object_set_new(json, "bytes", json_integer((json_int_t)page->input->len));
    json_object_set_new(json, "decline", json_string(tmpl_decline_name(outcome->decline)));
    json_object_set_new(json, "detector", json_string(outcome->detector->name));
    json_object_set_new(json, "pages", json_integer(outcome->counts.pages));
    json_object_set_new(json, "state", json_string(tmpl_state_name(outcome->state)));
    json_object_set_new(json, "ratio", json_real(outcome->closure.ratio));
    json_object_set_new(json, "confidence",
                        outcome->verdicts != NULL ? json_real(outcome->closure.confidence)
                                                  : json_null());
    const char *fingerprint = tmpl_clean_fingerprint(outcome, page->input, pool);
    json_object_set_new(json, "fingerprint",
                        fingerprint != NULL ? json_string(fingerprint) : json_null());
    json_object_set_new(json, "blocks", blocks_json(page, pool));
    json_object_set_new(json, "cuts", cuts_json(outcome, pool));
    return json;
}

int ctl_json_print(json_t *json)
{
    int failed = json_dumpf(json, stdout, FLAGS) != 0;
    json_decref(json);
    putchar('\n');
    /* main reports a standard output that cannot be written */
    if (failed && !ferror(stdout)) {
        ctl_say("the JSON is not complete: out of memory");
        return CTL_FAILED;
    }
    return CTL_OK;
}

void ctl_render_json(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    tmpl_buf_t buf;
    json_t *json = ctl_json_page(page, pool);
    tmpl_buf_init(&buf, pool);
    if (json_dump_callback(json, add_chunk, &buf, FLAGS) != 0) {
        rendered->lost = "the JSON object is not complete: out of memory";
    }
    json_decref(json);
    tmpl_buf_add(&buf, "\n", 1);
    rendered->bytes = buf.at;
    rendered->len = buf.len;
    rendered->edited = page->outcome->edits.n > 0;
}
