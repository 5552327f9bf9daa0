/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts of a thread, comments, reviews and answers (content/groups.h), each in a section with a
 * heading that says who wrote it and when. Comments, reviews and answers stand in a details
 * element with their number. Cards of a collection are sections without a heading. And bylines that
 * say again what the view's header says.
 */
#include "reader/view.h"

#include <apr_strings.h>

#include "base/chars.h"
#include "metadata/dates.h"
#include "metadata/people.h"

/* --- What the header says again --- */

/* Whether a text names an author of the page, or is little more than the header's date. */
static int repeats_header(const tmpl_metadata_t *metadata, const char *text)
{
    enum { DAY = 10 /* bytes of YYYY-MM-DD */, FEW = 40 /* bytes */ };
    const apr_array_header_t *authors = metadata->values[TMPL_METADATA_AUTHOR];
    const char *date = tmpl_view_date(metadata);
    char iso[TMPL_DATE_SIZE] = "";
    apr_size_t begin;
    for (int i = 0; authors != NULL && i < authors->nelts; i++) {
        if (strcasestr(text, APR_ARRAY_IDX(authors, i, const char *)) != NULL) {
            return 1;
        }
    }
    return date != NULL && strlen(text) <= FEW &&
           tmpl_date_find(iso, &begin, text, strlen(text)) > 0 && strncmp(iso, date, DAY) == 0;
}

int tmpl_view_is_byline(tmpl_view_t *w, const xmlNode *element)
{
    enum { MOST = 160 /* bytes */, SEGMENTS = 24 };
    const tmpl_verdict_t *verdicts = w->content->verdicts;
    const tmpl_node_t *node = &w->page->nodes[tmpl_dom_node(element)];
    uint32_t n = node->after_segment - node->first_segment, bytes = 0;
    if (verdicts == NULL || !tmpl_view_begins(w) || w->record > 0 || n == 0 || n > SEGMENTS ||
        (tmpl_tag_flags((tmpl_tag_e)node->tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) == 0) {
        return 0;
    }
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        const tmpl_segment_t *segment = &w->page->segments[s];
        bytes += segment->length;
        if (verdicts[segment->block].part != TMPL_PART_BYLINE || bytes > MOST) {
            return 0;
        }
    }
    tmpl_view_read(w, element);
    return repeats_header(&w->content->metadata, w->summary.text.at);
}

/* --- Records --- */

static const char *list_title(tmpl_record_kind_e kind)
{
    static const char *const titles[TMPL_RECORD_KIND_COUNT] = {
        [TMPL_RECORD_COMMENT] = "Comments",
        [TMPL_RECORD_REVIEW] = "Reviews",
        [TMPL_RECORD_ANSWER] = "Answers",
    };
    return titles[kind];
}

/* Where a list of records begins: a list around all of them, or what holds the first alone. */
static uint32_t begin_of_list(const tmpl_page_t *page, uint32_t first, uint32_t last)
{
    uint32_t node = first, around = page->nodes[node].parent;
    while (around != TMPL_NONE && page->nodes[around].after <= last) {
        node = around;
        around = page->nodes[node].parent;
    }
    int is_list = around != TMPL_NONE && (page->nodes[around].tag == TMPL_TAG_UL ||
                                          page->nodes[around].tag == TMPL_TAG_OL);
    return is_list ? around : node;
}

void tmpl_posts_find(tmpl_view_t *w)
{
    const tmpl_groups_t *groups = &w->content->groups;
    uint32_t *first = apr_pcalloc(w->pool, (groups->n_groups + 1) * sizeof(*first));
    w->lists = apr_pcalloc(w->pool, (groups->n + 1) * sizeof(*w->lists));
    for (uint32_t i = groups->n; i-- > 0;) {
        first[groups->records[i].group] = i;
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        uint32_t of = first[groups->records[i].group];
        tmpl_post_list_t *list = &w->lists[of];
        if (list_title(groups->records[of].kind) != NULL) {
            list->n++;
            list->node = groups->records[i].node; /* at last, that of the last one */
        }
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        if (w->lists[i].n > 0) {
            w->lists[i].node = begin_of_list(w->page, groups->records[i].node, w->lists[i].node);
        }
    }
}

