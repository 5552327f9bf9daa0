/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "table/redis/redis_store.h"

#define BATCH      500                   /* entries a command of an import or an export */
#define REPLY_MOST (64 << 20)            /* bytes of a reply to the calls of an administrator */
#define PATIENCE   apr_time_from_sec(30) /* for one of them */

static const char key_pattern[] = TMPL_REDIS_KEY_PREFIX "*}";

/* The site of a key; NULL if the key is none of a site. */
static const char *key_site(const char *key, size_t len, apr_pool_t *pool)
{
    static const struct {
        char code[4];
        char is;
    } escapes[] = { { "%25", '%' }, { "%7B", '{' }, { "%7D", '}' } };
    size_t prefix = sizeof(TMPL_REDIS_KEY_PREFIX) - 1, to = 0;
    char *site;

    if (len <= prefix + 1 || memcmp(key, TMPL_REDIS_KEY_PREFIX, prefix) != 0 ||
        key[len - 1] != '}') {
        return NULL;
    }
    site = apr_palloc(pool, len);
    for (size_t i = prefix; i < len - 1; i++) {
        site[to] = key[i];
        for (int e = 0; e < 3 && key[i] == '%' && i + 3 < len; e++) {
            if (memcmp(key + i, escapes[e].code, 3) == 0) {
                site[to] = escapes[e].is;
                i += 2;
                break;
            }
        }
        to++;
    }
    site[to] = '\0';
    return site;
}

/* A command whose reply must be of one type; it comes from the pool of its words. */
static apr_status_t ask(tmpl_redis_store_t *store, const tmpl_redis_words_t *w, int type,
                        redisReply **reply, tmpl_error_t *err)
{
    tmpl_redis_command_t command = tmpl_redis_words_command(w);
    apr_status_t rv = tmpl_redis_call(store->redis, &command, REPLY_MOST, tmpl_clock() + PATIENCE,
                                      reply, err, w->argv->pool);

    if (rv == APR_SUCCESS && (*reply)->type != type) {
        rv = (*reply)->type == REDIS_REPLY_ERROR
                 ? tmpl_redis_fail(store->redis, (*reply)->str, (*reply)->len, err)
                 : tmpl_redis_garbage(store->redis, err);
    }
    return rv;
}

/* As ask, for a reply that is of no interest but for its number. */
static apr_status_t ask_number(tmpl_redis_store_t *store, const tmpl_redis_words_t *w,
                               long long *number, tmpl_error_t *err)
{
    redisReply *reply;
    apr_status_t rv = ask(store, w, REDIS_REPLY_INTEGER, &reply, err);

    if (rv == APR_SUCCESS) {
        *number = reply->integer;
    }
    return rv;
}

static int is_scan(const redisReply *reply)
{
    if (reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_STRING ||
        reply->element[0]->len > 20 || reply->element[1]->type != REDIS_REPLY_ARRAY) {
        return 0;
    }
    for (size_t i = 0; i < reply->element[1]->elements; i++) {
        if (reply->element[1]->element[i]->type != REDIS_REPLY_STRING) {
            return 0;
        }
    }
    return 1;
}

/* SCAN or HSCAN to its end. */
typedef struct {
    tmpl_redis_store_t *store;
    const char *key; /* NULL: of all keys */
    unsigned step;   /* elements of a reply that belong together: field and value */
    apr_status_t (*each)(void *baton, const redisReply *const *element);
    void *baton;
    apr_hash_t *seen; /* a table that is rehashed shows elements twice */
    char cursor[24];
} scan_t;

static apr_status_t scan_element(const scan_t *s, const redisReply *const *element)
{
    apr_pool_t *pool = apr_hash_pool_get(s->seen);
    apr_ssize_t len = (apr_ssize_t)element[0]->len;
    const char *name;

    if (apr_hash_get(s->seen, element[0]->str, len) != NULL) {
        return APR_SUCCESS;
    }
    name = apr_pmemdup(pool, element[0]->str, element[0]->len + 1);
    apr_hash_set(s->seen, name, len, name);
    return s->each(s->baton, element);
}

