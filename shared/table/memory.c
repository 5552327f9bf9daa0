/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store in the memory of this process, gone when it is closed: for a run over files that asks for no
 * other. A page costs it a few memory accesses a key. No URI that a person writes names it.
 */
#include "base/slot.h"
#include "table/provider.h"
#include "table/rules.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_thread_rwlock.h>

#define LEAST_ROOM 1024       /* entries that a site begins with room for: a power of two */
#define MOST_ROOM  (1u << 31) /* what slot.h tells places of */

/* Entries the sweeper visits per page, and per entry that is new: as LMDB's. */
#define SWEEP_LEAST   16
#define SWEEP_PER_NEW 2
#define SWEEP_PLACES  8 /* looked at for each of them at most */

#define FEW 4 /* fingerprints that need no memory of their own: all that the default min_df needs */

typedef struct {
    uint64_t hash;
    uint32_t last;
    uint32_t df; /* 0: nobody stands here */
    union {
        uint16_t few[FEW];
        uint16_t *many;
        struct {
            uint32_t text, repeated;
        } path;
    } more;
    uint8_t kind;
    uint8_t n; /* fingerprints */
} entry_t;

/* Open addressing: an entry stands at its home, or in the first free place after it, around the end. */
typedef struct site_t {
    struct site_t *next;
    tmpl_rules_site_t head;
    entry_t *entries;
    size_t room;  /* a power of two; 0 before the first entry */
    size_t swept; /* where the sweeper goes on */
    char name[TMPL_SITE_MAX + 1];
} site_t;

typedef struct {
    apr_thread_rwlock_t *lock;
    site_t *sites;
} memory_t;

/* ---- a table ---- */

static size_t home_of(const site_t *site, uint64_t hash, uint8_t kind)
{
    return tmpl_slot_of(hash * TMPL_KIND_COUNT + kind, (uint32_t)site->room);
}

/* The key's entry, or the free place where it would stand; there is one. */
static entry_t *place_of(const site_t *site, uint64_t hash, uint8_t kind)
{
    size_t i = home_of(site, hash, kind);
    entry_t *entry = &site->entries[i];

    while (entry->df != 0 && (entry->hash != hash || entry->kind != kind)) {
        i = (i + 1) & (site->room - 1);
        entry = &site->entries[i];
    }
    return entry;
}

static uint16_t *fingerprints_of(entry_t *entry)
{
    return entry->n > FEW ? entry->more.many : entry->more.few;
}

static void entry_load(tmpl_value_t *value, entry_t *entry)
{
    value->df = entry->df;
    value->last = entry->last;
    value->text = value->repeated = 0;
    value->n = entry->n;
    if (entry->kind == TMPL_KIND_PATH) {
        value->text = entry->more.path.text;
        value->repeated = entry->more.path.repeated;
    }
    memcpy(value->fingerprints, fingerprints_of(entry), entry->n * sizeof(uint16_t));
}

static void entry_clear(entry_t *entry)
{
    if (entry->n > FEW) {
        free(entry->more.many);
    }
    memset(entry, 0, sizeof(*entry));
}

/* Without memory for its fingerprints it has none: a document may then count twice, no more than that. */
static void fingerprints_store(entry_t *entry, const tmpl_value_t *value)
{
    if (value->n > FEW) {
        entry->more.many = malloc(value->n * sizeof(uint16_t));
        if (entry->more.many == NULL) {
            return;
        }
    }
    entry->n = (uint8_t)value->n;
    memcpy(fingerprints_of(entry), value->fingerprints, value->n * sizeof(uint16_t));
}

static void entry_store(entry_t *entry, tmpl_key_t key, const tmpl_value_t *value)
{
    entry_clear(entry);
    entry->hash = key.hash;
    entry->kind = (uint8_t)key.kind;
    entry->df = value->df;
    entry->last = value->last;
    if (key.kind == TMPL_KIND_PATH) {
        entry->more.path.text = value->text;
        entry->more.path.repeated = value->repeated;
    }
    else {
        fingerprints_store(entry, value);
    }
}

