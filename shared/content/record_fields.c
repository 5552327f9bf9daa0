/* SPDX-License-Identifier: Apache-2.0 */
#include "content/record_fields.h"

#include <string.h>

#include <apr_strings.h>

#include "content/cues.h"
#include "metadata/dates.h"
#include "metadata/elements.h"
#include "metadata/people.h"
#include "text/reference.h"
#include "text/text.h"

/* Bytes of a name, a date and a title at most; words of a name. */
#define NAME_MOST  60
#define NAME_WORDS 6
#define WHEN_MOST  80
#define TITLE_MOST 300

/* Elements of a record that are looked at; elements within one that names an author. */
#define LOOKED_MOST   2000
#define AUTHOR_WITHIN 32

/* How much an element's text is of a record's, so that the record's text is in it. */
#define IN_TEXT 0.7

/* How sure an element is of a field: the surest one says it. */
enum { UNSURE = 1, NAMED, SAID };

/* A record while it is read. */
typedef struct {
    tmpl_record_page_t *p;
    const tmpl_groups_t *groups;
    tmpl_group_record_t *record;
    uint32_t index;
    const uint32_t *owners;
    unsigned char sure[TMPL_RECORD_FIELD_COUNT];
} record_reader_t;

/* The text of segments [first, after) in p->buf; "" if it is longer than most bytes. */
static const char *segments_in_record(tmpl_record_page_t *p, uint32_t first, uint32_t after,
                                      apr_size_t most)
{
    tmpl_buf_clear(&p->buf);
    if (p->before[after] - p->before[first] > 2 * most) {
        return "";
    }
    tmpl_text_segments(&p->buf, p->page, first, after, &p->content->decoder);
    return p->buf.len > 0 && p->buf.len <= most ? p->buf.at : "";
}

static const char *text_in_record(tmpl_record_page_t *p, uint32_t node, apr_size_t most)
{
    const tmpl_node_t *n = &p->page->nodes[node];
    return segments_in_record(p, n->first_segment, n->after_segment, most);
}

/* An attribute's value in UTF-8, from pool; NULL if there is none, or it is empty. */
static const char *attribute_in_record(tmpl_record_page_t *p, uint32_t node, const char *name)
{
    tmpl_attr_t attr;
    if (!tmpl_attr_find(&attr, p->page->src, p->page->nodes[node].open, name) ||
        tmpl_span_len(attr.value) == 0) {
        return NULL;
    }
    tmpl_buf_t value;
    const char *decoded = tmpl_value_decode(p->page->src, attr.value, p->pool);
    tmpl_buf_init(&value, p->pool);
    tmpl_decode(&value, &p->content->decoder, decoded, strlen(decoded));
    return value.len > 0 ? value.at : NULL;
}

static void set_field(record_reader_t *r, tmpl_record_field_e field, int sure, const char *value,
                      uint32_t node)
{
    if (value != NULL && *value != '\0' && sure > r->sure[field]) {
        r->sure[field] = (unsigned char)sure;
        r->record->fields[field].value = apr_pstrdup(r->p->pool, value);
        r->record->fields[field].node = node;
    }
}

/* --- Names --- */

/* A text without what stands around a name: "By ", "says:"; NULL if the rest is no name. */
static const char *person_in(const char *text, apr_pool_t *pool)
{
    static const char *const ends[] = { " says", " wrote", " said", " schrieb",
                                        " dit",  ":",      ",",     " " };
    text += tmpl_people_by(text);
    while (*text == '@' || *text == ' ' || *text == '-' || *text == '~') {
        text++;
    }
    char *name = apr_pstrdup(pool, text);
    apr_size_t len = strlen(name);
    for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        apr_size_t n = strlen(ends[i]);
        if (len > n && strcmp(name + len - n, ends[i]) == 0) {
            name[len -= n] = '\0';
            i = (unsigned)-1;
        }
    }
    int words = 1, letters = 0;
    for (const char *at = name; *at != '\0'; at++) {
        words += *at == ' ';
        letters += tmpl_is_alpha(*at) || (unsigned char)*at >= 0x80;
    }
    int is_name = len > 0 && len <= NAME_MOST && words <= NAME_WORDS &&
                  (letters > 0 || words == 1) && strchr(name, '{') == NULL;
    return is_name ? name : NULL;
}

