/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of one site, as store.h describes it, in the plainest way: arrays, without shortcuts;
 * nothing is ever deleted. Tests compare the answers of all stores with the answers of this model.
 */
#ifndef TESTS_STORE_MODEL_H
#define TESTS_STORE_MODEL_H

#include <string.h>

#include "table/store.h"

#define MODEL_KEYS      300
#define MODEL_DOCUMENTS 240
#define MODEL_PATHS     20

typedef struct {
    uint32_t df; /* 0: never seen */
    uint32_t last;
    unsigned n;
    uint16_t fp[128];
    uint64_t text, repeated; /* only of paths */
} model_entry_t;

typedef struct {
    uint32_t pages;
    uint64_t version;
    model_entry_t keys[MODEL_KEYS];
    model_entry_t documents[MODEL_DOCUMENTS]; /* ids and texts share one space, as in a store */
    model_entry_t paths[MODEL_PATHS];
} model_t;

static inline uint64_t model_mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ULL;
    return x ^ (x >> 29);
}

/* The hashes of key i and of document i. A key keeps the low bits of its documents' hashes (fp);
 * documents whose numbers differ by 97 have the same low bits. */
static inline uint64_t model_key(unsigned i)
{
    return model_mix(i + 1) & TMPL_HASH_MASK;
}

static inline uint64_t model_document(unsigned i)
{
    return (model_mix(i + 100000) & ~(uint64_t)0xffff) | (i % 97 * 601 + 5);
}

static inline uint64_t model_path(unsigned i)
{
    return model_key(i); /* may equal a segment's hash: each kind has its own keys */
}

static inline int model_live(const model_entry_t *e, const tmpl_policy_t *policy, uint32_t now)
{
    return e->df > 0 && now - e->last <= tmpl_lifetime(policy, e->df);
}

static inline int model_has(const model_entry_t *e, uint16_t fp)
{
    for (unsigned i = 0; i < e->n; i++) {
        if (e->fp[i] == fp) {
            return 1;
        }
    }
    return 0;
}

/* Step 3 of store.h, for one key. */
static inline void model_count(model_t *m, model_entry_t *e, uint16_t fp, int counted,
                               const tmpl_policy_t *policy)
{
    if (!model_live(e, policy, m->pages)) {
        e->df = 1;
        e->n = 1;
        e->fp[0] = fp;
    }
    else if (e->df < policy->min_df) {
        if (!model_has(e, fp)) {
            e->fp[e->n++] = fp;
            e->df++;
            if (e->df == policy->min_df) {
                e->n = m->pages < 2 * policy->min_df ? 0 : e->n - 1;
                m->version++;
            }
        }
    }
    else {
        if (counted) {
            e->df++;
        }
    }
    e->last = m->pages;
}

static inline int model_names(const tmpl_block_paths_t *block, unsigned path)
{
    return block->paths[0] == path || block->paths[1] == path || block->paths[2] == path;
}

/* Counts a path of a page whose document counts; before: DF of the segments without this page. */
static inline void model_path_count(model_t *m, model_entry_t *e, unsigned path,
                                    const tmpl_observation_t *page, const unsigned *keys,
                                    const uint32_t *before)
{
    uint64_t t = 0, r = 0;
    int named = 0;

    for (unsigned i = 0; i < page->n_blocks; i++) {
        const tmpl_block_paths_t *block = &page->blocks[i];

        if (!model_names(block, path)) {
            continue;
        }
        named = 1;
        for (unsigned j = block->first; j < block->after; j++) {
            unsigned key = page->shares[j].key;
            const model_entry_t *seen = &m->keys[keys[key]];
            uint32_t df = model_live(seen, page->policy, m->pages) ? seen->df : 0;

            t += page->shares[j].length;
            r += df < 2 ? 0
                        : (uint64_t)page->shares[j].length * (before[key] == 1 && df == 2 ? 2 : 1);
        }
    }
    if (!named) {
        return;
    }
    if (!model_live(e, page->policy, m->pages)) {
        *e = (model_entry_t){ 0 };
    }
    if (e->text + t > (1ULL << 31)) {
        e->text >>= 1;
        e->repeated >>= 1;
    }
    e->df++;
    e->last = m->pages;
    e->text = e->text + t > UINT32_MAX ? UINT32_MAX : e->text + t;
    e->repeated = e->repeated + r > e->text ? e->text : e->repeated + r;
}

