/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a start tag says of the part (detect/parts.h) that its element is: by its tag, its role and
 * other attributes, and the words of its class and id. Words end at anything but letters, and
 * before a capital behind a small letter: "relatedPosts", "related_posts" and "related-posts" are
 * the same two words.
 */
#ifndef TMPL_PART_HINTS_H
#define TMPL_PART_HINTS_H

#include "html/attr.h"
#include "html/tag.h"

/* X(id): kinds of hints. */
#define TMPL_HINTS(X)                                                                              \
    X(HIDDEN)  /* for screen readers only */                                                       \
    X(TWIN)    /* not for screen readers: aria-hidden */                                           \
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
    X(LEAD)                                                                                        \
    X(CODE)   /* a program's text, in colours */                                                   \
    X(POPUP)  /* a name of something that may open: popup, login */                                \
    X(THREAD) /* names in forums */                                                                \
    X(USER)   /* names of what forums say of who posts */                                          \
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

/* The hints of a tag alone, as bits TMPL_HINT_*. */
extern const unsigned tmpl_hints_of_tag[TMPL_TAG_COUNT];

/* The hints of a class or an id. */
unsigned tmpl_hints_of_name(const char *value, uint32_t len);

/* The hints of an attribute that is neither. */
unsigned tmpl_hints_of_attr(const char *src, const tmpl_known_attr_t *attr);

#endif
