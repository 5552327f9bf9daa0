/* SPDX-License-Identifier: Apache-2.0 */
#include "content/record_page.h"

#include <string.h>

#include <apr_cstr.h>

#include "metadata/titles.h"

/* Bytes of text, at most: of what is left out beside a post's text, and of small cards. */
#define BESIDE_MOST 60
#define SMALL_MOST  300

/* Links and headings of small cards, at most. */
#define SMALL_LINKS    8
#define SMALL_HEADINGS 2

/* Bytes of a link's text beside the title of a card, as "Read more", at most. */
#define MORE_MOST 24

/* Elements around a record, or a field, that are looked at. */
#define PLAIN_UP 6

typedef struct {
    tmpl_record_page_t *p;
    unsigned char *parts; /* of the groups */
    tmpl_group_record_t *record;
} parts_maker_t;

/* Whether an element in the own part of a record holds another record. */
static int holds_record(const parts_maker_t *m, uint32_t node)
{
    const tmpl_groups_t *groups = m->p->groups;
    uint32_t index = (uint32_t)(m->record - groups->records);
    uint32_t low = tmpl_record_first_from(groups->records, sizeof(*groups->records), index + 1,
                                          m->record->behind, node);
    return low < m->record->behind && tmpl_record_is_in(m->p, groups->records[low].node, node);
}

/* Whether an element is in a sentence of the element around it, which stays. */
static int is_in_sentence(const tmpl_page_t *page, uint32_t node)
{
    enum { LEAST = 5 /* bytes: more than a sign between links */ };
    const tmpl_node_t *n = &page->nodes[node], *around = &page->nodes[n->parent];
    if (n->first_segment == n->after_segment || n->first_segment == around->first_segment) {
        return 0;
    }
    const tmpl_segment_t *before = &page->segments[n->first_segment - 1];
    return before->node == n->parent && before->length >= LEAST && before[1].block == before->block;
}

/* Whether an element beside the path stays. */
static int stays_beside(const parts_maker_t *m, uint32_t node)
{
    unsigned cues = m->p->cues[node];
    const unsigned comment =
        TMPL_CUE_COMMENT | TMPL_CUE_AUTHOR | TMPL_CUE_USER | TMPL_CUE_PANE | TMPL_CUE_BESIDE;
    return m->p->owners[node] != m->record->node || m->parts[node] != TMPL_RECORD_NO_PART ||
           tmpl_record_is_in(m->p, m->record->text, node) ||
           tmpl_record_is_in(m->p, m->record->headline, node) ||
           tmpl_record_is_in(m->p, m->record->fields[TMPL_RECORD_TITLE].node, node) ||
           (cues & TMPL_CUE_ATTACHED) != 0 || (cues & comment) == TMPL_CUE_COMMENT ||
           tmpl_record_sum(m->p, m->p->text, node, TMPL_NONE) >
               ((cues & TMPL_CUE_TEXT) ? 0 : BESIDE_MOST) ||
           is_in_sentence(m->p->page, node) || holds_record(m, node);
}

/* Leaves out what stands beside the path from a record's element to one in it. */
static void leave_out_beside(const parts_maker_t *m, uint32_t target)
{
    const tmpl_page_t *page = m->p->page;
    for (uint32_t path = target; path != m->record->node; path = page->nodes[path].parent) {
        uint32_t parent = page->nodes[path].parent;
        for (uint32_t i = parent + 1; i < page->nodes[parent].after; i = page->nodes[i].after) {
            if (i != path && !stays_beside(m, i)) {
                m->parts[i] = TMPL_RECORD_BESIDE;
            }
        }
    }
}

/* Elements that are written as they are not, if all that they hold is a record or its text. */
static int is_plain_tag(tmpl_tag_e tag)
{
    static const unsigned char tags[TMPL_TAG_COUNT] = {
        [TMPL_TAG_LI] = 1, [TMPL_TAG_TABLE] = 1, [TMPL_TAG_TBODY] = 1,      [TMPL_TAG_TR] = 1,
        [TMPL_TAG_TD] = 1, [TMPL_TAG_DD] = 1,    [TMPL_TAG_BLOCKQUOTE] = 1,
    };
    return tags[tag];
}

