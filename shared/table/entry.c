/* SPDX-License-Identifier: Apache-2.0 */
#include "table/rules.h"

#include <math.h>

#define PATH_TEXT_MOST ((uint64_t)1 << 31) /* a path with more text has its figures halved */

uint32_t tmpl_lifetime(const tmpl_policy_t *policy, uint32_t df)
{
    double tb = policy->lifetime_tb;
    double n = policy->lifetime_n > 1 ? policy->lifetime_n : 1;
    double pages = tb * n / (1 + (n - 1) * exp(1.0 - (df > 1 ? df : 1)));
    return pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
}

static void lifetimes_fill(tmpl_lifetimes_t *lifetimes, const tmpl_policy_t *policy)
{
    uint32_t limit = tmpl_lifetime(policy, TMPL_LIFETIMES);
    uint32_t n = 0;
    do {
        lifetimes->pages[n] = tmpl_lifetime(policy, n + 1);
    } while (lifetimes->pages[n++] < limit && n < TMPL_LIFETIMES);
    lifetimes->n = n;
}

/* The formula takes as long as 50 look-ups of keys, and nearly all pages have the same policy. */
const tmpl_lifetimes_t *tmpl_lifetimes(const tmpl_policy_t *policy)
{
    static _Thread_local tmpl_lifetimes_t lifetimes;
    static _Thread_local tmpl_policy_t of;
    if (lifetimes.n == 0 || of.lifetime_tb != policy->lifetime_tb ||
        of.lifetime_n != policy->lifetime_n) {
        lifetimes_fill(&lifetimes, policy);
        of = *policy;
    }
    return &lifetimes;
}

static int value_has(const tmpl_value_t *value, uint16_t fp)
{
    for (uint32_t i = 0; i < value->n; i++) {
        if (tmpl_value_fingerprint(value, i) == fp) {
            return 1;
        }
    }
    return 0;
}

/* Those that are there may be a bucket's, which stays as it is. */
static void value_add(tmpl_value_t *value, uint16_t fp, apr_pool_t *pool)
{
    const size_t len = 2 * (size_t)value->n;
    unsigned char *all = apr_palloc(pool, len + 2);
    if (len > 0) {
        memcpy(all, value->fingerprints, len);
    }
    tmpl_put_le(all + len, fp, 2);
    value->fingerprints = all;
    value->n++;
}

int tmpl_value_count(tmpl_value_t *value, int live, uint16_t fp, int counted, uint32_t now,
                     uint32_t min_df, apr_pool_t *pool)
{
    int reached = 0;
    if (!live) {
        *value = (tmpl_value_t){ 0 };
    }
    if (value->df >= min_df) {
        value->df += counted && value->df < UINT32_MAX;
    }
    else if (!value_has(value, fp)) {
        value->df++;
        reached = value->df == min_df;
        if (!reached) {
            value_add(value, fp, pool);
        }
        else if (!tmpl_is_known_site(now, min_df)) {
            value->n = 0;
        }
    }
    value->last = now;
    return reached;
}

static uint32_t saturated(uint64_t x)
{
    return x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

void tmpl_value_path(tmpl_value_t *value, int live, uint64_t text, uint64_t repeated, uint32_t now)
{
    if (!live) {
        *value = (tmpl_value_t){ 0 };
    }
    if (value->text + text > PATH_TEXT_MOST) {
        value->text /= 2;
        value->repeated /= 2;
    }
    value->df += value->df < UINT32_MAX;
    value->last = now;
    value->text = saturated(value->text + text);
    value->repeated = saturated(value->repeated + repeated);
    value->repeated = value->repeated < value->text ? value->repeated : value->text;
}

void tmpl_value_document(tmpl_value_t *value, uint32_t now)
{
    *value = (tmpl_value_t){ .df = 1, .last = now };
}

tmpl_value_t *tmpl_value_copy(const tmpl_value_t *value, apr_pool_t *pool)
{
    tmpl_value_t *copy = apr_pmemdup(pool, value, sizeof(*value));
    copy->fingerprints = apr_pmemdup(pool, value->fingerprints, 2 * (size_t)value->n);
    return copy;
}

int tmpl_value_fresh(const tmpl_value_t *value, const tmpl_policy_t *policy, uint32_t now)
{
    return (uint64_t)(now - value->last) * 4 < policy->lifetime_tb;
}
