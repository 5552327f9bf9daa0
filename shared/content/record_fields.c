/* SPDX-License-Identifier: Apache-2.0 */
#include "content/record_page.h"

#include <string.h>

#include <apr_strings.h>

#include "content/href.h"
#include "metadata/dates.h"
#include "metadata/titles.h"
#include "metadata/people.h"
#include "text/decode.h"

/* Bytes of a title, and of a fragment that names a post, at most. */
#define TITLE_MOST 300
#define PLACE_MOST 40

/* Elements of a record that are looked at; elements within a heading. */
#define LOOKED_MOST    2000
#define HEADING_WITHIN 32

/* How much an element's text is of a record's, so that the record's text is in it. */
#define IN_TEXT       0.7
#define IN_NAMED_TEXT 0.3 /* of an element that says that it holds a text */
#define IN_QUOTE_TEXT 0.9 /* of a blockquote with a class: some forums write all posts so */

/* How sure an element is of a field: the surest one says it. */
enum { UNSURE = 1, NAMED, SAID };

/* A record while it is read. */
typedef struct {
    tmpl_record_page_t *p;
    tmpl_group_record_t *record;
    unsigned char sure[TMPL_RECORD_FIELD_COUNT];
} record_reader_t;

static void set_field(record_reader_t *r, tmpl_record_field_e field, int sure, const char *value,
                      uint32_t node)
{
    if (value != NULL && *value != '\0' && sure > r->sure[field]) {
        r->sure[field] = (unsigned char)sure;
        r->record->fields[field].value = apr_pstrdup(r->p->pool, value);
        r->record->fields[field].node = node;
    }
}

/* --- Authors, dates and numbers --- */

static void see_author(record_reader_t *r, uint32_t node, unsigned cues)
{
    int sure = (cues & TMPL_CUE_PROP) ? SAID : (cues & TMPL_CUE_AUTHOR) ? NAMED : UNSURE;
    if (sure > r->sure[TMPL_RECORD_AUTHOR]) {
        set_field(r, TMPL_RECORD_AUTHOR, sure, tmpl_record_author(r->p, node), node);
    }
}

/* A date, and how it is shown, are of one element. */
static void see_date(record_reader_t *r, uint32_t node, int sure)
{
    char iso[TMPL_DATE_SIZE] = "";
    const char *when;
    int is_date = tmpl_record_date(iso, &when, r->p, node);
    sure += *iso != '\0' ? SAID : 0;
    if (is_date && sure > r->sure[TMPL_RECORD_DATE]) {
        r->sure[TMPL_RECORD_DATE] = (unsigned char)sure;
        r->record->fields[TMPL_RECORD_DATE].value =
            *iso != '\0' ? apr_pstrdup(r->p->pool, iso) : NULL;
        r->record->fields[TMPL_RECORD_DATE].node = node;
        r->record->fields[TMPL_RECORD_WHEN].value = when;
        r->record->fields[TMPL_RECORD_WHEN].node = node;
    }
}

static void see_numbers(record_reader_t *r, uint32_t node, unsigned cues)
{
    int sure = (cues & TMPL_CUE_PROP) ? SAID : NAMED;
    if (cues & TMPL_CUE_PRICE) {
        const char *currency, *price = tmpl_record_price(&currency, r->p, node);
        set_field(r, TMPL_RECORD_PRICE, sure, price, node);
        set_field(r, TMPL_RECORD_CURRENCY, sure, currency, node);
    }
    const char *number = tmpl_record_number(r->p, node);
    int is_rated = r->record->kind == TMPL_RECORD_REVIEW || r->record->kind == TMPL_RECORD_CARD;
    if (number != NULL && (cues & TMPL_CUE_RATING) && is_rated && strlen(number) <= 4 &&
        *number < '6') {
        set_field(r, TMPL_RECORD_RATING, sure, number, node);
    }
    if (cues & TMPL_CUE_VOTES) {
        set_field(r, TMPL_RECORD_VOTES, sure, number, node);
    }
}

/* --- Addresses, titles, pictures --- */

/* Whether an element says when, to the second, and it is not when the record was written. */
static int is_of_other_date(const record_reader_t *r, uint32_t node)
{
    char iso[TMPL_DATE_SIZE] = "";
    const char *when, *date = r->record->fields[TMPL_RECORD_DATE].value;
    return date != NULL && strchr(date, 'T') != NULL && tmpl_record_date(iso, &when, r->p, node) &&
           strlen(iso) == strlen(date) && strcmp(iso, date) != 0;
}

