/* SPDX-License-Identifier: Apache-2.0 */
#include "table/rules.h"

#include <stdlib.h>
#include <string.h>

#include "table/listed.h"

/* A page that is being counted. */
typedef struct {
    const tmpl_rules_page_t *page;
    tmpl_rules_site_t *site;
    tmpl_counts_t *counts;
    const tmpl_lifetimes_t *lifetimes;
} counting_t;

static int is_live(const counting_t *w, const tmpl_slot_t *slot)
{
    return slot->held && tmpl_value_live(&slot->value, w->lifetimes, w->site->pages);
}

/* Whether a slot may be written: an empty slot adds an entry to the site. */
static int slot_has_room(const counting_t *w, const tmpl_slot_t *slot)
{
    return slot->held || w->site->entries < w->page->obs->policy->max_entries;
}

static void write_slot(counting_t *w, tmpl_slot_t *slot)
{
    w->site->entries += !slot->held;
    slot->held = slot->written = 1;
}

static void record_set(counting_t *w, uint32_t i)
{
    w->counts->records[i] = tmpl_value_record(&w->page->slots[i]->value);
}

/* What is true of the counts whatever was learnt, when the records are complete. */
static void counts_end(counting_t *w, int counted)
{
    w->counts->pages = w->site->pages;
    w->counts->version = w->site->version;
    w->counts->frozen = w->site->frozen;
    w->counts->counted = counted;
    tmpl_near_own(w->counts->records, w->page);
}

static void page_look(counting_t *w)
{
    for (uint32_t i = 0; i < w->page->obs->n; i++) {
        const tmpl_slot_t *slot = w->page->slots[i];
        w->counts->records[i] =
            is_live(w, slot) ? tmpl_value_record(&slot->value) : (tmpl_record_t){ 0 };
    }
    counts_end(w, 0);
}

/* For keys that no rule below writes a record of. */
static void records_clear(counting_t *w)
{
    if (w->page->obs->n > 0) {
        memset(w->counts->records, 0, w->page->obs->n * sizeof(*w->counts->records));
    }
}

/* Sets last = now in the entry of key i, if it is alive. */
static void key_refresh(counting_t *w, uint32_t i)
{
    tmpl_slot_t *slot = w->page->slots[i];
    if (is_live(w, slot)) {
        slot->value.last = w->site->pages;
        write_slot(w, slot);
        record_set(w, i);
    }
}

/* The same for all keys from index first on. */
static void keys_refresh(counting_t *w, uint32_t first)
{
    for (uint32_t i = first; i < w->page->obs->n; i++) {
        key_refresh(w, i);
    }
}

/* Step 2, for a text seen long enough ago. */
static void refresh(counting_t *w)
{
    w->page->text->value.last = w->site->pages;
    write_slot(w, w->page->text);
    records_clear(w);
    keys_refresh(w, 0);
    counts_end(w, 0);
}

/* Whether some segment was last seen so long ago that it is to be refreshed. */
static int entry_is_stale(const counting_t *w)
{
    const tmpl_observation_t *obs = w->page->obs;
    uint32_t n_segments = tmpl_observation_segments(obs), i = 0;
    while (i < n_segments &&
           (!is_live(w, w->page->slots[i]) ||
            tmpl_value_fresh(&w->page->slots[i]->value, obs->policy, w->site->pages))) {
        i++;
    }
    return i < n_segments;
}

/* Step 2a. Returns whether anything was written. */
static int near_copy(counting_t *w)
{
    int stale = entry_is_stale(w);
    if (stale) {
        records_clear(w);
        keys_refresh(w, 0);
        counts_end(w, 0);
    }
    else {
        page_look(w);
    }
    w->counts->near_copy = 1;
    return stale;
}

/*
 * Step 3 for one segment. Returns how often the length of its shares is repeated text of a path: 0,
 * 1 or 2 times, by its DF before and after.
 */
static unsigned segment_count(counting_t *w, uint32_t i, int counted, apr_pool_t *pool)
{
    const tmpl_observation_t *obs = w->page->obs;
    tmpl_slot_t *slot = w->page->slots[i];
    int live = is_live(w, slot);
    uint32_t before = live ? slot->value.df : 0;
    if (!slot_has_room(w, slot)) {
        return 0;
    }
    w->site->version +=
        (uint64_t)tmpl_value_count(&slot->value, live, (uint16_t)obs->document->id, counted,
                                   w->site->pages, obs->policy->min_df, pool);
    write_slot(w, slot);
    record_set(w, i);
    return slot->value.df < 2 ? 0 : before == 1 && slot->value.df == 2 ? 2 : 1;
}

