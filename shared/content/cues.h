/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an element says of the record that it is in, by its tag, by microdata, by the words of its
 * class, and by the address of a link (groups.h).
 */
#ifndef TMPL_CUES_H
#define TMPL_CUES_H

#include "page/page.h"

/* X(id): what an element says. */
#define TMPL_CUES(X)                                                                               \
    X(AUTHOR) /* it names who wrote the record */                                                  \
    X(USER)   /* a link to a person's page */                                                      \
    X(PANE)   /* what is said of who wrote the record: its first line is the name */               \
    X(DATE)                                                                                        \
    X(PRICE)                                                                                       \
    X(RATING)                                                                                      \
    X(VOTES)                                                                                       \
    X(TITLE) /* a link to the page of a card, in a heading or named as a title */                  \
    X(PERMALINK)                                                                                   \
    X(POST)    /* it is a post */                                                                  \
    X(COMMENT) /* a comment */                                                                     \
    X(REVIEW)                                                                                      \
    X(QUESTION)                                                                                    \
    X(ANSWER)                                                                                      \
    X(BESIDE)   /* a signature, a note of a change, numbers of likes */                            \
    X(ATTACHED) /* files and pictures of a post */                                                 \
    X(OTHERS)   /* it names who wrote other posts */                                               \
    X(QUOTE)    /* what another one said */                                                        \
    X(ACCEPTED) /* an answer that solved the question */                                           \
    X(TEXT)     /* it holds a text, whoever it names */                                            \
    X(TYPED)    /* schema.org's type says so */                                                    \
    X(PROP)     /* microdata say so */                                                             \
    X(LOOKED)   /* the node was looked at */                                                       \
    X(NOT)      /* a picture, a figure or a title of an author: no name */

typedef enum {
#define TMPL_CUE_NUMBER(id) TMPL_CUE_NUMBER_##id,
    TMPL_CUES(TMPL_CUE_NUMBER)
#undef TMPL_CUE_NUMBER
        TMPL_CUE_COUNT
} tmpl_cue_e;

enum {
#define TMPL_CUE_BIT(id) TMPL_CUE_##id = 1 << TMPL_CUE_NUMBER_##id,
    TMPL_CUES(TMPL_CUE_BIT)
#undef TMPL_CUE_BIT
};

/* What says that an element is a record of posts. */
#define TMPL_CUES_OF_POSTS                                                                         \
    (TMPL_CUE_POST | TMPL_CUE_COMMENT | TMPL_CUE_REVIEW | TMPL_CUE_QUESTION | TMPL_CUE_ANSWER)

/* Whether an address is that of a person's page: "/users/7/ann", "member.php?u=7". */
int tmpl_cues_is_of_user(const char *src, tmpl_span_t href);

/* Call it before tmpl_cues_of(), as often as you like. */
void tmpl_cues_init(void);

/* The cues of a node, as bits TMPL_CUE_*; USER only by its class, not by its address. */
unsigned tmpl_cues_of(const tmpl_page_t *page, uint32_t node);

#endif
