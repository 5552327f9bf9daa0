/* SPDX-License-Identifier: Apache-2.0 */
#include "table/near.h"

#include <stdlib.h>

/* How much of its text a near copy shares with a document (store.h). docs/design.md says why. */
#define SAME_PLACE_PERCENT  90
#define OTHER_PLACE_PERCENT 98
#define DIFFERENT_MOST      200 /* bytes */

#define FINGERPRINTS ((size_t)1 << 16)

/* The lengths of a page's text, in bytes. */
typedef struct {
    uint64_t template; /* of segments that have reached min_df */
    uint64_t rest;     /* of all others */
    uint64_t known;    /* of these, of segments seen before */
} text_t;

/* The entry of a share's segment, if it is alive. */
static const tmpl_value_t *value_of(const tmpl_rules_page_t *page, const tmpl_share_t *share,
                                    const tmpl_lifetimes_t *lifetimes, uint32_t now)
{
    const tmpl_slot_t *slot = page->slots[share->key];
    return slot->held && tmpl_value_live(&slot->value, lifetimes, now) ? &slot->value : NULL;
}

/* Whether a document with so many bytes of the rest has nearly all of it. */
static int is_most(const text_t *text, uint64_t shown, int same_place)
{
    uint64_t percent = same_place ? SAME_PLACE_PERCENT : OTHER_PLACE_PERCENT;
    return shown * 100 > text->rest * percent && shown + DIFFERENT_MOST >= text->rest &&
           (same_place || text->template > 0);
}

int tmpl_is_near_copy(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                      uint32_t now)
{
    const tmpl_observation_t *obs = page->obs;
    uint16_t own = (uint16_t)obs->document->id;
    text_t text = { 0 };
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        const tmpl_value_t *value = value_of(page, &obs->shares[i], lifetimes, now);
        int is_template = value != NULL && value->df >= obs->policy->min_df;
        *(is_template ? &text.template : &text.rest) += obs->shares[i].length;
        text.known += value != NULL && !is_template ? obs->shares[i].length : 0;
    }
    /* so it is of most pages */
    uint64_t *shown = is_most(&text, text.known, 1) ? calloc(FINGERPRINTS, sizeof(*shown)) : NULL;
    int found = 0;
    for (uint32_t i = 0; shown != NULL && !found && i < obs->n_shares; i++) {
        const tmpl_value_t *value = value_of(page, &obs->shares[i], lifetimes, now);
        uint32_t n = value != NULL && value->df < obs->policy->min_df ? value->n : 0;
        for (uint32_t j = 0; j < n; j++) {
            uint16_t other = value->fingerprints[j];
            shown[other] += obs->shares[i].length;
            found |=
                other != own && is_most(&text, shown[other],
                                        other % TMPL_DOCUMENT_PLACES == own % TMPL_DOCUMENT_PLACES);
        }
    }
    free(shown);
    return found;
}
