/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_visit.h"

#include <string.h>

#include <apr_strings.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIELDS_MOST  TMPL_REDIS_FIELDS_MOST
#define ERROR_MOST   4096               /* bytes of an error reply */
#define GUESSES_MOST 5                  /* wrong ones in a row: something is not right */
#define CURSOR_MOST  19                 /* digits that Redis takes, whatever they are */
#define SCAN_REPLY   ((size_t)16 << 20) /* bytes of what the sweeper gets to see */
#define TOUCHES      16                 /* in its life, of a site that is in use */

uint32_t tmpl_redis_idle(const tmpl_redis_store_t *store)
{
    apr_time_t seconds = apr_time_sec(store->opts.idle);

    return seconds < 1 ? 1 : seconds > INT32_MAX ? INT32_MAX : (uint32_t)seconds;
}

void tmpl_redis_visit_init(tmpl_redis_visit_t *v, tmpl_redis_store_t *store,
                           const tmpl_observation_t *const *pages, uint32_t n, apr_time_t deadline,
                           tmpl_error_t *err, apr_pool_t *pool)
{
    memset(v, 0, sizeof(*v));
    v->store = store;
    v->pages = pages;
    v->n = n;
    v->key = tmpl_redis_site_key(pages[0]->site, pool);
    v->site = XXH3_64bits(v->key, strlen(v->key)) | 1;
    v->deadline = deadline;
    v->err = err;
    v->pool = pool;
}

/* ---- what is remembered of sites and keys ---- */

static tmpl_redis_memory_t *memory_of(const tmpl_redis_visit_t *v)
{
    return &v->store->sites[v->site % TMPL_REDIS_SITES];
}

static void recall(tmpl_redis_visit_t *v)
{
    pthread_mutex_lock(&v->store->lock);
    v->memory = *memory_of(v);
    pthread_mutex_unlock(&v->store->lock);
    if (v->memory.site != v->site) {
        memset(&v->memory, 0, sizeof(v->memory));
        v->memory.site = v->site;
        apr_cpystrn(v->memory.cursor, "0", sizeof(v->memory.cursor));
    }
}

void tmpl_redis_visit_remember(const tmpl_redis_visit_t *v)
{
    pthread_mutex_lock(&v->store->lock);
    *memory_of(v) = v->memory;
    pthread_mutex_unlock(&v->store->lock);
}

/* ---- asking ---- */

void tmpl_redis_visit_begin(tmpl_redis_visit_t *v)
{
    v->replies = apr_array_make(v->pool, 8, sizeof(redisReply *));
    v->fields = apr_array_make(v->pool, 64, sizeof(uint32_t));
    recall(v);
}

void tmpl_redis_visit_end(const tmpl_redis_visit_t *v, apr_status_t rv)
{
    if (rv != APR_SUCCESS && rv != APR_EBUSY && rv != APR_ENOSPC) {
        /* whoever comes next is to ask: what is kept must not hide that the server fails on */
        tmpl_redis_epochs_end(v->store->epochs);
    }
}

apr_status_t tmpl_redis_visit_exchange(tmpl_redis_visit_t *v, const apr_array_header_t *words,
                                       size_t max_reply, int *first)
{
    int n = words->nelts;
    tmpl_redis_command_t *commands = apr_palloc(v->pool, (apr_size_t)n * sizeof(*commands));
    redisReply **replies = apr_palloc(v->pool, (apr_size_t)n * sizeof(redisReply *));
    tmpl_redis_conn_t *conn = v->conn;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < n; i++) {
        commands[i] = tmpl_redis_words_command(&APR_ARRAY_IDX(words, i, tmpl_redis_words_t));
    }
    if (conn == NULL) {
        rv = tmpl_redis_take(v->store->redis, v->deadline, &conn, v->err);
    }
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_exchange(v->store->redis, conn, commands, n,
                                 max_reply + (size_t)n * ERROR_MOST, v->deadline, replies, v->err,
                                 v->pool);
        if (v->conn == NULL) {
            tmpl_redis_give(v->store->redis, conn);
        }
    }
    *first = v->replies->nelts;
    for (int i = 0; rv == APR_SUCCESS && i < n; i++) {
        APR_ARRAY_PUSH(v->replies, redisReply *) = replies[i];
    }
    return rv;
}

const redisReply *tmpl_redis_visit_reply(const tmpl_redis_visit_t *v, int i)
{
    return APR_ARRAY_IDX(v->replies, i, redisReply *);
}

apr_status_t tmpl_redis_visit_refusal(const tmpl_redis_visit_t *v, int first)
{
    for (int i = first; i < v->replies->nelts; i++) {
        const redisReply *reply = tmpl_redis_visit_reply(v, i);

        if (reply->type == REDIS_REPLY_ERROR) {
            return tmpl_redis_fail(v->store->redis, reply->str, reply->len, v->err);
        }
    }
    return APR_SUCCESS;
}

