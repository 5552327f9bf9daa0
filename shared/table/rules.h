/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry of a site's table: what it holds, how long it lives, how it counts a document. Pure
 * functions. bucket.h has an entry's bytes.
 */
#ifndef TMPL_RULES_H
#define TMPL_RULES_H

#include <endian.h>
#include <string.h>

#include "table/counts.h"

/*
 * Pages that an entry of document frequency df lives after it was last seen:
 *     f(df) = Tb * N / (1 + (N - 1) * e^-(df - 1))          Wang et al., section 2.4
 * so f(1) = Tb, and f grows to the limit Tb * N. Rounded down.
 */
uint32_t tmpl_lifetime(const tmpl_policy_t *policy, uint32_t df);

/*
 * Lifetimes by DF: pages[i] is tmpl_lifetime(policy, i + 1), the last one holds for every DF above.
 * N - 1 < 2^32 and e^-59 < 2^-32 * 2^-53: by DF 60 the formula has reached its limit in a double.
 */
#define TMPL_LIFETIMES 64
typedef struct {
    uint32_t n;
    uint32_t pages[TMPL_LIFETIMES];
} tmpl_lifetimes_t;

/* The lifetimes of a policy. They hold until the thread asks for those of another policy. */
const tmpl_lifetimes_t *tmpl_lifetimes(const tmpl_policy_t *policy);

/*
 * Whether an entry is live at clock now. An entry with last > now stems from a damaged table: dead.
 */
static inline int tmpl_is_live(uint32_t df, uint32_t last, const tmpl_lifetimes_t *lifetimes,
                               uint32_t now)
{
    uint32_t i = df < lifetimes->n ? df : lifetimes->n;
    return df > 0 && last <= now && now - last <= lifetimes->pages[i - 1];
}
static inline int tmpl_value_live(const tmpl_value_t *value, const tmpl_lifetimes_t *lifetimes,
                                  uint32_t now)
{
    return tmpl_is_live(value->df, value->last, lifetimes, now);
}

/* Whether a site has documents enough, at clock now, for text to be known as its documents' own. */
static inline int tmpl_is_known_site(uint32_t now, uint32_t min_df)
{
    return now / 2 >= min_df;
}

/*
 * Counts the document with fingerprint fp in value. If live is 0, begins the value anew (step 3 of
 * learning in counts.h). Returns whether this made the entry reach min_df. New fingerprints are
 * from pool.
 */
int tmpl_value_count(tmpl_value_t *value, int live, uint16_t fp, int counted, uint32_t now,
                     uint32_t min_df, apr_pool_t *pool);

/*
 * Counts a document in the value of a path. The document has text bytes at the path; repeated of
 * them are credited as repeated. If live is 0, begins the value anew.
 */
void tmpl_value_path(tmpl_value_t *value, int live, uint64_t text, uint64_t repeated, uint32_t now);

/* The keys of a document: of its address, and of its text. */
static inline tmpl_key_t tmpl_document_id(const tmpl_document_t *document)
{
    return (tmpl_key_t){ document->id & TMPL_HASH_MASK, TMPL_KIND_DOCUMENT };
}

static inline tmpl_key_t tmpl_document_text(const tmpl_document_t *document)
{
    return (tmpl_key_t){ document->text & TMPL_HASH_MASK, TMPL_KIND_DOCUMENT };
}

/* Makes value the entry of a document that is known from now on. */
void tmpl_value_document(tmpl_value_t *value, uint32_t now);

/* Whether a known text last seen at value->last is so fresh that nothing is written (step 2). */
int tmpl_value_fresh(const tmpl_value_t *value, const tmpl_policy_t *policy, uint32_t now);

/* A copy of a value with its fingerprints. */
tmpl_value_t *tmpl_value_copy(const tmpl_value_t *value, apr_pool_t *pool);

/* The record of an entry, as callers see it. */
static inline tmpl_record_t tmpl_value_record(const tmpl_value_t *value)
{
    return (tmpl_record_t){ value->df, value->last, value->text, value->repeated };
}

/* Little-endian integers of n <= 8 bytes. */
static inline void tmpl_put_le(unsigned char *bytes, uint64_t x, unsigned n)
{
    x = htole64(x);
    memcpy(bytes, &x, n);
}

static inline uint64_t tmpl_get_le(const unsigned char *bytes, unsigned n)
{
    uint64_t x = 0;
    memcpy(&x, bytes, n);
    return le64toh(x);
}

/* Fingerprint number i < value->n. */
static inline uint16_t tmpl_value_fingerprint(const tmpl_value_t *value, uint32_t i)
{
    return (uint16_t)tmpl_get_le(value->fingerprints + 2 * (size_t)i, 2);
}

/*
 * What learning does: steps 1 to 4 of counts.h. The engine reads all entries of some pages into
 * slots, counts the pages in them one after the other, and writes back the slots that changed. Pure
 * functions: no store is asked.
 */

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
 * Counts a page in its slots and in site, and fills counts as above; pool must live as long as the
 * slots. Returns whether anything was written.
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
