/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What short texts say of their part, in many languages: headings of related pages and comments,
 * labels of controls, credits of pictures, notices. part_words.def has the words.
 */
#ifndef TMPL_PART_WORDS_H
#define TMPL_PART_WORDS_H

#include "page/page.h"

/* X(id): kinds of phrases. */
#define TMPL_PHRASES(X)                                                                            \
    X(RELATED)  /* heads related pages */                                                          \
    X(COMMENTS) /* heads comments, or a form for one */                                            \
    X(SECTION)  /* heads comments, or a section of a paper or a manual */                          \
    X(REVIEWS)  /* heads reviews */                                                                \
    X(QUESTIONS)                                                                                   \
    X(CONTROL) /* a button or a label */                                                           \
    X(NOTICE)                                                                                      \
    X(CREDIT)  /* of a picture */                                                                  \
    X(BY)      /* begins the line of an author */                                                  \
    X(ABOUT)   /* heads a box about the author */                                                  \
    X(WHEN)    /* begins a date */                                                                 \
    X(TAGS)    /* heads tags */                                                                    \
    X(POINTER) /* a line of text that points to another page */                                    \
    X(ADVERT)  /* all that it says is that an advertisement is there */                            \
    X(STATE)   /* of the page's scripts: loading, copied */

enum {
#define TMPL_PHRASE_NUMBER(id) TMPL_PHRASE_NUMBER_##id,
    TMPL_PHRASES(TMPL_PHRASE_NUMBER)
#undef TMPL_PHRASE_NUMBER
#define TMPL_PHRASE_BIT(id) TMPL_PHRASE_##id = 1 << TMPL_PHRASE_NUMBER_##id,
        TMPL_PHRASES(TMPL_PHRASE_BIT)
#undef TMPL_PHRASE_BIT
};

/*
 * The phrases, as bits TMPL_PHRASE_*, that a block of text is or begins with. Looks at the first
 * TMPL_PHRASE_MAX bytes: references are read, letters in lower case, others as one space.
 */
unsigned tmpl_phrases_of(const tmpl_page_t *page, const tmpl_block_t *block);

/* Whether a text ends in a sign, or in the sign and white space. */
int tmpl_ends_in(const tmpl_page_t *page, tmpl_span_t text, const char *sign);

#define TMPL_PHRASE_MAX 64

#endif
