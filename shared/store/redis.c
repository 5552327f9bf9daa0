/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared store, "redis://..." and "redis+unix://...": one hash per site, "tmpl:3:{SITE}"
 * (redis_table.h). A site is one key, so that it expires or is evicted as a whole; its name stands in
 * braces, so that whatever keys a site may get one day share a slot of a cluster. Braces and % in a name
 * are written %7B, %7D and %25.
 *
 * The 3 is the format of the hash: a change of the format counts it on. Sites in the first two,
 * "tmpl:{SITE}" and "tmpl:2:{SITE}", are neither read nor touched, and expire.
 *
 * A page is looked up by one HMGET, so its counts are of one moment. Pages are learnt by WATCH and HMGET,
 * counted here by the rules that every store has, and written by one transaction, which Redis
 * refuses if anybody has written the site since: then it is all done again, from what now
 * stands there. Counting here and not in a script of the server's spares it, who is one for many.
 *
 * Sites not observed for opts.idle expire. A server that takes no writes (read-only replica, out of
 * memory, disk trouble) is a full store: APR_ENOSPC with good counts.
 */
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/redis_store.h"

#define FIELDS_MOST   (1 << 18)       /* of one command: Redis takes up to 2^20 words */
#define ERROR_MOST    4096            /* bytes of an error reply */
#define GUESSES_MOST  5               /* wrong ones in a row: something is not right */
#define BATCH         TMPL_BATCH_MOST /* so that pages share the buckets that are read and written */
#define KEYS_MOST     20000           /* of pages learnt at once, about: others wait for Redis */
#define CURSOR_MOST   19              /* digits that Redis takes, whatever they are */
#define SCAN_LEAST    2               /* fields that the sweeper looks at, and one a page */
#define SCAN_REPLY    ((size_t)16 << 20)    /* bytes of what it gets to see */
#define PAUSE_LEAST   apr_time_from_msec(1) /* before a refused transaction is tried again, at most */
#define PAUSE_DOUBLED 4                     /* times, if it is refused again and again */
#define TOUCHES       16                    /* in its life, of a site that is in use */
#define KEPT_MOST     ((size_t)8 << 20)     /* bytes of what was read lately */

/* A visit to a site: some pages are looked up, or learnt. */
typedef struct {
    tmpl_redis_store_t *store;
    const tmpl_observation_t *const *pages;
    uint32_t n;
    const char *key;
    uint64_t site; /* a hash of it */
    apr_time_t deadline;
    tmpl_error_t *err;
    apr_pool_t *pool;
    tmpl_redis_conn_t *conn; /* NULL: any will do */
    tmpl_redis_memory_t memory;
    apr_interval_time_t age;   /* how old what is looked up may be; 0 for who learns */
    tmpl_redis_epoch_t *epoch; /* NULL: all is asked for */
    apr_time_t asked_at;
    tmpl_redis_table_t *table;
    tmpl_rules_page_t *rules;   /* of each page */
    apr_array_header_t *fields; /* uint32_t: those of the table that are asked for */
    apr_array_header_t *replies;
} visit_t;

uint32_t tmpl_redis_idle(const tmpl_redis_store_t *store)
{
    apr_time_t seconds = apr_time_sec(store->opts.idle);

    return seconds < 1 ? 1 : seconds > INT32_MAX ? INT32_MAX : (uint32_t)seconds;
}

/* ---- what is remembered of sites and keys ---- */

static tmpl_redis_memory_t *memory_of(const visit_t *v)
{
    return &v->store->sites[v->site % TMPL_REDIS_SITES];
}

static void recall(visit_t *v)
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

static void remember(const visit_t *v)
{
    pthread_mutex_lock(&v->store->lock);
    *memory_of(v) = v->memory;
    pthread_mutex_unlock(&v->store->lock);
}

/* ---- asking ---- */

static void replies_free(visit_t *v)
{
    tmpl_redis_replies_free((redisReply **)v->replies->elts, v->replies->nelts);
    apr_array_clear(v->replies);
}

