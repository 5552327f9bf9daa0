/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_thread_mutex.h>

#include <mod_watchdog.h>
#include <mpm_common.h>
#include <unixd.h>

#include "child_store.h"
#include "learner.h"
#include "messages.h"
#include "page_pool.h"

/* How long a secret is used before the store is asked again: the store may have been emptied. */
#define SEED_AGE apr_time_from_sec(10)

/*
 * Only the status page makes calls without a timeout of their own. People wait for this page, so a
 * silent store must not delay it for long.
 */
static const tmpl_store_opts_t store_opts = { .patience = apr_time_from_sec(2) };

/* Written while the configuration is read; afterwards only the child's part of stores changes. */
static apr_array_header_t *stores; /* of tmpl_child_store_t * */
static tmpl_child_store_t *default_store;

static apr_uint32_t has_watchdog;

/* Whether the watchdog of this child runs, and will learn pages that wait. Atomic. */
static apr_uint32_t watched;

apr_uint32_t tmpl_child_stores_users;

/* A URI without its password and its query. */
static const char *public_part(const char *uri, apr_pool_t *pool)
{
    apr_size_t len = strcspn(uri, "?");
    const char *separator = ap_strstr_c(uri, "://");
    const char *authority = separator != NULL ? separator + 3 : uri;
    /* a password may hold an '@', so the last one counts */
    const char *at = memrchr(authority, '@', strcspn(authority, "/?"));
    if (separator == NULL || at == NULL) {
        return apr_pstrmemdup(pool, uri, len);
    }
    return apr_pstrcat(pool, apr_pstrmemdup(pool, uri, (apr_size_t)(authority - uri)), "...",
                       apr_pstrmemdup(pool, at, len - (apr_size_t)(at - uri)), NULL);
}

void tmpl_child_stores_reset(apr_pool_t *pconf)
{
    stores = apr_array_make(pconf, 4, sizeof(tmpl_child_store_t *));
    default_store = NULL;
    has_watchdog = 0;
    tmpl_learner_reset(pconf);
}

/* If URIs differ only in parts that are not shown, the later names have a number. */
tmpl_child_store_t *tmpl_child_store_add(const char *uri, apr_pool_t *pconf)
{
    const char *shown = public_part(uri, pconf);
    tmpl_child_store_t *ours;
    int same = 0;
    for (int i = 0; i < stores->nelts; i++) {
        ours = APR_ARRAY_IDX(stores, i, tmpl_child_store_t *);
        if (strcmp(ours->uri, uri) == 0) {
            return ours;
        }
        same += strcmp(public_part(ours->uri, pconf), shown) == 0;
    }
    ours = apr_pcalloc(pconf, sizeof(*ours));
    ours->uri = apr_pstrdup(pconf, uri);
    ours->health.name = same == 0 ? shown : apr_psprintf(pconf, "%s (%d)", shown, same + 1);
    APR_ARRAY_PUSH(stores, tmpl_child_store_t *) = ours;
    return ours;
}

void tmpl_child_stores_drop_unused(void)
{
    int i, n = 0;
    for (i = 0; i < stores->nelts; i++) {
        tmpl_child_store_t *ours = APR_ARRAY_IDX(stores, i, tmpl_child_store_t *);
        if (ours->is_used) {
            APR_ARRAY_IDX(stores, n++, tmpl_child_store_t *) = ours;
        }
    }
    stores->nelts = n;
}

/* Adds the default store if a server uses it. */
static void add_default(server_rec *s, apr_pool_t *pconf)
{
    for (; s != NULL && default_store == NULL; s = s->next) {
        const tmpl_conf_t *conf = ap_get_module_config(s->lookup_defaults, &tmpl_module);
        if (conf->store == NULL && tmpl_conf_is_used_by(s)) {
            const char *preset = tmpl_settings[TMPL_SETTING_store].preset;
            const char *dir = ap_runtime_dir_relative(pconf, tmpl_store_directory(preset, pconf));
            default_store =
                tmpl_child_store_add(apr_pstrcat(pconf, TMPL_STORE_LMDB, dir, NULL), pconf);
        }
    }
}

/*
 * Creates a directory that the children can write to. An existing one is left as it is: it may have
 * another owner. Its parents are not created, so that a mistyped path is noticed.
 */
