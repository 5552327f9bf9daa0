/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/elements.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"
#include "feature/lexicon.h"
#include "metadata/dates.h"
#include "metadata/people.h"

/* Lines behind the headline in which a date is looked for; dates of a line, and bytes of one
 * that may have any. */
#define LINES      15
#define DATES      2
#define LINE_BYTES 160

/* Segments at the end of a page, and of what stays, in which the date of a change is looked for. */
#define END       24
#define END_STAYS 8

/* Segments at the end of what stays in which an author is looked for. */
#define END_AUTHOR 8

/* Segments between two authors that stand side by side. */
#define BESIDE 4

/* Elements upwards whose class is looked at. */
#define CLASSES_UP 3

/* Whether the class of an element says that it names an author. */
static int names_author(const tmpl_says_t *says)
{
    return ((says->cues & TMPL_CUE_NOT) == 0 || (says->hints & TMPL_HINT_BIO) == 0) &&
           ((says->kinds & TMPL_NAMED(AUTHOR)) != 0 || (says->hints & TMPL_HINT_AUTHOR) != 0 ||
            (says->cues & TMPL_CUE_AUTHOR) != 0);
}

/* The element near around a node whose class names an author; TMPL_NONE: there is none. */
static uint32_t author_around(const tmpl_page_t *page, uint32_t node)
{
    for (int up = 0; up < CLASSES_UP && node != 0 && node != TMPL_NONE; up++) {
        const tmpl_known_attr_t *class = tmpl_node_attr(page, &page->nodes[node], TMPL_ATTR_CLASS);
        tmpl_says_t says = { 0 };
        if (class != NULL) {
            says = tmpl_says_of_span(page, class->value, NULL);
        }
        if (names_author(&says)) {
            return node;
        }
        node = page->nodes[node].parent;
    }
    return TMPL_NONE;
}

/* Whether a link leads to an author's page: "/autor/ann-lee", "../authors/7". */
static int is_author_page(const tmpl_page_t *page, uint32_t link)
{
    const tmpl_known_attr_t *href = tmpl_node_attr(page, &page->nodes[link], TMPL_ATTR_HREF);
    const char *at = href != NULL ? page->src + href->value.start : NULL;
    const char *end = href != NULL ? page->src + href->value.end : NULL;
    while (at != NULL && (at = memchr(at, '/', (apr_size_t)(end - at))) != NULL) {
        at++;
        const char *slash = memchr(at, '/', (apr_size_t)(end - at));
        if (slash != NULL && slash > at && slash + 1 < end &&
            tmpl_people_word(TMPL_WORDS_PAGE, at, (apr_size_t)(slash - at))) {
            return 1;
        }
    }
    return 0;
}

/* The link around a segment to an author's page; TMPL_NONE: there is none. */
static uint32_t author_link(const tmpl_page_t *page, uint32_t node)
{
    for (int up = 0; up < CLASSES_UP && node != 0 && node != TMPL_NONE; up++) {
        if (page->nodes[node].tag == TMPL_TAG_A) {
            return is_author_page(page, node) ? node : TMPL_NONE;
        }
        node = page->nodes[node].parent;
    }
    return TMPL_NONE;
}

/* Adds the dates in the line at segment s; only that of a change if only_later is set. */
static void see_date_line(tmpl_elements_t *w, uint32_t s, const char *line, int only_later)
{
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin, after, n = 0;
    while (n++ < DATES && (after = tmpl_date_find(iso, &begin, line, strlen(line))) > 0) {
        int later =
            tmpl_date_is_of_change(line, begin) || (n == 1 && tmpl_is_behind_change(w->page, s));
        if (later || !only_later) {
            tmpl_elements_say(w, later ? "line modified" : "line date", 0, iso);
        }
        line += after;
    }
}

/* The segment behind the line that begins at segment s: in a pre, a mail's head, each is one. */
static uint32_t line_end(const tmpl_page_t *page, uint32_t s)
{
    const tmpl_node_t *node = &page->nodes[page->segments[s].node];
    int is_pre = node->tag == TMPL_TAG_PRE ||
                 (node->parent != TMPL_NONE && page->nodes[node->parent].tag == TMPL_TAG_PRE);
    for (s++; s < page->n_segments && !page->segments[s].apart && !is_pre;) {
        s++;
    }
    return s;
}

/*
 * The name in front of an address as mail archives write it, "Ann Lee ann at example.org", in the
 * line at segment s or in front of it; NULL: the line has none.
 */
static const char *name_before_mail(tmpl_elements_t *w, uint32_t s, const char *line)
{
    const char *at = strstr(line, " at "), *host = at != NULL ? at + strlen(" at ") : "";
    if (strcspn(host, ".") >= strcspn(host, " ")) {
        return NULL;
    }
    while (at > line && at[-1] != ' ') {
        at--;
    }
    return at > line ? apr_pstrmemdup(w->claims->pool, line, (apr_size_t)(at - line))
           : s > 0   ? tmpl_elements_text(w, s - 1, s, TMPL_AUTHOR_BYTES)
                     : NULL;
}

/* Whether a line begins with two words or more that say that a name follows. */
static int is_sure_by(const char *line)
{
    return strcspn(line, " ") + 1 < tmpl_people_by(line);
}

/*
 * Says who wrote the page if a line does: "By Ann Lee". *by: the line in front
 * ends in "By"; set for the next one.
 */
