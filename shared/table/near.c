/* SPDX-License-Identifier: Apache-2.0 */
#include "table/near.h"

#include <stdlib.h>

/* How much of its text a near copy shares with a document (counts.h). docs/design.md says why. */
#define MOST_PERCENT   90
#define DIFFERENT_MOST 200 /* bytes */
#define NEW_MOST       500 /* bytes */
#define NEW_TIMES      2
#define LONG_LEAST     80 /* bytes of a segment */
#define LONG_TIMES     3
#define WARM_TIMES     2 /* times min_df: the least clock of a warm site */

#define FINGERPRINTS ((size_t)1 << 16)

/* Bytes of text: of all segments, and of long ones alone. */
typedef struct {
    uint64_t all, in_long;
} bytes_t;

/* The text of a page. */
typedef struct {
    int is_warm;       /* some template is on it, and its site has documents enough */
    uint64_t template; /* text of segments that have reached min_df */
    bytes_t rest;      /* text of all other segments */
    bytes_t known;     /* the part of rest in segments seen before */
} text_t;

static void bytes_add(bytes_t *bytes, uint32_t length)
{
    bytes->all += length;
    bytes->in_long += length >= LONG_LEAST ? length : 0;
}

/* The entry of a share's segment, if it is alive. */
static const tmpl_value_t *share_value(const tmpl_rules_page_t *page, const tmpl_share_t *share,
                                       const tmpl_lifetimes_t *lifetimes, uint32_t now)
{
    const tmpl_slot_t *slot = page->slots[share->key];
    return slot->held && tmpl_value_live(&slot->value, lifetimes, now) ? &slot->value : NULL;
}

static int is_most_of(uint64_t shown, uint64_t all)
{
    return shown * 100 > all * MOST_PERCENT;
}

/* Whether shown bytes are nearly all of the rest. */
static int is_same_rest(const text_t *text, uint64_t shown)
{
    return is_most_of(shown, text->rest.all) && shown + DIFFERENT_MOST >= text->rest.all;
}

/* Whether shown bytes are nearly all of the known rest, and little of the rest is unknown. */
static int is_all_known(const text_t *text, uint64_t shown)
{
    uint64_t unknown = text->rest.all - text->known.all;
    return is_most_of(shown, text->known.all) && unknown <= NEW_MOST &&
           unknown <= shown * NEW_TIMES;
}

/* Whether the page is a near copy of a document that has shown so much of its rest. */
static int is_source(const text_t *text, const bytes_t *shown, int same_place)
{
    int has_long = shown->in_long * LONG_TIMES > text->rest.in_long;
    return (same_place && is_same_rest(text, shown->all)) ||
           (text->is_warm && (is_all_known(text, shown->all) || has_long));
}

static text_t page_text(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                        uint32_t now)
{
    const tmpl_observation_t *obs = page->obs;
    text_t text = { 0 };
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        const tmpl_value_t *value = share_value(page, &obs->shares[i], lifetimes, now);
        uint32_t length = obs->shares[i].length;
        if (value != NULL && value->df >= obs->policy->min_df) {
            text.template += length;
            continue;
        }
        bytes_add(&text.rest, length);
        if (value != NULL) {
            bytes_add(&text.known, length);
        }
    }
    text.is_warm = text.template > 0 && now / WARM_TIMES >= obs->policy->min_df;
    return text;
}

int tmpl_is_near_copy(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                      uint32_t now)
{
    const tmpl_observation_t *obs = page->obs;
    uint16_t own = (uint16_t)obs->document->id;
    text_t text = page_text(page, lifetimes, now);
    /* on most pages, no document could have shown enough */
    bytes_t *shown = is_source(&text, &text.known, 1) ? calloc(FINGERPRINTS, sizeof(*shown)) : NULL;
    int found = 0;
    for (uint32_t i = 0; shown != NULL && !found && i < obs->n_shares; i++) {
        const tmpl_value_t *value = share_value(page, &obs->shares[i], lifetimes, now);
        uint32_t n = value != NULL && value->df < obs->policy->min_df ? value->n : 0;
        for (uint32_t j = 0; j < n; j++) {
            uint16_t other = value->fingerprints[j];
            bytes_add(&shown[other], obs->shares[i].length);
            found |= other != own &&
                     is_source(&text, &shown[other],
                               other % TMPL_DOCUMENT_PLACES == own % TMPL_DOCUMENT_PLACES);
        }
    }
    free(shown);
    return found;
}

void tmpl_near_refuse(unsigned char *refused, const tmpl_rules_page_t *page,
                      const tmpl_lifetimes_t *lifetimes, uint32_t now)
{
    static int bound = -1, least, warm;
    if (bound < 0) {
        bound = getenv("BOUND") ? atoi(getenv("BOUND")) : 1000000000;
        least = getenv("LEAST") ? atoi(getenv("LEAST")) : 80;
        warm = getenv("WARM") ? atoi(getenv("WARM")) : 10;
    }
    const tmpl_observation_t *obs = page->obs;
    uint16_t own = (uint16_t)obs->document->id;
    text_t text = page_text(page, lifetimes, now);
    if (text.template == 0 || now < (uint32_t)warm) {
        return;
    }
    static uint32_t lbound;
    if (lbound == 0) {
        lbound = getenv("LBOUND") ? (uint32_t)atoi(getenv("LBOUND")) : 100000000;
    }
    uint32_t *shown = calloc(FINGERPRINTS, sizeof(*shown));
    uint32_t *linked = calloc(FINGERPRINTS, sizeof(*shown));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < obs->n_shares; i++) {
            const tmpl_share_t *share = &obs->shares[i];
            const tmpl_value_t *value = share_value(page, share, lifetimes, now);
            uint32_t n = value != NULL && value->df < obs->policy->min_df && share->length >= (uint32_t)least ? value->n : 0;
            int is_prose = share->length >= 80 || !share->linked;
            for (uint32_t j = 0; j < n; j++) {
                uint16_t other = value->fingerprints[j];
                if (other == own) {
                    continue;
                }
                if (pass == 0) {
                    shown[other] += is_prose ? share->length : 0;
                    linked[other] += share->length;
                }
                else if ((is_prose && shown[other] > (uint32_t)bound) || linked[other] > lbound) {
                    refused[share->key] = 1;
                }
            }
        }
    }
    free(shown);
    free(linked);
}
