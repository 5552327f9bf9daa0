/* SPDX-License-Identifier: Apache-2.0 */
#include "table/tables_merge.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* An entry of some table, with its age in documents of that table. */
typedef struct {
    const tmpl_entry_t *is;
    uint32_t age;
} aged_t;

static int aged_order(const void *a, const void *b)
{
    const tmpl_key_t *x = &((const aged_t *)a)->is->key, *y = &((const aged_t *)b)->is->key;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* The entries of all tables, with equal keys side by side. */
static aged_t *entries_sort(const tmpl_export_file_t *const *tables, int n, size_t *n_entries,
                            apr_pool_t *pool)
{
    size_t total = 0, at = 0;
    for (int i = 0; i < n; i++) {
        total += (size_t)tables[i]->entries->nelts;
    }
    aged_t *entries = apr_palloc(pool, (total + 1) * sizeof(*entries));
    for (int i = 0; i < n; i++) {
        const tmpl_entry_t *from = (const tmpl_entry_t *)tables[i]->entries->elts;
        for (int j = 0; j < tables[i]->entries->nelts; j++) {
            uint32_t last = from[j].record.last, clock = tables[i]->head.pages;
            entries[at++] = (aged_t){ &from[j], last < clock ? clock - last : 0 };
        }
    }
    qsort(entries, total, sizeof(*entries), aged_order);
    *n_entries = total;
    return entries;
}

/* The number of entries from the first on that have its key. */
static size_t entries_equal(const aged_t *entries, size_t n)
{
    size_t equal = 1;
    while (equal < n && aged_order(&entries[0], &entries[equal]) == 0) {
        equal++;
    }
    return equal;
}

/* A sum of all tables, less what was counted twice, but at least the most of one table. */
static uint32_t counted_once(uint64_t sum, uint64_t most, const tmpl_tables_overlap_t *overlap)
{
    if (overlap->twice > 0) {
        sum = (uint64_t)((double)sum * (double)(overlap->documents - overlap->twice) /
                         (double)overlap->documents);
    }
    sum = sum > most ? sum : most;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* A figure of n entries: its sum, less what was counted twice, but at least the largest. */
static uint32_t figures_sum(const aged_t *entries, size_t n, size_t offset,
                            const tmpl_tables_overlap_t *overlap)
{
    uint64_t sum = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t figure;
        memcpy(&figure, (const char *)&entries[i].is->record + offset, sizeof(figure));
        sum += figure;
        most = figure > most ? figure : most;
    }
    return counted_once(sum, most, overlap);
}

/*
 * Unites the fingerprints of n entries in seen, until there are min_df. Returns their number; 0 if
 * an entry has not kept them all.
 */
static uint32_t fingerprints_unite(uint16_t *seen, const aged_t *entries, size_t n, uint32_t min_df)
{
    uint32_t n_seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (entries[i].is->n_fingerprints != entries[i].is->record.df) {
            return 0;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < entries[i].is->n_fingerprints && n_seen < min_df; j++) {
            uint32_t k = 0;
            while (k < n_seen && seen[k] != entries[i].is->fingerprints[j]) {
                k++;
            }
            seen[k] = entries[i].is->fingerprints[j];
            n_seen += k == n_seen;
        }
    }
    return n_seen;
}