/* Room for n more, a quarter of all left free; 0 if there is no memory. */
static int make_room(site_t *site, uint64_t n)
{
    site_t old = *site;
    size_t room = old.room > 0 ? old.room : LEAST_ROOM;

    while ((old.head.entries + n) * 4 > (uint64_t)room * 3) {
        room *= 2;
    }
    if (room == old.room) {
        return 1;
    }
    if (room > MOST_ROOM) {
        return 0;
    }
    site->entries = calloc(room, sizeof(*site->entries));
    if (site->entries == NULL) {
        site->entries = old.entries;
        return 0;
    }
    site->room = room;
    site->swept = 0;
    for (size_t i = 0; i < old.room; i++) {
        if (old.entries[i].df != 0) {
            *place_of(site, old.entries[i].hash, old.entries[i].kind) = old.entries[i];
        }
    }
    free(old.entries);
    return 1;
}

/* Those after it that it kept from their home move up. */
static void entry_remove(site_t *site, size_t hole)
{
    size_t mask = site->room - 1;

    entry_clear(&site->entries[hole]);
    site->head.entries--;
    for (size_t i = (hole + 1) & mask; site->entries[i].df != 0; i = (i + 1) & mask) {
        size_t home = home_of(site, site->entries[i].hash, site->entries[i].kind);

        if (((i - home) & mask) >= ((i - hole) & mask)) {
            site->entries[hole] = site->entries[i];
            memset(&site->entries[i], 0, sizeof(site->entries[i]));
            hole = i;
        }
    }
}

/* Free places are passed by, so many at most. */
static void sweep(site_t *site, const tmpl_policy_t *policy, uint64_t visits)
{
    uint64_t places = visits * SWEEP_PLACES;
    tmpl_lifetimes_t lifetimes;

    tmpl_lifetimes_init(&lifetimes, policy);
    for (; visits > 0 && places > 0; places--) {
        const entry_t *entry = &site->entries[site->swept];
        tmpl_value_t value = { .df = entry->df, .last = entry->last };

        visits -= entry->df != 0;
        if (entry->df != 0 && !tmpl_value_live(&value, &lifetimes, site->head.pages)) {
            entry_remove(site, site->swept);
        }
        else {
            site->swept = (site->swept + 1) & (site->room - 1);
        }
    }
}

static site_t **site_find(memory_t *memory, const char *name)
{
    site_t **at = &memory->sites;

    while (*at != NULL && strcmp((*at)->name, name) != 0) {
        at = &(*at)->next;
    }
    return at;
}

static void site_free(site_t *site)
{
    for (size_t i = 0; i < site->room; i++) {
        entry_clear(&site->entries[i]);
    }
    free(site->entries);
    free(site);
}

/* A site without entries; NULL if there is no memory. */
static site_t *site_make(const char *name)
{
    site_t *site = calloc(1, sizeof(*site));

    if (site != NULL) {
        apr_cpystrn(site->name, name, sizeof(site->name));
    }
    return site;
}

/* ---- observing ---- */

/* A page's slots: those of its keys, then two of its document. */
typedef struct {
    const tmpl_observation_t *obs;
    tmpl_slot_t *slots;
    tmpl_rules_page_t page;
} work_t;

static tmpl_key_t key_of(const work_t *w, uint32_t i)
{
    const tmpl_observation_t *obs = w->obs;
    return i < obs->n    ? obs->keys[i]
           : i == obs->n ? tmpl_document_id(obs->document)
                         : tmpl_document_text(obs->document);
}

static void slots_load(work_t *w, const site_t *site, apr_pool_t *pool)
{
    uint32_t n = w->obs->n;
    tmpl_slot_t **order = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*order));

    w->slots = apr_palloc(pool, (n + (apr_size_t)2) * sizeof(*w->slots));
    for (uint32_t i = 0; i < n + 2; i++) {
        tmpl_key_t key = key_of(w, i);
        tmpl_slot_t *slot = &w->slots[i];
        entry_t *entry =
            site != NULL && site->room > 0 ? place_of(site, key.hash, (uint8_t)key.kind) : NULL;

        slot->held = entry != NULL && entry->df != 0;
        slot->written = 0;
        slot->value.df = slot->value.n = 0;
        if (slot->held) {
            entry_load(&slot->value, entry);
        }
        if (i < n) {
            order[i] = slot;
        }
    }
    /* one entry, if address and text have one hash */
    w->page =
        (tmpl_rules_page_t){ w->obs, order, &w->slots[n],
                             &w->slots[n + (w->obs->document->id != w->obs->document->text)] };
}