static void see_link(record_reader_t *r, uint32_t node, unsigned cues)
{
    const tmpl_page_t *page = r->p->page;
    const tmpl_known_attr_t *href = tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_HREF);
    if (href == NULL || tmpl_span_len(href->value) < 2) {
        return;
    }
    const char *value = tmpl_value_decode(page->src, href->value, r->p->pool);
    const char *hash = strchr(value, '#');
    int is_place = hash != NULL && strlen(hash) < PLACE_MOST && strpbrk(hash, "0123456789") != NULL;
    uint32_t when = r->record->fields[TMPL_RECORD_WHEN].node;
    if ((cues & TMPL_CUE_DATE) && is_of_other_date(r, node)) {
        return;
    }
    int is_date = when != TMPL_NONE &&
                  (tmpl_record_is_in(r->p, when, node) || tmpl_record_is_in(r->p, node, when));
    int sure = (cues & TMPL_CUE_PERMALINK)         ? SAID
               : is_date || (cues & TMPL_CUE_DATE) ? SAID + 1
               : is_place                          ? UNSURE
                                                   : 0;
    if (sure > 0 && tmpl_href_is_safe(value)) {
        set_field(r, TMPL_RECORD_ADDRESS, sure, value, node);
    }
}

/* A heading in a post that says more than the page's title. */
static void see_record_heading(record_reader_t *r, uint32_t node)
{
    const char *title = tmpl_record_text(r->p, node, TITLE_MOST);
    title += strncmp(title, "Re: ", 4) == 0 ? 4 : 0;
    int is_author = 0;
    for (uint32_t i = node; i < r->p->page->nodes[node].after && i < node + HEADING_WITHIN; i++) {
        is_author |=
            (r->p->cues[i] & (TMPL_CUE_AUTHOR | TMPL_CUE_USER | TMPL_CUE_NOT | TMPL_CUE_DATE)) != 0;
    }
    if (r->p->page->nodes[node].tag == TMPL_TAG_H1 &&
        tmpl_record_sum(r->p, r->p->kept, node, TMPL_NONE) > 0) {
        r->record->headline = node;
    }
    else if (*title != '\0' && !is_author && r->sure[TMPL_RECORD_TITLE] == 0) {
        set_field(r, TMPL_RECORD_TITLE, NAMED, title, node);
        if (tmpl_title_share(title, r->p->headline) == 1) {
            r->record->fields[TMPL_RECORD_TITLE].value = NULL;
        }
    }
}

/* The heading in a link that has more in it, as a picture and a price; else the link. */
static uint32_t title_in_link(const tmpl_record_page_t *p, uint32_t link)
{
    enum { WITHIN = 32 };
    const tmpl_node_t *nodes = p->page->nodes;
    for (uint32_t i = link + 1; i < nodes[link].after && i < link + WITHIN; i++) {
        int is_title = (tmpl_tag_flags((tmpl_tag_e)nodes[i].tag) & TMPL_IS_HEADING) ||
                       (p->cues[i] & (TMPL_CUE_TITLE | TMPL_CUE_AUTHOR)) == TMPL_CUE_TITLE;
        if (is_title && tmpl_record_length(p, i) > 0) {
            return i;
        }
    }
    return link;
}

static void see_card_title(record_reader_t *r, uint32_t link)
{
    const tmpl_known_attr_t *href =
        tmpl_node_attr(r->p->page, &r->p->page->nodes[link], TMPL_ATTR_HREF);
    const char *value =
        href != NULL ? tmpl_value_decode(r->p->page->src, href->value, r->p->pool) : "#";
    if (tmpl_href_is_safe(value)) {
        uint32_t title = title_in_link(r->p, link);
        set_field(r, TMPL_RECORD_TITLE, SAID, tmpl_record_text(r->p, title, TITLE_MOST), title);
        set_field(r, TMPL_RECORD_ADDRESS, SAID + 2, value, link);
    }
}

/* --- The record --- */

/* The bytes of text in a node's part of a record; *inside: the next record in this one. */
static uint32_t own_text(const record_reader_t *r, uint32_t node, uint32_t *inside)
{
    const tmpl_node_t *nodes = r->p->page->nodes;
    const tmpl_groups_t *groups = r->p->groups;
    uint32_t bytes = tmpl_record_sum(r->p, r->p->text, node, TMPL_NONE);
    while (*inside < r->record->behind && groups->records[*inside].node < nodes[node].after) {
        bytes -= tmpl_record_sum(r->p, r->p->text, groups->records[*inside].node, TMPL_NONE);
        *inside = groups->records[*inside].behind;
    }
    return bytes;
}

/* How much of a record's text must be in an element, so that the text is the element's. */
static double needed_share(const record_reader_t *r, uint32_t node)
{
    const tmpl_page_t *page = r->p->page;
    unsigned cues = r->p->cues[node];
    if (page->nodes[node].tag == TMPL_TAG_P || (cues & TMPL_CUE_QUOTE)) {
        return 2;
    }
    if (page->nodes[node].tag == TMPL_TAG_BLOCKQUOTE && !(cues & TMPL_CUE_TEXT)) {
        return tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_CLASS) != NULL ? IN_QUOTE_TEXT
                                                                                 : 2;
    }
    return (cues & TMPL_CUE_TEXT) ? IN_NAMED_TEXT : IN_TEXT;
}

/* The element in a record's own part of which microdata say that it is the text. */
static uint32_t said_text(const record_reader_t *r)
{
    const unsigned cues = TMPL_CUE_TEXT | TMPL_CUE_PROP;
    const tmpl_node_t *nodes = r->p->page->nodes;
    uint32_t record = r->record->node;
    for (uint32_t i = record + 1, n = 0; i < nodes[record].after && n < LOOKED_MOST; n++) {
        if (r->p->owners[i] != r->record->node) {
            i = nodes[i].after;
            continue;
        }
        if ((r->p->cues[i] & cues) == cues && tmpl_record_sum(r->p, r->p->kept, i, TMPL_NONE) > 0) {
            return i;
        }
        i++;
    }
    return TMPL_NONE;
}