/* The element in an author's that has the name: itemprop name, or the first link with text. */
static uint32_t name_element(const tmpl_record_page_t *p, uint32_t node)
{
    const tmpl_node_t *nodes = p->page->nodes;
    uint32_t link = TMPL_NONE;
    for (uint32_t i = node + 1; i < nodes[node].after && i < node + AUTHOR_WITHIN; i++) {
        const tmpl_known_attr_t *prop = tmpl_node_attr(p->page, &nodes[i], TMPL_ATTR_ITEMPROP);
        if (prop != NULL && tmpl_span_is(p->page->src, prop->value, "name")) {
            return i;
        }
        if (link == TMPL_NONE && nodes[i].tag == TMPL_TAG_A &&
            tmpl_record_sum(p, p->before, i, TMPL_NONE) > 0) {
            link = i;
        }
    }
    return link != TMPL_NONE ? link : node;
}

static const char *author_in_record(tmpl_record_page_t *p, uint32_t node)
{
    static const char *const said[] = { "data-author", "author", "content" };
    const char *name = NULL;
    for (unsigned i = 0; i < sizeof(said) / sizeof(said[0]) && name == NULL; i++) {
        name = attribute_in_record(p, node, said[i]);
    }
    if (name == NULL) {
        uint32_t in = name_element(p, node);
        name = attribute_in_record(p, in, "content");
        if (name == NULL) {
            const tmpl_node_t *n = &p->page->nodes[in];
            name = text_in_record(p, in, 2 * NAME_MOST);
            name =
                *name == '\0' || person_in(name, p->pool) == NULL
                    ? segments_in_record(p, n->first_segment,
                                         n->first_segment + (n->after_segment > n->first_segment),
                                         2 * NAME_MOST)
                    : name;
        }
    }
    return person_in(name, p->pool);
}

static void see_author(record_reader_t *r, uint32_t node, unsigned cues)
{
    int sure = (cues & TMPL_CUE_PROP) ? SAID : (cues & TMPL_CUE_AUTHOR) ? NAMED : UNSURE;
    if (sure > r->sure[TMPL_RECORD_AUTHOR]) {
        set_field(r, TMPL_RECORD_AUTHOR, sure, author_in_record(r->p, node), node);
    }
}

/* --- Dates --- */

static void see_date(record_reader_t *r, uint32_t node, int sure)
{
    static const char *const said[] = { "datetime", "content",   "title",     "created-timestamp",
                                        "created",  "data-time", "aria-label" };
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin, end = 0;
    for (unsigned i = 0; i < sizeof(said) / sizeof(said[0]) && end == 0; i++) {
        const char *value = attribute_in_record(r->p, node, said[i]);
        end = value != NULL ? tmpl_date_find(iso, &begin, value, strlen(value)) : 0;
    }
    const char *text = text_in_record(r->p, node, WHEN_MOST);
    const char *when = *text != '\0' ? apr_pstrdup(r->p->pool, text) : NULL;
    if (when != NULL) {
        char shown[TMPL_DATE_SIZE];
        apr_size_t behind = tmpl_date_find(shown, &begin, when, strlen(when));
        if (behind > 0) {
            when = apr_pstrmemdup(r->p->pool, when + begin, behind - begin);
        }
        if (end == 0 && behind > 0) {
            memcpy(iso, shown, sizeof(iso));
            end = behind;
        }
    }
    if (end > 0) {
        set_field(r, TMPL_RECORD_DATE, sure + 1, iso, node);
        set_field(r, TMPL_RECORD_WHEN, sure + 1, when, node);
    }
    else if (when != NULL && strpbrk(when, "0123456789") != NULL) {
        set_field(r, TMPL_RECORD_WHEN, sure, when, node);
    }
}

/* A date in a short line that no name says. */
static void see_date_line_in(record_reader_t *r, uint32_t segment)
{
    tmpl_span_t span = r->p->page->segments[segment].span;
    if (r->record->fields[TMPL_RECORD_DATE].value != NULL || tmpl_span_len(span) > WHEN_MOST ||
        !tmpl_date_may_be(r->p->page->src + span.start, tmpl_span_len(span))) {
        return;
    }
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin;
    const char *text = segments_in_record(r->p, segment, segment + 1, WHEN_MOST);
    apr_size_t end = tmpl_date_find(iso, &begin, text, strlen(text));
    if (end > 0) {
        uint32_t node = r->p->page->segments[segment].node;
        set_field(r, TMPL_RECORD_DATE, UNSURE, iso, node);
        set_field(r, TMPL_RECORD_WHEN, SAID + 2,
                  apr_pstrmemdup(r->p->pool, text + begin, end - begin), node);
    }
}

