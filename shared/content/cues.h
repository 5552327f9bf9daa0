/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an element says of the record that it is in, by its tag, by microdata, by the words of its
 * class, and by the address of a link (groups.h).
 */
#ifndef TMPL_CUES_H
#define TMPL_CUES_H

#include "feature/lexicon.h"
#include "page/page.h"

/* What says that an element is a record of posts. */
#define TMPL_CUES_OF_POSTS                                                                         \
    (TMPL_CUE_POST | TMPL_CUE_COMMENT | TMPL_CUE_REVIEW | TMPL_CUE_QUESTION | TMPL_CUE_ANSWER)

/* Whether an address is that of a person's page: "/users/7/ann", "member.php?u=7". */
int tmpl_cues_is_of_user(const char *src, tmpl_span_t href);

/* A cache of the cues of attributes: the same values come again and again. All 0 at first. */
typedef struct {
    struct {
        tmpl_known_attr_t attr;
        unsigned cues;
    } slots[256];
} tmpl_known_cues_t;

/*
 * The cues of a node, as bits TMPL_CUE_*; USER only by its class, not by its address. All calls
 * with one cache are for one page.
 */
unsigned tmpl_cues_of(tmpl_known_cues_t *known, const tmpl_page_t *page, uint32_t node);

#endif
