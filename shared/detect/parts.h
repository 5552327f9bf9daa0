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
    X(HIDDEN, "hidden", "text for screen readers, and text that was said before")
/* clang-format on */

typedef enum {
#define TMPL_PART_ID(id, name, explanation) TMPL_PART_##id,
    TMPL_PARTS(TMPL_PART_ID)
#undef TMPL_PART_ID
        TMPL_PART_COUNT
} tmpl_part_e;

/* A set of parts: bit 1U << part. */
typedef uint32_t tmpl_part_set_t;

#define TMPL_PARTS_ALL ((1U << TMPL_PART_COUNT) - 1)

/* The part's name; "unknown" for a value out of range. */
const char *tmpl_part_name(tmpl_part_e part);

#endif