/* Commands in one round trip; their replies stay until replies_free. *first: where they begin. */
static apr_status_t exchange(visit_t *v, const apr_array_header_t *words, size_t max_reply,
                             int *first)
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
                                 max_reply + (size_t)n * ERROR_MOST, v->deadline, replies, v->err);
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

static redisReply *reply_at(const visit_t *v, int i)
{
    return APR_ARRAY_IDX(v->replies, i, redisReply *);
}

/* The first error among the replies from one on, if there is any. */
static apr_status_t refusal(const visit_t *v, int first)
{
    for (int i = first; i < v->replies->nelts; i++) {
        const redisReply *reply = reply_at(v, i);

        if (reply->type == REDIS_REPLY_ERROR) {
            return tmpl_redis_fail(v->store->redis, reply->str, reply->len, v->err);
        }
    }
    return APR_SUCCESS;
}

static void words_push(apr_array_header_t *list, tmpl_redis_words_t words)
{
    APR_ARRAY_PUSH(list, tmpl_redis_words_t) = words;
}

/* The fields of the table from one on are to be asked for, but for the buckets that are kept. */
static void fields_want(visit_t *v, uint32_t from)
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
static void fields_add(const visit_t *v, apr_array_header_t *list)
{
    unsigned char *bytes = apr_palloc(v->pool, (apr_size_t)v->fields->nelts * TMPL_REDIS_FIELD);
    tmpl_redis_words_t words = { 0 };

    for (int i = 0; i < v->fields->nelts; i++, bytes += TMPL_REDIS_FIELD) {
        if (i % FIELDS_MOST == 0) {
            words = TMPL_REDIS_WORDS(v->pool, "HMGET", v->key);
            words_push(list, words);
        }
        tmpl_redis_words_add(
            &words, bytes,
            tmpl_redis_table_field(v->table, APR_ARRAY_IDX(v->fields, i, uint32_t), bytes));
    }
}

/* Takes the replies to these HMGETs, the first of them at first. */
static apr_status_t fields_take(const visit_t *v, int first)
{
    int n = v->fields->nelts, good = 1;

    for (int i = 0; good && i < n; i++) {
        const redisReply *reply = reply_at(v, first + i / FIELDS_MOST);
        int left = n - i, at = i % FIELDS_MOST;

        good = reply->type == REDIS_REPLY_ARRAY &&
               (at > 0 || reply->elements == (size_t)(left < FIELDS_MOST ? left : FIELDS_MOST)) &&
               tmpl_redis_table_take(v->table, APR_ARRAY_IDX(v->fields, i, uint32_t),
                                     reply->element[at]);
    }
    return good ? APR_SUCCESS : tmpl_redis_garbage(v->store->redis, v->err);
}

static tmpl_key_t document_key(uint64_t hash)
{
    return (tmpl_key_t){ hash, TMPL_KIND_DOCUMENT };
}

/* A table with the keys of all pages, and what the rules want of each page. */
static void table_make(visit_t *v)
{
    v->table = tmpl_redis_table_make(v->pool);
    v->rules = apr_palloc(v->pool, v->n * sizeof(*v->rules));
    for (uint32_t p = 0; p < v->n; p++) {
        const tmpl_observation_t *obs = v->pages[p];
        tmpl_slot_t **slots = apr_palloc(v->pool, (obs->n + (apr_size_t)1) * sizeof(*slots));

        for (uint32_t i = 0; i < obs->n; i++) {
            slots[i] = tmpl_redis_table_slot(v->table, obs->keys[i]);
        }
        v->rules[p].obs = obs;
        v->rules[p].slots = slots;
        v->rules[p].id = tmpl_redis_table_slot(v->table, document_key(obs->document->id));
        v->rules[p].text = tmpl_redis_table_slot(v->table, document_key(obs->document->text));
    }
}

/* What is asked along with the fields, in front of them. */
typedef void (*preface_t)(visit_t *v, apr_array_header_t *list);

