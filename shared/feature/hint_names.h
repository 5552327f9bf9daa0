/* SPDX-License-Identifier: Apache-2.0 */
/* What people call the parts of their pages: names in classes and ids. */
#ifndef TMPL_HINT_NAMES_H
#define TMPL_HINT_NAMES_H

#include <stdint.h>

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

/* The kinds of names in a class or id. */
tmpl_kinds_t tmpl_names_in(const char *value, uint32_t len);

#endif
