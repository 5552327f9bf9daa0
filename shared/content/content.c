/* SPDX-License-Identifier: Apache-2.0 */
#include "content/content.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "dom/dom.h"
#include "text/reference.h"

/* Posts of a thread at least; bytes of text in front of them that stay at most. */
#define THREAD_POSTS  3
#define THREAD_BEFORE 600

/* The offset behind an element, whether or not it has an end tag. */
static uint32_t behind_element(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *n = &page->nodes[node];
    const tmpl_node_t *parent = &page->nodes[n->parent];
    if (tmpl_span_len(n->close) > 0 || (tmpl_tag_flags((tmpl_tag_e)n->tag) & TMPL_IS_VOID)) {
        return tmpl_node_span(n).end;
    }
    return n->after < parent->after           ? page->nodes[n->after].open.start
           : tmpl_span_len(parent->close) > 0 ? parent->close.start
                                              : n->open.end;
}

/* The elements that records leave out, in order. */
static apr_array_header_t *spans_beside(const tmpl_content_t *content, int titles, apr_pool_t *pool)
{
    const tmpl_page_t *page = content->page;
    apr_array_header_t *spans = apr_array_make(pool, 16, sizeof(tmpl_span_t));
    for (uint32_t i = 0; content->groups.n > 0 && i < page->n_nodes;) {
        unsigned part = content->groups.parts[i];
        int is_beside = part == TMPL_RECORD_BESIDE || (titles && part == TMPL_RECORD_TITLED);
        if (is_beside) {
            APR_ARRAY_PUSH(spans, tmpl_span_t) =
                (tmpl_span_t){ page->nodes[i].open.start, behind_element(page, i) };
        }
        i = is_beside ? page->nodes[i].after : i + 1;
    }
    return spans;
}

/* The page as a tree, without the parts that edits delete and without the spans, both in order. */
static xmlDoc *tree_without(const tmpl_content_t *content, const apr_array_header_t *spans,
                            apr_pool_t *pool)
{
    const tmpl_edits_t *edits = content->edits;
    uint32_t n = edits->n + (uint32_t)spans->nelts;
    tmpl_span_t *without = apr_palloc(pool, (n + 1) * sizeof(*without));
    uint32_t edit = 0;
    for (uint32_t i = 0; i < n; i++) {
        int at = (int)(i - edit);
        int is_edit = at == spans->nelts ||
                      (edit < edits->n && edits->edits[edit].span.start <=
                                              APR_ARRAY_IDX(spans, at, tmpl_span_t).start);
        without[i] = is_edit ? edits->edits[edit].span : APR_ARRAY_IDX(spans, at, tmpl_span_t);
        edit += is_edit ? 1 : 0;
    }
    tmpl_dom_opts_t opts = { &content->decoder, without, n, 1, content->languages };
    return tmpl_dom(content->page, &opts, pool);
}

/* Whether a name stands in front of the byte at, behind white space. */
static int is_name_before(const char *at, const char *name, apr_size_t len)
{
    return apr_cstr_casecmpn(at - len, name, len) == 0 && tmpl_is_space(at[-1 - (int)len]);
}

/* Whether elements of the body may say in which language they are. */
static int has_languages(const tmpl_page_t *page)
{
    enum { FIRST = sizeof("<p lang") - 1 };
    const char *end = page->src + page->len, *at = page->src + page->nodes[0].open.end + FIRST;
    while (at < end && (at = memchr(at, '=', (apr_size_t)(end - at))) != NULL) {
        char last = tmpl_lower(at[-1]);
        if ((last == 'g' && is_name_before(at, "lang", 4)) ||
            (last == 'r' && is_name_before(at, "dir", 3))) {
            return 1;
        }
        at++;
    }
    return 0;
}

/* The address that a page names as its own; NULL if it names none, or not in full. */
static const char *canonical_of(const tmpl_page_t *page, apr_pool_t *pool)
{
    const char *url = tmpl_value_decode(page->src, page->canonical, pool);
    return strlen(url) > strlen("https://") && strncmp(url, "http", 4) == 0 ? url : NULL;
}

/* Whether a post stands in front of an element: its heading is no headline. */
static int is_behind_post(const tmpl_content_t *content, uint32_t node)
{
    const tmpl_groups_t *groups = &content->groups;
    return groups->n > 0 && tmpl_record_is_post(groups->records[0].kind) &&
           content->page->nodes[groups->records[0].node].after <= node;
}