/* How long the site has to live. */
static void preface_look(visit_t *v, apr_array_header_t *list)
{
    words_push(list, TMPL_REDIS_WORDS(v->pool, "TTL", v->key));
}

/*
 * For who learns: that nobody else writes the site meanwhile, and what the sweeper is to look at. An UNWATCH in
 * front, as the one before may have found nothing to write.
 */
static void preface_learn(visit_t *v, apr_array_header_t *list)
{
    preface_look(v, list);
    words_push(list, TMPL_REDIS_WORDS(v->pool, "UNWATCH"));
    words_push(list, TMPL_REDIS_WORDS(v->pool, "WATCH", v->key));
    words_push(list, TMPL_REDIS_WORDS(v->pool, "HSCAN", v->key, v->memory.cursor, "COUNT",
                                      apr_psprintf(v->pool, "%u", SCAN_LEAST + v->n)));
}

/* One question. */
static apr_status_t question(visit_t *v, preface_t preface)
{
    apr_array_header_t *list = apr_array_make(v->pool, 8, sizeof(tmpl_redis_words_t));
    int first, n_preface;
    apr_status_t rv;

    preface(v, list);
    n_preface = list->nelts;
    fields_add(v, list);
    v->asked_at = tmpl_clock();
    rv = exchange(v, list, tmpl_redis_table_max_reply(v->table) + (n_preface > 1 ? SCAN_REPLY : 0),
                  &first);
    if (rv == APR_SUCCESS) {
        rv = refusal(v, first);
    }
    return rv == APR_SUCCESS ? fields_take(v, first + n_preface) : rv;
}

/* ---- what is kept for pages that need no newer counts ---- */

static void epoch_take(visit_t *v)
{
    if (v->age > 0) {
        v->epoch = tmpl_redis_epoch_take(v->store->epochs, v->key, tmpl_clock() - v->age);
    }
    if (v->epoch != NULL) {
        v->memory.buckets = tmpl_redis_epoch_buckets(v->epoch);
    }
}

static void epoch_give(visit_t *v)
{
    if (v->epoch != NULL) {
        tmpl_redis_epoch_give(v->store->epochs, v->epoch);
        v->epoch = NULL;
    }
}

static void epoch_begin(const visit_t *v, apr_time_t begun)
{
    uint32_t n;
    const tmpl_redis_bucket_t *buckets = tmpl_redis_table_buckets(v->table, &n);

    tmpl_redis_epoch_begin(v->store->epochs, v->key, begun, tmpl_redis_table_head(v->table),
                           buckets, n);
}

/* Keeps what was asked for; 0: it is of another time than what was kept. */
static int epoch_add(const visit_t *v)
{
    uint32_t n;
    const tmpl_redis_bucket_t *buckets = tmpl_redis_table_buckets(v->table, &n);

    return tmpl_redis_epoch_add(v->store->epochs, v->epoch, tmpl_redis_table_head(v->table),
                                buckets, n);
}

/* What has been learnt, and what was read for it, is what pages go by from now on; if any go by what is kept. */
static void epoch_renew(const visit_t *v, apr_time_t begun)
{
    tmpl_redis_epoch_t *epoch = tmpl_redis_epoch_take(v->store->epochs, v->key, 0);

    if (epoch != NULL) {
        tmpl_redis_epoch_give(v->store->epochs, epoch);
        epoch_begin(v, begun);
    }
}

/* A server that has failed is asked by whoever comes next: what is kept must not hide that it fails on. */
static void epochs_end(const visit_t *v, apr_status_t rv)
{
    if (rv != APR_SUCCESS && rv != APR_EBUSY && rv != APR_ENOSPC) {
        tmpl_redis_epochs_end(v->store->epochs);
    }
}

/* Fills the table, if the right buckets were asked for: *good. */
static apr_status_t ask_once(visit_t *v, preface_t preface, int *good)
{
    apr_status_t rv = APR_SUCCESS;

    tmpl_redis_table_ask(v->table, &v->memory.buckets);
    fields_want(v, 0);
    replies_free(v);
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
        epoch_begin(v, v->asked_at);
    }
    return rv;
}