static void make_plain(const parts_maker_t *m, uint32_t from, uint32_t top, int most)
{
    const tmpl_node_t *nodes = m->p->page->nodes;
    for (int i = 0; from > top && from != TMPL_NONE && i < most; i++, from = nodes[from].parent) {
        if (is_plain_tag((tmpl_tag_e)nodes[from].tag) && m->parts[from] == TMPL_RECORD_NO_PART) {
            m->parts[from] = TMPL_RECORD_PLAIN;
        }
    }
}

/* --- Quotes --- */

/* Whether the text of an element begins as the quotes in tables of vBulletin 3 do. */
static int begins_as_quote(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const char begins[] = "Originally Posted by";
    if (node->first_segment == node->after_segment) {
        return 0;
    }
    tmpl_span_t span = page->segments[node->first_segment].span;
    uint32_t start = tmpl_behind_space(page->src, span.start, span.end);
    return span.end - start >= sizeof(begins) - 1 &&
           apr_cstr_casecmpn(page->src + start, begins, sizeof(begins) - 1) == 0;
}

static int is_quote(const parts_maker_t *m, uint32_t node)
{
    static const unsigned char tags[TMPL_TAG_COUNT] = {
        [TMPL_TAG_DIV] = 1,     [TMPL_TAG_FIGURE] = 1,   [TMPL_TAG_DL] = 1,
        [TMPL_TAG_SECTION] = 1, [TMPL_TAG_FIELDSET] = 1, [TMPL_TAG_ASIDE] = 1,
        [TMPL_TAG_TABLE] = 1,
    };
    const tmpl_node_t *n = &m->p->page->nodes[node];
    return tags[n->tag] && !tmpl_record_is_in(m->p, m->record->text, node) &&
           (((m->p->cues[node] & TMPL_CUE_QUOTE) &&
             tmpl_record_sum(m->p, m->p->text, node, TMPL_NONE) > 0) ||
            (n->tag == TMPL_TAG_TABLE && begins_as_quote(m->p->page, n)));
}

/* --- Posts --- */

static int is_cue_beside(const parts_maker_t *m, uint32_t node)
{
    unsigned cues = m->p->cues[node];
    int is_signature = (cues & TMPL_CUES_OF_SIGNATURE) == TMPL_CUES_OF_SIGNATURE;
    return (cues & (TMPL_CUE_PANE | TMPL_CUE_BESIDE | TMPL_CUE_OTHERS)) &&
           !(cues & TMPL_CUE_TEXT) &&
           (is_signature || tmpl_record_length(m->p, node) <= TMPL_RECORD_PANE_MOST) &&
           !holds_record(m, node) && !tmpl_record_is_in(m->p, m->record->text, node);
}

/* Finds quotes, and what is beside the text in an element of it. */
static void see_post_nodes(const parts_maker_t *m)
{
    const tmpl_node_t *nodes = m->p->page->nodes;
    uint32_t record = m->record->node;
    for (uint32_t i = record + 1; i < nodes[record].after;) {
        int is_over = m->p->owners[i] != m->record->node || m->parts[i] == TMPL_RECORD_BESIDE ||
                      nodes[i].tag == TMPL_TAG_BLOCKQUOTE;
        if (!is_over && is_cue_beside(m, i)) {
            m->parts[i] = TMPL_RECORD_BESIDE;
            is_over = 1;
        }
        else if (!is_over && is_quote(m, i)) {
            m->parts[i] = TMPL_RECORD_QUOTE;
            is_over = 1;
        }
        is_over = is_over && !tmpl_record_is_in(m->p, m->record->text, i);
        i = is_over ? nodes[i].after : i + 1;
    }
}

/* Whether an element beside a post's text says no more than a field: "Posted 3 May by". */
static int is_field_only(const parts_maker_t *m, uint32_t node)
{
    enum { MOST = 80 };
    return node != m->record->node && m->p->owners[node] == m->record->node &&
           tmpl_record_length(m->p, node) <= MOST && !holds_record(m, node) &&
           !tmpl_record_is_in(m->p, m->record->text, node) &&
           !tmpl_record_is_in(m->p, m->record->headline, node);
}

