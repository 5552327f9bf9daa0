/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a record's fields, read from its own part (groups.h). */
#ifndef TMPL_RECORD_FIELDS_H
#define TMPL_RECORD_FIELDS_H

#include "content/groups.h"

/* A page as it is looked at for records. */
typedef struct {
    const tmpl_content_t *content;
    const tmpl_page_t *page;
    const unsigned *cues;         /* of each node (cues.h) */
    const uint32_t *before;       /* [s]: bytes of text before segment s */
    const uint32_t *kept;         /* the same, of text that stays */
    const uint32_t *text;         /* the same, of text that stays and is in no link */
    const unsigned char *is_link; /* of each node: it is in a link, or is one */
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

#endif