/* Where nothing is remembered the sweeper goes on where the last one has left off, whoever that was. */
static void sweep_from(visit_t *v, const char *cursor)
{
    if (cursor[0] != '\0' && strlen(cursor) <= CURSOR_MOST) {
        apr_cpystrn(v->memory.cursor, cursor, sizeof(v->memory.cursor));
    }
}

/*
 * Fills the table. What is asked for goes by what is remembered of the site; if that is no longer so, all of
 * it is asked for again, so that it is of one moment.
 */
static apr_status_t ask(visit_t *v, preface_t preface)
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

/* ---- looking pages up ---- */

/* Being looked at is being in use. Should it fail, a next page tries again; who had nothing to ask leaves it to another. */
static void touch(visit_t *v)
{
    const redisReply *ttl = v->replies->nelts > 0 ? reply_at(v, 0) : NULL;
    uint32_t idle = tmpl_redis_idle(v->store);
    apr_array_header_t *list = apr_array_make(v->pool, 1, sizeof(tmpl_redis_words_t));
    tmpl_error_t *err = v->err;
    int first;

    if (ttl == NULL || ttl->type != REDIS_REPLY_INTEGER || ttl->integer < 0 ||
        ttl->integer >= idle - idle / TOUCHES) {
        return;
    }
    words_push(list,
               TMPL_REDIS_WORDS(v->pool, "EXPIRE", v->key, apr_psprintf(v->pool, "%u", idle)));
    v->err = NULL;
    exchange(v, list, 0, &first);
    v->err = err;
}

/* The counts of a page as it is; of LATER as if it were learnt. */
static apr_status_t look(visit_t *v, tmpl_counts_t *counts)
{
    apr_status_t rv = ask(v, preface_look);
    const tmpl_redis_head_t *head = tmpl_redis_table_head(v->table);
    tmpl_rules_site_t site = head->site;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    remember(v);
    if (v->pages[0]->learn == TMPL_LEARNING_OFF) {
        tmpl_rules_look(v->rules, &site, counts);
    }
    else {
        counts->due = tmpl_rules_learn(v->rules, &site, counts, v->pool);
    }
    touch(v);
    return APR_SUCCESS;
}

/* ---- learning ---- */

/* The commands of a transaction under construction. */
typedef struct {
    visit_t *v;
    apr_array_header_t *list;
    tmpl_redis_words_t put, del;
    uint32_t n_put, n_del;
} writing_t;

static void on_put(void *baton, const void *field, size_t field_len, const void *value, size_t len)
{
    writing_t *w = baton;

    if (w->n_put++ % FIELDS_MOST == 0) {
        w->put = TMPL_REDIS_WORDS(w->v->pool, "HSET", w->v->key);
        words_push(w->list, w->put);
    }
    tmpl_redis_words_add(&w->put, field, field_len);
    tmpl_redis_words_add(&w->put, value, len);
}

static void on_del(void *baton, const void *field, size_t field_len)
{
    writing_t *w = baton;

    if (w->n_del++ % FIELDS_MOST == 0) {
        w->del = TMPL_REDIS_WORDS(w->v->pool, "HDEL", w->v->key);
        words_push(w->list, w->del);
    }
    tmpl_redis_words_add(&w->del, field, field_len);
}

static void on_drop(void *baton)
{
    writing_t *w = baton;

    words_push(w->list, TMPL_REDIS_WORDS(w->v->pool, "UNLINK", w->v->key));
}