/* Leaves out what says a field; in the post's text, only the date at its start. */
static void leave_out_field(const parts_maker_t *m, tmpl_record_field_e field)
{
    const tmpl_node_t *nodes = m->p->page->nodes;
    const tmpl_node_t *text = &nodes[m->record->text];
    uint32_t node = m->record->fields[field].node;
    if (node == TMPL_NONE || !is_field_only(m, node)) {
        return;
    }
    for (int i = 0; i < PLAIN_UP && is_field_only(m, nodes[node].parent); i++) {
        node = nodes[node].parent;
    }
    int is_in_text =
        m->record->text != m->record->node && tmpl_record_is_in(m->p, node, m->record->text);
    int begins = field == TMPL_RECORD_WHEN && nodes[node].first_segment == text->first_segment &&
                 nodes[node].after_segment < text->after_segment;
    if (!is_in_text || begins) {
        m->parts[node] = TMPL_RECORD_BESIDE;
    }
}

static void make_post_parts(const parts_maker_t *m)
{
    const tmpl_group_record_t *record = m->record;
    uint32_t title = record->fields[TMPL_RECORD_TITLE].node;
    if (title != TMPL_NONE && m->p->owners[title] == m->record->node) {
        int is_said = record->fields[TMPL_RECORD_TITLE].value != NULL;
        m->parts[title] = is_said ? TMPL_RECORD_TITLE_PART : TMPL_RECORD_BESIDE;
    }
    if (record->headline != TMPL_NONE && m->p->owners[record->headline] == m->record->node) {
        m->parts[record->headline] = TMPL_RECORD_HEADLINE;
        leave_out_beside(m, record->headline);
    }
    if (record->text != record->node) {
        leave_out_beside(m, record->text);
    }
    leave_out_field(m, TMPL_RECORD_AUTHOR);
    leave_out_field(m, TMPL_RECORD_WHEN);
    see_post_nodes(m);
    make_plain(m, record->text, record->node, PLAIN_UP);
    make_plain(m, m->p->page->nodes[record->node].parent, 0, PLAIN_UP);
}

/* --- Cards --- */

/* Whether an element may hold lines of a list, and all elements around it. */
static int may_hold_items(const tmpl_page_t *page, uint32_t node)
{
    enum { UP = 64 };
    static const unsigned char one_line[TMPL_TAG_COUNT] = {
        [TMPL_TAG_TD] = 1,      [TMPL_TAG_TH] = 1, [TMPL_TAG_A] = 1,  [TMPL_TAG_SUMMARY] = 1,
        [TMPL_TAG_CAPTION] = 1, [TMPL_TAG_DT] = 1, [TMPL_TAG_H1] = 1, [TMPL_TAG_H2] = 1,
        [TMPL_TAG_H3] = 1,      [TMPL_TAG_H4] = 1, [TMPL_TAG_H5] = 1, [TMPL_TAG_H6] = 1,
        [TMPL_TAG_PRE] = 1,
    };
    for (int i = 0; i < UP && node != 0 && !one_line[page->nodes[node].tag]; i++) {
        node = page->nodes[node].parent;
    }
    return node == 0;
}

/* Whether nothing in a card needs more than a line. */
static int is_small_card(const parts_maker_t *m)
{
    static const unsigned char large[TMPL_TAG_COUNT] = {
        [TMPL_TAG_PRE] = 1, [TMPL_TAG_TABLE] = 1,      [TMPL_TAG_DL] = 1, [TMPL_TAG_HR] = 1,
        [TMPL_TAG_OL] = 1,  [TMPL_TAG_BLOCKQUOTE] = 1, [TMPL_TAG_TR] = 1,
    };
    const tmpl_node_t *nodes = m->p->page->nodes;
    uint32_t record = m->record->node;
    int is_small = tmpl_record_sum(m->p, m->p->kept, record, TMPL_NONE) <= SMALL_MOST &&
                   m->record->fields[TMPL_RECORD_TITLE].value != NULL &&
                   m->record->fields[TMPL_RECORD_ADDRESS].value != NULL &&
                   m->record->behind == (uint32_t)(m->record - m->p->groups->records) + 1 &&
                   !large[nodes[record].tag] && may_hold_items(m->p->page, nodes[record].parent);
    uint32_t links = 0, headings = 0;
    for (uint32_t i = record + 1; is_small && i < nodes[record].after; i++) {
        links += nodes[i].tag == TMPL_TAG_A ? 1 : 0;
        headings += (tmpl_tag_flags((tmpl_tag_e)nodes[i].tag) & TMPL_IS_HEADING) ? 1 : 0;
        is_small = !large[nodes[i].tag] && links <= SMALL_LINKS && headings <= SMALL_HEADINGS;
    }
    return is_small;
}