/*
 * The element of a record's text: the one of which microdata say so; else from its element
 * inwards, as long as one child has most of what is in its own part.
 */
static uint32_t find_record_text(const record_reader_t *r)
{
    const tmpl_node_t *nodes = r->p->page->nodes;
    uint32_t said = said_text(r);
    if (said != TMPL_NONE) {
        return said;
    }
    uint32_t first_inside = (uint32_t)(r->record - r->p->groups->records) + 1;
    uint32_t inside = first_inside;
    uint32_t node = r->record->node;
    uint32_t all = own_text(r, node, &inside);
    inside = first_inside;
    for (;;) {
        uint32_t best = TMPL_NONE, most = 0, first = inside;
        for (uint32_t i = node + 1; i < nodes[node].after; i = nodes[i].after) {
            uint32_t before = inside;
            uint32_t bytes = own_text(r, i, &inside);
            if (bytes > most) {
                most = bytes;
                best = i;
                first = before;
            }
        }
        if (best == TMPL_NONE || most < needed_share(r, best) * all) {
            return node;
        }
        inside = first;
        node = best;
    }
}

static void see_element(record_reader_t *r, uint32_t node)
{
    const tmpl_page_t *page = r->p->page;
    unsigned cues = r->p->cues[node];
    tmpl_tag_e tag = (tmpl_tag_e)page->nodes[node].tag;
    int is_post = tmpl_record_is_post(r->record->kind);
    if (cues & (TMPL_CUE_AUTHOR | TMPL_CUE_USER | TMPL_CUE_PANE)) {
        see_author(r, node, cues);
    }
    if (cues & TMPL_CUE_DATE) {
        see_date(r, node, (cues & TMPL_CUE_PROP) ? SAID : tag == TMPL_TAG_TIME ? NAMED : UNSURE);
    }
    if ((cues & (TMPL_CUE_RATING | TMPL_CUE_VOTES | TMPL_CUE_PRICE)) && !(cues & TMPL_CUE_NOT)) {
        see_numbers(r, node, cues);
    }
    if (tag == TMPL_TAG_A) {
        see_link(r, node, cues);
    }
    if (is_post && (tmpl_tag_flags(tag) & TMPL_IS_HEADING) && node < r->record->text) {
        see_record_heading(r, node);
    }
    const tmpl_known_attr_t *src = tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_DATA_SRC);
    src = src == NULL ? tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_SRC) : src;
    if (!is_post && tag == TMPL_TAG_IMG && src != NULL) {
        const char *image = tmpl_value_decode(page->src, src->value, r->p->pool);
        set_field(r, TMPL_RECORD_IMAGE, NAMED, tmpl_href_is_safe(image) ? image : NULL, node);
    }
    if (cues & TMPL_CUE_ACCEPTED) {
        set_field(r, TMPL_RECORD_ACCEPTED, NAMED, node == r->record->node ? "true" : NULL, node);
    }
}

/* Reads the elements of a record's own part beside its text. */
static void see_own_part(record_reader_t *r)
{
    const tmpl_node_t *nodes = r->p->page->nodes;
    uint32_t record = r->record->node, text = r->record->text;
    uint32_t looked = 0;
    int is_asked = r->record->kind == TMPL_RECORD_QUESTION || r->record->kind == TMPL_RECORD_ANSWER;
    unsigned others = TMPL_CUE_OTHERS | (is_asked ? TMPL_CUE_COMMENT : 0);
    for (uint32_t i = record; i < nodes[record].after && looked < LOOKED_MOST; looked++) {
        int is_other =
            i != record && (r->p->cues[i] & others) && !(text >= i && text < nodes[i].after);
        if (r->p->owners[i] != r->record->node || (i == text && text != record) || is_other) {
            i = nodes[i].after;
            continue;
        }
        see_element(r, i++);
    }
}

/* The address of a post without a link to it: its element's id. */
static void see_id(record_reader_t *r)
{
    const char *id = tmpl_record_attribute(r->p, r->record->node, "id");
    if (id != NULL && strpbrk(id, "0123456789") != NULL && strpbrk(id, " \t\n") == NULL) {
        set_field(r, TMPL_RECORD_ADDRESS, NAMED, apr_pstrcat(r->p->pool, "#", id, NULL),
                  r->record->node);
    }
}

void tmpl_record_read(tmpl_record_page_t *p, tmpl_group_record_t *record)
{
    record_reader_t r = { .p = p, .record = record };
    record->text = find_record_text(&r);
    if (record->kind == TMPL_RECORD_CARD) {
        see_card_title(&r, record->fields[TMPL_RECORD_TITLE].node);
    }
    see_own_part(&r);
    if (record->kind != TMPL_RECORD_CARD) {
        see_id(&r);
    }
}