/* What the sweeper was given: the last reply of preface_learn. */
static apr_status_t sweep(visit_t *v, const tmpl_lifetimes_t *lifetimes)
{
    const redisReply *scan = reply_at(v, 3);
    const redisReply *cursor = scan->elements == 2 ? scan->element[0] : NULL;
    tmpl_redis_head_t *head = tmpl_redis_table_head(v->table);
    int good = cursor != NULL && cursor->type == REDIS_REPLY_STRING &&
               cursor->len < sizeof(head->cursor) && scan->element[1]->type == REDIS_REPLY_ARRAY &&
               scan->element[1]->elements % 2 == 0;

    for (size_t i = 0; good && i < scan->element[1]->elements; i += 2) {
        const redisReply *field = scan->element[1]->element[i];
        const redisReply *value = scan->element[1]->element[i + 1];

        good = field->type == REDIS_REPLY_STRING && value->type == REDIS_REPLY_STRING;
        if (good) {
            tmpl_redis_table_sweep(v->table, field, value, lifetimes);
        }
    }
    if (!good) {
        return tmpl_redis_garbage(v->store->redis, v->err);
    }
    apr_cpystrn(head->cursor, cursor->str, sizeof(head->cursor));
    return APR_SUCCESS;
}

/* Buckets that are to be parted or put together, and that no page has asked for. */
static apr_status_t ask_more(visit_t *v)
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
    rv = exchange(v, list, tmpl_redis_table_max_reply(v->table), &first);
    if (rv == APR_SUCCESS) {
        rv = refusal(v, first);
    }
    return rv == APR_SUCCESS ? fields_take(v, first) : rv;
}

/* What the server says to a transaction; *refused: somebody else was faster. */
static apr_status_t judge(const visit_t *v, int first, int *refused)
{
    const redisReply *exec = reply_at(v, v->replies->nelts - 1);
    apr_status_t rv = refusal(v, first);

    *refused = 0;
    if (rv == APR_EAGAIN || rv == APR_ENOTIMPL) {
        return rv;
    }
    if (rv != APR_SUCCESS) {
        /* it has let us read: for whatever reason it takes no writes */
        if (v->err != NULL) {
            v->err->status = APR_ENOSPC;
        }
        return APR_ENOSPC;
    }
    *refused = exec->type == REDIS_REPLY_NIL;
    if (*refused) {
        return APR_SUCCESS;
    }
    if (exec->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(v->store->redis, v->err);
    }
    for (size_t i = 0; i < exec->elements; i++) {
        const redisReply *one = exec->element[i];

        if (one->type == REDIS_REPLY_ERROR) {
            return tmpl_redis_fail(v->store->redis, one->str, one->len, v->err);
        }
    }
    return APR_SUCCESS;
}

/* Writes what was counted. */
static apr_status_t write_all(visit_t *v, int *refused)
{
    apr_array_header_t *list = apr_array_make(v->pool, 8, sizeof(tmpl_redis_words_t));
    writing_t w = { .v = v, .list = list };
    tmpl_redis_changes_t changes = { on_put, on_del, on_drop, &w };
    tmpl_lifetimes_t lifetimes;
    apr_status_t rv = ask_more(v);
    int first;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    tmpl_lifetimes_init(&lifetimes, v->pages[v->n - 1]->policy);
    tmpl_redis_table_put_away(v->table, &lifetimes);
    rv = sweep(v, &lifetimes);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    words_push(list, TMPL_REDIS_WORDS(v->pool, "MULTI"));
    if (!tmpl_redis_table_write(v->table, &changes)) {
        return tmpl_fail(v->err, APR_ENOSPC, "%s: the site's head is not true: forget the site",
                         tmpl_redis_name(v->store->redis));
    }
    words_push(list, TMPL_REDIS_WORDS(v->pool, "EXPIRE", v->key,
                                      apr_psprintf(v->pool, "%u", tmpl_redis_idle(v->store))));
    words_push(list, TMPL_REDIS_WORDS(v->pool, "EXEC"));
    rv = exchange(v, list, 0, &first);
    if (rv == APR_SUCCESS) {
        rv = judge(v, first, refused);
    }
    if (rv == APR_SUCCESS && !*refused) {
        v->memory.buckets = tmpl_redis_table_head(v->table)->buckets;
        apr_cpystrn(v->memory.cursor, tmpl_redis_table_head(v->table)->cursor,
                    sizeof(v->memory.cursor));
        remember(v);
        /* now, and not when it was asked: a page that has asked meanwhile may have been answered before */
        epoch_renew(v, tmpl_clock());
    }
    return rv;
}

