/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "table/redis/redis_visit.h"

#define FIELDS_MOST   TMPL_REDIS_FIELDS_MOST
#define KEYS_MOST     40000 /* of pages learnt at once, about: others wait for Redis */
#define SCAN_LEAST    2     /* fields that the sweeper looks at, and one a page */
#define PAUSE_LEAST   apr_time_from_msec(1) /* before a refused transaction is tried again, at most */
#define PAUSE_DOUBLED 4                     /* times, if it is refused again and again */

/*
 * For who learns: that nobody else writes the site meanwhile, and what the sweeper is to look at. An UNWATCH in
 * front, as the one before may have found nothing to write.
 */
static void preface_learn(tmpl_redis_visit_t *v, apr_array_header_t *list)
{
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(v->pool, "UNWATCH"));
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(v->pool, "WATCH", v->key));
    tmpl_redis_words_push(list,
                          TMPL_REDIS_WORDS(v->pool, "HSCAN", v->key, v->memory.cursor, "COUNT",
                                           apr_psprintf(v->pool, "%u", SCAN_LEAST + v->n)));
}

/* The commands of a transaction under construction. */
typedef struct {
    tmpl_redis_visit_t *v;
    apr_array_header_t *list;
    tmpl_redis_words_t put, del;
    uint32_t n_put, n_del;
} writing_t;

static void on_put(void *baton, const void *field, size_t field_len, const void *value, size_t len)
{
    writing_t *w = baton;

    if (w->n_put++ % FIELDS_MOST == 0) {
        w->put = TMPL_REDIS_WORDS(w->v->pool, "HSET", w->v->key);
        tmpl_redis_words_push(w->list, w->put);
    }
    tmpl_redis_words_add(&w->put, field, field_len);
    tmpl_redis_words_add(&w->put, value, len);
}

static void on_del(void *baton, const void *field, size_t field_len)
{
    writing_t *w = baton;

    if (w->n_del++ % FIELDS_MOST == 0) {
        w->del = TMPL_REDIS_WORDS(w->v->pool, "HDEL", w->v->key);
        tmpl_redis_words_push(w->list, w->del);
    }
    tmpl_redis_words_add(&w->del, field, field_len);
}

static void on_drop(void *baton)
{
    writing_t *w = baton;

    tmpl_redis_words_push(w->list, TMPL_REDIS_WORDS(w->v->pool, "UNLINK", w->v->key));
}

/* What the sweeper was given: the last reply of preface_learn. */
static apr_status_t sweep(tmpl_redis_visit_t *v, const tmpl_lifetimes_t *lifetimes)
{
    const redisReply *scan = tmpl_redis_visit_reply(v, 3);
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

/* What the server says to a transaction; *refused: somebody else was faster. */
static apr_status_t judge(const tmpl_redis_visit_t *v, int first, int *refused)
{
    const redisReply *exec = tmpl_redis_visit_reply(v, v->replies->nelts - 1);
    apr_status_t rv = tmpl_redis_visit_refusal(v, first);

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
static apr_status_t write_all(tmpl_redis_visit_t *v, int *refused)
{
    apr_array_header_t *list = apr_array_make(v->pool, 8, sizeof(tmpl_redis_words_t));
    writing_t w = { .v = v, .list = list };
    tmpl_redis_changes_t changes = { on_put, on_del, on_drop, &w };
    tmpl_lifetimes_t lifetimes;
    apr_status_t rv = tmpl_redis_visit_ask_more(v);
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
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(v->pool, "MULTI"));
    if (!tmpl_redis_table_write(v->table, &changes)) {
        return tmpl_fail(v->err, APR_ENOSPC, "%s: the site's head is not true: forget the site",
                         tmpl_redis_name(v->store->redis));
    }
    tmpl_redis_words_push(list,
                          TMPL_REDIS_WORDS(v->pool, "EXPIRE", v->key,
                                           apr_psprintf(v->pool, "%u", tmpl_redis_idle(v->store))));
    tmpl_redis_words_push(list, TMPL_REDIS_WORDS(v->pool, "EXEC"));
    rv = tmpl_redis_visit_exchange(v, list, 0, &first);
    if (rv == APR_SUCCESS) {
        rv = judge(v, first, refused);
    }
    if (rv == APR_SUCCESS && !*refused) {
        v->memory.buckets = tmpl_redis_table_head(v->table)->buckets;
        apr_cpystrn(v->memory.cursor, tmpl_redis_table_head(v->table)->cursor,
                    sizeof(v->memory.cursor));
        tmpl_redis_visit_remember(v);
        tmpl_redis_visit_renew(v);
    }
    return rv;
}

/*
 * One try at learning all pages. counts: of each page, or NULL. counted: how many documents
 * were new.
 */
static apr_status_t learn_once(tmpl_redis_visit_t *v, tmpl_counts_t *counts, uint32_t *counted,
                               int *refused)
{
    apr_status_t rv = tmpl_redis_visit_ask(v, preface_learn);
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
        tmpl_redis_visit_remember(v);
        tmpl_redis_visit_renew(v);
        tmpl_redis_visit_touch(v);
    }
    return rv == APR_SUCCESS && written ? write_all(v, refused) : rv;
}

