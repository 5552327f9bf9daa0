/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared store, "redis://..." and "redis+unix://...": one hash per site, "tmpl:2:{SITE}", which
 * redis_observe.lua reads and writes in one round trip. A site is one key, so that it expires or is
 * evicted as a whole; its name stands in braces, so that whatever keys a site may get one day share
 * a slot of a cluster. Braces and % in a name are written %7B, %7D and %25.
 *
 * The 2 is the format of the hash: a change of the format counts it on. Sites in the first, without
 * drawers, are "tmpl:{SITE}": they are neither read nor touched, and expire.
 *
 * Needs Redis 5 or later (scripts replicated by their effects). Sites not observed for opts.idle
 * expire. A server that takes no writes (read-only replica, out of memory, disk trouble) is a full
 * store: APR_ENOSPC with good counts, still in one round trip.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_sha1.h>
#include <apr_strings.h>
#include <apr_tables.h>

#include "store/drawer.h"
#include "store/parts.h"
#include "store/provider.h"
#include "store/redis_conn.h"

#define KEY_PREFIX    "tmpl:2:{"
#define ANSWER_HEAD   13
#define ANSWER_RECORD 8
#define ANSWER_PATH   16
#define PARAMS_HEAD   (1 + 5 * 4 + 2 + 2 * TMPL_KEY_SIZE)
#define SHARE_SIZE    (4 + 4)
#define PART_SIZE     (TMPL_PATH_LEVELS * 4 + 4)
#define HEAD_SIZE     32                    /* the field "h" without the cursor behind it */
#define HEAD_MOST     64                    /* the field "h" */
#define DRAWER_FLAG   128                   /* in the first byte of a drawer's field */
#define DRAWER_FIELD  4                     /* bytes of it */
#define ERROR_MOST    4096                  /* bytes of an error reply */
#define BATCH         500                   /* entries a command of an import or an export */
#define REPLY_MOST    (64 << 20)            /* bytes of a reply to the calls of an administrator */
#define PATIENCE      apr_time_from_sec(30) /* for one of them */

static const char key_pattern[] = KEY_PREFIX "*}";

static const char script[] =
#include "store/redis_observe.lua.h"
    ;

typedef struct {
    tmpl_redis_t *redis;
    tmpl_store_opts_t opts;
    char sha[2 * APR_SHA1_DIGESTSIZE + 1];
} store_t;

/* A command under construction; arguments are not copied. */
typedef struct {
    apr_array_header_t *argv;
    apr_array_header_t *lens;
} words_t;

static words_t words_make(apr_pool_t *pool, const char *const *argv, int n)
{
    words_t w = { apr_array_make(pool, n + 8, sizeof(char *)),
                  apr_array_make(pool, n + 8, sizeof(size_t)) };

    for (int i = 0; i < n; i++) {
        APR_ARRAY_PUSH(w.argv, const char *) = argv[i];
        APR_ARRAY_PUSH(w.lens, size_t) = strlen(argv[i]);
    }
    return w;
}

#define WORDS(pool, ...)                                                                           \
    words_make(pool, (const char *const[]){ __VA_ARGS__ },                                         \
               (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)))

static void words_add(words_t *w, const void *bytes, size_t len)
{
    APR_ARRAY_PUSH(w->argv, const char *) = bytes;
    APR_ARRAY_PUSH(w->lens, size_t) = len;
}

static apr_status_t call(store_t *store, const words_t *w, size_t max_reply, apr_time_t deadline,
                         redisReply **reply, tmpl_error_t *err)
{
    tmpl_redis_command_t command = { w->argv->nelts, (const char **)w->argv->elts,
                                     (const size_t *)w->lens->elts };

    return tmpl_redis_call(store->redis, &command, max_reply, deadline, reply, err);
}

static const char *site_key(const char *site, apr_pool_t *pool)
{
    char *key = apr_palloc(pool, sizeof(KEY_PREFIX) + 3 * strlen(site) + 2);
    char *p = key + sizeof(KEY_PREFIX) - 1;

    memcpy(key, KEY_PREFIX, sizeof(KEY_PREFIX));
    for (; *site != '\0'; site++) {
        if (*site == '%' || *site == '{' || *site == '}') {
            p += apr_snprintf(p, 4, "%%%02X", (unsigned char)*site);
        }
        else {
            *p++ = *site;
        }
    }
    *p++ = '}';
    *p = '\0';
    return key;
}

