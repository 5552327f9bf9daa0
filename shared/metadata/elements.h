/* SPDX-License-Identifier: Apache-2.0 */
/* What a page's elements say of it: its headline, elements that say what they are, and lines. */
#ifndef TMPL_ELEMENTS_H
#define TMPL_ELEMENTS_H

#include "metadata/claims.h"
#include "metadata/titles.h"

/* Segments in front of the headline and behind it in which bylines are looked for. */
#define TMPL_NEAR_BEFORE 8
#define TMPL_NEAR_BEHIND 40

/* Elements within one that are looked at; bytes of an author's name. */
#define TMPL_NEAR_WITHIN  64
#define TMPL_AUTHOR_BYTES 120

/* The heading that begins what the page says, and what is near it. */
typedef struct {
    const char *text;      /* from the claims' pool; NULL: there is none */
    int is_title;          /* it may stand for the title */
    uint32_t node;         /* of the element that the content begins with; TMPL_NONE: not known */
    uint32_t first, after; /* its segments */
    uint32_t end;          /* segment behind those near it: a list of other pages begins */
} tmpl_page_headline_t;

/* Reads a page's elements. */
typedef struct {
    const tmpl_page_t *page;
    const tmpl_metadata_source_t *source;
    tmpl_claims_t *claims;
    const char *site;              /* its name, as far as it is known; or NULL */
    const tmpl_site_names_t *host; /* names of the site that its address says */
    tmpl_buf_t text;               /* of segments */
    apr_array_header_t *headings;  /* uint32_t: nodes h1 to h6 */
    tmpl_page_headline_t headline;
} tmpl_elements_t;

/* Adds the claims of elements: microdata, rel=author, time, breadcrumbs, names of classes. */
void tmpl_elements_read(tmpl_elements_t *elements);

/*
 * Finds the headline: of the headings that verdicts call so, or else of the h1, the first one that
 * has half of its words from a title that claims have, or else the first one; never the site's
 * name. An h2 may be it if it is nearly the title, and no h1 is like that. It stands for the title
 * if it is like one, if verdicts call it so, or if it is the only h1, has some words, and stays.
 */
void tmpl_page_headline_find(tmpl_elements_t *elements);

/* Adds the claims of lines: names and dates near the headline, dates of changes at the end. */
void tmpl_lines_read(tmpl_elements_t *elements);

/* Whether the text in front of a date, in its block or a label, says that it is of a change. */
int tmpl_is_behind_change(const tmpl_page_t *page, uint32_t segment);

/* --- for these --- */

/* The text of segments, in elements->text; "" if it is longer than most bytes. */
const char *tmpl_elements_text(tmpl_elements_t *elements, uint32_t first, uint32_t after,
                               apr_size_t most);

/* Whether a value has a text, which begins in lower case, in any case. */
int tmpl_value_has(const char *src, tmpl_span_t value, const char *text);

/* Whether an address is that of its site's first page: "/", a host alone, or "../" only. */
int tmpl_href_is_root(const char *src, tmpl_span_t href);

/* Adds what a place near the headline says, of the object that is of. */
void tmpl_elements_say(tmpl_elements_t *elements, const char *place, uint32_t of,
                       const char *value);

/* The same for authors, if the text names anybody. */
void tmpl_elements_say_authors(tmpl_elements_t *elements, const char *place, uint32_t of,
                               const char *text);

/*
 * Whether a segment is of something beside what the page says: a quote, as of a post elsewhere, or
 * by its verdict a comment, a review or a question.
 */
int tmpl_elements_is_beside(const tmpl_elements_t *elements, uint32_t segment);

/* Whether edits delete a segment. */
int tmpl_elements_deletes(const tmpl_elements_t *elements, uint32_t segment);

#endif