/* Returns how many entries are new. */
static uint64_t slots_save(const work_t *w, site_t *site)
{
    uint64_t n_new = 0;

    for (uint32_t i = 0; i < w->obs->n + 2; i++) {
        tmpl_key_t key = key_of(w, i);

        if (w->slots[i].written) {
            entry_t *entry = place_of(site, key.hash, (uint8_t)key.kind);

            n_new += entry->df == 0;
            entry_store(entry, key, &w->slots[i].value);
        }
    }
    return n_new;
}

/* Learns a page; under the lock for writing. 0 if there is no memory: then nothing has changed. */
static int learn_page(memory_t *memory, const tmpl_observation_t *obs, tmpl_counts_t *counts,
                      apr_pool_t *pool)
{
    site_t **at = site_find(memory, obs->site);
    site_t *site = *at != NULL ? *at : site_make(obs->site);
    work_t w = { .obs = obs };

    if (site == NULL || !make_room(site, obs->n + (uint64_t)2)) {
        if (site != *at) {
            free(site);
        }
        return 0;
    }
    *at = site;
    slots_load(&w, site, pool);
    if (tmpl_rules_learn(&w.page, &site->head, counts, pool)) {
        sweep(site, obs->policy, SWEEP_LEAST + SWEEP_PER_NEW * slots_save(&w, site));
    }
    return 1;
}

/* What needs no writing, or is not to be written; under the lock for reading. */
static void look_page(memory_t *memory, const tmpl_observation_t *obs, tmpl_counts_t *counts,
                      apr_pool_t *pool)
{
    const site_t *site = *site_find(memory, obs->site);
    tmpl_rules_site_t head = site != NULL ? site->head : (tmpl_rules_site_t){ 0 };
    work_t w = { .obs = obs };

    slots_load(&w, site, pool);
    if (obs->learn == TMPL_LEARNING_LATER) {
        counts->due = tmpl_rules_learn(&w.page, &head, counts, pool);
    }
    else {
        tmpl_rules_look(&w.page, &head, counts);
    }
}

static apr_status_t observe(void *ctx, const tmpl_observation_t *obs, apr_time_t deadline,
                            tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = ctx;
    int learnt = 1;

    (void)deadline; /* nothing here waits for anybody outside */
    if (obs->learn == TMPL_LEARNING_NOW) {
        apr_thread_rwlock_wrlock(memory->lock);
        learnt = learn_page(memory, obs, counts, pool);
        if (!learnt) {
            look_page(memory, obs, counts, pool);
        }
    }
    else {
        apr_thread_rwlock_rdlock(memory->lock);
        look_page(memory, obs, counts, pool);
    }
    apr_thread_rwlock_unlock(memory->lock);
    return learnt ? APR_SUCCESS : tmpl_fail(err, APR_ENOSPC, "no memory to learn a page");
}

static apr_status_t learn(void *ctx, const tmpl_observation_t *const *pages, uint32_t n,
                          apr_time_t deadline, tmpl_counts_t *counts, uint32_t *counted,
                          tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;

    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i++) {
        tmpl_observation_t page = *pages[i];
        tmpl_counts_t own = counts != NULL ? counts[i] : tmpl_counts_make(&page, pool);

        page.learn = TMPL_LEARNING_NOW;
        rv = observe(ctx, &page, deadline, &own, err, pool);
        *counted += rv == APR_SUCCESS && own.counted;
        if (counts != NULL) {
            counts[i] = own;
        }
    }
    return rv;
}

/* ---- whole sites ---- */

static apr_status_t sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                          void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = ctx;
    apr_status_t rv = APR_SUCCESS;

    (void)err;
    (void)pool;
    apr_thread_rwlock_rdlock(memory->lock);
    for (const site_t *site = memory->sites; rv == APR_SUCCESS && site != NULL; site = site->next) {
        rv = each(baton, site->name);
    }
    apr_thread_rwlock_unlock(memory->lock);
    return rv;
}

static apr_status_t unknown(const char *site, tmpl_error_t *err)
{
    return tmpl_fail(err, APR_NOTFOUND, "no site %s", site);
}

