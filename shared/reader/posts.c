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

typedef enum { TELLS_NOTHING, TELLS_DATE, TELLS_AUTHOR } told_e;

/* The length of an author's name at text; 0: none is there. */
static apr_size_t author_at(const tmpl_metadata_t *metadata, const char *text)
{
    const apr_array_header_t *authors = metadata->values[TMPL_METADATA_AUTHOR];
    for (int i = 0; authors != NULL && i < authors->nelts; i++) {
        const char *name = APR_ARRAY_IDX(authors, i, const char *);
        apr_size_t len = strlen(name);
        if (apr_cstr_casecmpn(text, name, len) == 0 && !tmpl_is_word_byte(text[len])) {
            return len;
        }
    }
    return 0;
}

/* The length of the header's date at text; 0: it is not there. */
static apr_size_t date_at(const tmpl_metadata_t *metadata, const char *text)
{
    enum { DAY = 10 /* bytes of YYYY-MM-DD */, DATE = 40 /* of any */ };
    const char *date = tmpl_view_date(metadata);
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin,
        len = date != NULL ? tmpl_date_find(iso, &begin, text, strnlen(text, DATE)) : 0;
    return len > 0 && begin == 0 && strncmp(iso, date, DAY) == 0 ? len : 0;
}

/* The length of a time at text, "7:47 am EST"; 0: there is none. */
static apr_size_t time_at(const char *text)
{
    apr_size_t len = strspn(text, "0123456789:"), zone;
    if (len < 4 || memchr(text, ':', len) == NULL) {
        return 0;
    }
    const char *half = text + len + (text[len] == ' ');
    if (apr_cstr_casecmpn(half, "am", 2) == 0 || apr_cstr_casecmpn(half, "pm", 2) == 0) {
        len = (apr_size_t)(half - text) + 2;
    }
    zone = text[len] == ' ' ? strspn(text + len + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") : 0;
    return zone >= 2 && zone <= 4 && !tmpl_is_word_byte(text[len + 1 + zone]) ? len + 1 + zone
                                                                              : len;
}

/* The bytes of signs that part words at text, as in "Ann \xE2\x80\xA2 3 May". */
static apr_size_t signs_len(const char *text)
{
    apr_size_t len = 0, sign;
    do {
        const unsigned char *at = (const unsigned char *)text + len;
        sign = at[0] == 0xE2 && at[1] == 0x80 && at[2] != 0 ? 3
               : at[0] == 0xC2 && at[1] != 0                ? 2
                                             : at[0] != 0 && !tmpl_is_word_byte(text[len]);
        len += sign;
    } while (sign > 0);
    return len;
}

/*
 * What of the view's header a text says again: an author, perhaps with the date, or the date alone,
 * with words like "by" and "posted on". NOTHING: it says anything else.
 */
static told_e header_tells(const tmpl_metadata_t *metadata, const char *text)
{
    told_e told = TELLS_NOTHING;
    while (*(text += signs_len(text)) != '\0') {
        apr_size_t name = author_at(metadata, text);
        apr_size_t date = name == 0 ? date_at(metadata, text) : 0;
        apr_size_t len = name + date;
        told = name > 0 ? TELLS_AUTHOR : date > 0 && told == TELLS_NOTHING ? TELLS_DATE : told;
        len = len > 0 ? len : time_at(text);
        len = len > 0 ? len : tmpl_people_by(text);
        apr_size_t word = 0;
        while (len == 0 && tmpl_is_word_byte(text[word])) {
            word++;
        }
        if (len == 0 && (word == 0 || !tmpl_people_word(TMPL_WORDS_DATED, text, word))) {
            return TELLS_NOTHING;
        }
        text += len + word;
    }
    return told;
}

int tmpl_view_is_byline(tmpl_view_t *w, const xmlNode *element)
{
    enum { MOST = 160, SHORT = 60 /* bytes: of a name */, SEGMENTS = 24 };
    const tmpl_verdict_t *verdicts = w->content->verdicts;
    const tmpl_node_t *node = &w->page->nodes[tmpl_dom_node(element)];
    uint32_t n = node->after_segment - node->first_segment, bylines = 0, bytes = 0;
    if (!tmpl_view_begins(w) || w->record > 0 || n == 0 || n > SEGMENTS ||
        (tmpl_tag_flags((tmpl_tag_e)node->tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) == 0) {
        return 0;
    }
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        const tmpl_segment_t *segment = &w->page->segments[s];
        bytes += segment->length;
        bylines += verdicts == NULL || verdicts[segment->block].part == TMPL_PART_BYLINE;
    }
    if (bytes == 0 || bytes > (bylines > 0 ? MOST : SHORT)) {
        return 0;
    }
    tmpl_view_read(w, element);
    told_e told = header_tells(&w->content->metadata, w->summary.text.at);
    return told == TELLS_AUTHOR || (told == TELLS_DATE && bylines == n);
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
        tmpl_html_close_last(html);
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
           header_tells(&w->content->metadata, apr_pstrcat(w->pool, author, " ", when, NULL)) ==
               TELLS_AUTHOR;
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
    tmpl_html_close_last(&w->html);
}
