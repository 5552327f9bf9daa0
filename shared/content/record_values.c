/* SPDX-License-Identifier: Apache-2.0 */
/* What elements of records say: what they are (cues), names, dates, numbers and prices. */
#include "content/record_page.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "metadata/elements.h"
#include "metadata/people.h"

/* Bytes of a name and a date at most; words of a name; elements within one that names an author. */
#define NAME_MOST     60
#define NAME_WORDS    6
#define AUTHOR_WITHIN 32
#define WHEN_MOST     80

/* Bytes in front of a date that is shown with them, and of all that is shown of a date. */
#define WHEN_BEFORE 5
#define WHEN_SHOWN  32

/* --- Cues --- */

/* The text of an author, and a picture of one, are no names. */
static unsigned cues_of_class(const tmpl_page_t *page, tmpl_span_t value)
{
    const unsigned who = TMPL_CUE_AUTHOR | TMPL_CUE_USER;
    unsigned cues = tmpl_says_of_span(page, value, NULL).cues;
    cues &= (cues & TMPL_CUE_NOT) ? ~who : ~0U;
    return (cues & TMPL_CUE_TEXT) ? cues & ~(who | TMPL_CUE_PANE | TMPL_CUE_DATE) : cues;
}

int tmpl_cues_is_of_user(const char *src, tmpl_span_t href)
{
    for (uint32_t at = href.start, behind; at < href.end; at++) {
        if (at > href.start && src[at - 1] != '/' && src[at - 1] != '?' && src[at - 1] != '=') {
            continue;
        }
        for (behind = at; behind < href.end && tmpl_is_alpha(src[behind]);) {
            behind++;
        }
        /* the first letters of these words: few links have one */
        if (behind > at && behind + 1 < href.end && src[behind] != '-' &&
            strchr("ampuAMPU", src[at]) != NULL &&
            tmpl_people_word(TMPL_WORDS_USER, src + at, behind - at)) {
            return 1;
        }
    }
    return 0;
}

const char *tmpl_cues_said_author(const tmpl_page_t *page, uint32_t node)
{
    static const char *const names[] = { "data-author", "data-author-username", "author" };
    /* the last one is of an element of the site's own: shreddit-comment */
    unsigned n = page->nodes[node].tag == TMPL_TAG_OTHER ? 3 : 2;
    tmpl_span_t open = page->nodes[node].open;
    tmpl_attr_t attr;
    /* few tags have one */
    int may = memmem(page->src + open.start, tmpl_span_len(open), "author", 6) != NULL;
    for (unsigned i = 0; i < n && may; i++) {
        if (tmpl_attr_find(&attr, page->src, open, names[i])) {
            return names[i];
        }
    }
    return NULL;
}

unsigned tmpl_cues_of(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *n = &page->nodes[node];
    unsigned cues = tmpl_says_of_tag[n->tag].cues, said = 0;
    for (const tmpl_known_attr_t *attr = page->attrs + n->attrs; attr->value.start < n->open.end;
         attr++) {
        if (attr->name == TMPL_ATTR_CLASS) {
            cues |= cues_of_class(page, attr->value);
        }
        else if (attr->name == TMPL_ATTR_ITEMPROP || attr->name == TMPL_ATTR_ITEMTYPE ||
                 attr->name == TMPL_ATTR_REL) {
            said |= tmpl_says_of_attr(page->src, attr).cues;
        }
    }
    /* what microdata call an author is no text, whatever its class: "justify-content-between" */
    int names_author = (said & TMPL_CUE_AUTHOR) && (said & TMPL_CUE_PROP);
    cues = said | (names_author ? cues & ~(unsigned)TMPL_CUE_TEXT : cues);
    if (((cues & TMPL_CUES_OF_POSTS) || n->tag == TMPL_TAG_OTHER) &&
        tmpl_cues_said_author(page, node) != NULL) {
        cues |= TMPL_CUE_AUTHOR | TMPL_CUE_PROP;
    }
    return (cues & TMPL_CUE_NOT) ? cues & ~(unsigned)(TMPL_CUE_AUTHOR | TMPL_CUE_USER) : cues;
}

/* --- Names --- */

