/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a page, as a reader would call them. Each block has one part. TmplParts says which
 * parts stay; template always goes.
 */
#ifndef TMPL_PARTS_H
#define TMPL_PARTS_H

#include "base/tmpl.h"

/* clang-format off */
/* X(id, name, explanation). In the order of a page; the first one is the part of template. */
#define TMPL_PARTS(X) \
    X(TEMPLATE, "template", "what the site repeats: navigation, header, footer, legal text") \
    X(HEADLINE, "headline", "the title of the page's main text, product or list") \
    X(LEAD, "lead", "the teaser line under the headline") \
    X(BYLINE, "byline", "who wrote it, and when; of each post in a thread, too") \
    X(BODY, "body", "the main text: paragraphs, headings, lists, posts, items of a list page") \
    X(CAPTION, "caption", "the text of a picture or video: caption, credit") \
    X(FACTS, "facts", "rows, pairs and prices: specification, address, opening hours") \
    X(COMMENT, "comment", "readers' comments below an article or a post") \
    X(REVIEW, "review", "buyers' and guests' reviews") \
    X(QA, "qa", "customers' questions about a product, and the answers") \
    X(RELATED, "related", "pointers to other pages: related articles, teasers, tags") \
    X(NOTICE, "notice", "dialogs, cookie boxes, newsletters, advertisements") \
    X(CONTROL, "control", "labels, buttons, options") \
    X(HIDDEN, "hidden", "text for screen readers only, or that they skip")
/* clang-format on */

typedef enum {
#define TMPL_PART_ID(id, name, explanation) TMPL_PART_##id,
    TMPL_PARTS(TMPL_PART_ID)
#undef TMPL_PART_ID
        TMPL_PART_COUNT
} tmpl_part_e;

/* A set of parts: TMPL_PART_BIT of each. */
typedef uint32_t tmpl_part_set_t;

#define TMPL_PART_BIT(part) (1U << (part))

/* All that TmplParts may name, and its default. */
#define TMPL_PARTS_ALL ((1U << TMPL_PART_COUNT) - 1 - TMPL_PART_BIT(TMPL_PART_TEMPLATE))
#define TMPL_PARTS_DEFAULT                                                                         \
    (TMPL_PARTS_ALL & ~TMPL_PART_BIT(TMPL_PART_COMMENT) & ~TMPL_PART_BIT(TMPL_PART_REVIEW) &       \
     ~TMPL_PART_BIT(TMPL_PART_RELATED) & ~TMPL_PART_BIT(TMPL_PART_NOTICE) &                        \
     ~TMPL_PART_BIT(TMPL_PART_CONTROL) & ~TMPL_PART_BIT(TMPL_PART_HIDDEN))

/* The part's name; "unknown" for a value out of range. */
const char *tmpl_part_name(tmpl_part_e part);

/* The names of a set's parts with a blank between them, from pool. */
const char *tmpl_part_names(tmpl_part_set_t set, apr_pool_t *pool);

/*
 * What one TmplParts says: a set becomes (set & ~off) | on. "body" makes off all parts, "+body"
 * leaves it empty. All 0: nothing was said.
 */
typedef struct {
    tmpl_part_set_t off;
    tmpl_part_set_t on;
} tmpl_parts_t;

/*
 * Reads words with blanks or commas between them: names of parts or all, in any case. Each has a +
 * or - in front, and changes the set that was said before; or the first has none. Then others may
 * have none, or a - for what is left out again, or a + behind all. Without a sign, body names lead,
 * too. APR_EINVAL, with the word that is wrong, for anything else.
 */
apr_status_t tmpl_parts_parse(tmpl_parts_t *parts, const char *text, tmpl_error_t *err);

/* What first and then second say together. */
static inline tmpl_parts_t tmpl_parts_join(tmpl_parts_t first, tmpl_parts_t second)
{
    return (tmpl_parts_t){ first.off | second.off, (first.on & ~second.off) | second.on };
}

/* The parts that go if parts is said of the default. */
static inline tmpl_part_set_t tmpl_parts_without(tmpl_parts_t parts)
{
    return TMPL_PARTS_ALL & ~((TMPL_PARTS_DEFAULT & ~parts.off) | parts.on);
}

#endif
