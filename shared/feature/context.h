/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a node: its own element and those around it, by their start tags. */
#ifndef TMPL_CONTEXT_H
#define TMPL_CONTEXT_H

#include <apr_tables.h>

#include "feature/feature.h"
#include "feature/lexicon.h"
#include "page/page.h"
#include "table/counts.h"

/*
 * A set: the node's own element and those around it. A member that is a feature has the bit of the
 * feature's distance from HEADING, the first such feature.
 */
#define TMPL_IN(id) (1 << (TMPL_BLOCK_FEATURE_##id - TMPL_BLOCK_FEATURE_HEADING))
enum {
    TMPL_IN_MAIN = TMPL_IN(IN_MAIN),
    TMPL_IN_ARTICLE = TMPL_IN(IN_ARTICLE),
    TMPL_IN_NAV = TMPL_IN(IN_NAV),
    TMPL_IN_ASIDE = TMPL_IN(IN_ASIDE),
    TMPL_IN_HEADER = TMPL_IN(IN_HEADER),
    TMPL_IN_FOOTER = TMPL_IN(IN_FOOTER),
    TMPL_IN_FORM = TMPL_IN(IN_FORM),
    TMPL_IN_LIST = TMPL_IN(IN_LIST),
    TMPL_IN_TABLE = TMPL_IN(IN_TABLE),
    TMPL_IN_VERBATIM = TMPL_IN(VERBATIM),
    TMPL_IN_QUOTE = TMPL_IN(IN_QUOTE),
    TMPL_IN_FIGURE = TMPL_IN(IN_FIGURE),
    /* these end at the next separator inside */
    TMPL_IN_HEADING = TMPL_IN(HEADING),
    TMPL_IN_PARAGRAPH = TMPL_IN(PARAGRAPH),
    TMPL_IN_ITEM = TMPL_IN(ITEM),
    TMPL_IN_CELL = TMPL_IN(CELL),
    TMPL_IN_TERM = TMPL_IN(TERM),
    TMPL_IN_OWN = TMPL_IN_HEADING | TMPL_IN_PARAGRAPH | TMPL_IN_ITEM | TMPL_IN_CELL | TMPL_IN_TERM,
    /* these are no features */
    TMPL_IN_LINK = 1 << 24,
    TMPL_LINKS_HERE = 1 << 25,  /* the node itself is a link, to a position on the page */
    TMPL_LINKS_WHOLE = 1 << 26, /* the node itself is a link, to an address with a host */
    TMPL_IN_FEATURES = TMPL_IN_LINK - 1
};

/*
 * 1 + steps up to each kind of element, by its name (lexicon.h); 0: there is none. The words of
 * the union add a step to four kinds at once.
 */
typedef union {
    uint16_t steps[(TMPL_NAME_COUNT + 3) / 4 * 4];
    uint64_t words[(TMPL_NAME_COUNT + 3) / 4];
} tmpl_near_t;

/* The context that nodes share. */
typedef struct {
    uint64_t layout; /* layout path */
    uint64_t said;   /* a hash of what else than class and id says kinds, of it and around it */
    tmpl_near_t near;
    unsigned in;    /* TMPL_IN_* */
    unsigned hints; /* TMPL_HINT_* of the node itself */
    uint32_t first; /* index of the first context with that path */
    /* only in the first context with that path: 1 + index in layout keys; 0: not set yet */
    uint32_t paths[TMPL_PATH_LEVELS];
} tmpl_context_t;

/* Contexts are kept in chunks, which never move. */
#define TMPL_CONTEXTS 16

typedef struct {
    uint32_t *of;             /* for each node that holds text: its context */
    apr_array_header_t *list; /* tmpl_context_t *, to TMPL_CONTEXTS each */
} tmpl_contexts_t;

static inline tmpl_context_t *tmpl_context_at(const tmpl_contexts_t *contexts, uint32_t i)
{
    return &APR_ARRAY_IDX(contexts->list, i / TMPL_CONTEXTS, tmpl_context_t *)[i % TMPL_CONTEXTS];
}

/* The context of a node that holds text. */
static inline tmpl_context_t *tmpl_context_of(const tmpl_contexts_t *contexts, uint32_t node)
{
    return tmpl_context_at(contexts, contexts->of[node]);
}

/* Finds the contexts of all nodes that hold text. From pool. */
void tmpl_contexts_read(tmpl_contexts_t *contexts, const tmpl_page_t *page, apr_pool_t *pool);

#endif