static apr_status_t forget(void *ctx, const char *name, tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = ctx;

    (void)pool;
    apr_thread_rwlock_wrlock(memory->lock);
    site_t **at = site_find(memory, name);
    site_t *site = *at;

    if (site != NULL) {
        *at = site->next;
        site_free(site);
    }
    apr_thread_rwlock_unlock(memory->lock);
    return site != NULL ? APR_SUCCESS : unknown(name, err);
}

static apr_status_t dump(void *ctx, const char *name, tmpl_store_stats_t *head,
                         apr_status_t (*each)(void *baton, const tmpl_entry_t *entry), void *baton,
                         tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = ctx;
    apr_status_t rv = APR_SUCCESS;

    (void)pool;
    apr_thread_rwlock_rdlock(memory->lock);
    const site_t *site = *site_find(memory, name);

    if (site == NULL) {
        rv = unknown(name, err);
    }
    else {
        head->pages = site->head.pages;
        head->version = site->head.version;
        head->entries = site->head.entries;
        head->bytes = site->room * sizeof(entry_t);
    }
    for (size_t i = 0; site != NULL && rv == APR_SUCCESS && i < site->room; i++) {
        entry_t *from = &site->entries[i];
        tmpl_entry_t entry;
        tmpl_value_t value;

        if (from->df != 0) {
            entry_load(&value, from);
            tmpl_value_export(&entry, (tmpl_key_t){ from->hash, (tmpl_kind_e)from->kind }, &value);
            rv = each(baton, &entry);
        }
    }
    apr_thread_rwlock_unlock(memory->lock);
    return rv;
}

static apr_status_t load(void *ctx, const char *name, const tmpl_store_stats_t *head,
                         const tmpl_entry_t *entries, uint32_t n, tmpl_error_t *err,
                         apr_pool_t *pool)
{
    memory_t *memory = ctx;
    site_t *site = site_make(name);

    (void)pool;
    if (site == NULL || !make_room(site, n)) {
        free(site);
        return tmpl_fail(err, APR_ENOSPC, "no memory for %u entries", n);
    }
    site->head.pages = head->pages;
    site->head.version = head->version;
    for (uint32_t i = 0; i < n; i++) {
        entry_t *entry = place_of(site, entries[i].key.hash, (uint8_t)entries[i].key.kind);
        tmpl_value_t value;

        site->head.entries += entry->df == 0;
        tmpl_value_import(&value, &entries[i]);
        entry_store(entry, entries[i].key, &value);
    }
    apr_thread_rwlock_wrlock(memory->lock);
    site_t **at = site_find(memory, name);
    site_t *old = *at;

    site->next = old != NULL ? old->next : NULL;
    *at = site;
    apr_thread_rwlock_unlock(memory->lock);
    if (old != NULL) {
        site_free(old);
    }
    return APR_SUCCESS;
}

/* ---- opening ---- */

static apr_status_t check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    (void)pool;
    return tmpl_fail(err, APR_EINVAL, "%s is of one process and does not last: name another", uri);
}

static apr_status_t store_close(void *data)
{
    memory_t *memory = data;

    while (memory->sites != NULL) {
        site_t *site = memory->sites;

        memory->sites = site->next;
        site_free(site);
    }
    return APR_SUCCESS;
}

static apr_status_t store_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    memory_t *memory = apr_pcalloc(pool, sizeof(*memory));
    apr_status_t rv;

    (void)opts;
    if (strcmp(uri, tmpl_provider_memory.scheme) != 0) {
        return check(uri, err, pool);
    }
    rv = apr_thread_rwlock_create(&memory->lock, pool);
    if (rv != APR_SUCCESS) {
        return tmpl_fail(err, rv, "%s no lock", uri);
    }
    apr_pool_cleanup_register(pool, memory, store_close, apr_pool_cleanup_null);
    *ctx = memory;
    return APR_SUCCESS;
}

const tmpl_provider_t tmpl_provider_memory = {
    .scheme = "memory:",
    .check = check,
    .open = store_open,
    .observe = observe,
    .learn = learn,
    .sites = sites,
    .forget = forget,
    .dump = dump,
    .load = load,
};