/* A text without "By " in front of it; NULL if the rest is no name. */
static const char *person_in(const char *text, apr_pool_t *pool)
{
    const char *name = text + tmpl_people_by(text);
    apr_size_t len = strlen(name), begin;
    char iso[TMPL_DATE_SIZE];
    int words = 1, letters = 0;
    for (const char *at = name; *at != '\0'; at++) {
        words += *at == ' ';
        letters += tmpl_is_alpha(*at) || (unsigned char)*at >= 0x80;
    }
    int is_name = len > 1 && len <= NAME_MOST && words <= NAME_WORDS && letters > 0 &&
                  *name != '#' && strchr(name, '{') == NULL &&
                  (words > 1 || !tmpl_people_word(TMPL_WORDS_DATED, name, len)) &&
                  (tmpl_date_find(iso, &begin, name, len) == 0 || begin > 0);
    return is_name ? apr_pstrdup(pool, name) : NULL;
}

/*
 * The element in an author's that has the name: itemprop name, or the first link with text; in a
 * pane, which says more, the first one to a page of a user. The element itself, if there is none.
 */
static uint32_t name_element(const tmpl_record_page_t *p, uint32_t node)
{
    int is_pane = (p->cues[node] & TMPL_CUE_PANE) != 0;
    const tmpl_node_t *nodes = p->page->nodes;
    uint32_t link = TMPL_NONE;
    for (uint32_t i = node + 1; i < nodes[node].after && i < node + AUTHOR_WITHIN; i++) {
        const tmpl_known_attr_t *prop = tmpl_node_attr(p->page, &nodes[i], TMPL_ATTR_ITEMPROP);
        if (prop != NULL && tmpl_span_is(p->page->src, prop->value, "name")) {
            return i;
        }
        const tmpl_known_attr_t *href = tmpl_node_attr(p->page, &nodes[i], TMPL_ATTR_HREF);
        if (link == TMPL_NONE && nodes[i].tag == TMPL_TAG_A && tmpl_record_length(p, i) > 0 &&
            (!is_pane || (href != NULL && tmpl_cues_is_of_user(p->page->src, href->value)))) {
            link = i;
        }
    }
    return link != TMPL_NONE ? link : node;
}

/* The first text in an element that is a name. */
static const char *first_person(tmpl_record_page_t *p, uint32_t node)
{
    enum { LINES = 4 };
    const tmpl_node_t *n = &p->page->nodes[node];
    const char *name = NULL;
    for (uint32_t s = n->first_segment; s < n->after_segment && s < n->first_segment + LINES; s++) {
        const char *text = tmpl_record_segments(p, s, s + 1, 2 * NAME_MOST);
        apr_size_t by = tmpl_people_by(text);
        name = text[by] != '\0' ? person_in(text, p->pool) : NULL;
        if (name != NULL) {
            break;
        }
    }
    return name;
}

const char *tmpl_record_author(tmpl_record_page_t *p, uint32_t node)
{
    const char *said = tmpl_cues_said_author(p->page, node);
    const char *name = tmpl_record_attribute(p, node, said != NULL ? said : "content");
    if (name == NULL) {
        node = name_element(p, node);
        name = tmpl_record_attribute(p, node, "content");
    }
    return name != NULL ? person_in(name, p->pool) : first_person(p, node);
}

/* --- Dates --- */

int tmpl_record_date(char iso[TMPL_DATE_SIZE], const char **when, tmpl_record_page_t *p,
                     uint32_t node)
{
    static const char *const said[] = { "datetime", "content",   "title",     "created-timestamp",
                                        "created",  "data-time", "aria-label" };
    char shown[TMPL_DATE_SIZE];
    apr_size_t begin, end = 0;
    for (unsigned i = 0; i < sizeof(said) / sizeof(said[0]) && end == 0; i++) {
        const char *value = tmpl_record_attribute(p, node, said[i]);
        end = value != NULL ? tmpl_date_find(iso, &begin, value, strlen(value)) : 0;
    }
    const char *text = apr_pstrdup(p->pool, tmpl_record_text(p, node, WHEN_MOST));
    apr_size_t behind = *text != '\0' ? tmpl_date_find(shown, &begin, text, strlen(text)) : 0;
    *when = *text != '\0' ? text : NULL;
    if (*when != NULL && ((behind > 0 && tmpl_date_is_of_change(text, begin)) ||
                          tmpl_is_behind_change(p->page, p->page->nodes[node].first_segment))) {
        return 0;
    }
    if (behind > 0) { /* with a day of the week in front, and a time behind */
        apr_size_t from = begin <= WHEN_BEFORE ? 0 : begin;
        const char *date = apr_pstrmemdup(p->pool, text + begin, behind - begin);
        int is_short = strlen(text + from) <= WHEN_SHOWN && strstr(text + behind, date) == NULL;
        *when = is_short ? text + from : apr_pstrmemdup(p->pool, text + from, behind - from);
    }
    if (end == 0) {
        memcpy(iso, behind > 0 ? shown : "", behind > 0 ? sizeof(shown) : 1);
    }
    return *iso != '\0' || (*when != NULL && strpbrk(*when, "0123456789") != NULL);
}