/* Step 3 for a segment that the page must not raise. */
static unsigned segment_hold(counting_t *w, uint32_t i)
{
    key_refresh(w, i);
    return w->counts->records[i].df >= 2;
}

/* What the blocks of a page add to one path: T and R of counts.h. */
typedef struct {
    uint64_t text, repeated;
    int named; /* some block names it */
} credit_t;

static void block_credit(const tmpl_observation_t *obs, const tmpl_block_paths_t *block,
                         const unsigned char *times, uint32_t n_segments, credit_t *credits)
{
    uint64_t text = 0, repeated = 0;
    for (uint32_t i = block->first; i < block->after; i++) {
        const tmpl_share_t *share = &obs->shares[i];
        text += share->length;
        repeated += (uint64_t)share->length * times[share->key];
    }
    for (int level = 0; level < TMPL_PATH_LEVELS; level++) {
        if (block->paths[level] != TMPL_NONE) {
            credit_t *credit = &credits[block->paths[level] - n_segments];
            credit->text += text;
            credit->repeated += repeated;
            credit->named = 1;
        }
    }
}

/* Step 4 for one path, of a document that counts. */
static void path_count(counting_t *w, uint32_t i, const credit_t *credit)
{
    tmpl_slot_t *slot = w->page->slots[i];
    int live = is_live(w, slot);
    if (credit->named && slot_has_room(w, slot)) {
        tmpl_value_path(&slot->value, live, credit->text, credit->repeated, w->site->pages);
        write_slot(w, slot);
        live = 1;
    }
    if (live) {
        record_set(w, i);
    }
}

/* Whether the site knows the place of a block: some document has had a block there. */
static int place_is_known(const counting_t *w, const tmpl_block_paths_t *block)
{
    const tmpl_slot_t *slot = block->paths[0] != TMPL_NONE ? w->page->slots[block->paths[0]] : NULL;
    return slot != NULL && is_live(w, slot);
}

/* Finds new text in known places, before the page is counted. */
static void fresh_find(const counting_t *w)
{
    const tmpl_observation_t *obs = w->page->obs;
    for (uint32_t i = 0; i < obs->n_blocks; i++) {
        uint32_t after = place_is_known(w, &obs->blocks[i]) ? obs->blocks[i].after : 0;
        for (uint32_t j = obs->blocks[i].first; j < after; j++) {
            uint32_t key = obs->shares[j].key;
            w->counts->fresh[key] = !is_live(w, w->page->slots[key]);
        }
    }
}

static void keys_count(counting_t *w, int counted, apr_pool_t *pool)
{
    const tmpl_observation_t *obs = w->page->obs;
    uint32_t n_segments = tmpl_observation_segments(obs);
    unsigned char *times = apr_pcalloc(pool, n_segments + (apr_size_t)1);
    unsigned char *held = apr_pcalloc(pool, n_segments + (apr_size_t)1);
    tmpl_near_hold(held, w->page, w->lifetimes, w->site->pages);
    for (uint32_t i = 0; i < n_segments; i++) {
        times[i] =
            (unsigned char)(held[i] ? segment_hold(w, i) : segment_count(w, i, counted, pool));
    }
    if (!counted) {
        keys_refresh(w, n_segments);
        return;
    }
    credit_t *credits = apr_pcalloc(pool, (obs->n - n_segments + (apr_size_t)1) * sizeof(*credits));
    for (uint32_t i = 0; i < obs->n_blocks; i++) {
        block_credit(obs, &obs->blocks[i], times, n_segments, credits);
    }
    for (uint32_t i = n_segments; i < obs->n; i++) {
        path_count(w, i, &credits[i - n_segments]);
    }
}

static void document_enter(counting_t *w, tmpl_slot_t *slot)
{
    tmpl_value_document(&slot->value, w->site->pages);
    write_slot(w, slot);
}