static int by_fingerprint(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

static uint32_t segment_df(tmpl_entry_t *merged, const aged_t *entries, size_t n, uint32_t min_df,
                           const tmpl_tables_overlap_t *overlap, apr_pool_t *pool)
{
    uint16_t seen[TMPL_MIN_DF_MOST];
    uint32_t n_seen = fingerprints_unite(seen, entries, n, min_df);
    uint32_t sum = figures_sum(entries, n, offsetof(tmpl_record_t, df), overlap);
    if (n_seen == 0 || n_seen >= min_df) {
        return sum;
    }
    qsort(seen, n_seen, sizeof(*seen), by_fingerprint);
    merged->fingerprints = apr_pmemdup(pool, seen, n_seen * sizeof(*seen));
    merged->n_fingerprints = n_seen;
    return n_seen;
}

/* One entry of n entries with one key. pages is the clock of the merged table. */
static void entries_merge(tmpl_entry_t *merged, const aged_t *entries, size_t n, uint32_t pages,
                          uint32_t min_df, const tmpl_tables_overlap_t *overlap, apr_pool_t *pool)
{
    uint32_t age = entries[0].age;
    for (size_t i = 1; i < n; i++) {
        age = entries[i].age < age ? entries[i].age : age;
    }
    *merged = (tmpl_entry_t){ .key = entries[0].is->key };
    merged->record.df = 1;
    merged->record.last = age < pages ? pages - age : 0;
    if (merged->key.kind == TMPL_KIND_SEGMENT) {
        merged->record.df = segment_df(merged, entries, n, min_df, overlap, pool);
    }
    if (merged->key.kind == TMPL_KIND_PATH) {
        tmpl_record_t *record = &merged->record;
        record->df = figures_sum(entries, n, offsetof(tmpl_record_t, df), overlap);
        record->text = figures_sum(entries, n, offsetof(tmpl_record_t, text), overlap);
        record->repeated = figures_sum(entries, n, offsetof(tmpl_record_t, repeated), overlap);
        record->repeated = record->repeated < record->text ? record->repeated : record->text;
    }
}

/* Documents come first: DOCUMENT is the least kind. */
static tmpl_tables_overlap_t overlap_count(const aged_t *entries, size_t n)
{
    tmpl_tables_overlap_t overlap = { 0 };
    for (size_t i = 0; i < n && entries[i].is->key.kind == TMPL_KIND_DOCUMENT; i++) {
        overlap.documents++;
        overlap.twice += i > 0 && aged_order(&entries[i - 1], &entries[i]) == 0;
    }
    return overlap;
}

static int listed_order(const void *a, const void *b)
{
    const tmpl_listed_t *x = a, *y = b;
    size_t least = x->address_len < y->address_len ? x->address_len : y->address_len;
    int order = memcmp(x->address, y->address, least);
    order = order != 0 ? order : (int)x->address_len - (int)y->address_len;
    order = order != 0 ? order : (x->changed < y->changed) - (x->changed > y->changed);
    return order != 0 ? order : (int)y->day - (int)x->day;
}

/* Merges the lists: of each address the document that changed last, or else was seen last. */
static void lists_merge(tmpl_export_file_t *merged, const tmpl_export_file_t *const *tables, int n)
{
    for (int i = 0; i < n; i++) {
        const tmpl_listed_head_t *list = &tables[i]->list;
        apr_array_cat(merged->listed, tables[i]->listed);
        if (merged->list.since == 0 || (list->since > 0 && list->since < merged->list.since)) {
            merged->list.since = list->since;
        }
        merged->list.edition =
            list->edition >= merged->list.edition ? list->edition + 1 : merged->list.edition;
        merged->list.evicted |= list->evicted;
    }
    tmpl_listed_t *all = (tmpl_listed_t *)(void *)merged->listed->elts;
    qsort(all, (size_t)merged->listed->nelts, sizeof(*all), listed_order);
    int kept = 0;
    for (int i = 0; i < merged->listed->nelts; i++) {
        if (kept == 0 || all[kept - 1].address_len != all[i].address_len ||
            memcmp(all[kept - 1].address, all[i].address, all[i].address_len) != 0) {
            all[kept++] = all[i];
        }
    }
    merged->listed->nelts = kept;
}

/* The clock and the version. The version is larger than that of each table: caches must notice. */
static void heads_merge(tmpl_export_file_t *merged, const tmpl_export_file_t *const *tables, int n,
                        const tmpl_tables_overlap_t *overlap)
{
    uint64_t pages = 0, most = 0;
    for (int i = 0; i < n; i++) {
        const tmpl_store_stats_t *head = &tables[i]->head;
        pages += head->pages;
        most = head->pages > most ? head->pages : most;
        merged->head.version =
            head->version >= merged->head.version ? head->version + 1 : merged->head.version;
    }
    merged->head.pages = counted_once(pages, most, overlap);
}

void tmpl_tables_merge(tmpl_export_file_t *merged, const tmpl_export_file_t *const *tables, int n,
                       uint32_t min_df, tmpl_tables_overlap_t *overlap, apr_pool_t *pool)
{
    size_t n_entries;
    const aged_t *entries = entries_sort(tables, n, &n_entries, pool);
    *overlap = overlap_count(entries, n_entries);
    *merged = (tmpl_export_file_t){ .site = tables[0]->site };
    memcpy(merged->secret, tables[0]->secret, sizeof(merged->secret));
    merged->entries = apr_array_make(pool, (int)n_entries + 1, sizeof(tmpl_entry_t));
    merged->listed = apr_array_make(pool, 16, sizeof(tmpl_listed_t));
    heads_merge(merged, tables, n, overlap);
    for (size_t i = 0, equal; i < n_entries; i += equal) {
        equal = entries_equal(entries + i, n_entries - i);
        entries_merge(apr_array_push(merged->entries), entries + i, equal, merged->head.pages,
                      min_df, overlap, pool);
    }
    lists_merge(merged, tables, n);
}
