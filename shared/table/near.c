/* SPDX-License-Identifier: Apache-2.0 */
#include "table/rules.h"

#include <stdlib.h>

/* How much of its text a near copy shares with a document (counts.h). docs/design.md says why. */
#define MOST_PERCENT   90
#define DIFFERENT_MOST 200 /* bytes */
#define NEW_MOST       500 /* bytes */
#define NEW_TIMES      2
#define LONG_LEAST     80 /* bytes of a segment */
#define LONG_TIMES     3

/* A document raises nothing of another one of which it shows more prose, in bytes. */
#define PROSE_RAISED_MOST 200

/* Bytes of text: of all segments, of long ones, and of long ones and those outside of links. */
typedef struct {
    uint64_t all, in_long, prose;
} bytes_t;

/* The text of a page. */
typedef struct {
    int is_warm;       /* some template is on it, and its site has documents enough */
    uint64_t template; /* text of segments that have reached min_df */
    bytes_t rest;      /* text of all other segments */
    bytes_t known;     /* the part of rest in segments seen before */
    uint32_t n_shown;  /* the number of fingerprints of these segments */
} text_t;

/* What documents have shown of a page: a hash table by fingerprint. */
typedef struct {
    uint16_t fingerprint;
    uint16_t is_used;
    bytes_t bytes;
} seen_t;

typedef struct {
    seen_t *slots; /* NULL: there is no memory */
    uint32_t mask;
} documents_t;

static int is_prose(const tmpl_share_t *share)
{
    return share->length >= LONG_LEAST || !share->linked;
}

static void bytes_add(bytes_t *bytes, const tmpl_share_t *share)
{
    bytes->all += share->length;
    bytes->in_long += share->length >= LONG_LEAST ? share->length : 0;
    bytes->prose += is_prose(share) ? share->length : 0;
}

/* The entry of a share's segment, if it is alive. */
static const tmpl_value_t *share_value(const tmpl_rules_page_t *page, const tmpl_share_t *share,
                                       const tmpl_lifetimes_t *lifetimes, uint32_t now)
{
    const tmpl_slot_t *slot = page->slots[share->key];
    return slot->held && tmpl_value_live(&slot->value, lifetimes, now) ? &slot->value : NULL;
}

/* The same for a segment of the rest. */
static const tmpl_value_t *rest_value(const tmpl_rules_page_t *page, const tmpl_share_t *share,
                                      const tmpl_lifetimes_t *lifetimes, uint32_t now)
{
    const tmpl_value_t *value = share_value(page, share, lifetimes, now);
    return value != NULL && value->df < page->obs->policy->min_df ? value : NULL;
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
        const tmpl_share_t *share = &obs->shares[i];
        const tmpl_value_t *value = share_value(page, share, lifetimes, now);
        if (value != NULL && value->df >= obs->policy->min_df) {
            text.template += share->length;
            continue;
        }
        bytes_add(&text.rest, share);
        if (value != NULL) {
            bytes_add(&text.known, share);
            text.n_shown += value->n;
        }
    }
    text.is_warm = text.template > 0 && tmpl_is_known_site(now, obs->policy->min_df);
    return text;
}

/* The slot of a fingerprint; with as many slots as there are fingerprints, each has its own. */
static seen_t *shown_slot(const documents_t *documents, uint16_t fingerprint)
{
    uint32_t i = fingerprint & documents->mask;
    while (documents->slots[i].is_used && documents->slots[i].fingerprint != fingerprint) {
        i = (i + 1) & documents->mask;
    }
    return &documents->slots[i];
}

/* Empty, with room for n fingerprints. The caller frees its slots. */
static documents_t documents_make(uint32_t n)
{
    uint32_t slots = 16;
    while (slots < (uint32_t)UINT16_MAX + 1 && slots / 2 < n) {
        slots *= 2;
    }
    return (documents_t){ calloc(slots, sizeof(seen_t)), slots - 1 };
}