/* The site of a key; NULL if the key is none of a site. */
static const char *key_site(const char *key, size_t len, apr_pool_t *pool)
{
    static const struct {
        char code[4];
        char is;
    } escapes[] = { { "%25", '%' }, { "%7B", '{' }, { "%7D", '}' } };
    size_t prefix = sizeof(KEY_PREFIX) - 1, to = 0;
    char *site;

    if (len <= prefix + 1 || memcmp(key, KEY_PREFIX, prefix) != 0 || key[len - 1] != '}') {
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

static uint32_t idle_seconds(const store_t *store)
{
    apr_time_t seconds = apr_time_sec(store->opts.idle);

    return seconds < 1 ? 1 : seconds > INT32_MAX ? INT32_MAX : (uint32_t)seconds;
}

/* ARGV[1] of the script; its length. */
static size_t params_pack(const store_t *store, unsigned char *p, const tmpl_observation_t *obs,
                          int learn)
{
    unsigned char *start = p;
    tmpl_lifetimes_t lifetimes;

    tmpl_lifetimes_init(&lifetimes, obs->policy);
    *p++ = learn != 0;
    tmpl_put_le(p, obs->policy->min_df, 4);
    tmpl_put_le(p + 4, obs->policy->lifetime_tb, 4);
    tmpl_put_le(p + 8, obs->policy->max_entries, 4);
    tmpl_put_le(p + 12, idle_seconds(store), 4);
    tmpl_put_le(p + 16, tmpl_observation_segments(obs), 4);
    tmpl_put_le(p + 20, obs->document->id & 0xffff, 2);
    p += 22;
    tmpl_key_pack(p, (tmpl_key_t){ obs->document->id, TMPL_KIND_DOCUMENT });
    p += TMPL_KEY_SIZE;
    tmpl_key_pack(p, (tmpl_key_t){ obs->document->text, TMPL_KIND_DOCUMENT });
    p += TMPL_KEY_SIZE;
    for (uint32_t i = 0; i < lifetimes.n; i++, p += 4) {
        tmpl_put_le(p, lifetimes.pages[i], 4);
    }
    return (size_t)(p - start);
}

static void keys_add(words_t *w, const tmpl_observation_t *obs, apr_pool_t *pool)
{
    unsigned char *bytes = apr_palloc(pool, (apr_size_t)obs->n * TMPL_KEY_SIZE + 1);

    for (uint32_t i = 0; i < obs->n; i++) {
        tmpl_key_pack(bytes + (size_t)i * TMPL_KEY_SIZE, obs->keys[i]);
    }
    words_add(w, bytes, (size_t)obs->n * TMPL_KEY_SIZE);
}

/* ARGV[3]: the shares of each part in turn; ARGV[4]: its paths, and how many shares are its. */
static void parts_add(words_t *w, const tmpl_observation_t *obs, apr_pool_t *pool)
{
    uint32_t n_segments = tmpl_observation_segments(obs);
    unsigned char *parts = apr_palloc(pool, (apr_size_t)obs->n_parts * PART_SIZE + 1);
    unsigned char *shares, *part = parts, *share;
    size_t n = 0;

    for (uint32_t i = 0; i < obs->n_parts; i++) {
        n += obs->parts[i].after - obs->parts[i].first;
    }
    shares = share = apr_palloc(pool, n * SHARE_SIZE + 1);
    for (uint32_t i = 0; i < obs->n_parts; i++) {
        const tmpl_part_t *from = &obs->parts[i];

        for (int level = 0; level < TMPL_PATH_LEVELS; level++, part += 4) {
            uint32_t path = tmpl_part_path(from, level);

            tmpl_put_le(part, path == TMPL_NONE ? 0 : path - n_segments + 1, 4);
        }
        tmpl_put_le(part, from->after - from->first, 4);
        part += 4;
        for (uint32_t j = from->first; j < from->after; j++, share += SHARE_SIZE) {
            tmpl_put_le(share, obs->shares[j].key + (uint64_t)1, 4);
            tmpl_put_le(share + 4, obs->shares[j].length, 4);
        }
    }
    words_add(w, shares, n * SHARE_SIZE);
    words_add(w, parts, (size_t)obs->n_parts * PART_SIZE);
}

static size_t answer_size(const tmpl_observation_t *obs)
{
    uint32_t n_segments = tmpl_observation_segments(obs);

    return ANSWER_HEAD + (size_t)n_segments * ANSWER_RECORD +
           (size_t)(obs->n - n_segments) * ANSWER_PATH;
}

static int is_missing_script(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "NOSCRIPT", 8) == 0;
}

/* Runs the script, sending it along only if the server does not have it. */
static apr_status_t script_call(store_t *store, const tmpl_observation_t *obs, int learn,
                                apr_time_t deadline, redisReply **reply, tmpl_error_t *err,
                                apr_pool_t *pool)
{
    unsigned char params[PARAMS_HEAD + 4 * TMPL_LIFETIMES];
    size_t max_reply = answer_size(obs) + ERROR_MOST;
    words_t w = WORDS(pool, "EVALSHA", store->sha, "1", site_key(obs->site, pool));
    apr_status_t rv;

    words_add(&w, params, params_pack(store, params, obs, learn));
    keys_add(&w, obs, pool);
    if (learn) {
        parts_add(&w, obs, pool);
    }
    rv = call(store, &w, max_reply, deadline, reply, err);
    if (rv == APR_SUCCESS && is_missing_script(*reply)) {
        freeReplyObject(*reply);
        APR_ARRAY_IDX(w.argv, 0, const char *) = "EVAL";
        APR_ARRAY_IDX(w.lens, 0, size_t) = strlen("EVAL");
        APR_ARRAY_IDX(w.argv, 1, const char *) = script;
        APR_ARRAY_IDX(w.lens, 1, size_t) = sizeof(script) - 1;
        rv = call(store, &w, max_reply, deadline, reply, err);
    }
    return rv;
}

/* The script's answer; 0 if it is none. */
static int answer_read(const redisReply *reply, const tmpl_observation_t *obs,
                       tmpl_counts_t *counts)
{
    const unsigned char *p;

    if (reply->type != REDIS_REPLY_STRING || (size_t)reply->len != answer_size(obs)) {
        return 0;
    }
    p = (const unsigned char *)reply->str;
    counts->pages = (uint32_t)tmpl_get_le(p, 4);
    counts->version = tmpl_get_le(p + 4, 8);
    counts->counted = p[12] != 0;
    p += ANSWER_HEAD;
    for (uint32_t i = 0; i < obs->n; i++, p += ANSWER_RECORD) {
        tmpl_record_t *record = &counts->records[i];

        record->df = (uint32_t)tmpl_get_le(p, 4);
        record->last = (uint32_t)tmpl_get_le(p + 4, 4);
        if (obs->keys[i].kind == TMPL_KIND_PATH) {
            record->text = (uint32_t)tmpl_get_le(p + 8, 4);
            record->repeated = (uint32_t)tmpl_get_le(p + 12, 4);
            if (record->repeated > record->text) {
                return 0;
            }
            p += ANSWER_PATH - ANSWER_RECORD;
        }
    }
    return 1;
}

/* One run of the script, judged. */
static apr_status_t evaluate(store_t *store, const tmpl_observation_t *obs, int learn,
                             apr_time_t deadline, tmpl_counts_t *counts, int *counts_good,
                             tmpl_error_t *err, apr_pool_t *pool)
{
    redisReply *reply, *reason;
    apr_status_t rv = script_call(store, obs, learn, deadline, &reply, err, pool);

    *counts_good = 0;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        rv = tmpl_redis_fail(store->redis, reply->str, reply->len, err);
    }
    else if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 &&
             (reply->element[1]->type == REDIS_REPLY_STRING ||
              reply->element[1]->type == REDIS_REPLY_STATUS ||
              reply->element[1]->type == REDIS_REPLY_ERROR) &&
             answer_read(reply->element[0], obs, counts)) {
        *counts_good = 1;
        reason = reply->element[1];
        tmpl_redis_fail(store->redis, reason->str, reason->len, err);
        rv = APR_ENOSPC; /* for whatever reason it takes no writes */
    }
    else if (answer_read(reply, obs, counts)) {
        *counts_good = 1;
    }
    else {
        rv = tmpl_redis_garbage(store->redis, err);
    }
    freeReplyObject(reply);
    return rv;
}

