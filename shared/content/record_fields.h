/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a record's fields, read from its own part (groups.h). */
#ifndef TMPL_RECORD_FIELDS_H
#define TMPL_RECORD_FIELDS_H

#include "content/groups.h"

/* Bytes of what is said of an author, or stands below a text, at most. */
#define TMPL_RECORD_PANE_MOST 300

/* A page as it is looked at for records. */
typedef struct {
    const tmpl_page_t *page;
    const tmpl_edits_t *edits;
    const tmpl_decoder_t *decoder;
    const char *headline;   /* the text of the page's h1; "": none */
    const unsigned *cues;   /* of each node (cues.h) */
    const uint32_t *before; /* [s]: bytes of text before segment s */
    const uint32_t *kept;   /* the same, of text that stays */
    const uint32_t *text;   /* the same, of text that stays and is no link, name or date */
    tmpl_buf_t buf;
    apr_pool_t *pool;
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

/*
 * Fills the text and the fields of the record of that index; all else of the records is set, and
 * the element of a card's title. owners: of each node, the index of the record in whose own part it
 * is.
 */
void tmpl_record_read(const tmpl_groups_t *groups, uint32_t index, const uint32_t *owners,
                      tmpl_record_page_t *p);

/* The name that an element that says an author has; NULL: none. From pool. */
const char *tmpl_record_author(tmpl_record_page_t *p, uint32_t node);

/* The text of an element in p->buf; "" if it is longer than most bytes. */
const char *tmpl_record_text(tmpl_record_page_t *p, uint32_t node, apr_size_t most);

/* An attribute's value in UTF-8, from p->pool; NULL if there is none, or it is empty. */
const char *tmpl_record_attribute(tmpl_record_page_t *p, uint32_t node, const char *name);

#endif