static int holds_blocks(tmpl_view_t *w)
{
    tmpl_html_holds_e holds = tmpl_html_top(&w->html)->holds;
    return holds == TMPL_HTML_FLOW || holds == TMPL_HTML_ITEM;
}

static void begin_list(tmpl_view_t *w, const xmlNode *node, const tmpl_group_record_t *record)
{
    tmpl_html_writer_t *html = &w->html;
    tmpl_tag_e tag = tmpl_dom_tag(w->page, node);
    int is_list = tag == TMPL_TAG_UL || tag == TMPL_TAG_OL;
    if (!holds_blocks(w) ||
        !tmpl_html_open(html, TMPL_HTML_FLOW, "details", " open", is_list ? node : node->parent)) {
        return;
    }
    const char *title = apr_psprintf(w->pool, "%s (%u)", list_title(record->kind),
                                     w->lists[record - w->content->groups.records].n);
    if (tmpl_html_open(html, TMPL_HTML_TEXT, "summary", " lang=\"en\"", NULL)) {
        tmpl_html_text(html, title);
        tmpl_html_close_added(html);
    }
}

const tmpl_group_record_t *tmpl_posts_begin(tmpl_view_t *w, const xmlNode *node)
{
    const tmpl_groups_t *groups = &w->content->groups;
    uint32_t at = tmpl_dom_node(node);
    while (w->record + 1 < groups->n && groups->records[w->record + 1].node <= at) {
        w->record++;
    }
    uint32_t next = w->record + (groups->records[w->record].node < at);
    if (next == groups->n) {
        return NULL;
    }
    const tmpl_group_record_t *record = &groups->records[next];
    if (w->lists[next].n > 0 && w->lists[next].node == at) {
        tmpl_html_part(&w->html);
        begin_list(w, node, record);
    }
    if (record->node != at) {
        return NULL;
    }
    tmpl_html_part(&w->html);
    if (holds_blocks(w)) {
        tmpl_html_open(&w->html, TMPL_HTML_FLOW, "section",
                       tmpl_record_is_post(record->kind) ? " class=\"post\"" : " class=\"card\"",
                       node);
    }
    return record;
}

/* Whether the header says who wrote the first post, and when. */
static int is_in_header(const tmpl_view_t *w, tmpl_record_kind_e kind, const char *author,
                        const char *when)
{
    int begins_thread = kind == TMPL_RECORD_POST || kind == TMPL_RECORD_QUESTION;
    return begins_thread && author != NULL && tmpl_view_begins(w) &&
           repeats_header(&w->content->metadata, author) &&
           (when == NULL || repeats_header(&w->content->metadata, when));
}

void tmpl_posts_head(tmpl_view_t *w, const tmpl_group_record_t *record)
{
    enum { LEVEL = 5 /* below the page's headings */ };
    const char *author = record->fields[TMPL_RECORD_AUTHOR].value;
    const char *date = record->fields[TMPL_RECORD_DATE].value;
    const char *when = tmpl_walk_date(record, w->pool);
    if (!tmpl_record_is_post(record->kind) || (author == NULL && when == NULL) ||
        is_in_header(w, record->kind, author, when) || !holds_blocks(w) ||
        !tmpl_html_open(&w->html, TMPL_HTML_TEXT, tmpl_view_heading(w, LEVEL), " class=\"by\"",
                        NULL)) {
        return;
    }
    if (author != NULL) {
        tmpl_html_text(&w->html, author);
    }
    if (when != NULL) {
        const char *at = date != NULL ? apr_pstrcat(w->pool, " datetime=\"", date, "\"", NULL) : "";
        tmpl_html_text(&w->html, author != NULL ? " \xC2\xB7" : "");
        w->html.space = author != NULL;
        if (tmpl_html_format(&w->html, "time", at, NULL)) {
            tmpl_html_text(&w->html, when);
            tmpl_html_unformat(&w->html, NULL);
        }
    }
    tmpl_html_close_added(&w->html);
}