static apr_status_t observe(void *ctx, const tmpl_observation_t *obs, apr_time_t deadline,
                            tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    int good;
    apr_status_t rv = evaluate(store, obs, obs->learn, deadline, counts, &good, err, pool);

    if (rv == APR_ENOSPC && !good) {
        /* the server refused the script as such: what it says of writes holds, so only look */
        apr_status_t looked = evaluate(store, obs, 0, deadline, counts, &good, NULL, pool);

        rv = looked == APR_SUCCESS ? rv : looked;
    }
    if (err != NULL && rv != APR_SUCCESS) {
        err->status = rv;
    }
    return rv;
}

/* A command whose reply must be of one type. */
static apr_status_t ask(store_t *store, const words_t *w, int type, redisReply **reply,
                        tmpl_error_t *err)
{
    apr_status_t rv = call(store, w, REPLY_MOST, tmpl_clock() + PATIENCE, reply, err);

    if (rv == APR_SUCCESS && (*reply)->type != type) {
        rv = (*reply)->type == REDIS_REPLY_ERROR
                 ? tmpl_redis_fail(store->redis, (*reply)->str, (*reply)->len, err)
                 : tmpl_redis_garbage(store->redis, err);
        freeReplyObject(*reply);
    }
    return rv;
}

/* As ask, for a reply that is of no interest but for its number. */
static apr_status_t ask_number(store_t *store, const words_t *w, long long *number,
                               tmpl_error_t *err)
{
    redisReply *reply;
    apr_status_t rv = ask(store, w, REDIS_REPLY_INTEGER, &reply, err);

    if (rv == APR_SUCCESS) {
        *number = reply->integer;
        freeReplyObject(reply);
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

/*
 * SCAN or HSCAN to its end: each gets every element (of HSCAN: field and value) exactly once, and
 * ends it by returning something other than APR_SUCCESS.
 */
static apr_status_t scan(store_t *store, const char *key, unsigned step,
                         apr_status_t (*each)(void *baton, const redisReply *const *element),
                         void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_hash_t *seen = apr_hash_make(pool); /* a table that is rehashed shows elements twice */
    const char *count = apr_psprintf(pool, "%d", BATCH);
    char cursor[24] = "0";
    apr_status_t rv = APR_SUCCESS;

    do {
        words_t w = key == NULL ? WORDS(pool, "SCAN", cursor, "MATCH", key_pattern, "COUNT", count)
                                : WORDS(pool, "HSCAN", key, cursor, "COUNT", count);
        redisReply *reply, *found;

        rv = ask(store, &w, REDIS_REPLY_ARRAY, &reply, err);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (!is_scan(reply) || reply->element[1]->elements % step != 0) {
            freeReplyObject(reply);
            return tmpl_redis_garbage(store->redis, err);
        }
        found = reply->element[1];
        for (size_t i = 0; rv == APR_SUCCESS && i < found->elements; i += step) {
            const redisReply *name = found->element[i];

            if (apr_hash_get(seen, name->str, (apr_ssize_t)name->len) == NULL) {
                const char *copy = apr_pmemdup(pool, name->str, name->len + 1);

                apr_hash_set(seen, copy, (apr_ssize_t)name->len, copy);
                rv = each(baton, (const redisReply *const *)&found->element[i]);
                if (rv != APR_SUCCESS) {
                    tmpl_fail(err, rv, "%s: broken off", tmpl_redis_name(store->redis));
                }
            }
        }
        apr_cpystrn(cursor, reply->element[0]->str, sizeof(cursor));
        freeReplyObject(reply);
    } while (rv == APR_SUCCESS && strcmp(cursor, "0") != 0);
    return rv;
}

/* The bytes a site takes: the server's own estimate, or a guess where it has none. */
static uint64_t site_bytes(store_t *store, const char *key, uint64_t entries, apr_pool_t *pool)
{
    words_t w = WORDS(pool, "MEMORY", "USAGE", key, "SAMPLES", "50");
    long long bytes;

    return ask_number(store, &w, &bytes, NULL) == APR_SUCCESS && bytes > 0 ? (uint64_t)bytes
                                                                           : entries * 64;
}

/* What is said of a site without going through it. */
static apr_status_t site_head(store_t *store, const char *site, tmpl_store_stats_t *head,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    const char *key = site_key(site, pool);
    words_t get = WORDS(pool, "HMGET", key, "h");
    const unsigned char *p;
    redisReply *reply, *h;
    apr_status_t rv = ask(store, &get, REDIS_REPLY_ARRAY, &reply, err);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    h = reply->elements == 1 ? reply->element[0] : reply;
    if (h->type == REDIS_REPLY_NIL) {
        rv = tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site);
    }
    else if (h->type != REDIS_REPLY_STRING || h->len < HEAD_SIZE) {
        rv = tmpl_redis_garbage(store->redis, err);
    }
    else {
        p = (const unsigned char *)h->str;
        head->pages = (uint32_t)tmpl_get_le(p, 4);
        head->version = tmpl_get_le(p + 4, 8);
        head->entries = tmpl_get_le(p + 12, 4);
        head->bytes = site_bytes(store, key, head->entries, pool);
    }
    freeReplyObject(reply);
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

static apr_status_t dump_drawer(const dump_t *dump, tmpl_kind_e kind, const redisReply *bytes)
{
    apr_status_t rv = APR_SUCCESS;
    tmpl_drawer_t drawer;
    tmpl_value_t value;
    tmpl_key_t key;

    tmpl_drawer_read(&drawer, kind, bytes->str, bytes->len);
    for (size_t i = 0; rv == APR_SUCCESS && tmpl_drawer_at(&drawer, i, &key, &value); i++) {
        rv = dump_one(dump, key, &value);
    }
    return rv;
}

/* What a field is: an entry, a drawer, the head, or nothing of ours. */
static apr_status_t dump_field(void *baton, const redisReply *const *element)
{
    const unsigned char *field = (const unsigned char *)element[0]->str;
    tmpl_value_t value;
    tmpl_key_t key;

    if (element[0]->len == DRAWER_FIELD && field[0] >= DRAWER_FLAG &&
        field[0] < DRAWER_FLAG + TMPL_DRAWER_KINDS) {
        return dump_drawer(baton, (tmpl_kind_e)(field[0] - DRAWER_FLAG), element[1]);
    }
    if (element[0]->len == TMPL_KEY_SIZE && tmpl_key_unpack(&key, field) &&
        tmpl_value_unpack(&value, key.kind, element[1]->str, element[1]->len)) {
        return dump_one(baton, key, &value);
    }
    return APR_SUCCESS;
}

static apr_status_t redis_dump(void *ctx, const char *site, tmpl_store_stats_t *head,
                               apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                               void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = ctx;
    dump_t dump = { each, baton };
    apr_status_t rv = site_head(store, site, head, err, pool);

    return rv != APR_SUCCESS ? rv
                             : scan(store, site_key(site, pool), 2, dump_field, &dump, err, pool);
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

static apr_status_t redis_sites(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                                void *baton, tmpl_error_t *err, apr_pool_t *pool)
{
    names_t names = { each, baton, pool };

    return scan(ctx, NULL, 1, name_each, &names, err, pool);
}

static apr_status_t redis_forget(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    /* UNLINK frees the memory in the background */
    words_t w = WORDS(pool, "UNLINK", site_key(site, pool));
    long long n;
    apr_status_t rv = ask_number(ctx, &w, &n, err);

    if (rv == APR_SUCCESS && n == 0) {
        rv = tmpl_fail(err, APR_NOTFOUND, "the store does not know the site %s", site);
    }
    return rv;
}

/* An import under way: fields are sent BATCH at a time. */
typedef struct {
    store_t *store;
    const char *key;
    apr_pool_t *pool; /* of the batch */
    words_t words;
    int n;
    apr_status_t rv;
    tmpl_error_t *err;
    tmpl_drawers_t drawers[TMPL_DRAWER_KINDS];
} load_t;

static void load_flush(load_t *load)
{
    long long added;

    if (load->n > 0 && load->rv == APR_SUCCESS) {
        load->rv = ask_number(load->store, &load->words, &added, load->err);
    }
    apr_pool_clear(load->pool);
    load->words = WORDS(load->pool, "HSET", load->key);
    load->n = 0;
}

static void load_field(load_t *load, const void *field, size_t field_len, const void *value,
                       size_t len)
{
    words_add(&load->words, apr_pmemdup(load->pool, field, field_len), field_len);
    words_add(&load->words, apr_pmemdup(load->pool, value, len), len);
    if (++load->n == BATCH) {
        load_flush(load);
    }
}

static void load_alone(load_t *load, tmpl_key_t key, const tmpl_value_t *value)
{
    unsigned char field[TMPL_KEY_SIZE], bytes[TMPL_VALUE_MAX];

    tmpl_key_pack(field, key);
    load_field(load, field, sizeof(field), bytes, tmpl_value_pack(bytes, value, key.kind));
}

static void load_drawer(load_t *load, const tmpl_drawer_t *drawer, uint32_t n)
{
    unsigned char field[DRAWER_FIELD] = { (unsigned char)(DRAWER_FLAG | drawer->kind),
                                          (unsigned char)(n >> 16), (unsigned char)(n >> 8),
                                          (unsigned char)n };

    if (drawer->len > 0) {
        load->drawers[drawer->kind].entries +=
            (uint32_t)(drawer->len / tmpl_drawer_stride(drawer->kind));
        load_field(load, field, sizeof(field), drawer->bytes, drawer->len);
    }
}

/* An entry to go into a drawer. */
typedef struct {
    tmpl_kind_e kind;
    uint32_t drawer;
    const tmpl_entry_t *entry;
} placed_t;

/* By drawer, the last seen last, as drawers have it. */
static int by_place(const void *a, const void *b)
{
    const placed_t *x = a, *y = b;

    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->drawer != y->drawer) {
        return x->drawer < y->drawer ? -1 : 1;
    }
    return (x->entry->record.last > y->entry->record.last) -
           (x->entry->record.last < y->entry->record.last);
}

static void load_drawers(load_t *load, placed_t *placed, size_t n)
{
    tmpl_drawer_t drawer;

    qsort(placed, n, sizeof(*placed), by_place);
    for (size_t i = 0, from = 0; i < n; i++) {
        tmpl_value_t value;

        if (i == from) {
            tmpl_drawer_read(&drawer, placed[i].kind, "", 0);
        }
        tmpl_value_import(&value, placed[i].entry);
        if (!tmpl_drawer_add(&drawer, placed[i].entry->key.hash, &value)) {
            load_alone(load, placed[i].entry->key, &value);
        }
        if (i + 1 == n || placed[i + 1].kind != placed[i].kind ||
            placed[i + 1].drawer != placed[i].drawer) {
            load_drawer(load, &drawer, placed[i].drawer);
            from = i + 1;
        }
    }
}

static void load_entries(load_t *load, const tmpl_entry_t *entries, uint32_t n, apr_pool_t *pool)
{
    placed_t *placed = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*placed));
    uint32_t once[TMPL_DRAWER_KINDS] = { 0 };
    size_t n_placed = 0;

    for (uint32_t i = 0; i < n; i++) {
        tmpl_kind_e kind = entries[i].key.kind;
        tmpl_value_t value;

        tmpl_value_import(&value, &entries[i]);
        if (tmpl_drawer_takes(kind, &value)) {
            once[kind]++;
            placed[n_placed++] = (placed_t){ kind, 0, &entries[i] };
        }
        else {
            load_alone(load, entries[i].key, &value);
        }
    }
    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++) {
        load->drawers[kind].n = tmpl_drawers_for(once[kind]);
    }
    for (size_t i = 0; i < n_placed; i++) {
        placed[i].drawer =
            tmpl_drawer_of(placed[i].entry->key.hash, load->drawers[placed[i].kind].n);
    }
    load_drawers(load, placed, n_placed);
    load_flush(load);
}