/* The fields of the table from one on are to be asked for, but for the buckets that are kept. */
static void fields_want(tmpl_redis_visit_t *v, uint32_t from)
{
    uint32_t n = tmpl_redis_table_fields(v->table);

    apr_array_clear(v->fields);
    for (uint32_t i = from; i < n; i++) {
        tmpl_redis_bucket_t bucket;

        if (i > 0 && v->epoch != NULL) {
            bucket.number = tmpl_redis_table_number(v->table, i);
            if (tmpl_redis_epoch_find(v->epoch, &bucket)) {
                tmpl_redis_table_give(v->table, i, &bucket);
                continue;
            }
        }
        APR_ARRAY_PUSH(v->fields, uint32_t) = i;
    }
}

/* HMGET of them, in as many commands as it takes. */
static void fields_add(const tmpl_redis_visit_t *v, apr_array_header_t *list)
{
    unsigned char *bytes = apr_palloc(v->pool, (apr_size_t)v->fields->nelts * TMPL_REDIS_FIELD);
    tmpl_redis_words_t words = { 0 };

    for (int i = 0; i < v->fields->nelts; i++, bytes += TMPL_REDIS_FIELD) {
        if (i % FIELDS_MOST == 0) {
            words = TMPL_REDIS_WORDS(v->pool, "HMGET", v->key);
            tmpl_redis_words_push(list, words);
        }
        tmpl_redis_words_add(
            &words, bytes,
            tmpl_redis_table_field(v->table, APR_ARRAY_IDX(v->fields, i, uint32_t), bytes));
    }
}

/* Takes the replies to these HMGETs, the first of them at first. */
static apr_status_t fields_take(const tmpl_redis_visit_t *v, int first)
{
    int n = v->fields->nelts, good = 1;

    for (int i = 0; good && i < n; i++) {
        const redisReply *reply = tmpl_redis_visit_reply(v, first + i / FIELDS_MOST);
        int left = n - i, at = i % FIELDS_MOST;

        good = reply->type == REDIS_REPLY_ARRAY &&
               (at > 0 || reply->elements == (size_t)(left < FIELDS_MOST ? left : FIELDS_MOST)) &&
               tmpl_redis_table_take(v->table, APR_ARRAY_IDX(v->fields, i, uint32_t),
                                     reply->element[at]);
    }
    return good ? APR_SUCCESS : tmpl_redis_garbage(v->store->redis, v->err);
}

/* A table with the keys of all pages, and what the rules want of each page. */
static void table_make(tmpl_redis_visit_t *v)
{
    uint32_t n_keys = 0;

    for (uint32_t p = 0; p < v->n; p++) {
        n_keys += v->pages[p]->n + 2;
    }
    v->table = tmpl_redis_table_make(n_keys, v->pool);
    v->rules = apr_palloc(v->pool, v->n * sizeof(*v->rules));
    for (uint32_t p = 0; p < v->n; p++) {
        const tmpl_observation_t *obs = v->pages[p];
        tmpl_slot_t **slots = apr_palloc(v->pool, (obs->n + (apr_size_t)1) * sizeof(*slots));

        for (uint32_t i = 0; i < obs->n; i++) {
            slots[i] = tmpl_redis_table_slot(v->table, obs->keys[i]);
        }
        v->rules[p].obs = obs;
        v->rules[p].slots = slots;
        v->rules[p].id = tmpl_redis_table_slot(v->table, tmpl_document_id(obs->document));
        v->rules[p].text = tmpl_redis_table_slot(v->table, tmpl_document_text(obs->document));
    }
}

/* One question. */
static apr_status_t question(tmpl_redis_visit_t *v, tmpl_redis_preface_t preface)
{
    apr_array_header_t *list = apr_array_make(v->pool, 8, sizeof(tmpl_redis_words_t));
    size_t most = tmpl_redis_table_max_reply(v->table) + (preface != NULL ? SCAN_REPLY : 0);
    int first, n_preface;
    apr_status_t rv;

    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(v->pool, "TTL", v->key));
    if (preface != NULL) {
        preface(v, list);
    }
    n_preface = list->nelts;
    fields_add(v, list);
    v->asked_at = tmpl_clock();
    rv = tmpl_redis_visit_exchange(v, list, most, &first);
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_visit_refusal(v, first);
    }
    return rv == APR_SUCCESS ? fields_take(v, first + n_preface) : rv;
}

/* ---- what is kept for pages that need no newer counts ---- */

static void epoch_take(tmpl_redis_visit_t *v)
{
    apr_interval_time_t most = v->store->opts.idle / TOUCHES;

    if (v->age > 0) {
        v->epoch = tmpl_redis_epoch_take(v->store->epochs, v->key,
                                         tmpl_clock() - (v->age < most ? v->age : most));
    }
    if (v->epoch != NULL) {
        v->memory.buckets = tmpl_redis_epoch_buckets(v->epoch);
    }
}

static void epoch_give(tmpl_redis_visit_t *v)
{
    if (v->epoch != NULL) {
        tmpl_redis_epoch_give(v->store->epochs, v->epoch);
        v->epoch = NULL;
    }
}

