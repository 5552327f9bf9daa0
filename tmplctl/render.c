/* SPDX-License-Identifier: Apache-2.0 */
#include "render.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "body.h"
#include "page_input.h"
#include "table/keys_line.h"
#include "text/text.h"

static void render_html(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    const tmpl_edits_t *edits = &page->outcome->edits;
    rendered->edited = edits->n > 0;
    rendered->bytes = page->input->body;
    rendered->len = page->input->len;
    if (rendered->edited) {
        rendered->bytes =
            tmpl_edits_apply(&rendered->len, edits, page->input->body, page->input->len, pool);
    }
}

/* What the module sends in modes text, markdown, reader and json. */
static void render_body(ctl_rendered_t *rendered, const ctl_page_t *page,
                        const tmpl_outcome_t *outcome, const char *fingerprint, apr_pool_t *pool)
{
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    opts.mode = page->opts->mode;
    rendered->edited =
        outcome->decline == TMPL_DECLINE_NONE && outcome->closure.template_blocks > 0;
    const char *url = page->url != NULL ? page->url : page->address;
    rendered->bytes =
        tmpl_body(&rendered->len, outcome, page->input, &opts, url, fingerprint, pool);
}

/* Text, Markdown, a reader view or JSON; says why there is none, if there is none. */
static void render_form(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    tmpl_outcome_t outcome = *page->outcome;
    tmpl_mode_e mode = page->opts->mode;
    const char *fingerprint = NULL;
    if (mode == TMPL_MODE_JSON) {
        fingerprint = tmpl_clean_fingerprint(&outcome, page->input, pool);
        if (outcome.verdicts != NULL) {
            tmpl_clean_version(&outcome, page->opts, pool);
        }
    }
    render_body(rendered, page, &outcome, fingerprint, pool);
    if (rendered->bytes == NULL) {
        rendered->bytes = "";
        rendered->len = 0;
        rendered->lost = apr_pstrcat(
            pool, "no ",
            mode == TMPL_MODE_JSON     ? "JSON"
            : mode == TMPL_MODE_READER ? "reader view"
            : mode == TMPL_MODE_TEXT   ? "text"
                                       : "Markdown",
            outcome.page == NULL ? ", " : ": it would be more than three times as long as the page",
            outcome.page == NULL ? ctl_page_why_declined(&outcome, page->input, pool) : NULL, NULL);
    }
}

/* A line in sha256sum's format: it begins with a backslash if the path has escapes. */
static void render_fingerprint(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    const char *fingerprint = tmpl_clean_fingerprint(page->outcome, page->input, pool);
    const char *name = page->address != NULL ? page->address : page->path;
    const char *path = tmpl_escape(name, "\\\n\r", pool);
    rendered->edited = 0;
    rendered->bytes = apr_pstrcat(pool, strcmp(path, name) != 0 ? "\\" : "",
                                  fingerprint != NULL ? fingerprint : "-", "  ", path, "\n", NULL);
    rendered->len = strlen(rendered->bytes);
}

/* Nothing of a page that was declined. */
static void render_keys(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    const tmpl_outcome_t *outcome = page->outcome;
    rendered->bytes = "";
    if (outcome->decline == TMPL_DECLINE_NONE) {
        rendered->bytes = tmpl_keys_line(&outcome->observation, page->opts->page.seed, pool);
    }
    if (rendered->bytes == NULL) {
        rendered->bytes = "";
        rendered->lost = "no keys: the site's name has a control character";
    }
    rendered->len = strlen(rendered->bytes);
}

/* ---- where elements and blocks are in a page ---- */

/* Bytes of a name that are shown. */
#define NAME_MOST 32

/* Names that the library's tag table does not have are read from the source. */
static const char *name_of_node(const tmpl_page_t *page, uint32_t index, apr_pool_t *pool)
{
    const tmpl_node_t *node = &page->nodes[index];
    if (node->tag != TMPL_TAG_OTHER) {
        return tmpl_tag_name(node->tag);
    }
    char name[NAME_MOST + 1];
    apr_size_t n = 0;
    for (uint32_t at = node->open.start + 1; at < node->open.end && n < NAME_MOST; at++) {
        char c = page->src[at];
        if (!tmpl_is_alnum(c) && c != '-' && c != ':' && c != '_') {
            break;
        }
        name[n++] = tmpl_lower(c);
    }
    return n > 0 ? apr_pstrmemdup(pool, name, n) : "?";
}

const char *ctl_node_path(const tmpl_page_t *page, uint32_t node, apr_pool_t *pool)
{
    if (node == TMPL_NONE) {
        return "";
    }
    int depth = 0;
    for (uint32_t i = node; i != TMPL_NONE; i = page->nodes[i].parent) {
        depth++;
    }
    apr_array_header_t *names = apr_array_make(pool, depth, sizeof(const char *));
    names->nelts = depth;
    for (uint32_t i = node; i != TMPL_NONE; i = page->nodes[i].parent) {
        APR_ARRAY_IDX(names, --depth, const char *) = name_of_node(page, i, pool);
    }
    return apr_array_pstrcat(pool, names, '/');
}

tmpl_span_t ctl_block_span(const tmpl_page_t *page, const tmpl_block_t *block)
{
    tmpl_span_t span = { 0, 0 };
    if (block->first_segment < block->after_segment) {
        span.start = page->segments[block->first_segment].span.start;
        span.end = page->segments[block->after_segment - 1].span.end;
    }
    return span;
}

/* ---- JSON ---- */

/* Characters of a block's text that are shown. */
#define SNIPPET 80

json_t *ctl_json_string(const char *bytes, apr_size_t len, apr_pool_t *pool)
{
    const tmpl_decoder_t utf8 = { "UTF-8", NULL };
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    tmpl_decode(&buf, &utf8, bytes, len);
    return json_stringn(buf.at, buf.len);
}