/*
 * One try at learning all pages. counts: of each page, or NULL. counted: how many documents
 * were new.
 */
static apr_status_t learn_once(visit_t *v, tmpl_counts_t *counts, uint32_t *counted, int *refused)
{
    apr_status_t rv = ask(v, preface_learn);
    tmpl_redis_head_t *head = tmpl_redis_table_head(v->table);
    int written = 0;

    *counted = 0;
    *refused = 0;
    for (uint32_t p = 0; rv == APR_SUCCESS && p < v->n; p++) {
        tmpl_counts_t own = counts != NULL ? counts[p] : tmpl_counts_make(v->pages[p], v->pool);

        written |= tmpl_rules_learn(&v->rules[p], &head->site, &own, v->pool);
        *counted += (uint32_t)own.counted;
        if (counts != NULL) {
            counts[p] = own;
        }
    }
    if (rv == APR_SUCCESS && !written) {
        remember(v);
        epoch_renew(v, v->asked_at);
        touch(v);
    }
    return rv == APR_SUCCESS && written ? write_all(v, refused) : rv;
}

/* One thread of a process at a time learns a site: two would only refuse each other. */
static int site_enter(visit_t *v)
{
    tmpl_redis_store_t *store = v->store;
    unsigned char *busy = &store->busy[v->site % sizeof(store->busy)];
    struct timespec until = { (time_t)apr_time_sec(v->deadline),
                              (long)apr_time_usec(v->deadline) * 1000 };
    int rc = 0;

    pthread_mutex_lock(&store->lock);
    while (*busy && rc == 0) {
        rc = pthread_cond_clockwait(&store->freed, &store->lock, CLOCK_MONOTONIC, &until);
    }
    rc = !*busy;
    *busy = 1;
    pthread_mutex_unlock(&store->lock);
    return rc;
}

static void site_leave(visit_t *v)
{
    tmpl_redis_store_t *store = v->store;

    pthread_mutex_lock(&store->lock);
    store->busy[v->site % sizeof(store->busy)] = 0;
    pthread_cond_broadcast(&store->freed);
    pthread_mutex_unlock(&store->lock);
}

static apr_status_t in_use(visit_t *v)
{
    return tmpl_fail(v->err, APR_EBUSY, "%s: no turn in time (others write the site)",
                     tmpl_redis_name(v->store->redis));
}

/* Before it is tried again, for a while that other processes do not draw as well; the longer the more often. */
static apr_status_t wait_a_while(visit_t *v, uint32_t refusals)
{
    apr_interval_time_t left = v->deadline - tmpl_clock();
    apr_interval_time_t most = PAUSE_LEAST << (refusals < PAUSE_DOUBLED ? refusals : PAUSE_DOUBLED);
    uint16_t drawn = 0;

    (void)apr_generate_random_bytes((unsigned char *)&drawn, sizeof(drawn));
    if (drawn % most >= left) {
        return in_use(v);
    }
    apr_sleep(drawn % most);
    return APR_SUCCESS;
}

/* One try, with what it needs taken for it alone: who waits before the next lets others of the process go on. */
static apr_status_t learn_turn(visit_t *v, tmpl_counts_t *counts, uint32_t *counted, int *refused)
{
    apr_pool_t *pool = v->pool;
    apr_status_t rv;

    *refused = 0;
    if (!site_enter(v)) {
        return in_use(v);
    }
    apr_pool_create(&v->pool, pool);
    v->replies = apr_array_make(v->pool, 8, sizeof(redisReply *));
    v->fields = apr_array_make(v->pool, 64, sizeof(uint32_t));
    rv = tmpl_redis_take(v->store->redis, v->deadline, &v->conn, v->err);
    if (rv == APR_SUCCESS) {
        recall(v);
        rv = learn_once(v, counts, counted, refused);
        if (rv == APR_EBUSY) { /* before it was even read */
            *refused = 1;
            rv = APR_SUCCESS;
        }
        if (*refused) {
            remember(v);
        }
        replies_free(v);
        tmpl_redis_give(v->store->redis, v->conn);
        v->conn = NULL;
    }
    epochs_end(v, rv);
    apr_pool_destroy(v->pool);
    v->pool = pool;
    site_leave(v);
    return rv;
}

