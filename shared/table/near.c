/* SPDX-License-Identifier: Apache-2.0 */
#include "table/near.h"

/* How much of its text a near copy has in common with a document, see store.h; docs/design.md says
 * why. */
#define SAME_PLACE_PERCENT  90
#define OTHER_PLACE_PERCENT 98
#define DIFFERENT_MOST      200 /* bytes */

#define HALF 256 /* values of half a fingerprint */

/* A page, and what its text comes to; lengths are in bytes. */
typedef struct {
    const tmpl_rules_page_t *page;
    const tmpl_lifetimes_t *lifetimes;
    uint32_t now;
    uint64_t template; /* of segments that have reached min_df */
    uint64_t rest;     /* of all others */
    uint64_t known;    /* of these, of segments seen before */
} text_t;

/* The entry of a share's segment, if it is alive. */
static const tmpl_value_t *value_of(const text_t *t, const tmpl_share_t *share)
{
    const tmpl_slot_t *slot = t->page->slots[share->key];
    return slot->held && tmpl_value_live(&slot->value, t->lifetimes, t->now) ? &slot->value : NULL;
}

static void sum_up(text_t *t)
{
    const tmpl_observation_t *obs = t->page->obs;
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        const tmpl_value_t *value = value_of(t, &obs->shares[i]);
        uint32_t length = obs->shares[i].length;

        if (value != NULL && value->df >= obs->policy->min_df) {
            t->template += length;
            continue;
        }
        t->rest += length;
        t->known += value != NULL ? length : 0;
    }
}

/* Whether a document that has shown so much of the rest has shown nearly all of it. */
static int is_most(const text_t *t, uint64_t shown, int same_place)
{
    uint64_t percent = same_place ? SAME_PLACE_PERCENT : OTHER_PLACE_PERCENT;
    return shown * 100 > t->rest * percent && shown + DIFFERENT_MOST >= t->rest &&
           (same_place || t->template > 0);
}

/*
 * Adds the lengths of the rest up by documents: by the lower halves of their fingerprints; or by
 * both, for those whose lower half has a row, into that.
 */
static void add_up(const text_t *t, uint64_t *sums, const uint32_t *rows)
{
    const tmpl_observation_t *obs = t->page->obs;
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        const tmpl_value_t *value = value_of(t, &obs->shares[i]);
        uint32_t n = value != NULL && value->df < obs->policy->min_df ? value->n : 0;

        for (uint32_t j = 0; j < n; j++) {
            uint32_t low = value->fingerprints[j] % HALF, high = value->fingerprints[j] / HALF;

            if (rows == NULL) {
                sums[low] += obs->shares[i].length;
            }
            else if (rows[low] != TMPL_NONE) {
                sums[rows[low] * HALF + high] += obs->shares[i].length;
            }
        }
    }
}

/* Whether one of the documents whose fingerprints have this lower half has shown most. */
static int is_of_half(const text_t *t, const uint64_t *sums, uint32_t low)
{
    uint32_t own = (uint16_t)t->page->obs->document->id;
    int same_place = low % TMPL_DOCUMENT_PLACES == own % TMPL_DOCUMENT_PLACES;
    for (uint32_t high = 0; high < HALF; high++) {
        if (high * HALF + low != own && is_most(t, sums[high], same_place)) {
            return 1;
        }
    }
    return 0;
}

int tmpl_is_near_copy(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                      uint32_t now, apr_pool_t *pool)
{
    text_t t = { .page = page, .lifetimes = lifetimes, .now = now };
    uint64_t halves[HALF] = { 0 }, *sums;
    uint32_t rows[HALF], n = 0;
    int found = 0;
    sum_up(&t);
    if (!is_most(&t, t.known, 1)) { /* so it is of most pages */
        return 0;
    }
    add_up(&t, halves, NULL);
    for (uint32_t low = 0; low < HALF; low++) {
        rows[low] = is_most(&t, halves[low], 1) ? n++ : TMPL_NONE;
    }
    sums = apr_pcalloc(pool, (n + (apr_size_t)1) * HALF * sizeof(*sums));
    add_up(&t, sums, rows);
    for (uint32_t low = 0; low < HALF && !found; low++) {
        found = rows[low] != TMPL_NONE && is_of_half(&t, &sums[rows[low] * HALF], low);
    }
    return found;
}