static void see_author_line(tmpl_elements_t *w, const char *place, const char *line, int *by)
{
    apr_size_t len = tmpl_people_by(line);
    if (*by || (len > 0 && line[len] != '\0')) {
        tmpl_elements_say_authors(w, place, 0, line + len);
    }
    *by = len > 0 && line[len] == '\0';
}

/*
 * The last lines of a page, and of what stays of it, say when it was changed, in documentation and
 * wikis, or who wrote it.
 */
static void see_end(tmpl_elements_t *w)
{
    const tmpl_page_t *page = w->page;
    uint32_t n = page->n_segments, last = n, after;
    uint32_t end = n > END ? n - END : 0;
    int by = 0;
    while (last > w->headline.after && tmpl_elements_deletes(w, last - 1)) {
        last--;
    }
    for (uint32_t s = last < end && last > END_STAYS ? last - END_STAYS : end; s < n; s = after) {
        after = line_end(page, s);
        tmpl_span_t span = { page->segments[s].span.start, page->segments[after - 1].span.end };
        int is_near_end = s + END_AUTHOR >= last && s < last;
        if (tmpl_span_len(span) < 4 * LINE_BYTES &&
            (is_near_end || tmpl_date_may_be(page->src + span.start, tmpl_span_len(span)))) {
            const char *line = tmpl_elements_text(w, s, after, LINE_BYTES);
            if (!tmpl_elements_is_beside(w, s) && (by || is_sure_by(line))) {
                see_author_line(w, "last line by", line, &by);
            }
            see_date_line(w, s, line, 1);
        }
        after = after >= last && after < end ? end : after;
    }
}

/* The first line of an element that says more than "By". */
static const char *author_text(tmpl_elements_t *w, const tmpl_node_t *node)
{
    const char *text = "";
    for (uint32_t s = node->first_segment; s < node->after_segment;) {
        uint32_t after = s + 1;
        while (after < node->after_segment && !w->page->segments[after].apart) {
            after++;
        }
        text = tmpl_elements_text(w, s, after, TMPL_AUTHOR_BYTES);
        text += tmpl_people_by(text);
        if (*text != '\0') {
            return text;
        }
        s = after;
    }
    return text;
}

static int ends_in_by(const char *line)
{
    apr_size_t len = strlen(line);
    while (len > 0 && strchr(" :", line[len - 1]) != NULL) {
        len--;
    }
    return len > 3 && apr_cstr_casecmpn(line + len - 3, " by", 3) == 0;
}

/* What is known behind a line. */
typedef struct {
    uint32_t author; /* the last element that names an author */
    uint32_t of;     /* its object: authors side by side are of one */
    uint32_t behind; /* the segment behind it */
    int by;          /* the line ends in "By" */
    int is_other;    /* it says that no author follows: "Fact checked by" */
} near_t;

/* Says who wrote the page if an element around the segment does. */
static void see_author_element(tmpl_elements_t *w, near_t *near, uint32_t s)
{
    const tmpl_page_t *page = w->page;
    uint32_t node = author_around(page, page->segments[s].node);
    node = node != TMPL_NONE ? node : author_link(page, page->segments[s].node);
    if (node == TMPL_NONE || node == near->author) {
        return;
    }
    if (near->author == TMPL_NONE || s > near->behind + BESIDE) {
        near->of = page->nodes[node].parent;
    }
    near->author = node;
    if (near->is_other) {
        return;
    }
    near->behind = page->nodes[node].after_segment;
    tmpl_elements_say_authors(w, "class author", near->of, author_text(w, &page->nodes[node]));
}

/* The lines near the headline that stay, and those that are sure of an author. */
static void see_near_lines(tmpl_elements_t *w)
{
    const tmpl_page_t *page = w->page;
    uint32_t begin = w->headline.first, behind = w->headline.after;
    near_t near = { TMPL_NONE, TMPL_NONE, 0, 0, 0 };
    for (uint32_t s = begin > TMPL_NEAR_BEFORE ? begin - TMPL_NEAR_BEFORE : 0, lines = 0, after;
         s < page->n_segments && s < w->headline.end && lines < LINES + TMPL_NEAR_BEFORE;
         s = after, lines++) {
        after = line_end(page, s);
        if (s < behind && after >= behind) {
            lines = TMPL_NEAR_BEFORE;
        }
        if ((s >= begin && s < behind) || tmpl_elements_is_beside(w, s)) {
            continue;
        }
        see_author_element(w, &near, s);
        int is_deleted = tmpl_elements_deletes(w, s);
        const char *line = tmpl_elements_text(w, s, after, LINE_BYTES);
        if (*line != '\0' && (!is_deleted || near.by || is_sure_by(line))) {
            see_author_line(w, "line by", line, &near.by);
        }
        int is_at_author = near.author != TMPL_NONE && s <= near.behind + 1;
        if (*line != '\0' && (!is_deleted || is_at_author)) {
            see_date_line(w, s, line, 0);
        }
        near.is_other = !near.by && ends_in_by(line);
        const char *name = name_before_mail(w, s, line);
        if (name != NULL) {
            tmpl_elements_say_authors(w, "line by", 0, name);
        }
    }
}

void tmpl_lines_read(tmpl_elements_t *w)
{
    see_near_lines(w);
    see_end(w);
}