/* --- Numbers --- */

/* The number at the begin of a text, with its point and minus; NULL: none. */
static const char *number_in(const char *text, apr_pool_t *pool)
{
    const char *from = text + strcspn(text, "0123456789");
    const char *at = from;
    while (tmpl_is_digit(*at) || ((*at == '.' || *at == ',') && tmpl_is_digit(at[1]))) {
        at++;
    }
    from -= from > text && from[-1] == '-';
    return at > from ? apr_pstrmemdup(pool, from, (apr_size_t)(at - from)) : NULL;
}

static const char *said_or_text(record_reader_t *r, uint32_t node)
{
    const char *said = attribute_in_record(r->p, node, "content");
    said = said == NULL ? attribute_in_record(r->p, node, "aria-label") : said;
    return said != NULL ? said : text_in_record(r->p, node, 60);
}

static void see_numbers(record_reader_t *r, uint32_t node, unsigned cues)
{
    int sure = (cues & TMPL_CUE_PROP) ? SAID : NAMED;
    const char *said = apr_pstrdup(r->p->pool, said_or_text(r, node));
    const char *number = number_in(said, r->p->pool);
    if (number == NULL) {
        return;
    }
    if (cues & TMPL_CUE_PRICE) {
        const char *behind = strstr(said, number) + strlen(number);
        apr_size_t before = (apr_size_t)(strstr(said, number) - said);
        while (*behind == ' ') {
            behind++;
        }
        set_field(r, TMPL_RECORD_PRICE, sure, number, node);
        const char *currency = apr_pstrmemdup(r->p->pool, said, before);
        char *end = (char *)currency + strlen(currency);
        while (end > currency && end[-1] == ' ') {
            *--end = '\0';
        }
        currency = *currency == '\0' || strlen(currency) > 4 ? behind : currency;
        if (strlen(currency) <= 4) {
            set_field(r, TMPL_RECORD_CURRENCY, sure, currency, node);
        }
    }
    if ((cues & TMPL_CUE_RATING) && strlen(number) <= 4 && *number < '6') {
        set_field(r, TMPL_RECORD_RATING, sure, number, node);
    }
    if (cues & TMPL_CUE_VOTES) {
        set_field(r, TMPL_RECORD_VOTES, sure, number, node);
    }
}

/* --- Addresses, titles, pictures --- */

static void see_link(record_reader_t *r, uint32_t node, unsigned cues)
{
    const tmpl_page_t *page = r->p->page;
    const tmpl_known_attr_t *href = tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_HREF);
    if (href == NULL || tmpl_span_len(href->value) < 2) {
        return;
    }
    const char *value = tmpl_value_decode(page->src, href->value, r->p->pool);
    const char *hash = strchr(value, '#');
    uint32_t when = r->record->fields[TMPL_RECORD_WHEN].node;
    int is_date = when != TMPL_NONE && when >= node && when < page->nodes[node].after;
    int sure = (cues & TMPL_CUE_PERMALINK)                           ? SAID
               : is_date || (cues & TMPL_CUE_DATE)                   ? SAID + 1
               : hash != NULL && strpbrk(hash, "0123456789") != NULL ? NAMED
                                                                     : 0;
    if (sure > 0 && tmpl_href_is_safe(value)) {
        set_field(r, TMPL_RECORD_ADDRESS, sure, value, node);
    }
}

/* A heading in a post that says more than the page's title. */
static void see_heading(record_reader_t *r, uint32_t node)
{
    const char *title = text_in_record(r->p, node, TITLE_MOST);
    const char *of_page = tmpl_metadata_first(&r->p->content->metadata, TMPL_METADATA_TITLE);
    title += strncmp(title, "Re: ", 4) == 0 ? 4 : 0;
    uint32_t author = r->record->fields[TMPL_RECORD_AUTHOR].node;
    int is_author = author != TMPL_NONE && author >= node && author < r->p->page->nodes[node].after;
    if (*title != '\0' && !is_author &&
        (of_page == NULL || tmpl_elements_share(title, of_page) < 1)) {
        set_field(r, TMPL_RECORD_TITLE, NAMED, title, node);
    }
}