/*
 * Learns the pages of a site, however often somebody comes between. The more there are the longer they take, and
 * whoever writes a page meanwhile undoes it all: each time that happens half as many are tried.
 */
static apr_status_t learn_site(visit_t *v, tmpl_counts_t *counts, uint32_t *counted)
{
    const tmpl_observation_t *const *pages = v->pages;
    uint32_t n = v->n, size = n, found = 0, refusals = 0;
    apr_status_t rv = APR_SUCCESS;
    int refused, ever = 0;

    *counted = 0;
    for (uint32_t done = 0; rv == APR_SUCCESS && done < n;) {
        v->pages = pages + done;
        v->n = size < n - done ? size : n - done;
        for (uint32_t p = 0; counts != NULL && p < v->n; p++) {
            memset(counts[done + p].records, 0, v->pages[p]->n * sizeof(*counts->records));
        }
        rv = learn_turn(v, counts != NULL ? counts + done : NULL, &found, &refused);
        if (refused) {
            size = (v->n + 1) / 2;
            ever = 1;
            rv = wait_a_while(v, refusals++);
        }
        else if (rv == APR_SUCCESS) {
            done += v->n;
            *counted += found;
            refusals = 0;
        }
    }
    /* a server that has refused is there: it is the others who took the time */
    return rv == APR_TIMEUP && ever ? in_use(v) : rv;
}