static inline void model_touch(model_t *m, model_entry_t *e, const tmpl_policy_t *policy)
{
    if (model_live(e, policy, m->pages)) {
        e->last = m->pages;
    }
}

/* Bytes of a page's shares of at least least bytes: template; rest: all other bytes; of the rest,
 * known: of live keys, and shown: of live keys that one document has shown. */
typedef struct {
    uint64_t template, rest, known, shown;
} model_text_t;

static inline model_text_t model_text(const model_t *m, uint16_t fp, uint32_t least,
                                      const unsigned *keys, const tmpl_observation_t *page)
{
    model_text_t text = { 0 };

    for (unsigned i = 0; i < page->n_shares; i++) {
        const model_entry_t *e = &m->keys[keys[page->shares[i].key]];
        uint32_t length = page->shares[i].length >= least ? page->shares[i].length : 0;
        int live = model_live(e, page->policy, m->pages);
        int is_template = live && e->df >= page->policy->min_df;

        text.template += is_template ? length : 0;
        text.rest += is_template ? 0 : length;
        text.known += live && !is_template ? length : 0;
        text.shown += live && !is_template && model_has(e, fp) ? length : 0;
    }
    return text;
}

static inline int model_copies(const model_t *m, uint16_t fp, uint16_t own, const unsigned *keys,
                               const tmpl_observation_t *page)
{
    model_text_t text = model_text(m, fp, 0, keys, page);
    model_text_t in_long = model_text(m, fp, 80, keys, page);
    uint64_t new = text.rest - text.known;

    if (fp % 64 == own % 64 && text.shown * 10 > text.rest * 9 && text.rest - text.shown <= 200) {
        return 1;
    }
    return text.template > 0 && m->pages >= 2 * page->policy->min_df &&
           ((text.shown * 10 > text.known * 9 && new <= 500 && new <= 2 * text.shown) ||
            in_long.shown * 3 > in_long.rest);
}

/* Whether the page is a near copy of any other document. */
static inline int model_near_copy(const model_t *m, unsigned id, const unsigned *keys,
                                  const tmpl_observation_t *page)
{
    uint16_t own = (uint16_t)model_document(id);

    for (unsigned i = 0; i < MODEL_DOCUMENTS; i++) {
        uint16_t fp = (uint16_t)model_document(i);

        if (fp != own && model_copies(m, fp, own, keys, page)) {
            return 1;
        }
    }
    return 0;
}

/* Whether a document has shown more prose than the page may take from one. */
static inline int model_shown_beyond(const model_t *m, uint16_t fp, const unsigned *keys,
                                     const tmpl_observation_t *page)
{
    uint64_t prose = 0;

    for (unsigned i = 0; i < page->n_shares; i++) {
        const tmpl_share_t *share = &page->shares[i];
        const model_entry_t *e = &m->keys[keys[share->key]];
        int counts = model_live(e, page->policy, m->pages) && e->df < page->policy->min_df &&
                     model_has(e, fp);

        prose += counts && (share->length >= 80 || !share->linked) ? share->length : 0;
    }
    return prose > 200;
}

/* The DF of segment i as the page sees it: text that it was among the first to show is its own. */
static inline uint32_t model_df(const model_t *m, uint16_t own, unsigned i, const unsigned *keys,
                                const tmpl_observation_t *page)
{
    const model_entry_t *e = &m->keys[keys[i]];
    int is_own = 0;

    for (unsigned j = 0; j < page->n_shares; j++) {
        const tmpl_share_t *share = &page->shares[j];
        int prose = share->length >= 80 || !share->linked;

        is_own |= share->key == i && (prose ? model_has(e, own) : e->n > 0 && e->fp[0] == own);
    }
    return !model_live(e, page->policy, m->pages)    ? 0
           : is_own && e->df >= page->policy->min_df ? 1
                                                     : e->df;
}