/* Whether a text is more than what menus left. */
static int is_content_text(const tmpl_content_t *content, const xmlNode *text)
{
    uint32_t segment = tmpl_dom_segment(text);
    return content->verdicts == NULL || segment == TMPL_NONE ||
           !content->verdicts[content->page->segments[segment].block].template;
}

/* Finds the element of the headline in the tree. */
static void find_headline_element(tmpl_content_t *content)
{
    uint32_t of = content->metadata.headline;
    int is_known = of != TMPL_NONE && !is_behind_post(content, of);
    const xmlNode *node = is_known ? content->body->children : NULL;
    content->headline = NULL;
    content->before = 0;
    while (node != NULL && (node->type == XML_TEXT_NODE || tmpl_dom_node(node) < of)) {
        if (node->type == XML_TEXT_NODE && is_content_text(content, node)) {
            content->before += (uint32_t)xmlStrlen(node->content);
        }
        node = tmpl_dom_next(node, content->body, 0);
    }
    if (node != NULL && tmpl_dom_node(node) == of) {
        content->headline = node;
    }
}

/* Whether the first group of records is a thread: several posts of several people, and no text of
 * the page's own in front of them. */
static int is_thread(const tmpl_content_t *content)
{
    const tmpl_group_record_t *records = content->groups.records;
    uint32_t n = 0, others = 0, before = 0;
    while (n < content->groups.n && records[n].group == records[0].group) {
        const char *author = records[n++].fields[TMPL_RECORD_AUTHOR].value;
        const char *first = records[0].fields[TMPL_RECORD_AUTHOR].value;
        others += author != NULL && (first == NULL || strcmp(author, first) != 0);
    }
    if (n < THREAD_POSTS || others == 0 || !tmpl_record_is_post(records[0].kind) ||
        records[0].kind == TMPL_RECORD_REVIEW || records[0].kind == TMPL_RECORD_ANSWER) {
        return 0;
    }
    for (uint32_t s = 0; s < content->page->nodes[records[0].node].first_segment; s++) {
        const tmpl_segment_t *segment = &content->page->segments[s];
        int stays = content->verdicts == NULL || !content->verdicts[segment->block].template;
        before += stays ? segment->length : 0;
    }
    return before < THREAD_BEFORE;
}

/* Says of a thread who began it, and when. */
static void add_first_post(tmpl_metadata_source_t *source, const tmpl_content_t *content)
{
    if (is_thread(content)) {
        const tmpl_group_record_t *first = content->groups.records;
        source->thread = first->kind == TMPL_RECORD_QUESTION ? "question" : "discussion";
        source->first_author = first->fields[TMPL_RECORD_AUTHOR].value;
        source->first_date = first->fields[TMPL_RECORD_DATE].value;
    }
}

int tmpl_content_read(tmpl_content_t *content, const tmpl_page_t *page, const tmpl_edits_t *edits,
                      const tmpl_content_opts_t *opts, apr_pool_t *pool)
{
    content->page = page;
    content->edits = edits;
    content->verdicts = opts->verdicts;
    tmpl_decoder_find(&content->decoder, page->src, page->len, opts->charset, pool);
    content->languages = opts->languages && has_languages(page);
    tmpl_groups_find(&content->groups, page, edits, &content->decoder, pool);
    const apr_array_header_t *beside = opts->posts ? spans_beside(content, opts->titles, pool)
                                                   : apr_array_make(pool, 1, sizeof(tmpl_span_t));
    const xmlDoc *doc = tree_without(content, beside, pool);
    if (doc == NULL) {
        return 0;
    }
    content->html = xmlDocGetRootElement(doc);
    content->body = content->html->last;
    tmpl_hrefs_init(&content->hrefs, opts->url != NULL ? opts->url : canonical_of(page, pool),
                    tmpl_value_decode(page->src, page->base, pool), pool);
    tmpl_metadata_source_t source = { page,          edits,     &content->decoder,
                                      content->html, opts->url, opts->verdicts,
                                      NULL,          NULL,      NULL };
    add_first_post(&source, content);
    tmpl_metadata_read(&content->metadata, &source, pool);
    find_headline_element(content);
    return 1;
}