/* Adds a share to what a document has shown. */
static const bytes_t *shown_add(const documents_t *documents, uint16_t fingerprint,
                                const tmpl_share_t *share)
{
    seen_t *shown = shown_slot(documents, fingerprint);
    shown->fingerprint = fingerprint;
    shown->is_used = 1;
    bytes_add(&shown->bytes, share);
    return &shown->bytes;
}

int tmpl_is_near_copy(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                      uint32_t now)
{
    const tmpl_observation_t *obs = page->obs;
    uint16_t own = (uint16_t)obs->document->id;
    text_t text = page_text(page, lifetimes, now);
    if (!is_source(&text, &text.known, 1)) {
        return 0; /* most pages: no document could have shown enough */
    }
    documents_t documents = documents_make(text.n_shown);
    int found = 0;
    for (uint32_t i = 0; documents.slots != NULL && !found && i < obs->n_shares; i++) {
        const tmpl_share_t *share = &obs->shares[i];
        const tmpl_value_t *value = rest_value(page, share, lifetimes, now);
        for (uint32_t j = 0; value != NULL && j < value->n; j++) {
            uint16_t other = tmpl_value_fingerprint(value, j);
            const bytes_t *shown = shown_add(&documents, other, share);
            found |=
                other != own &&
                is_source(&text, shown, other % TMPL_DOCUMENT_PLACES == own % TMPL_DOCUMENT_PLACES);
        }
    }
    free(documents.slots);
    return found;
}

/* Whether an entry has the fingerprint of a document of which the page shows too much prose. */
static int is_taken(const tmpl_value_t *value, uint16_t own, const documents_t *documents)
{
    int taken = 0;
    for (uint32_t j = 0; !taken && j < value->n; j++) {
        uint16_t other = tmpl_value_fingerprint(value, j);
        taken = other != own && shown_slot(documents, other)->bytes.prose > PROSE_RAISED_MOST;
    }
    return taken;
}

/* Marks the keys of text that is taken from one document. */
static void mark_taken(unsigned char *held, const tmpl_rules_page_t *page,
                       const tmpl_lifetimes_t *lifetimes, uint32_t now, uint32_t n_shown)
{
    const tmpl_observation_t *obs = page->obs;
    documents_t documents = documents_make(n_shown);
    for (uint32_t i = 0; documents.slots != NULL && i < obs->n_shares; i++) {
        const tmpl_value_t *value = rest_value(page, &obs->shares[i], lifetimes, now);
        for (uint32_t j = 0; value != NULL && j < value->n; j++) {
            (void)shown_add(&documents, tmpl_value_fingerprint(value, j), &obs->shares[i]);
        }
    }
    for (uint32_t i = 0; documents.slots != NULL && i < obs->n_shares; i++) {
        const tmpl_value_t *value = rest_value(page, &obs->shares[i], lifetimes, now);
        if (value != NULL && is_prose(&obs->shares[i]) &&
            is_taken(value, (uint16_t)obs->document->id, &documents)) {
            held[obs->shares[i].key] = 1;
        }
    }
    free(documents.slots);
}

void tmpl_near_hold(unsigned char *held, const tmpl_rules_page_t *page,
                    const tmpl_lifetimes_t *lifetimes, uint32_t now)
{
    const tmpl_observation_t *obs = page->obs;
    text_t text = page_text(page, lifetimes, now);
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        held[obs->shares[i].key] |= obs->shares[i].length == 0;
    }
    if (text.is_warm && text.known.prose > PROSE_RAISED_MOST) {
        mark_taken(held, page, lifetimes, now, text.n_shown);
    }
}

void tmpl_near_own(tmpl_record_t *records, const tmpl_rules_page_t *page)
{
    const tmpl_observation_t *obs = page->obs;
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        const tmpl_share_t *share = &obs->shares[i];
        const tmpl_value_t *value = &page->slots[share->key]->value;
        tmpl_record_t *record = &records[share->key];
        uint32_t n = is_prose(share) || value->n == 0 ? value->n : 1;
        for (uint32_t j = 0; record->df >= obs->policy->min_df && j < n; j++) {
            if (tmpl_value_fingerprint(value, j) == (uint16_t)obs->document->id) {
                record->df = 1;
            }
        }
    }
}