static apr_status_t make_directory(const char *dir, apr_pool_t *pool)
{
    apr_status_t rv =
        apr_dir_make(dir, APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_UEXECUTE, pool);
    if (rv != APR_SUCCESS) {
        return APR_STATUS_IS_EEXIST(rv) ? APR_SUCCESS : rv;
    }
    if (geteuid() == 0 && chown(dir, ap_unixd_config.user_id, ap_unixd_config.group_id) != 0) {
        return APR_FROM_OS_ERROR(errno);
    }
    return APR_SUCCESS;
}

/* NULL if the store is not open. */
static tmpl_store_t *store_of(const tmpl_child_store_t *ours)
{
    return __atomic_load_n(&ours->store, __ATOMIC_ACQUIRE);
}

/* Opens the store. NULL, with err filled, if that fails. The caller holds ours->opening. */
static tmpl_store_t *open_anew(tmpl_child_store_t *ours, tmpl_error_t *err)
{
    tmpl_store_t *store = NULL;
    apr_pool_t *pool;
    apr_pool_create(&pool, ours->pool);
    if (tmpl_store_open(&store, ours->uri, &store_opts, err, pool) != APR_SUCCESS) {
        apr_pool_destroy(pool);
        store = NULL;
    }
    else if (tmpl_store_moved(store) != NULL) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, ours->health.server, TMPL_LOG_STORE_DAMAGED,
                     ours->health.name, tmpl_store_moved(store));
    }
    __atomic_store_n(&ours->store, store, __ATOMIC_RELEASE);
    return store;
}

/*
 * The store, opened if it is not open yet. NULL, with err filled, if that fails; NULL, with
 * err->status APR_SUCCESS, if another thread is opening it, or the child ends.
 */
static tmpl_store_t *open_store(tmpl_child_store_t *ours, tmpl_error_t *err)
{
    tmpl_store_t *store = store_of(ours);
    apr_thread_mutex_t *opening = __atomic_load_n(&ours->opening, __ATOMIC_ACQUIRE);
    err->status = APR_SUCCESS;
    if (store != NULL || opening == NULL || apr_thread_mutex_trylock(opening) != APR_SUCCESS) {
        return store;
    }
    store = store_of(ours);
    if (store == NULL) {
        store = open_anew(ours, err);
    }
    apr_thread_mutex_unlock(opening);
    return store;
}

/*
 * Opens the store anew if its file has been taken away; looks for the file once a second. Other
 * requests may still use the former store, so the former store stays open until the child ends.
 */
static void notice_loss(tmpl_child_store_t *ours)
{
    tmpl_store_t *store = store_of(ours);
    apr_thread_mutex_t *opening = __atomic_load_n(&ours->opening, __ATOMIC_ACQUIRE);
    tmpl_error_t err;
    if (store == NULL || opening == NULL || !tmpl_health_first_in_second(&ours->looked) ||
        !tmpl_store_is_lost(store) || apr_thread_mutex_trylock(opening) != APR_SUCCESS) {
        return;
    }
    if (store_of(ours) == store) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, ours->health.server, TMPL_LOG_STORE_LOST,
                     ours->health.name);
        apr_atomic_set32(&ours->has_seed, 0);
        (void)open_anew(ours, &err); /* if this fails, the next open_store() says why */
    }
    apr_thread_mutex_unlock(opening);
}

tmpl_store_t *tmpl_child_store_begin(tmpl_child_store_t *ours, apr_time_t *began)
{
    tmpl_error_t err;
    *began = tmpl_clock();
    if (!tmpl_health_allows(&ours->health, TMPL_PURPOSE_LOOKUP)) {
        return NULL;
    }
    tmpl_store_t *store = open_store(ours, &err);
    if (store == NULL && err.status != APR_SUCCESS) {
        tmpl_health_report(&ours->health, TMPL_PURPOSE_LOOKUP, *began, tmpl_clock(), &err);
    }
    return store;
}

/* The watchdog's callback. */
static apr_status_t watch(int state, void *data, apr_pool_t *pool)
{
    (void)data;
    if (state == AP_WATCHDOG_STATE_STOPPING) {
        apr_atomic_set32(&watched, 0);
    }
    for (int i = 0; state == AP_WATCHDOG_STATE_RUNNING && i < stores->nelts; i++) {
        tmpl_child_store_t *ours = APR_ARRAY_IDX(stores, i, tmpl_child_store_t *);
        tmpl_learner_turn(ours->learner, store_of(ours), pool);
    }
    tmpl_page_pools_rest();
    return APR_SUCCESS;
}