static void see_card_title(record_reader_t *r, uint32_t node)
{
    const tmpl_known_attr_t *href =
        tmpl_node_attr(r->p->page, &r->p->page->nodes[node], TMPL_ATTR_HREF);
    const char *value =
        href != NULL ? tmpl_value_decode(r->p->page->src, href->value, r->p->pool) : "#";
    if (tmpl_href_is_safe(value)) {
        set_field(r, TMPL_RECORD_TITLE, SAID, text_in_record(r->p, node, TITLE_MOST), node);
        set_field(r, TMPL_RECORD_ADDRESS, SAID + 2, value, node);
    }
}

/* --- The record --- */

/* The bytes of text in a node's part of a record; *inside: the next record in this one. */
static uint32_t own_text(const record_reader_t *r, uint32_t node, uint32_t *inside)
{
    const tmpl_node_t *nodes = r->p->page->nodes;
    const tmpl_groups_t *groups = r->groups;
    uint32_t bytes = tmpl_record_sum(r->p, r->p->text, node, TMPL_NONE);
    while (*inside < r->record->behind && groups->records[*inside].node < nodes[node].after) {
        bytes -= tmpl_record_sum(r->p, r->p->text, groups->records[*inside].node, TMPL_NONE);
        *inside = groups->records[*inside].behind;
    }
    return bytes;
}

/*
 * The element of a record's text: from its element inwards, as long as one child has most of what
 * is in its own part.
 */
static uint32_t find_record_text(const record_reader_t *r)
{
    const tmpl_node_t *nodes = r->p->page->nodes;
    uint32_t inside = r->index + 1;
    uint32_t node = r->record->node;
    uint32_t all = own_text(r, node, &inside);
    inside = r->index + 1;
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
        if (best == TMPL_NONE || most < IN_TEXT * all || nodes[best].tag == TMPL_TAG_P ||
            nodes[best].tag == TMPL_TAG_BLOCKQUOTE) {
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
    if (cues & (TMPL_CUE_AUTHOR | TMPL_CUE_USER)) {
        see_author(r, node, cues);
    }
    if (cues & TMPL_CUE_DATE) {
        see_date(r, node, (cues & TMPL_CUE_PROP) ? SAID : tag == TMPL_TAG_TIME ? NAMED : UNSURE);
    }
    if (cues & (TMPL_CUE_RATING | TMPL_CUE_VOTES | TMPL_CUE_PRICE)) {
        see_numbers(r, node, cues);
    }
    if (tag == TMPL_TAG_A) {
        see_link(r, node, cues);
    }
    if (is_post && (tmpl_tag_flags(tag) & TMPL_IS_HEADING)) {
        see_heading(r, node);
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
    for (uint32_t i = record; i < nodes[record].after && looked < LOOKED_MOST; looked++) {
        if (r->owners[i] != r->index || (i == text && text != record)) {
            i = nodes[i].after;
            continue;
        }
        see_element(r, i++);
    }
}

/* Reads the short lines beside the text. */
static void see_lines_beside(record_reader_t *r)
{
    const tmpl_page_t *page = r->p->page;
    const tmpl_node_t *n = &page->nodes[r->record->node];
    const tmpl_node_t *text = &page->nodes[r->record->text];
    for (uint32_t s = n->first_segment; s < n->after_segment; s++) {
        if (s == text->first_segment && text != n) {
            s = text->after_segment;
        }
        if (s < n->after_segment && r->owners[page->segments[s].node] == r->index) {
            see_date_line_in(r, s);
        }
    }
}

/* The address of a post without a link to it: its element's id. */
static void see_id(record_reader_t *r)
{
    const char *id = attribute_in_record(r->p, r->record->node, "id");
    if (id != NULL && strpbrk(id, "0123456789") != NULL && strpbrk(id, " \t\n") == NULL) {
        set_field(r, TMPL_RECORD_ADDRESS, UNSURE, apr_pstrcat(r->p->pool, "#", id, NULL),
                  r->record->node);
    }
}

void tmpl_record_read(const tmpl_groups_t *groups, uint32_t index, const uint32_t *owners,
                      tmpl_record_page_t *p)
{
    tmpl_group_record_t *record = &groups->records[index];
    record_reader_t r = {
        .p = p, .groups = groups, .record = record, .index = index, .owners = owners
    };
    record->text = find_record_text(&r);
    if (record->kind == TMPL_RECORD_CARD) {
        see_card_title(&r, record->fields[TMPL_RECORD_TITLE].node);
    }
    see_own_part(&r);
    see_lines_beside(&r);
    if (record->kind != TMPL_RECORD_CARD) {
        see_id(&r);
    }
}
