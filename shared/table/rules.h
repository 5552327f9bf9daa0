/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What learning does: steps 1 to 4 of counts.h. The engine reads all entries of some pages into
 * slots, counts the pages in them one after the other, and writes back the slots that changed. Pure
 * functions: no store is asked.
 */
#ifndef TMPL_RULES_H
#define TMPL_RULES_H

#include "table/entry.h"

/* The entry of one key. Pages that share a key share its slot. */
typedef struct {
    unsigned char held;    /* there is an entry, live or dead */
    unsigned char written; /* the value is to go back to the store */
    tmpl_value_t value;    /* df 0: the stored entry cannot be read, and is dead */
} tmpl_slot_t;

/* What counting needs to know of a site. */
typedef struct {
    uint32_t pages;
    uint64_t version;
    uint64_t entries; /* entries held, live or dead */
    int frozen;       /* nothing is learnt */
} tmpl_rules_site_t;

/*
 * A page, the slots of its keys in the order of the keys, and the two slots of its document, which
 * may be the same slot.
 */
typedef struct {
    const tmpl_observation_t *obs;
    tmpl_slot_t *const *slots;
    tmpl_slot_t *id, *text;
} tmpl_rules_page_t;

/* The number of keys before the first of kind PATH: indices of paths begin there. */
uint32_t tmpl_observation_segments(const tmpl_observation_t *obs);

/*
 * Fills the counts of a page that is not learnt. counts->records has room for all keys.
 */
void tmpl_rules_look(const tmpl_rules_page_t *page, const tmpl_rules_site_t *site,
                     tmpl_counts_t *counts);

/*
 * Counts a page in its slots and in site, and fills counts as above; pool is for the call alone.
 * Returns whether anything was written.
 */
int tmpl_rules_learn(const tmpl_rules_page_t *page, tmpl_rules_site_t *site, tmpl_counts_t *counts,
                     apr_pool_t *pool);

#endif