/*
 * The child ends. Its stores are closed before the pools of requests that have not ended are
 * destroyed; these requests may still be logged then. A store that the watchdog still uses, as it
 * may if the store hangs, stays open until the process exits.
 */
static apr_status_t child_store_close(void *data)
{
    tmpl_child_store_t *ours = data;
    int interrupted = apr_atomic_read32(&tmpl_child_stores_users) > 0;
    int done = tmpl_learner_close(ours->learner, store_of(ours), interrupted, ours->pool);
    __atomic_store_n(&ours->opening, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&ours->store, NULL, __ATOMIC_RELEASE);
    if (done) {
        apr_pool_destroy(ours->pool);
    }
    return APR_SUCCESS;
}

/* Without a watchdog pages are learnt in their requests. */
static void find_watchdog(apr_pool_t *pconf)
{
    APR_OPTIONAL_FN_TYPE(ap_watchdog_get_instance) *get =
        APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_get_instance);
    APR_OPTIONAL_FN_TYPE(ap_watchdog_register_callback) *add =
        APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_register_callback);
    ap_watchdog_t *watchdog;
    if (tmpl_conf_is_used() && get != NULL && add != NULL &&
        get(&watchdog, "_tmpl_", 0, 0, pconf) == APR_SUCCESS) {
        has_watchdog = add(watchdog, AP_WD_TM_SLICE, NULL, watch) == APR_SUCCESS;
    }
}

void tmpl_child_stores_prepare(server_rec *s, apr_pool_t *pconf, apr_pool_t *ptemp)
{
    add_default(s, pconf);
    find_watchdog(pconf);
    for (int i = 0; i < stores->nelts; i++) {
        tmpl_child_store_t *ours = APR_ARRAY_IDX(stores, i, tmpl_child_store_t *);
        const char *dir = tmpl_store_directory(ours->uri, ptemp);
        apr_status_t rv = dir != NULL ? make_directory(dir, ptemp) : APR_SUCCESS;
        ours->health.number = tmpl_stores_add(ours->health.name);
        ours->learner = tmpl_learner_create(&ours->health, i, s, pconf);
        if (rv != APR_SUCCESS) {
            /* pages pass without the store, so the server may start */
            ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, TMPL_LOG_DIRECTORY, ours->uri);
        }
    }
}

/* No parent: the watchdog's thread ends while httpd destroys the pools of the process. */
static apr_pool_t *make_pool(apr_pool_t *pchild)
{
    apr_thread_mutex_t *mutex;
    apr_pool_t *pool;
    apr_pool_create_unmanaged_ex(&pool, apr_pool_abort_get(pchild), NULL);
    apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    apr_allocator_mutex_set(apr_pool_allocator_get(pool), mutex);
    apr_pool_tag(pool, "tmpl_store");
    return pool;
}

void tmpl_child_stores_open(server_rec *s, apr_pool_t *pchild)
{
    tmpl_error_t err;
    /* the watchdog's thread starts after this hook */
    apr_atomic_set32(&watched, has_watchdog);
    for (int i = 0; i < stores->nelts; i++) {
        tmpl_child_store_t *ours = APR_ARRAY_IDX(stores, i, tmpl_child_store_t *);
        tmpl_health_init(&ours->health, s);
        ours->pool = make_pool(pchild);
        tmpl_learner_open(ours->learner, s, ours->pool);
        apr_pool_create(&ours->end, pchild);
        apr_pool_pre_cleanup_register(ours->end, ours, child_store_close);
        apr_thread_mutex_create(&ours->opening, APR_THREAD_MUTEX_DEFAULT, ours->pool);
        if (open_store(ours, &err) == NULL) {
            tmpl_health_not_open(&ours->health, &err);
            continue;
        }
        ap_log_error(APLOG_MARK, APLOG_INFO, 0, s, TMPL_LOG_STORE_OPEN, ours->health.name);
    }
}

/*
 * A name may be made from what a client sends, so a bad name is no failure of the store, and is
 * logged at most once a second.
 */
int tmpl_child_store_takes(tmpl_child_store_t *ours, const char *site, request_rec *r)
{
    apr_size_t len = strlen(site);
    if (len > 0 && len <= TMPL_SITE_MAX) {
        return 1;
    }
    if (tmpl_health_first_in_second(&ours->warned)) {
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, TMPL_LOG_SITE, len, TMPL_SITE_MAX, site);
    }
    return 0;
}