/* --- Numbers --- */

/* The number at the start of a text, with its point and minus; NULL: none. */
static const char *number_in(const char *text, apr_pool_t *pool)
{
    const char *from = text + strcspn(text, "0123456789");
    const char *at = from;
    while (tmpl_is_digit(*at) || ((*at == '.' || *at == ',') && tmpl_is_digit(at[1]))) {
        at++;
    }
    from -= from > text && from[-1] == '-';
    at += at > from && (*at | 0x20) == 'k' && !tmpl_is_alpha(at[1]); /* 1.2k */
    return at > from ? apr_pstrmemdup(pool, from, (apr_size_t)(at - from)) : NULL;
}

const char *tmpl_record_number(tmpl_record_page_t *p, uint32_t node)
{
    const char *said = tmpl_record_attribute(p, node, "content");
    said = said == NULL ? tmpl_record_attribute(p, node, "aria-label") : said;
    return number_in(said != NULL ? said : tmpl_record_text(p, node, 60), p->pool);
}

/* The sign or the letters of a currency at a text; its length in *len. 0: there is none. */
static int currency_at(const char *at, apr_size_t *len)
{
    static const char *const signs[] = { "$",        "\xE2\x82\xAC", "\xC2\xA3",
                                         "\xC2\xA5", "\xE2\x82\xB9", "z\xC5\x82",
                                         "kr" };
    for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        *len = strlen(signs[i]);
        if (strncmp(at, signs[i], *len) == 0) {
            return 1;
        }
    }
    *len = 3;
    return at[0] >= 'A' && at[0] <= 'Z' && at[1] >= 'A' && at[1] <= 'Z' && at[2] >= 'A' &&
           at[2] <= 'Z' && !tmpl_is_alpha(at[3]);
}

/* The text of a price, with a point in front of cents that stand in an element of their own. */
static const char *price_text(tmpl_record_page_t *p, uint32_t node)
{
    enum { SEGMENTS = 8 };
    const tmpl_node_t *n = &p->page->nodes[node];
    const char *content = tmpl_record_attribute(p, node, "content");
    const char *all = "";
    for (uint32_t s = n->first_segment; s < n->after_segment && s < n->first_segment + SEGMENTS;
         s++) {
        const char *text = tmpl_record_segments(p, s, s + 1, WHEN_MOST);
        apr_size_t len = strlen(all);
        int is_cents = len > 0 && tmpl_is_digit(all[len - 1]) && tmpl_is_digit(text[0]) &&
                       tmpl_is_digit(text[1]) && text[2] == '\0';
        all = apr_pstrcat(p->pool, all, is_cents ? "." : " ", text, NULL);
    }
    return content != NULL ? content : all;
}

/* The number behind a currency of len bytes at at, or in front of it; NULL: none. */
static const char *number_beside(const char *text, const char *at, apr_size_t len)
{
    const char *behind = at + len + strspn(at + len, " ");
    while (at > text && at[-1] == ' ') {
        at--;
    }
    if (tmpl_is_digit(*behind) || at == text || !tmpl_is_digit(at[-1])) {
        return tmpl_is_digit(*behind) ? behind : NULL;
    }
    while (at > text && strchr("0123456789.,", at[-1]) != NULL) {
        at--;
    }
    return at;
}

/* A price is the first number beside a currency; a number alone only in an element of its own. */
const char *tmpl_record_price(const char **currency, tmpl_record_page_t *p, uint32_t node)
{
    enum { ALONE = 12 };
    const char *text = price_text(p, node), *number = NULL;
    apr_size_t len;
    *currency = NULL;
    for (const char *at = text; *at != '\0' && number == NULL; at++) {
        if (!tmpl_is_alpha(at > text ? at[-1] : ' ') && currency_at(at, &len) &&
            (number = number_beside(text, at, len)) != NULL) {
            *currency = apr_pstrmemdup(p->pool, at, len);
        }
    }
    number = number == NULL && strlen(text) <= ALONE ? text : number;
    return number != NULL ? number_in(number, p->pool) : NULL;
}
