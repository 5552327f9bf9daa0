/* SPDX-License-Identifier: Apache-2.0 */
#include "content/content.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "dom/dom.h"
#include "text/decode.h"

/* Posts of a thread at least; bytes of text in front of them that stay at most. */
#define THREAD_POSTS  3
#define THREAD_BEFORE 600

/* The page as a tree, without the parts that edits delete and without those of records. */
static xmlDoc *tree_of(const tmpl_content_t *content, const tmpl_content_opts_t *as,
                       apr_pool_t *pool)
{
    const tmpl_edits_t *edits = content->edits;
    tmpl_span_t *without = apr_palloc(pool, (edits->n + 1) * sizeof(*without));
    for (uint32_t i = 0; i < edits->n; i++) {
        without[i] = edits->edits[i].span;
    }
    tmpl_dom_opts_t opts = { .decoder = &content->decoder,
                             .without = without,
                             .n_without = edits->n,
                             .parts = content->groups.parts,
                             .left_out = (as->posts ? 1u << TMPL_RECORD_BESIDE : 0) |
                                         (as->titles ? 1u << TMPL_RECORD_TITLED : 0),
                             .content = 1,
                             .languages = content->languages };
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

/* Whether a record has a headline of its own: it is an article. */
static int has_headline(const tmpl_page_t *page, uint32_t node)
{
    enum { LOOKED = 64 };
    uint32_t i = node + 1;
    while (i < page->nodes[node].after && i < node + LOOKED && page->nodes[i].tag != TMPL_TAG_H1) {
        i++;
    }
    return i < page->nodes[node].after && page->nodes[i].tag == TMPL_TAG_H1;
}

/* Whether the first group of records is a thread: several posts of several people, and no text of
 * the page's own in front of them. */
static int is_thread(const tmpl_content_t *content)
{
    const tmpl_group_record_t *records = content->groups.records;
    uint32_t n = 0, others = 0, articles = 0, before = 0;
    while (n < content->groups.n && records[n].group == records[0].group) {
        articles += has_headline(content->page, records[n].node) ? 1 : 0;
        const char *author = records[n++].fields[TMPL_RECORD_AUTHOR].value;
        const char *first = records[0].fields[TMPL_RECORD_AUTHOR].value;
        others += author != NULL && (first == NULL || strcmp(author, first) != 0);
    }
    if (n < THREAD_POSTS || others == 0 || articles == n || !tmpl_record_is_post(records[0].kind) ||
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
    const xmlDoc *doc = tree_of(content, opts, pool);
    if (doc == NULL) {
        return 0;
    }
    content->html = xmlDocGetRootElement(doc);
    content->body = content->html->last;
    tmpl_metadata_source_t source = { .page = page,
                                      .edits = edits,
                                      .decoder = &content->decoder,
                                      .html = content->html,
                                      .url = opts->url,
                                      .verdicts = opts->verdicts };
    add_first_post(&source, content);
    source.is_listing = content->groups.is_listing;
    tmpl_metadata_read(&content->metadata, &source, pool);
    const char *url = tmpl_metadata_first(&content->metadata, TMPL_METADATA_CANONICAL);
    url = opts->url != NULL ? opts->url
          : url != NULL     ? url
                            : tmpl_value_decode(page->src, page->canonical, pool); /* in body */
    tmpl_hrefs_init(&content->hrefs, url, tmpl_value_decode(page->src, page->base, pool), pool);
    find_headline_element(content);
    return 1;
}