/*
 * Asks the store for its secret, within *timeout, or half of *timeout if a seed is known already.
 * *timeout shrinks by the time that this took. Returns 0 if the store fails or must not be asked
 * now.
 */
static int ask_seed(tmpl_child_store_t *ours, apr_interval_time_t *timeout, apr_pool_t *pool)
{
    /* leaves time for the look-up, which is possible with the known seed */
    apr_interval_time_t most = apr_atomic_read32(&ours->has_seed) ? *timeout / 2 : *timeout;
    char secret[TMPL_SECRET_SIZE];
    tmpl_error_t err = { APR_SUCCESS, "" };
    apr_time_t began;
    tmpl_store_t *store = tmpl_child_store_begin(ours, &began);
    if (store == NULL) {
        return 0;
    }
    err.status = tmpl_store_secret(store, secret, most, &err, pool);
    tmpl_health_report(&ours->health, TMPL_PURPOSE_LOOKUP, began, tmpl_clock(), &err);
    *timeout -= tmpl_clock() - began;
    if (err.status != APR_SUCCESS) {
        return 0;
    }
    apr_atomic_set64(&ours->seed, tmpl_seed(secret));
    apr_atomic_set64(&ours->seed_until, (apr_uint64_t)(tmpl_clock() + SEED_AGE));
    apr_atomic_set32(&ours->has_seed, 1);
    return 1;
}

int tmpl_child_store_seed(tmpl_child_store_t *ours, apr_uint64_t *seed,
                          apr_interval_time_t *timeout, apr_pool_t *pool)
{
    apr_uint64_t now = (apr_uint64_t)tmpl_clock(), until = apr_atomic_read64(&ours->seed_until);
    int known = apr_atomic_read32(&ours->has_seed) != 0;
    if (*seed != 0) {
        return 1;
    }
    /*
     * One request asks again; the other requests use the known seed. The request that asked also
     * uses the known seed if it gets no answer: in a cluster, another server may have the site.
     */
    if (!known ||
        (now >= until && apr_atomic_cas64(&ours->seed_until, now + SEED_AGE, until) == until)) {
        known |= ask_seed(ours, timeout, pool);
    }
    *seed = apr_atomic_read64(&ours->seed);
    return known && *timeout > 0;
}

tmpl_child_store_t *tmpl_child_store_of(const tmpl_conf_t *conf)
{
    tmpl_child_store_t *ours = conf->store != NULL ? conf->store : default_store;
    if (ours != NULL) {
        notice_loss(ours);
    }
    return ours;
}

int tmpl_child_learns_later(void)
{
    return apr_atomic_read32(&watched) != 0;
}

void tmpl_child_store_put_aside(tmpl_child_store_t *ours, const tmpl_observation_t *page,
                                apr_interval_time_t delay, tmpl_error_t *err)
{
    if (!tmpl_learner_put_aside(ours->learner, page, delay)) {
        tmpl_fail(err, APR_ENOSPC, "too many pages wait to be learnt");
    }
    else if (apr_atomic_read32(&ours->health.full)) {
        /* the page is queued all the same: the store may have room when the page is learnt */
        tmpl_fail(err, APR_ENOSPC, "the store takes no writes");
    }
}

tmpl_store_t *tmpl_child_store_named(const char *name, tmpl_error_t *err)
{
    for (int i = 0; i < stores->nelts; i++) {
        tmpl_child_store_t *ours = APR_ARRAY_IDX(stores, i, tmpl_child_store_t *);
        if (strcmp(ours->health.name, name) == 0) {
            tmpl_store_t *store = tmpl_health_is_well(&ours->health) ? store_of(ours) : NULL;
            if (store == NULL) {
                tmpl_fail(err, APR_EGENERAL, "the store does not answer");
            }
            return store;
        }
    }
    tmpl_fail(err, APR_NOTFOUND, "there is no such store");
    return NULL;
}

int tmpl_child_store_usage(const char *name, tmpl_store_usage_t *usage)
{
    tmpl_error_t err;
    tmpl_store_t *store = tmpl_child_store_named(name, &err);
    return store != NULL && tmpl_store_usage(store, usage, &err) == APR_SUCCESS;
}
