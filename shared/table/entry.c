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

/* Only these fields: to clear all room for fingerprints takes longer than all else here. */
static void value_begin(tmpl_value_t *value)
{
    value->df = value->last = value->text = value->repeated = value->n = 0;
}

static int value_has(const tmpl_value_t *value, uint16_t fp)
{
    for (uint32_t i = 0; i < value->n; i++) {
        if (value->fingerprints[i] == fp) {
            return 1;
        }
    }
    return 0;
}

int tmpl_value_count(tmpl_value_t *value, int live, uint16_t fp, int counted, uint32_t now,
                     uint32_t min_df)
{
    int reached = 0;
    if (!live) {
        value_begin(value);
    }
    if (value->df >= min_df) {
        value->df += counted && value->df < UINT32_MAX;
    }
    else if (!value_has(value, fp)) {
        value->df++;
        reached = value->df == min_df;
        if (!reached) {
            value->fingerprints[value->n++] = fp;
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
        value_begin(value);
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
    value_begin(value);
    value->df = 1;
    value->last = now;
}

int tmpl_value_fresh(const tmpl_value_t *value, const tmpl_policy_t *policy, uint32_t now)
{
    return (uint64_t)(now - value->last) * 4 < policy->lifetime_tb;
}