static void visit_init(visit_t *v, tmpl_redis_store_t *store,
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

static apr_status_t look_alone(visit_t *v, tmpl_counts_t *counts)
{
    apr_interval_time_t most = v->store->opts.idle / TOUCHES;
    apr_status_t rv;

    v->age = v->pages[0]->age < most ? v->pages[0]->age : most;
    v->replies = apr_array_make(v->pool, 8, sizeof(redisReply *));
    v->fields = apr_array_make(v->pool, 64, sizeof(uint32_t));
    recall(v);
    rv = look(v, counts);
    epochs_end(v, rv);
    replies_free(v);
    return rv;
}

static apr_status_t observe(void *ctx, const tmpl_observation_t *obs, apr_time_t deadline,
                            tmpl_counts_t *counts, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_observation_t off = *obs;
    const tmpl_observation_t *pages = &off;
    uint32_t counted;
    apr_status_t rv, looked;
    visit_t v;

    visit_init(&v, ctx, &pages, 1, deadline, err, pool);
    if (obs->learn != TMPL_LEARNING_NOW) {
        return look_alone(&v, counts);
    }
    rv = learn_site(&v, counts, &counted);
    if (rv == APR_ENOSPC) {
        off.learn = TMPL_LEARNING_OFF;
        off.age = 0;
        v.err = NULL;
        memset(counts->records, 0, obs->n * sizeof(*counts->records));
        counts->counted = 0;
        looked = look_alone(&v, counts);
        rv = looked == APR_SUCCESS ? rv : looked;
        if (err != NULL) {
            err->status = rv;
        }
    }
    return rv;
}

/* The next pages of a site, from a page that is not done on: as many as make one transaction. */
static uint32_t pages_take(const tmpl_observation_t *const *pages, uint32_t n, uint32_t from,
                           unsigned char *done, const tmpl_observation_t **taken)
{
    uint32_t n_taken = 0, keys = 0;

    for (uint32_t i = from; i < n && (n_taken == 0 || keys < KEYS_MOST); i++) {
        if (!done[i] && strcmp(pages[i]->site, pages[from]->site) == 0) {
            done[i] = 1;
            taken[n_taken++] = pages[i];
            keys += pages[i]->n;
        }
    }
    return n_taken;
}

static apr_status_t learn(void *ctx, const tmpl_observation_t *const *pages, uint32_t n,
                          apr_time_t deadline, uint32_t *counted, tmpl_error_t *err,
                          apr_pool_t *pool)
{
    unsigned char *done = apr_pcalloc(pool, n);
    const tmpl_observation_t **taken = apr_palloc(pool, n * sizeof(*taken));
    apr_status_t rv = APR_SUCCESS;
    tmpl_error_t full = { APR_SUCCESS, "" };

    for (uint32_t from = 0; rv == APR_SUCCESS && from < n; from++) {
        uint32_t found = 0, n_taken;
        visit_t v;

        if (!done[from]) {
            n_taken = pages_take(pages, n, from, done, taken);
            visit_init(&v, ctx, taken, n_taken, deadline, err, pool);
            rv = learn_site(&v, NULL, &found);
            *counted += found;
        }
        if (rv == APR_ENOSPC) { /* it may be that of one site alone */
            full.status = rv;
            apr_cpystrn(full.text, err != NULL ? err->text : "", sizeof(full.text));
            rv = APR_SUCCESS;
        }
    }
    if (rv == APR_SUCCESS && full.status != APR_SUCCESS) {
        rv = tmpl_fail(err, full.status, "%s", full.text);
    }
    return rv;
}

static apr_status_t observe_many(void *ctx, const tmpl_observation_t *const *pages, uint32_t n,
                                 apr_time_t deadline, tmpl_counts_t *counts, tmpl_error_t *err,
                                 apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;
    uint32_t counted, size;

    for (uint32_t i = 0; rv == APR_SUCCESS && i < n; i += size) {
        uint32_t keys = 0;
        visit_t v;

        for (size = 0; i + size < n && (size == 0 || keys < KEYS_MOST); size++) {
            keys += pages[i + size]->n;
        }
        visit_init(&v, ctx, pages + i, size, deadline, err, pool);
        rv = learn_site(&v, counts + i, &counted);
    }
    return rv;
}

static apr_status_t check(const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_address_t address;

    return tmpl_redis_address_parse(&address, uri, err, pool);
}

static apr_status_t store_free(void *data)
{
    tmpl_redis_store_t *store = data;

    pthread_cond_destroy(&store->freed);
    pthread_mutex_destroy(&store->lock);
    return APR_SUCCESS;
}

static apr_status_t store_open(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                               tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_store_t *store = apr_pcalloc(pool, sizeof(*store));
    tmpl_redis_address_t address;
    apr_status_t rv = tmpl_redis_address_parse(&address, uri, err, pool);

    if (rv == APR_SUCCESS) {
        store->opts = *opts;
        store->epochs = tmpl_redis_epochs_create(KEPT_MOST, pool);
        store->redis = tmpl_redis_create(&address, opts->max_connections, pool);
        store->sites = apr_pcalloc(pool, TMPL_REDIS_SITES * sizeof(*store->sites));
        pthread_mutex_init(&store->lock, NULL);
        pthread_cond_init(&store->freed, NULL);
        apr_pool_cleanup_register(pool, store, store_free, apr_pool_cleanup_null);
        *ctx = store;
    }
    return rv;
}

const tmpl_provider_t tmpl_provider_redis = {
    .scheme = "redis://",
    .batch = BATCH,
    .check = check,
    .open = store_open,
    .observe = observe,
    .learn = learn,
    .observe_many = observe_many,
    .sites = tmpl_redis_sites,
    .forget = tmpl_redis_forget,
    .dump = tmpl_redis_dump,
    .load = tmpl_redis_load,
};

const tmpl_provider_t tmpl_provider_redis_unix = {
    .scheme = "redis+unix://",
    .batch = BATCH,
    .check = check,
    .open = store_open,
    .observe = observe,
    .learn = learn,
    .observe_many = observe_many,
    .sites = tmpl_redis_sites,
    .forget = tmpl_redis_forget,
    .dump = tmpl_redis_dump,
    .load = tmpl_redis_load,
};
