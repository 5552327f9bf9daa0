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

/*
 * Near copies: pages with a new address and a new text that show little but the text of one
 * document, such as an article with a clock, or with other teasers for each request, requested as
 * ?a=1, ?a=2. If they counted, anybody could raise the DF of an article until it is template.
 */

/*
 * Whether a page is a near copy (counts.h) of a document of its site, at clock now. The slots of
 * the page must be filled. Takes time in proportion to its shares times min_df.
 */
int tmpl_is_near_copy(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                      uint32_t now);

/*
 * Sets held[i] for each SEGMENT key i that the page, which is no near copy, must not raise: echoes,
 * and text of which the page takes too much from one document (counts.h). held is 0 before.
 */
void tmpl_near_hold(unsigned char *held, const tmpl_rules_page_t *page,
                    const tmpl_lifetimes_t *lifetimes, uint32_t now);

/* Sets the DF to 1 in the records of text that the page was among the first to show (counts.h). */
void tmpl_near_own(tmpl_record_t *records, const tmpl_rules_page_t *page);

#endif