json_t *ctl_json_text(const char *text, apr_pool_t *pool)
{
    return text != NULL ? ctl_json_string(text, strlen(text), pool) : json_null();
}

json_t *ctl_json_span(tmpl_span_t span)
{
    return json_pack("[I, I]", (json_int_t)span.start, (json_int_t)span.end);
}

/* A number of what was judged; null if nothing was. */
static json_t *judged_json(const tmpl_outcome_t *outcome, double number)
{
    return outcome->verdicts != NULL ? json_real(number) : json_null();
}

static json_t *block_json(const tmpl_outcome_t *outcome, uint32_t index,
                          const tmpl_decoder_t *charset, apr_pool_t *pool)
{
    const tmpl_page_t *page = outcome->page;
    const tmpl_block_t *block = &page->blocks[index];
    const tmpl_verdict_t *verdict = outcome->verdicts != NULL ? &outcome->verdicts[index] : NULL;
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    tmpl_text_block(&text, page, index, charset);
    tmpl_text_shorten(&text, SNIPPET);
    return json_pack("{s:o, s:o, s:o, s:s?, s:I, s:o, s:o}", "span",
                     ctl_json_span(ctl_block_span(page, block)), "template",
                     verdict != NULL ? json_boolean(verdict->template) : json_null(), "ratio",
                     judged_json(outcome, verdict != NULL ? (double)verdict->ratio : 0), "part",
                     verdict != NULL ? tmpl_part_name((tmpl_part_e)verdict->part) : NULL, "length",
                     (json_int_t)block->length, "path",
                     ctl_json_text(ctl_node_path(page, block->node, pool), pool), "text",
                     json_stringn(text.at, text.len));
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
        const char *path =
            cut->node != TMPL_NONE ? ctl_node_path(outcome->page, cut->node, pool) : NULL;
        json_array_append_new(cuts, json_pack("{s:o, s:o}", "span", ctl_json_span(cut->span),
                                              "path", ctl_json_text(path, pool)));
    }
    return cuts;
}

json_t *ctl_json_page(const ctl_page_t *page, apr_pool_t *pool)
{
    const tmpl_outcome_t *outcome = page->outcome;
    return json_pack("{s:o, s:o*, s:I, s:s, s:s, s:I, s:s, s:f, s:o, s:s?, s:o, s:o}", "file",
                     ctl_json_text(page->path, pool), "address",
                     page->address != NULL ? ctl_json_text(page->address, pool) : NULL, "bytes",
                     (json_int_t)page->input->len, "decline", tmpl_decline_name(outcome->decline),
                     "detector", outcome->detector->name, "pages",
                     (json_int_t)outcome->counts.pages, "state", tmpl_state_name(outcome->state),
                     "ratio", outcome->closure.ratio, "confidence",
                     judged_json(outcome, outcome->closure.confidence), "fingerprint",
                     tmpl_clean_fingerprint(outcome, page->input, pool), "blocks",
                     blocks_json(page, pool), "cuts", cuts_json(outcome, pool));
}

const char *ctl_json_line(json_t *json, size_t flags, apr_pool_t *pool)
{
    char *text = json_dumps(json, flags | JSON_REAL_PRECISION(6));
    const char *line = apr_pstrcat(pool, text != NULL ? text : "{}", "\n", NULL);
    free(text);
    json_decref(json);
    return line;
}

int ctl_json_print(json_t *json)
{
    (void)json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(json);
    putchar('\n');
    return CTL_OK;
}

/* The blocks mode: verdicts, and the cuts of strip, as a JSON object. */
static void render_blocks(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    rendered->bytes = ctl_json_line(ctl_json_page(page, pool), JSON_INDENT(1), pool);
    rendered->len = strlen(rendered->bytes);
    rendered->edited = page->outcome->edits.n > 0;
}

/* ---- the modes ---- */

#define HTML "text/html"
#define UTF8 "; charset=utf-8"

/* clang-format off */
static const ctl_mode_t modes[] = {
    { "annotate", TMPL_MODE_ANNOTATE, 0, ".html", HTML, "html", render_html },
    { "strip", TMPL_MODE_STRIP, 0, ".html", HTML, "html", render_html },
    { "highlight", TMPL_MODE_HIGHLIGHT, 0, ".html", NULL, NULL, render_html },
    { "text", TMPL_MODE_TEXT, 0, ".txt", "text/plain" UTF8, "text", render_form },
    { "markdown", TMPL_MODE_MARKDOWN, 0, ".md", "text/markdown" UTF8, "markdown", render_form },
    { "reader", TMPL_MODE_READER, 0, ".html", HTML UTF8, "html", render_form },
    { "json", TMPL_MODE_JSON, 1, ".json", "application/json", "json", render_form },
    { "blocks", TMPL_MODE_STRIP, 0, ".json", NULL, NULL, render_blocks },
    { "fingerprint", TMPL_MODE_STRIP, 0, ".txt", NULL, NULL, render_fingerprint },
    { "keys", TMPL_MODE_LEARN, 1, ".keys", "text/plain" UTF8, "keys", render_keys },
};
/* clang-format on */

apr_status_t ctl_mode_parse(const ctl_mode_t **mode, const char *name, tmpl_error_t *err)
{
    char names[100] = "";
    for (apr_size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(name, modes[i].name) == 0) {
            *mode = &modes[i];
            return APR_SUCCESS;
        }
        apr_size_t len = strlen(names);
        apr_snprintf(names + len, sizeof(names) - len, "%s%s", i > 0 ? ", " : "", modes[i].name);
    }
    return tmpl_fail(err, APR_EINVAL, "\"%s\" is not one of %s", name, names);
}