/* The element of a card's title: the outermost one that has no more text than the title. */
static uint32_t title_element(const parts_maker_t *m, uint32_t title)
{
    const tmpl_node_t *nodes = m->p->page->nodes;
    while (nodes[title].parent != m->record->node &&
           nodes[nodes[title].parent].first_segment == nodes[title].first_segment &&
           nodes[nodes[title].parent].after_segment == nodes[title].after_segment) {
        title = nodes[title].parent;
    }
    return title;
}

/* Whether a node says nothing that the title has not said: its text, or a picture's. */
static int repeats_title(const parts_maker_t *m, uint32_t node)
{
    const char *title = m->record->fields[TMPL_RECORD_TITLE].value;
    const tmpl_node_t *n = &m->p->page->nodes[node];
    if (n->tag == TMPL_TAG_IMG) {
        const char *alt = tmpl_record_attribute(m->p, node, "alt");
        return alt == NULL || tmpl_title_share(alt, title) == 1;
    }
    return ((tmpl_tag_flags((tmpl_tag_e)n->tag) & TMPL_IS_HEADING) || n->tag == TMPL_TAG_A) &&
           strcmp(tmpl_record_text(m->p, node, strlen(title)), title) == 0;
}

/* Whether a link leads to a card's page. */
static int is_card_link(const parts_maker_t *m, uint32_t node, const tmpl_known_attr_t *href)
{
    const tmpl_page_t *page = m->p->page;
    const tmpl_known_attr_t *other = page->nodes[node].tag == TMPL_TAG_A
                                         ? tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_HREF)
                                         : NULL;
    return other != NULL && tmpl_span_len(other->value) == tmpl_span_len(href->value) &&
           memcmp(page->src + other->value.start, page->src + href->value.start,
                  tmpl_span_len(href->value)) == 0;
}

static void make_card_parts(const parts_maker_t *m)
{
    const tmpl_page_t *page = m->p->page;
    const tmpl_node_t *nodes = page->nodes;
    uint32_t link = m->record->fields[TMPL_RECORD_ADDRESS].node;
    const tmpl_known_attr_t *href = tmpl_node_attr(page, &nodes[link], TMPL_ATTR_HREF);
    for (uint32_t i = m->record->node + 1; i < nodes[m->record->node].after; i++) {
        uint32_t bytes = tmpl_record_length(m->p, i);
        if (repeats_title(m, i)) {
            m->parts[i] = TMPL_RECORD_TITLED;
        }
        else if (is_card_link(m, i, href)) {
            int is_more = i != link && bytes > 0 && bytes <= MORE_MOST;
            m->parts[i] = is_more ? TMPL_RECORD_TITLED : TMPL_RECORD_PLAIN;
        }
        else if (is_plain_tag((tmpl_tag_e)nodes[i].tag)) {
            m->parts[i] = TMPL_RECORD_PLAIN;
        }
    }
    m->parts[title_element(m, m->record->fields[TMPL_RECORD_TITLE].node)] = TMPL_RECORD_TITLED;
    /* an item of a list that holds the card alone */
    uint32_t up = nodes[m->record->node].parent;
    for (int i = 0; i < PLAIN_UP && up > 0 && nodes[up].tag != TMPL_TAG_LI; i++) {
        up = nodes[up].parent;
    }
    if (nodes[up].tag == TMPL_TAG_LI && m->parts[up] == TMPL_RECORD_NO_PART &&
        tmpl_record_sum(m->p, m->p->kept, up, TMPL_NONE) ==
            tmpl_record_sum(m->p, m->p->kept, m->record->node, TMPL_NONE)) {
        m->parts[up] = TMPL_RECORD_PLAIN;
    }
}