/* From the cursor on, some elements; pool is for the call alone. */
static apr_status_t scan_some(scan_t *s, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *count = apr_psprintf(pool, "%d", BATCH);
    tmpl_redis_words_t w =
        s->key == NULL
            ? TMPL_REDIS_WORDS(pool, "SCAN", s->cursor, "MATCH", key_pattern, "COUNT", count)
            : TMPL_REDIS_WORDS(pool, "HSCAN", s->key, s->cursor, "COUNT", count);
    redisReply *reply, *found;
    apr_status_t rv = ask(s->store, &w, REDIS_REPLY_ARRAY, &reply, err);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (!is_scan(reply) || reply->element[1]->elements % s->step != 0) {
        return tmpl_redis_garbage(s->store->redis, err);
    }
    found = reply->element[1];
    for (size_t i = 0; rv == APR_SUCCESS && i < found->elements; i += s->step) {
        rv = scan_element(s, (const redisReply *const *)&found->element[i]);
        if (rv != APR_SUCCESS) {
            tmpl_fail(err, rv, "%s: broken off", tmpl_redis_name(s->store->redis));
        }
    }
    apr_cpystrn(s->cursor, reply->element[0]->str, sizeof(s->cursor));
    return rv;
}

/*
 * Each gets every element (of HSCAN: field and value) exactly once, and ends it by returning something other than
 * APR_SUCCESS.
 */
static apr_status_t scan(tmpl_redis_store_t *store, const char *key, unsigned step,
                         apr_status_t (*each)(void *baton, const redisReply *const *element),
                         void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    scan_t s = { store, key, step, each, baton, apr_hash_make(pool), "0" };
    apr_pool_t *scratch;
    apr_status_t rv;

    apr_pool_create(&scratch, pool);
    do {
        apr_pool_clear(scratch);
        rv = scan_some(&s, err, scratch);
    } while (rv == APR_SUCCESS && strcmp(s.cursor, "0") != 0);
    apr_pool_destroy(scratch);
    return rv;
}

/* The bytes a site takes: the server's own estimate, or a guess where it has none. */
static uint64_t site_bytes(tmpl_redis_store_t *store, const char *key, uint64_t entries,
                           apr_pool_t *pool)
{
    tmpl_redis_words_t w = TMPL_REDIS_WORDS(pool, "MEMORY", "USAGE", key, "SAMPLES", "50");
    long long bytes;

    return ask_number(store, &w, &bytes, NULL) == APR_SUCCESS && bytes > 0 ? (uint64_t)bytes
                                                                           : entries * 20;
}

/* What is said of a site without going through it. */
static apr_status_t site_head(tmpl_redis_store_t *store, const char *site, tmpl_store_stats_t *head,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    const char *key = tmpl_redis_site_key(site, pool);
    tmpl_redis_words_t get = TMPL_REDIS_WORDS(pool, "HMGET", key, TMPL_REDIS_HEAD);
    tmpl_redis_head_t is;
    redisReply *reply, *h;
    apr_status_t rv = ask(store, &get, REDIS_REPLY_ARRAY, &reply, err);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    h = reply->elements == 1 ? reply->element[0] : reply;
    if (h->type == REDIS_REPLY_NIL) {
        rv = tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site);
    }
    else if (h->type != REDIS_REPLY_STRING || !tmpl_redis_head_unpack(&is, h->str, h->len)) {
        rv = tmpl_redis_garbage(store->redis, err);
    }
    else {
        head->pages = is.site.pages;
        head->version = is.site.version;
        head->entries = is.site.entries;
        head->bytes = site_bytes(store, key, head->entries, pool);
    }
    return rv;
}

typedef struct {
    apr_status_t (*each)(void *baton, const tmpl_entry_t *entry);
    void *baton;
} dump_t;

static apr_status_t dump_one(const dump_t *dump, tmpl_key_t key, const tmpl_value_t *value)
{
    tmpl_entry_t entry;

    tmpl_value_export(&entry, key, value);
    return dump->each(dump->baton, &entry);
}