static void epoch_begin(const tmpl_redis_visit_t *v)
{
    uint32_t n;
    const tmpl_redis_bucket_t *buckets = tmpl_redis_table_buckets(v->table, &n);

    tmpl_redis_epoch_begin(v->store->epochs, v->key, v->asked_at, tmpl_redis_table_head(v->table),
                           buckets, n);
}

/* Keeps what was asked for; 0: it is of another time than what was kept. */
static int epoch_add(const tmpl_redis_visit_t *v)
{
    uint32_t n;
    const tmpl_redis_bucket_t *buckets = tmpl_redis_table_buckets(v->table, &n);

    return tmpl_redis_epoch_add(v->store->epochs, v->epoch, tmpl_redis_table_head(v->table),
                                buckets, n);
}

void tmpl_redis_visit_renew(const tmpl_redis_visit_t *v)
{
    uint32_t n;
    const tmpl_redis_bucket_t *buckets = tmpl_redis_table_buckets(v->table, &n);

    tmpl_redis_epoch_renew(v->store->epochs, v->key, tmpl_redis_table_head(v->table), buckets, n);
}

/* Fills the table, if the right buckets were asked for: *good. */
static apr_status_t ask_once(tmpl_redis_visit_t *v, tmpl_redis_preface_t preface, int *good)
{
    apr_status_t rv = APR_SUCCESS;

    tmpl_redis_table_ask(v->table, &v->memory.buckets);
    fields_want(v, 0);
    apr_array_clear(v->replies);
    if (v->epoch != NULL && v->fields->nelts == 1) {
        *tmpl_redis_table_head(v->table) = tmpl_redis_epoch_head(v->store->epochs, v->epoch);
        *good = tmpl_redis_table_settle(v->table);
        return APR_SUCCESS;
    }
    rv = question(v, preface);
    *good = rv == APR_SUCCESS && tmpl_redis_table_settle(v->table);
    if (*good && v->epoch != NULL) {
        *good = epoch_add(v);
    }
    else if (*good && v->age > 0) {
        epoch_begin(v);
    }
    return rv;
}

/* Where nothing is remembered the sweeper goes on where the last one has left off, whoever that was. */
static void sweep_from(tmpl_redis_visit_t *v, const char *cursor)
{
    if (cursor[0] != '\0' && strlen(cursor) <= CURSOR_MOST) {
        apr_cpystrn(v->memory.cursor, cursor, sizeof(v->memory.cursor));
    }
}

apr_status_t tmpl_redis_visit_ask(tmpl_redis_visit_t *v, tmpl_redis_preface_t preface)
{
    int unknown = v->memory.buckets.n == 0, good = 0;
    const tmpl_redis_head_t *head;
    apr_status_t rv = APR_SUCCESS;

    table_make(v);
    epoch_take(v);
    for (int i = 0; rv == APR_SUCCESS && !good && i < GUESSES_MOST; i++) {
        rv = ask_once(v, preface, &good);
        epoch_give(v);
        head = tmpl_redis_table_head(v->table);
        v->memory.buckets = head->buckets;
        if (unknown) {
            sweep_from(v, head->cursor);
        }
    }
    if (rv == APR_SUCCESS && !good) {
        rv = tmpl_fail(v->err, APR_EBUSY, "%s: the site changes faster than it can be read",
                       tmpl_redis_name(v->store->redis));
    }
    return rv;
}

void tmpl_redis_visit_touch(tmpl_redis_visit_t *v)
{
    const redisReply *ttl = tmpl_redis_visit_reply(v, 0);
    uint32_t idle = tmpl_redis_idle(v->store);
    apr_array_header_t *list = apr_array_make(v->pool, 1, sizeof(tmpl_redis_words_t));
    tmpl_error_t *err = v->err;
    int first;

    if (ttl->type != REDIS_REPLY_INTEGER || ttl->integer < 0 ||
        ttl->integer >= idle - idle / TOUCHES) {
        return;
    }
    tmpl_redis_words_push(
        list, TMPL_REDIS_WORDS(v->pool, "EXPIRE", v->key, apr_psprintf(v->pool, "%u", idle)));
    v->err = NULL;
    tmpl_redis_visit_exchange(v, list, 0, &first);
    v->err = err;
}

apr_status_t tmpl_redis_visit_ask_more(tmpl_redis_visit_t *v)
{
    uint32_t n = tmpl_redis_table_grow(v->table), from = tmpl_redis_table_fields(v->table) - n;
    apr_array_header_t *list = apr_array_make(v->pool, 1, sizeof(tmpl_redis_words_t));
    apr_status_t rv;
    int first;

    if (n == 0) {
        return APR_SUCCESS;
    }
    fields_want(v, from);
    fields_add(v, list);
    rv = tmpl_redis_visit_exchange(v, list, tmpl_redis_table_max_reply(v->table), &first);
    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_visit_refusal(v, first);
    }
    return rv == APR_SUCCESS ? fields_take(v, first) : rv;
}