/* Head, expiry and the new name, which takes the place of whatever was there. */
static apr_status_t load_end(const load_t *load, const char *to, const tmpl_store_stats_t *head,
                             uint32_t entries, apr_pool_t *pool)
{
    store_t *store = load->store;
    tmpl_error_t *err = load->err;
    const char *from = load->key;
    unsigned char h[HEAD_SIZE + 1];
    words_t set = WORDS(pool, "HSET", from, "h");
    words_t expire = WORDS(pool, "EXPIRE", from, apr_psprintf(pool, "%u", idle_seconds(store)));
    words_t rename = WORDS(pool, "RENAME", from, to);
    redisReply *reply;
    long long n;
    apr_status_t rv;

    tmpl_put_le(h, head->pages, 4);
    tmpl_put_le(h + 4, head->version, 8);
    tmpl_put_le(h + 12, entries, 4);
    for (unsigned kind = 0; kind < TMPL_DRAWER_KINDS; kind++) {
        tmpl_put_le(h + 16 + 8 * kind, load->drawers[kind].n, 4);
        tmpl_put_le(h + 20 + 8 * kind, load->drawers[kind].entries, 4);
    }
    h[HEAD_SIZE] = '0';
    words_add(&set, h, sizeof(h));
    rv = ask_number(store, &set, &n, err);
    if (rv == APR_SUCCESS) {
        rv = ask_number(store, &expire, &n, err);
    }
    if (rv == APR_SUCCESS) {
        rv = ask(store, &rename, REDIS_REPLY_STATUS, &reply, err);
    }
    if (rv == APR_SUCCESS) {
        freeReplyObject(reply);
    }
    return rv;
}