/* What a field is: a bucket, the head, or nothing of ours. */
static apr_status_t dump_field(void *baton, const redisReply *const *element)
{
    apr_status_t rv = APR_SUCCESS;
    tmpl_bucket_reader_t reader;
    tmpl_value_t value;
    tmpl_key_t key;
    uint32_t n;

    if (tmpl_redis_bucket_unpack(element[0]->str, element[0]->len, &n)) {
        tmpl_bucket_open(&reader, element[1]->str, element[1]->len);
        while (rv == APR_SUCCESS && tmpl_bucket_next(&reader, &key, &value)) {
            rv = dump_one(baton, key, &value);
        }
    }
    return rv;
}

apr_status_t tmpl_redis_dump(void *ctx, const char *site, tmpl_store_stats_t *head,
                             apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                             void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_store_t *store = ctx;
    dump_t dump = { each, baton };
    apr_status_t rv = site_head(store, site, head, err, pool);

    return rv != APR_SUCCESS
               ? rv
               : scan(store, tmpl_redis_site_key(site, pool), 2, dump_field, &dump, err, pool);
}

typedef struct {
    apr_status_t (*each)(void *baton, const char *site);
    void *baton;
    apr_pool_t *pool;
} names_t;

static apr_status_t name_each(void *baton, const redisReply *const *element)
{
    names_t *names = baton;
    const char *site = key_site(element[0]->str, element[0]->len, names->pool);

    return site == NULL ? APR_SUCCESS : names->each(names->baton, site);
}

apr_status_t tmpl_redis_sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                              void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    names_t names = { each, baton, pool };

    return scan(ctx, NULL, 1, name_each, &names, err, pool);
}

apr_status_t tmpl_redis_forget(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    /* UNLINK frees the memory in the background */
    tmpl_redis_words_t w = TMPL_REDIS_WORDS(pool, "UNLINK", tmpl_redis_site_key(site, pool));
    tmpl_redis_store_t *store = ctx;
    long long n;
    apr_status_t rv = ask_number(store, &w, &n, err);

    tmpl_redis_epochs_end(store->epochs);
    if (rv == APR_SUCCESS && n == 0) {
        rv = tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site);
    }
    return rv;
}

/* An import under way: fields are sent BATCH at a time. */
typedef struct {
    tmpl_redis_store_t *store;
    const char *key;
    apr_pool_t *pool; /* of the batch */
    tmpl_redis_words_t words;
    int n;
    apr_status_t rv;
    tmpl_error_t *err;
    tmpl_buckets_t buckets;
} load_t;

static void load_flush(load_t *load)
{
    long long added;

    if (load->n > 0 && load->rv == APR_SUCCESS) {
        load->rv = ask_number(load->store, &load->words, &added, load->err);
    }
    apr_pool_clear(load->pool);
    load->words = TMPL_REDIS_WORDS(load->pool, "HSET", load->key);
    load->n = 0;
}

static void load_field(load_t *load, const void *field, size_t field_len, const void *value,
                       size_t len)
{
    tmpl_redis_words_add(&load->words, apr_pmemdup(load->pool, field, field_len), field_len);
    tmpl_redis_words_add(&load->words, apr_pmemdup(load->pool, value, len), len);
    if (++load->n == BATCH) {
        load_flush(load);
    }
}

/* An entry to go into a bucket. */
typedef struct {
    uint32_t bucket;
    const tmpl_entry_t *entry;
} placed_t;

