/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of records (groups.h) share: a page as it is looked at for records. */
#ifndef TMPL_RECORD_PAGE_H
#define TMPL_RECORD_PAGE_H

#include "content/groups.h"
#include "feature/lexicon.h"
#include "metadata/dates.h"

/* Bytes of what is said of an author, or stands below a text, at most. */
#define TMPL_RECORD_PANE_MOST 300

/* What a page says that records can be found by. */
typedef enum {
    TMPL_MARKS_AUTHORS,
    TMPL_MARKS_DATES,
    TMPL_MARKS_TITLES, /* links to the pages of cards */
    TMPL_RECORD_MARKS
} tmpl_record_mark_e;

typedef struct {
    const tmpl_page_t *page;
    const tmpl_edits_t *edits;
    const tmpl_decoder_t *decoder;
    tmpl_groups_t *groups;
    apr_pool_t *pool;           /* for what groups have */
    const char *headline;       /* the text of the page's h1; "": none */
    const unsigned *cues;       /* of each node (record_values.c) */
    const uint32_t *facts;      /* [i]: prices, dates, ratings and pictures before node i */
    const unsigned char *stays; /* whether edits leave segment s */
    const uint32_t *before;     /* [s]: bytes of text before segment s */
    const uint32_t *kept;       /* the same, of text that stays */
    const uint32_t *text;       /* the same, of text that stays and is no link, name or date */
    uint32_t *owners;           /* of the groups */
    apr_array_header_t *marks[TMPL_RECORD_MARKS]; /* nodes (uint32_t), in order */
    tmpl_buf_t buf;
} tmpl_record_page_t;

/* The bytes of a prefix sum in the segments of nodes [node, end). */
static inline uint32_t tmpl_record_sum(const tmpl_record_page_t *p, const uint32_t *sum,
                                       uint32_t node, uint32_t end)
{
    const tmpl_node_t *nodes = p->page->nodes;
    uint32_t after = nodes[node].after_segment;
    if (end < nodes[node].after) { /* else end is behind it, or no node */
        after = nodes[end].first_segment;
    }
    return sum[after] - sum[nodes[node].first_segment];
}

/* The bytes of text in an element. */
static inline uint32_t tmpl_record_length(const tmpl_record_page_t *p, uint32_t node)
{
    return tmpl_record_sum(p, p->before, node, TMPL_NONE);
}

/* Whether a node, which may be TMPL_NONE, is an element or in it. */
static inline int tmpl_record_is_in(const tmpl_record_page_t *p, uint32_t node, uint32_t top)
{
    return node != TMPL_NONE && node >= top && node < p->page->nodes[top].after;
}

/* --- groups.c --- */

/*
 * The index of the first of elements [low, high), which begin with a node each, whose node is node
 * or behind it; high: there is none.
 */
uint32_t tmpl_record_first_from(const void *elements, size_t size, uint32_t low, uint32_t high,
                                uint32_t node);

/* --- record_page.c --- */

/*
 * Reads what records are found by into p, whose page, edits, decoder, groups and pool are set; all
 * else is from scratch. Returns 0 if the page can have no records. A large part of the page that
 * edits delete has no marks: only names and dates near text that stays are records'.
 */
int tmpl_record_page_read(tmpl_record_page_t *p, apr_pool_t *scratch);

/* The text of segments, or of an element, in p->buf; "" if it is longer than most bytes. */
const char *tmpl_record_segments(tmpl_record_page_t *p, uint32_t first, uint32_t after,
                                 apr_size_t most);
const char *tmpl_record_text(tmpl_record_page_t *p, uint32_t node, apr_size_t most);

/* An attribute's value in UTF-8, from p->pool; NULL if there is none, or it is empty. */
const char *tmpl_record_attribute(tmpl_record_page_t *p, uint32_t node, const char *name);

/* --- record_groups.c --- */

/* Finds the groups' records, in order, without their text and fields. */
void tmpl_record_groups(tmpl_record_page_t *p, apr_pool_t *scratch);

/* --- record_values.c --- */

/*
 * What an element says of the record that it is in, by its tag, by microdata, by the words of its
 * class, and by the address of a link (groups.h).
 */

/* What says that an element is a record of posts. */
#define TMPL_CUES_OF_POSTS                                                                         \
    (TMPL_CUE_POST | TMPL_CUE_COMMENT | TMPL_CUE_REVIEW | TMPL_CUE_QUESTION | TMPL_CUE_ANSWER)

/* Whether an address is that of a person's page: "/users/7/ann", "member.php?u=7". */
int tmpl_cues_is_of_user(const char *src, tmpl_span_t href);

/* The attribute of an element, but content, that says who wrote it; NULL: it has none. */
const char *tmpl_cues_said_author(const tmpl_page_t *page, uint32_t node);

/* What says that an element is a signature. */
#define TMPL_CUES_OF_SIGNATURE (TMPL_CUE_BESIDE | TMPL_CUE_NOT)

/* The cues of a node, as bits TMPL_CUE_*; USER only by its class, not by its address. */
unsigned tmpl_cues_of(const tmpl_page_t *page, uint32_t node);

/* The name that an element that says an author has; NULL: none. From p->pool. */
const char *tmpl_record_author(tmpl_record_page_t *p, uint32_t node);

/*
 * Reads a date that is not one of a change. *when is how it is shown, or NULL; from p->pool.
 * Returns whether there is one; iso is empty if it is not known in full.
 */
int tmpl_record_date(char iso[TMPL_DATE_SIZE], const char **when, tmpl_record_page_t *p,
                     uint32_t node);

/* The number in what an element says; NULL: none. From p->pool. */
const char *tmpl_record_number(tmpl_record_page_t *p, uint32_t node);

/* The price in an element, and its currency, or NULL; NULL: none. From p->pool. */
const char *tmpl_record_price(const char **currency, tmpl_record_page_t *p, uint32_t node);

/* --- record_fields.c --- */

/*
 * Fills the text and the fields of a record; all else of the records is set, and the element of a
 * card's title.
 */
void tmpl_record_read(tmpl_record_page_t *p, tmpl_group_record_t *record);

/* --- record_parts.c --- */

/* Fills the parts of groups, whose records have their fields; and which cards are small. */
void tmpl_record_parts(tmpl_record_page_t *p);

#endif