/* Whether a share makes its key held. */
static inline int model_holds(const model_t *m, uint16_t own, const tmpl_share_t *share,
                              const unsigned *keys, const tmpl_observation_t *page)
{
    const model_entry_t *e = &m->keys[keys[share->key]];
    int prose = share->length >= 80 || !share->linked;

    if (share->length == 0 || !prose || !model_live(e, page->policy, m->pages) ||
        e->df >= page->policy->min_df) {
        return share->length == 0;
    }
    if (model_text(m, own, 0, keys, page).template == 0 || m->pages < 2 * page->policy->min_df) {
        return 0;
    }
    for (unsigned i = 0; i < MODEL_DOCUMENTS; i++) {
        uint16_t fp = (uint16_t)model_document(i);

        if (fp != own && model_has(e, fp) && model_shown_beyond(m, fp, keys, page)) {
            return 1;
        }
    }
    return 0;
}

/* Steps 2 and 2a of store.h: the live keys and paths of the page are seen now. The caller checks
 * whether the last time is long ago. */
static inline void model_refresh(model_t *m, const unsigned *keys, unsigned n,
                                 const tmpl_observation_t *page)
{
    for (unsigned i = 0; i < page->n; i++) {
        model_touch(m, i < n ? &m->keys[keys[i]] : &m->paths[keys[i]], page->policy);
    }
}

static inline int model_is_old(const model_t *m, const model_entry_t *e,
                               const tmpl_policy_t *policy)
{
    return model_live(e, policy, m->pages) && (m->pages - e->last) * 4 >= policy->lifetime_tb;
}

/*
 * Learns a page if its observation says so; returns whether the document counted. keys: the numbers
 * of the page's n segments, then of its paths.
 */
static inline int model_observe(model_t *m, unsigned id, unsigned text, const unsigned *keys,
                                unsigned n, const tmpl_observation_t *page)
{
    const tmpl_policy_t *policy = page->policy;
    uint32_t before[MODEL_KEYS];
    unsigned char held[MODEL_KEYS] = { 0 };
    int learn = page->learn;
    int id_known = model_live(&m->documents[id], policy, m->pages);
    int text_known = model_live(&m->documents[text], policy, m->pages);
    int near = !id_known && !text_known && model_near_copy(m, id, keys, page);
    int counted = learn && !id_known && !text_known && !near;

    if (!learn) {
        return 0;
    }
    m->pages += (uint32_t)counted;
    if (text_known) {
        if (model_is_old(m, &m->documents[text], policy)) {
            m->documents[text].last = m->pages;
            model_refresh(m, keys, n, page);
        }
        return 0;
    }
    if (near) {
        for (unsigned i = 0; i < n; i++) {
            if (model_is_old(m, &m->keys[keys[i]], policy)) {
                model_refresh(m, keys, n, page);
            }
        }
        return 0;
    }
    for (unsigned i = 0; i < page->n_shares; i++) {
        held[page->shares[i].key] |= (unsigned char)model_holds(m, (uint16_t)model_document(id),
                                                                &page->shares[i], keys, page);
    }
    for (unsigned i = 0; i < n; i++) {
        before[i] = model_live(&m->keys[keys[i]], policy, m->pages) ? m->keys[keys[i]].df : 0;
        if (held[i]) {
            model_touch(m, &m->keys[keys[i]], policy);
            continue;
        }
        model_count(m, &m->keys[keys[i]], (uint16_t)model_document(id), counted, policy);
    }
    for (unsigned i = n; i < page->n; i++) {
        if (counted) {
            model_path_count(m, &m->paths[keys[i]], i, page, keys, before);
        }
        else {
            model_touch(m, &m->paths[keys[i]], policy);
        }
    }
    m->documents[id] = m->documents[text] = (model_entry_t){ .df = 1, .last = m->pages };
    return counted;
}

#endif
