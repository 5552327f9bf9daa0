/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts of a thread, comments, reviews and answers (content/groups.h), each in a section with a
 * heading that says who wrote it and when. Comments, reviews and answers stand in a details
 * element with their number. Cards of a collection are sections without a heading.
 */
#include "reader/view.h"

#include <apr_strings.h>

#include "dom/dom.h"

/* What begins at a node of the page. */
enum { LISTED = 1, RECORD = 2 };

/* The records of a group that stand in no other record of it. */
typedef struct {
    uint32_t first, last, n;
} group_span_t;

static const char *list_title(tmpl_record_kind_e kind)
{
    static const char *const titles[TMPL_RECORD_KIND_COUNT] = {
        [TMPL_RECORD_COMMENT] = "Comments",
        [TMPL_RECORD_REVIEW] = "Reviews",
        [TMPL_RECORD_ANSWER] = "Answers",
    };
    return titles[kind];
}

/*
 * The node at which a list of records begins: a list around all of them, or what holds the first.
 */
static uint32_t begin_of_list(const tmpl_page_t *page, const tmpl_groups_t *groups,
                              const group_span_t *span)
{
    uint32_t node = groups->records[span->first].node;
    uint32_t last = groups->records[span->last].node;
    uint32_t around = page->nodes[node].parent;
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
    if (groups->n == 0) {
        return;
    }
    group_span_t *spans = apr_pcalloc(w->pool, groups->n_groups * sizeof(*spans));
    w->marks = apr_pcalloc(w->pool, w->page->n_nodes);
    w->counts = apr_pcalloc(w->pool, groups->n * sizeof(*w->counts));
    for (uint32_t i = 0; i < groups->n; i++) {
        const tmpl_group_record_t *record = &groups->records[i];
        group_span_t *span = &spans[record->group];
        span->first = span->n++ == 0 ? i : span->first;
        span->last = i;
        w->marks[record->node] |= RECORD;
    }
    for (uint32_t g = 0; g < groups->n_groups; g++) {
        if (spans[g].n > 0 && list_title(groups->records[spans[g].first].kind) != NULL) {
            w->marks[begin_of_list(w->page, groups, &spans[g])] |= LISTED;
            w->counts[spans[g].first] = spans[g].n;
        }
    }
}

/* The first record from the current one on in a node of the page; NULL: there is none. */
static const tmpl_group_record_t *next_record(tmpl_view_t *w, uint32_t node)
{
    const tmpl_groups_t *groups = &w->content->groups;
    while (w->record < groups->n && groups->records[w->record].node < node) {
        w->record++;
    }
    return w->record < groups->n ? &groups->records[w->record] : NULL;
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
                                     w->counts[record - w->content->groups.records]);
    if (tmpl_html_open(html, TMPL_HTML_TEXT, "summary", " lang=\"en\"", NULL)) {
        tmpl_html_text(html, title);
        tmpl_html_close_added(html);
    }
}

void tmpl_posts_begin(tmpl_view_t *w, const xmlNode *node)
{
    if (w->marks == NULL || (w->marks[tmpl_dom_node(node)] & (LISTED | RECORD)) == 0) {
        return;
    }
    uint32_t at = tmpl_dom_node(node);
    const tmpl_group_record_t *record = next_record(w, at);
    if (record == NULL) {
        return;
    }
    tmpl_html_part(&w->html);
    if (w->marks[at] & LISTED && w->counts[record - w->content->groups.records] > 0) {
        begin_list(w, node, record);
    }
    if (w->marks[at] & RECORD && holds_blocks(w)) {
        tmpl_html_open(&w->html, TMPL_HTML_FLOW, "section",
                       tmpl_record_is_post(record->kind) ? " class=\"post\"" : " class=\"card\"",
                       node);
    }
}

/* Whether the header says who wrote the first post, and when. */
static int is_in_header(const tmpl_view_t *w, tmpl_record_kind_e kind, const char *author,
                        const char *when)
{
    int begins_thread = kind == TMPL_RECORD_POST || kind == TMPL_RECORD_QUESTION;
    return begins_thread && author != NULL && tmpl_view_begins(w) &&
           tmpl_header_tells(&w->content->metadata,
                             apr_pstrcat(w->pool, author, " ", when, NULL)) == TMPL_TOLD_AUTHOR;
}

void tmpl_posts_head(tmpl_view_t *w, const xmlNode *node)
{
    static const char *const names[] = { "h2", "h3", "h4", "h5", "h6" };
    enum { LEVEL = 5 /* below the page's headings */ };
    if (w->marks == NULL || !(w->marks[tmpl_dom_node(node)] & RECORD)) {
        return;
    }
    const tmpl_group_record_t *record = next_record(w, tmpl_dom_node(node));
    if (record == NULL) {
        return;
    }
    const char *author = record->fields[TMPL_RECORD_AUTHOR].value;
    const char *date = record->fields[TMPL_RECORD_DATE].value;
    const char *when = record->fields[TMPL_RECORD_WHEN].value;
    when = when == NULL && date != NULL ? apr_pstrndup(w->pool, date, strcspn(date, "T")) : when;
    if (!tmpl_record_is_post(record->kind) || (author == NULL && when == NULL) ||
        is_in_header(w, record->kind, author, when) || !holds_blocks(w) ||
        !tmpl_html_open(&w->html, TMPL_HTML_TEXT, names[tmpl_view_level(w, LEVEL) - 2],
                        " class=\"by\"", NULL)) {
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
