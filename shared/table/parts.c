/* SPDX-License-Identifier: Apache-2.0 */
#include "table/parts.h"

uint32_t tmpl_observation_segments(const tmpl_observation_t *obs)
{
    uint32_t n = 0;

    while (n < obs->n && obs->keys[n].kind != TMPL_KIND_PATH) {
        n++;
    }
    return n;
}

uint32_t tmpl_part_path(const tmpl_part_t *part, int level)
{
    for (int i = 0; i < level; i++) {
        if (part->paths[i] == part->paths[level]) {
            return TMPL_NONE;
        }
    }
    return part->paths[level];
}

unsigned tmpl_share_times(uint32_t before, uint32_t after)
{
    return after < 2 ? 0 : before == 1 && after == 2 ? 2 : 1;
}

/* Of all shares of a part. */
static tmpl_credit_t part_sum(const tmpl_observation_t *obs, const tmpl_part_t *part,
                              const unsigned char *times)
{
    tmpl_credit_t sum = { .named = 1 };

    for (uint32_t i = part->first; i < part->after; i++) {
        const tmpl_share_t *share = &obs->shares[i];

        sum.text += share->length;
        sum.repeated += times == NULL ? 0 : (uint64_t)share->length * times[share->key];
    }
    return sum;
}

tmpl_credit_t *tmpl_parts_credit(const tmpl_observation_t *obs, const unsigned char *times,
                                 apr_pool_t *pool)
{
    uint32_t n_segments = tmpl_observation_segments(obs);
    tmpl_credit_t *credits =
        apr_pcalloc(pool, (obs->n - n_segments + (apr_size_t)1) * sizeof(*credits));

    for (uint32_t i = 0; i < obs->n_parts; i++) {
        tmpl_credit_t sum = part_sum(obs, &obs->parts[i], times);

        for (int level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t path = tmpl_part_path(&obs->parts[i], level);

            if (path != TMPL_NONE) {
                tmpl_credit_t *credit = &credits[path - n_segments];

                credit->text += sum.text;
                credit->repeated += sum.repeated;
                credit->named = 1;
            }
        }
    }
    return credits;
}