static int by_place(const void *a, const void *b)
{
    const placed_t *x = a, *y = b;

    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

static void load_bucket(load_t *load, const placed_t *placed, uint32_t n, apr_pool_t *pool)
{
    tmpl_bucket_row_t *rows = apr_palloc(pool, n * sizeof(*rows));
    unsigned char *rests = apr_palloc(pool, n * (apr_size_t)TMPL_BUCKET_REST_MOST), *bytes;
    unsigned char field[TMPL_REDIS_FIELD];

    for (uint32_t i = 0; i < n; i++) {
        tmpl_value_t value;

        tmpl_value_import(&value, placed[i].entry);
        tmpl_bucket_row(&rows[i], placed[i].entry->key, &value,
                        rests + (apr_size_t)i * TMPL_BUCKET_REST_MOST);
    }
    tmpl_redis_bucket_field(field, placed[0].bucket);
    bytes = apr_palloc(pool, tmpl_bucket_room(rows, n));
    load_field(load, field, sizeof(field), bytes, tmpl_bucket_write(bytes, rows, n));
}

static void load_entries(load_t *load, const tmpl_entry_t *entries, uint32_t n, apr_pool_t *pool)
{
    placed_t *placed = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*placed));
    apr_pool_t *scratch;

    apr_pool_create(&scratch, pool);
    load->buckets = tmpl_buckets_new(n);
    for (uint32_t i = 0; i < n; i++) {
        placed[i] = (placed_t){ tmpl_bucket_of(&load->buckets, entries[i].key), &entries[i] };
    }
    qsort(placed, n, sizeof(*placed), by_place);
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        while (to < n && placed[to].bucket == placed[from].bucket) {
            to++;
        }
        load_bucket(load, placed + from, to - from, scratch);
        apr_pool_clear(scratch);
    }
    load_flush(load);
}

/* Head, expiry and the new name, which takes the place of whatever was there. */
static apr_status_t load_end(const load_t *load, const char *to, const tmpl_store_stats_t *head,
                             uint32_t entries, apr_pool_t *pool)
{
    tmpl_redis_store_t *store = load->store;
    tmpl_error_t *err = load->err;
    const char *from = load->key;
    unsigned char h[TMPL_REDIS_HEAD_MOST];
    tmpl_redis_head_t is = { .site = { head->pages, head->version, entries },
                             .buckets = load->buckets,
                             .cursor = "0" };
    tmpl_redis_words_t set = TMPL_REDIS_WORDS(pool, "HSET", from, TMPL_REDIS_HEAD);
    tmpl_redis_words_t expire =
        TMPL_REDIS_WORDS(pool, "EXPIRE", from, apr_psprintf(pool, "%u", tmpl_redis_idle(store)));
    tmpl_redis_words_t rename = TMPL_REDIS_WORDS(pool, "RENAME", from, to);
    redisReply *reply;
    long long n;
    apr_status_t rv;

    tmpl_redis_words_add(&set, h, tmpl_redis_head_pack(h, &is));
    rv = ask_number(store, &set, &n, err);
    if (rv == APR_SUCCESS) {
        rv = ask_number(store, &expire, &n, err);
    }
    if (rv == APR_SUCCESS) {
        rv = ask(store, &rename, REDIS_REPLY_STATUS, &reply, err);
    }
    return rv;
}

apr_status_t tmpl_redis_load(void *ctx, const char *site, const tmpl_store_stats_t *head,
                             const tmpl_entry_t *entries, uint32_t n, tmpl_error_t *err,
                             apr_pool_t *pool)
{
    const char *key = tmpl_redis_site_key(site, pool);
    load_t load = { .store = ctx, .key = apr_pstrcat(pool, key, ":import", NULL), .err = err };
    tmpl_redis_words_t unlink = TMPL_REDIS_WORDS(pool, "UNLINK", load.key);
    long long ignored;

    load.rv = ask_number(ctx, &unlink, &ignored, err);
    if (load.rv != APR_SUCCESS) {
        return load.rv;
    }
    apr_pool_create(&load.pool, pool);
    load_flush(&load);
    load_entries(&load, entries, n, pool);
    apr_pool_destroy(load.pool);
    if (load.rv == APR_SUCCESS) {
        load.rv = load_end(&load, key, head, n, pool);
        tmpl_redis_epochs_end(load.store->epochs);
    }
    if (load.rv != APR_SUCCESS) {
        ask_number(ctx, &unlink, &ignored, NULL);
    }
    return load.rv;
}