static apr_status_t redis_load(void *ctx, const char *site, const tmpl_store_stats_t *head,
                               const tmpl_entry_t *entries, uint32_t n, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    const char *key = site_key(site, pool);
    load_t load = { .store = ctx, .key = apr_pstrcat(pool, key, ":import", NULL), .err = err };
    words_t unlink = WORDS(pool, "UNLINK", load.key);
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
    }
    if (load.rv != APR_SUCCESS) {
        ask_number(ctx, &unlink, &ignored, NULL);
    }
    return load.rv;
}

static apr_status_t check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_address_t address;

    return tmpl_redis_address_parse(&address, uri, err, pool);
}

static void sha_hex(char hex[2 * APR_SHA1_DIGESTSIZE + 1])
{
    unsigned char digest[APR_SHA1_DIGESTSIZE];
    apr_sha1_ctx_t sha;

    apr_sha1_init(&sha);
    apr_sha1_update_binary(&sha, (const unsigned char *)script, sizeof(script) - 1);
    apr_sha1_final(digest, &sha);
    for (int i = 0; i < APR_SHA1_DIGESTSIZE; i++) {
        apr_snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
}

static apr_status_t store_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    store_t *store = apr_pcalloc(pool, sizeof(*store));
    tmpl_redis_address_t address;
    apr_status_t rv = tmpl_redis_address_parse(&address, uri, err, pool);

    if (rv == APR_SUCCESS) {
        store->opts = *opts;
        store->redis = tmpl_redis_create(&address, opts->max_connections, pool);
        sha_hex(store->sha);
        *ctx = store;
    }
    return rv;
}

const tmpl_provider_t tmpl_provider_redis = {
    .scheme = "redis://",
    .check = check,
    .open = store_open,
    .observe = observe,
    .sites = redis_sites,
    .forget = redis_forget,
    .dump = redis_dump,
    .load = redis_load,
};

const tmpl_provider_t tmpl_provider_redis_unix = {
    .scheme = "redis+unix://",
    .check = check,
    .open = store_open,
    .observe = observe,
    .sites = redis_sites,
    .forget = redis_forget,
    .dump = redis_dump,
    .load = redis_load,
};
