/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What start tags say of their elements: by the tag, by attributes and by the words of class and
 * id. There are three readers: features ask for kinds, detect/parts_find.h for hints, and
 * content/record_values.c for cues. lexicon.def has the words.
 */
#ifndef TMPL_LEXICON_H
#define TMPL_LEXICON_H

#include "page/page.h"

/*
 * Kinds of elements by their names: X(id). Each has a feature, GOOD_NEAR, BAD_NEAR and NAMED_id, in
 * this order. GOOD is what people call content, BAD what they call everything around it. The kinds
 * from DIALOG on are also said by tags and by other attributes (context.c): role, itemprop,
 * itemtype, rel, aria-hidden, hidden, style.
 */
/* clang-format off */
#define TMPL_NAMES(X) \
    X(GOOD) \
    X(BAD) \
    X(COMMENT) \
    X(MENU) \
    X(SIDE) \
    X(MORE) \
    X(EDGE) \
    X(SHARE) \
    X(ABOUT) \
    X(OFFER) \
    X(DIALOG) /* a box above the page */ \
    X(COOKIE) /* of cookies and consent */ \
    X(TOOLTIP) \
    X(READER) /* for screen readers */ \
    X(HIDDEN) /* not shown: hidden, display:none */ \
    X(ARIA) /* aria-hidden */ \
    X(BUTTON) \
    X(LABEL) /* of a form; a badge */ \
    X(CAPTION) /* of a picture; its credit */ \
    X(REVIEW) /* of a product; stars */ \
    X(QA) /* questions and answers */ \
    X(RELATED) /* other pages */ \
    X(AUTHOR) \
    X(TAGS) /* topics, categories */ \
    X(DATE) \
    X(PRODUCT) \
    X(CART) /* basket, quantity, shipping */ \
    X(FORM) /* its fields */ \
    X(NEWS) /* newsletters, subscriptions, donations */ \
    X(FILTER) /* of a list; its order */ \
    X(TAB) \
    X(FOLD) /* what opens by a click */ \
    X(SLIDE) /* carousels, galleries */ \
    X(CARD) \
    X(LIST) \
    X(ITEM) \
    X(TITLE) \
    X(LEAD) /* standfirst, summary */ \
    X(POST) /* of a thread */ \
    X(USER) /* avatar, profile, signature */ \
    X(QUOTE) \
    X(VOTES) /* and views, and counts */ \
    X(CODE) /* highlighted code: its names are no kinds of parts */ \
    X(HERO) \
    X(ADVERT) \
    X(MOBILE) /* for small or for large screens */ \
    X(ICON) \
    X(TEXT) /* written text */ \
    X(LEGAL) \
    X(STATUS) /* errors, notices, loading */ \
    X(SPEC) /* facts, attributes */ \
    X(LANG) /* language, country, currency */
/* clang-format on */

typedef enum {
#define TMPL_NAME_ID(id) TMPL_NAME_##id,
    TMPL_NAMES(TMPL_NAME_ID)
#undef TMPL_NAME_ID
        TMPL_NAME_COUNT
} tmpl_name_e;

/* A set of kinds. */
typedef uint64_t tmpl_kinds_t;
#define TMPL_NAMED(id) ((tmpl_kinds_t)1 << TMPL_NAME_##id)

/* The kinds that other attributes than class and id may say. */
#define TMPL_NAMES_SAID (~(TMPL_NAMED(DIALOG) - 1) | TMPL_NAMED(COMMENT))

/* X(id): hints of the part (detect/parts.h) that an element is. */
#define TMPL_HINTS(X)                                                                              \
    X(HIDDEN)  /* for screen readers only */                                                       \
    X(ARIA)    /* not for screen readers: aria-hidden; display: none */                            \
    X(MODAL)   /* it says itself that it is a dialog */                                            \
    X(DIALOG)  /* the same, or a tooltip, or a name of a dialog */                                 \
    X(COOKIE)  /* about cookies and consent */                                                     \
    X(OFFER)   /* a name of a notice: newsletter, advertisement */                                 \
    X(BUTTON)  /* a button, a label */                                                             \
    X(SHARE)   /* links that share a page; pagers, sort and filter */                              \
    X(COMMENT) /* readers' comments */                                                             \
    X(REVIEW)                                                                                      \
    X(QA)                                                                                          \
    X(RELATED) /* related pages */                                                                 \
    X(TAGS)    /* tags of an article */                                                            \
    X(CAPTION)                                                                                     \
    X(FIGURE) /* a picture with its caption */                                                     \
    X(AUTHOR)                                                                                      \
    X(DATE)                                                                                        \
    X(META) /* the line of author and date */                                                      \
    X(BIO)  /* a box about the author */                                                           \
    X(PRICE)                                                                                       \
    X(FACTS)                                                                                       \
    X(RECIPE) /* its ingredients */                                                                \
    X(LEAD)                                                                                        \
    X(CODE)   /* a program's text, in colours */                                                   \
    X(POPUP)  /* a name of something that may open: popup, login */                                \
    X(THREAD) /* names in forums */                                                                \
    X(USER)   /* names of what forums say of who posts */                                          \
    X(STATS)  /* what a forum counts of who posts: posts, rank, joined */                          \
    X(POST)   /* a question or an answer, by schema.org */                                         \
    X(TOGGLE) /* opens and closes another element */

typedef enum {
#define TMPL_HINT_NUMBER(id) TMPL_HINT_NUMBER_##id,
    TMPL_HINTS(TMPL_HINT_NUMBER)
#undef TMPL_HINT_NUMBER
        TMPL_HINT_COUNT
} tmpl_hint_e;

enum {
#define TMPL_HINT_BIT(id) TMPL_HINT_##id = 1 << TMPL_HINT_NUMBER_##id,
    TMPL_HINTS(TMPL_HINT_BIT)
#undef TMPL_HINT_BIT
};

/* X(id): cues of what an element is in its record (content/groups.h). */
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
    X(NOT) /* a picture, a figure or a title of an author: no name; beside the text, a signature */

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

typedef struct {
    tmpl_kinds_t kinds;
    unsigned hints; /* TMPL_HINT_* */
    unsigned cues;  /* TMPL_CUE_* */
} tmpl_says_t;

/* What a tag alone says. */
extern const tmpl_says_t tmpl_says_of_tag[TMPL_TAG_COUNT];

/* What an attribute says that is neither class nor id: hints and cues. */
tmpl_says_t tmpl_says_of_attr(const char *src, const tmpl_known_attr_t *attr);

/*
 * What the words of a class or an id say. Words end at anything but letters. Digits divide words of
 * kinds only. For hints and cues they end before a capital behind a small letter, too:
 * "relatedPosts", "related_posts" and "related-posts" are the same two words; and a name that
 * begins like those of other things ("no-comments") says nothing.
 */
tmpl_says_t tmpl_says_of_name(const char *value, uint32_t len);

/*
 * The same of a name in a page, which keeps what its names say. *hash gets a hash of it, with
 * digits taken for 0, if it has TMPL_NAME_MOST bytes at most; NULL: not wanted.
 */
#define TMPL_NAME_MOST 200
tmpl_says_t tmpl_says_of_span(const tmpl_page_t *page, tmpl_span_t name, uint64_t *hash);

#endif