/* Cards are small if three of four of their group are: else the group would look mixed. */
static void find_small_cards(const parts_maker_t *of)
{
    tmpl_groups_t *groups = of->p->groups;
    struct {
        uint32_t all, small;
    } *sums = apr_pcalloc(of->p->pool, groups->n_groups * sizeof(*sums));
    for (uint32_t i = 0; i < groups->n; i++) {
        parts_maker_t m = { of->p, of->parts, &groups->records[i] };
        m.record->is_small = m.record->kind == TMPL_RECORD_CARD && is_small_card(&m);
        sums[m.record->group].all++;
        sums[m.record->group].small += m.record->is_small ? 1 : 0;
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        uint32_t group = groups->records[i].group;
        groups->records[i].is_small &= 4 * sums[group].small >= 3 * sums[group].all;
    }
}

/* --- Ghosts --- */

/* Whether a segment that stays says anything: a picture, or text that is not one sign alone. */
static int says_anything(tmpl_record_page_t *p, uint32_t s)
{
    enum { SIGN = 8 };
    if (p->page->src[p->page->segments[s].span.start] == '<' ||
        p->before[s + 1] - p->before[s] > SIGN) {
        return p->stays[s];
    }
    const char *text = p->stays[s] ? tmpl_record_segments(p, s, s + 1, SIGN) : "";
    return *text > 0 || tmpl_title_words(text, 1) > 0;
}

/* Marks the elements of records of which anything stays but who and when. */
static unsigned char *find_said(const parts_maker_t *m)
{
    const tmpl_page_t *page = m->p->page;
    unsigned char *said = apr_pcalloc(m->p->pool, page->n_nodes);
    unsigned char *beside = apr_pcalloc(m->p->pool, page->n_nodes);
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        beside[i] = beside[page->nodes[i].parent] || m->parts[i] == TMPL_RECORD_BESIDE;
    }
    for (uint32_t s = 0; s < page->n_segments; s++) {
        uint32_t owner = m->p->owners[page->segments[s].node];
        if (owner > 0 && !said[owner] && !beside[page->segments[s].node]) {
            said[owner] = (unsigned char)says_anything(m->p, s);
        }
    }
    return said;
}

/* Whether the next post is as long, and has a date: some servers write the first post twice. */
static int is_copied(const tmpl_record_page_t *p, const tmpl_group_record_t *record)
{
    enum { LEAST = 40 };
    uint32_t len = tmpl_record_length(p, record->text);
    return record->fields[TMPL_RECORD_DATE].value == NULL && len >= LEAST &&
           record[1].fields[TMPL_RECORD_DATE].value != NULL &&
           tmpl_record_length(p, record[1].text) == len;
}

/* Leaves out posts of which nothing stays, and the first of two copies, which has no date. */
static void leave_out_ghosts(const parts_maker_t *m)
{
    const tmpl_groups_t *groups = m->p->groups;
    const unsigned char *said = find_said(m);
    for (uint32_t i = 0; i < groups->n; i++) {
        const tmpl_group_record_t *record = &groups->records[i];
        int is_alone = tmpl_record_is_post(record->kind) && record->behind == i + 1;
        if (is_alone && (!said[record->node] || (i + 1 < groups->n && is_copied(m->p, record)))) {
            m->parts[record->node] = TMPL_RECORD_BESIDE;
        }
    }
}

void tmpl_record_parts(tmpl_record_page_t *p)
{
    tmpl_groups_t *groups = p->groups;
    parts_maker_t m = { .p = p, .parts = apr_pcalloc(p->pool, p->page->n_nodes) };
    find_small_cards(&m);
    for (uint32_t i = 0; i < groups->n; i++) {
        const tmpl_group_record_t *record = &groups->records[i];
        int is_written = tmpl_record_is_post(record->kind) || record->is_small;
        m.parts[record->node] = is_written ? TMPL_RECORD_ELEMENT : TMPL_RECORD_NO_PART;
    }
    for (uint32_t i = 0; i < groups->n; i++) {
        m.record = &groups->records[i];
        if (tmpl_record_is_post(m.record->kind)) {
            make_post_parts(&m);
        }
        else if (m.record->is_small) {
            make_card_parts(&m);
        }
    }
    leave_out_ghosts(&m);
    groups->parts = m.parts;
    groups->owners = p->owners;
}