/* Steps 1, 3 and 4. */
static void page_count(counting_t *w, apr_pool_t *pool)
{
    int counted = !is_live(w, w->page->id) && w->site->pages < UINT32_MAX;
    w->site->pages += (uint32_t)counted;
    records_clear(w);
    fresh_find(w);
    keys_count(w, counted, pool);
    document_enter(w, w->page->id);
    document_enter(w, w->page->text);
    counts_end(w, counted);
}

uint32_t tmpl_observation_segments(const tmpl_observation_t *obs)
{
    uint32_t n = 0;
    while (n < obs->n && obs->keys[n].kind != TMPL_KIND_PATH) {
        n++;
    }
    return n;
}

void tmpl_rules_look(const tmpl_rules_page_t *page, const tmpl_rules_site_t *site,
                     tmpl_counts_t *counts)
{
    tmpl_rules_site_t same = *site;
    counting_t w = { page, &same, counts, tmpl_lifetimes(page->obs->policy) };
    page_look(&w);
}

int tmpl_rules_learn(const tmpl_rules_page_t *page, tmpl_rules_site_t *site, tmpl_counts_t *counts,
                     apr_pool_t *pool)
{
    counting_t w = { page, site, counts, tmpl_lifetimes(page->obs->policy) };
    /* a transaction that failed may have set these */
    counts->near_copy = 0;
    memset(counts->fresh, 0, page->obs->n);
    if (site->frozen) {
        page_look(&w);
        return 0;
    }
    if (is_live(&w, page->text)) {
        if (tmpl_value_fresh(&page->text->value, page->obs->policy, site->pages)) {
            page_look(&w);
            return 0;
        }
        refresh(&w);
    }
    else if (!is_live(&w, page->id) && tmpl_is_near_copy(page, w.lifetimes, site->pages)) {
        return near_copy(&w);
    }
    else {
        page_count(&w, pool);
    }
    return 1;
}

/* ---- copies of pages ---- */

/* Copies size bytes to at + *used, unless at is NULL, and counts them. */
static const void *piece_copy(char *at, size_t *used, const void *from, size_t size)
{
    const void *to = at == NULL || size == 0 ? at : memcpy(at + *used, from, size);
    *used += size;
    return to;
}

/* Copies a sighting and its strings. */
static const tmpl_sighting_t *sighting_copy(char *at, size_t *used, const tmpl_sighting_t *sighting)
{
    tmpl_sighting_t *copy = (tmpl_sighting_t *)piece_copy(at, used, sighting, sizeof(*sighting));
    const char *address = piece_copy(at, used, sighting->of.address, sighting->of.address_len);
    const char *title = piece_copy(at, used, sighting->of.title, sighting->of.title_len);
    if (copy != NULL) {
        copy->of.address = address;
        copy->of.title = title;
    }
    return copy;
}

/*
 * Copies a page to at, or only counts its bytes if at is NULL. The parts with the largest alignment
 * come first.
 */
static size_t page_copy(char *at, const tmpl_observation_t *page)
{
    tmpl_observation_t copy = *page;
    size_t used = sizeof(copy);
    copy.keys = piece_copy(at, &used, page->keys, page->n * sizeof(*page->keys));
    copy.document = piece_copy(at, &used, page->document, sizeof(*page->document));
    if (page->sighting != NULL) {
        copy.sighting = sighting_copy(at, &used, page->sighting);
        used = (used + 7) & ~(size_t)7;
    }
    copy.blocks = piece_copy(at, &used, page->blocks, page->n_blocks * sizeof(*page->blocks));
    copy.shares = piece_copy(at, &used, page->shares, page->n_shares * sizeof(*page->shares));
    copy.policy = piece_copy(at, &used, page->policy, sizeof(*page->policy));
    copy.site = piece_copy(at, &used, page->site, strlen(page->site) + 1);
    if (at != NULL) {
        memcpy(at, &copy, sizeof(copy));
    }
    return used;
}

size_t tmpl_observation_size(const tmpl_observation_t *page)
{
    return page_copy(NULL, page);
}

tmpl_observation_t *tmpl_observation_copy(const tmpl_observation_t *page)
{
    char *at = malloc(page_copy(NULL, page));
    if (at != NULL) {
        (void)page_copy(at, page);
    }
    return (tmpl_observation_t *)at;
}