/* One thread of a process at a time learns a site: two would only refuse each other. */
static int site_enter(tmpl_redis_visit_t *v)
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

static void site_leave(tmpl_redis_visit_t *v)
{
    tmpl_redis_store_t *store = v->store;

    pthread_mutex_lock(&store->lock);
    store->busy[v->site % sizeof(store->busy)] = 0;
    pthread_cond_broadcast(&store->freed);
    pthread_mutex_unlock(&store->lock);
}

static apr_status_t in_use(tmpl_redis_visit_t *v)
{
    return tmpl_fail(v->err, APR_EBUSY, "%s: no turn in time (others write the site)",
                     tmpl_redis_name(v->store->redis));
}

/* Before it is tried again, for a while that other processes do not draw as well; the longer the more often. */
static apr_status_t wait_a_while(tmpl_redis_visit_t *v, uint32_t refusals)
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
static apr_status_t learn_turn(tmpl_redis_visit_t *v, tmpl_counts_t *counts, uint32_t *counted,
                               int *refused)
{
    apr_pool_t *pool = v->pool;
    apr_status_t rv;

    *refused = 0;
    if (!site_enter(v)) {
        return in_use(v);
    }
    apr_pool_create(&v->pool, pool);
    tmpl_redis_visit_begin(v);
    rv = tmpl_redis_take(v->store->redis, v->deadline, &v->conn, v->err);
    if (rv == APR_SUCCESS) {
        rv = learn_once(v, counts, counted, refused);
        if (rv == APR_EBUSY) { /* before it was even read */
            *refused = 1;
            rv = APR_SUCCESS;
        }
        if (*refused) {
            tmpl_redis_visit_remember(v);
        }
        tmpl_redis_give(v->store->redis, v->conn);
        v->conn = NULL;
    }
    tmpl_redis_visit_end(v, rv);
    apr_pool_destroy(v->pool);
    v->pool = pool;
    site_leave(v);
    return rv;
}

/*
 * Learns the pages of a site, however often somebody comes between. The more there are the longer they take, and
 * whoever writes a page meanwhile undoes it all: each time that happens half as many are tried.
 */
static apr_status_t learn_site(tmpl_redis_visit_t *v, tmpl_counts_t *counts, uint32_t *counted)
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

apr_status_t tmpl_redis_learn(void *ctx, const tmpl_observation_t *const *pages, uint32_t n,
                              apr_time_t deadline, tmpl_counts_t *counts, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    unsigned char *done = apr_pcalloc(pool, n);
    const tmpl_observation_t **taken = apr_palloc(pool, n * sizeof(*taken));
    apr_status_t rv = APR_SUCCESS;
    tmpl_error_t full = { APR_SUCCESS, "" };

    for (uint32_t from = 0; rv == APR_SUCCESS && from < n; from++) {
        uint32_t found = 0;
        tmpl_redis_visit_t v;

        if (done[from]) {
            continue;
        }
        tmpl_redis_visit_init(&v, ctx, taken, pages_take(pages, n, from, done, taken), deadline,
                              err, pool);
        rv = learn_site(&v, counts != NULL ? counts + from : NULL, &found);
        *counted += found;
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
