/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of observations that outlive what they were made from. */
#include <stdlib.h>
#include <string.h>

#include "table/store.h"

/* All that an observation points to, in the order in which a copy holds it: the widest first. */
enum { KEYS, DOCUMENT, PARTS, SHARES, POLICY, SITE, PIECES };

/* The bytes of each, and where they are. */
typedef struct {
    const void *from[PIECES];
    size_t size[PIECES];
} pieces_t;

static void pieces_of(pieces_t *pieces, const tmpl_observation_t *page)
{
    const pieces_t are = {
        .from = { [KEYS] = page->keys,
                  [DOCUMENT] = page->document,
                  [PARTS] = page->parts,
                  [SHARES] = page->shares,
                  [POLICY] = page->policy,
                  [SITE] = page->site },
        .size = { [KEYS] = page->n * sizeof(*page->keys),
                  [DOCUMENT] = sizeof(*page->document),
                  [PARTS] = page->n_parts * sizeof(*page->parts),
                  [SHARES] = page->n_shares * sizeof(*page->shares),
                  [POLICY] = sizeof(*page->policy),
                  [SITE] = strlen(page->site) + 1 },
    };

    *pieces = are;
}

static size_t size_of(const pieces_t *pieces)
{
    size_t size = sizeof(tmpl_observation_t);

    for (int i = 0; i < PIECES; i++) {
        size += pieces->size[i];
    }
    return size;
}

size_t tmpl_observation_size(const tmpl_observation_t *page)
{
    pieces_t pieces;

    pieces_of(&pieces, page);
    return size_of(&pieces);
}

tmpl_observation_t *tmpl_observation_copy(const tmpl_observation_t *page)
{
    const void *to[PIECES];
    tmpl_observation_t *copy;
    pieces_t pieces;
    char *at;

    pieces_of(&pieces, page);
    copy = malloc(size_of(&pieces));
    if (copy == NULL) {
        return NULL;
    }
    at = (char *)(copy + 1);
    for (int i = 0; i < PIECES; i++) {
        if (pieces.size[i] > 0) {
            memcpy(at, pieces.from[i], pieces.size[i]);
        }
        to[i] = at;
        at += pieces.size[i];
    }
    *copy = *page;
    copy->keys = to[KEYS];
    copy->document = to[DOCUMENT];
    copy->parts = to[PARTS];
    copy->shares = to[SHARES];
    copy->policy = to[POLICY];
    copy->site = to[SITE];
    return copy;
}
