/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link is a store as one child holds it: opened after the fork, used by all threads, and not used
 * for a pause after it failed. TmplStore makes one link for each URI, so every child opens each
 * store once. No link is added after the configuration was read.
 */
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_thread_mutex.h>

#include <mod_watchdog.h>
#include <mpm_common.h>
#include <unixd.h>

#include "connections.h"
#include "health.h"
#include "learning.h"
#include "messages.h"
#include "page_pool.h"
#include "section.h"
#include "status/counters.h"

struct tmpl_link_t {
    const char *uri;
    tmpl_health_t health;
    tmpl_learner_t *learner;
    /* each child has its own values of these: */
    apr_pool_t *pool;
    apr_thread_mutex_t *opening; /* held to open the store; NULL once the link is closed */
    tmpl_store_t *store;         /* NULL until it is open, and once it is closed; atomic */
    apr_uint32_t warned;         /* the second of the last TMPL_LOG_SITE; atomic */
    apr_uint32_t looked;         /* the second of the last look for the store's file; atomic */
    apr_uint32_t has_seed;       /* whether seed is known; atomic, as the next two fields are */
    apr_uint64_t seed;           /* made of the store's secret */
    apr_uint64_t seed_until;     /* when to ask for the secret again, on tmpl_clock() */
};

/* How long a secret is used before the store is asked again: the store may have been emptied. */
#define SEED_AGE apr_time_from_sec(10)

/*
 * Only the status page makes calls without a timeout of their own. People wait for this page, so a
 * silent store must not delay it for long.
 */
static const tmpl_store_opts_t store_opts = { .patience = apr_time_from_sec(2) };

/* Written while the configuration is read; afterwards only the child's part of links changes. */
static apr_array_header_t *links;   /* of tmpl_link_t * */
static apr_array_header_t *servers; /* of server_rec *: those with a mode other than off */
static tmpl_link_t *default_link;

static apr_uint32_t has_watchdog;

/* Whether the watchdog of this child runs, and will learn pages that wait. Atomic. */
static apr_uint32_t watched;
/* The number of threads of this child within tmpl_link_clean(). Atomic. */
static apr_uint32_t inside;

/* A URI without its password and its query. */
static const char *public_part(const char *uri, apr_pool_t *pool)
{
    apr_size_t len = strcspn(uri, "?");
    const char *separator = ap_strstr_c(uri, "://");
    const char *authority, *at;

    if (separator == NULL) {
        return apr_pstrmemdup(pool, uri, len);
    }
    /* a password may hold an '@', so the last one counts */
    authority = separator + 3;
    at = memrchr(authority, '@', strcspn(authority, "/?"));
    if (at == NULL) {
        return apr_pstrmemdup(pool, uri, len);
    }
    return apr_pstrcat(pool, apr_pstrmemdup(pool, uri, (apr_size_t)(authority - uri)), "...",
                       apr_pstrmemdup(pool, at, len - (apr_size_t)(at - uri)), NULL);
}

static tmpl_link_t *link_of(const char *uri)
{
    int i;

    for (i = 0; i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);

        if (strcmp(link->uri, uri) == 0) {
            return link;
        }
    }
    return NULL;
}

const char *tmpl_link_name(const char *uri, apr_pool_t *pool)
{
    const tmpl_link_t *link = link_of(uri);

    return link != NULL ? link->health.name : public_part(uri, pool);
}

/* The name of a new link. If URIs differ only in parts that are not shown, it has a number. */
static const char *name_link(const char *uri, apr_pool_t *pconf)
{
    const char *shown = public_part(uri, pconf);
    int i, same = 0;

    for (i = 0; i < links->nelts; i++) {
        same += strcmp(public_part(APR_ARRAY_IDX(links, i, tmpl_link_t *)->uri, pconf), shown) == 0;
    }
    return same == 0 ? shown : apr_psprintf(pconf, "%s (%d)", shown, same + 1);
}

void tmpl_links_reset(apr_pool_t *pconf)
{
    links = apr_array_make(pconf, 4, sizeof(tmpl_link_t *));
    servers = apr_array_make(pconf, 4, sizeof(server_rec *));
    default_link = NULL;
    has_watchdog = 0;
    tmpl_learning_reset(pconf);
}

tmpl_link_t *tmpl_link_add(const char *uri, apr_pool_t *pconf)
{
    tmpl_link_t *link = link_of(uri);

    if (link != NULL) {
        return link;
    }
    link = apr_pcalloc(pconf, sizeof(*link));
    link->uri = apr_pstrdup(pconf, uri);
    link->health.name = name_link(uri, pconf);
    APR_ARRAY_PUSH(links, tmpl_link_t *) = link;
    return link;
}

void tmpl_links_used_by(server_rec *s)
{
    /* a server's sections mostly follow each other */
    if (servers->nelts == 0 || APR_ARRAY_IDX(servers, servers->nelts - 1, server_rec *) != s) {
        APR_ARRAY_PUSH(servers, server_rec *) = s;
    }
}

int tmpl_links_are_used_by(const server_rec *s)
{
    int i;

    for (i = 0; i < servers->nelts; i++) {
        const server_rec *used = APR_ARRAY_IDX(servers, i, server_rec *);

        if (used == s || !used->is_virtual) {
            return 1;
        }
    }
    return 0;
}

void tmpl_links_keep(const apr_array_header_t *used)
{
    int i, k, n = 0;

    for (i = 0; i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);

        for (k = 0; k < used->nelts && APR_ARRAY_IDX(used, k, const tmpl_link_t *) != link;) {
            k++;
        }
        if (k < used->nelts) {
            APR_ARRAY_IDX(links, n++, tmpl_link_t *) = link;
        }
    }
    links->nelts = n;
}

/* Adds the default store if a server uses it. */
static void add_default(apr_pool_t *pconf)
{
    int i;

    for (i = 0; i < servers->nelts && default_link == NULL; i++) {
        const server_rec *s = APR_ARRAY_IDX(servers, i, server_rec *);
        const tmpl_conf_t *conf = ap_get_module_config(s->lookup_defaults, &tmpl_module);

        if (conf->store == NULL) {
            const char *dir = ap_runtime_dir_relative(pconf, TMPL_DEFAULT_DIR);

            default_link = tmpl_link_add(apr_pstrcat(pconf, TMPL_STORE_LMDB, dir, NULL), pconf);
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
static tmpl_store_t *store_of(const tmpl_link_t *link)
{
    return __atomic_load_n(&link->store, __ATOMIC_ACQUIRE);
}

/* Opens the store. NULL, with err filled, if that fails. The caller holds link->opening. */
static tmpl_store_t *open_new(tmpl_link_t *link, tmpl_error_t *err)
{
    tmpl_store_t *store = NULL;
    apr_pool_t *pool;

    apr_pool_create(&pool, link->pool);
    if (tmpl_store_open(&store, link->uri, &store_opts, err, pool) != APR_SUCCESS) {
        apr_pool_destroy(pool);
        store = NULL;
    }
    else if (tmpl_store_moved(store) != NULL) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, link->health.server, TMPL_LOG_STORE_DAMAGED,
                     link->health.name, tmpl_store_moved(store));
        tmpl_stores_event(link->health.number, TMPL_PURPOSE_LOOKUP, TMPL_STORE_EVENT_DAMAGED,
                          tmpl_store_moved(store));
    }
    __atomic_store_n(&link->store, store, __ATOMIC_RELEASE);
    return store;
}

/*
 * The link's store, opened if it is not open yet. NULL, with err filled, if that fails; NULL, with
 * err->status APR_SUCCESS, if another thread is opening it, or the child ends.
 */
static tmpl_store_t *open_store(tmpl_link_t *link, tmpl_error_t *err)
{
    tmpl_store_t *store = store_of(link);
    apr_thread_mutex_t *opening = __atomic_load_n(&link->opening, __ATOMIC_ACQUIRE);

    err->status = APR_SUCCESS;
    if (store != NULL || opening == NULL || apr_thread_mutex_trylock(opening) != APR_SUCCESS) {
        return store;
    }
    store = store_of(link);
    if (store == NULL) {
        store = open_new(link, err);
    }
    apr_thread_mutex_unlock(opening);
    return store;
}

/*
 * Opens the store anew if its file has been taken away; looks for the file once a second. Other
 * requests may still use the former store, so the former store stays open until the child ends.
 */
static void notice_loss(tmpl_link_t *link)
{
    tmpl_store_t *store = store_of(link);
    apr_thread_mutex_t *opening = __atomic_load_n(&link->opening, __ATOMIC_ACQUIRE);
    tmpl_error_t err;

    if (store == NULL || opening == NULL || !tmpl_health_first_in_second(&link->looked) ||
        !tmpl_store_is_lost(store) || apr_thread_mutex_trylock(opening) != APR_SUCCESS) {
        return;
    }
    if (store_of(link) == store) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, link->health.server, TMPL_LOG_STORE_LOST,
                     link->health.name);
        tmpl_stores_event(link->health.number, TMPL_PURPOSE_LOOKUP, TMPL_STORE_EVENT_LOST, "");
        apr_atomic_set32(&link->has_seed, 0);
        (void)open_new(link, &err); /* if this fails, the next open_store() says why */
    }
    apr_thread_mutex_unlock(opening);
}

/* The watchdog's callback. */
static apr_status_t watch(int state, void *data, apr_pool_t *pool)
{
    int i;

    (void)data;
    if (state == AP_WATCHDOG_STATE_STOPPING) {
        apr_atomic_set32(&watched, 0);
    }
    for (i = 0; state == AP_WATCHDOG_STATE_RUNNING && i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);

        tmpl_learner_turn(link->learner, store_of(link), pool);
    }
    tmpl_page_pools_rest();
    return APR_SUCCESS;
}

/*
 * The child ends. Its stores are closed before the pools of requests that have not ended are
 * destroyed; these requests may still be logged then.
 */
static apr_status_t link_close(void *data)
{
    tmpl_link_t *link = data;

    tmpl_learner_close(link->learner, store_of(link), apr_atomic_read32(&inside) > 0, link->pool);
    __atomic_store_n(&link->opening, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&link->store, NULL, __ATOMIC_RELEASE);
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

    if (servers->nelts > 0 && get != NULL && add != NULL &&
        get(&watchdog, "_tmpl_", 0, 0, pconf) == APR_SUCCESS) {
        has_watchdog = add(watchdog, AP_WD_TM_SLICE, NULL, watch) == APR_SUCCESS;
    }
}

void tmpl_links_prepare(server_rec *s, apr_pool_t *pconf, apr_pool_t *ptemp)
{
    int i;

    add_default(pconf);
    find_watchdog(pconf);
    for (i = 0; i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);
        const char *dir = tmpl_store_directory(link->uri, ptemp);
        apr_status_t rv;

        link->health.number = tmpl_stores_add(link->health.name);
        link->learner = tmpl_learner_create(&link->health, i, s, pconf);
        if (dir == NULL) {
            continue;
        }
        rv = make_directory(dir, ptemp);
        if (rv != APR_SUCCESS) {
            /* pages pass without the store, so the server may start */
            ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, TMPL_LOG_DIRECTORY, link->uri);
        }
    }
}

/*
 * Whether make_directory() could create a directory that is missing. The caller is the user who
 * starts the server.
 */
static apr_status_t test_parent(const char *dir, apr_pool_t *pool)
{
    return access(ap_make_dirstr_parent(pool, dir), W_OK | X_OK) == 0 ? APR_SUCCESS
                                                                      : APR_FROM_OS_ERROR(errno);
}

/* Tries the store in a process that has become the server's user, as a child of the server does. */
static void test_store(const tmpl_link_t *link, server_rec *s, apr_pool_t *pconf)
{
    tmpl_error_t err;
    apr_proc_t proc;
    apr_status_t rv = apr_proc_fork(&proc, pconf);

    if (rv == APR_INPARENT) {
        (void)apr_proc_wait(&proc, NULL, NULL, APR_WAIT);
    }
    else if (rv == APR_INCHILD) {
        if (ap_run_drop_privileges(pconf, s) == OK &&
            tmpl_store_test(link->uri, &err, pconf) != APR_SUCCESS) {
            ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s, TMPL_LOG_STORE_UNUSABLE, err.text);
        }
        _exit(0);
    }
}

void tmpl_links_test(server_rec *s, apr_pool_t *pconf)
{
    int i;

    add_default(pconf);
    for (i = 0; i < links->nelts; i++) {
        const tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);
        const char *dir = tmpl_store_directory(link->uri, pconf);
        apr_status_t rv = APR_SUCCESS;

        if (dir == NULL) {
            continue;
        }
        if (access(dir, F_OK) == 0) {
            test_store(link, s, pconf);
        }
        else {
            rv = errno == ENOENT ? test_parent(dir, pconf) : APR_FROM_OS_ERROR(errno);
        }
        if (rv != APR_SUCCESS) {
            ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, TMPL_LOG_DIRECTORY, link->uri);
        }
    }
}

/* A subpool of pchild that may be used while other threads use pchild. */
static apr_pool_t *make_pool(apr_pool_t *pchild)
{
    apr_allocator_t *allocator;
    apr_thread_mutex_t *mutex;
    apr_pool_t *pool;

    apr_allocator_create(&allocator);
    apr_pool_create_ex(&pool, pchild, NULL, allocator);
    apr_allocator_owner_set(allocator, pool);
    apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    apr_allocator_mutex_set(allocator, mutex);
    apr_pool_tag(pool, "tmpl_store");
    return pool;
}

void tmpl_links_open(server_rec *s, apr_pool_t *pchild)
{
    tmpl_error_t err;
    int i;

    /* the watchdog's thread starts after this hook */
    apr_atomic_set32(&watched, has_watchdog);
    for (i = 0; i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);

        tmpl_health_init(&link->health, s);
        link->pool = make_pool(pchild);
        tmpl_learner_open(link->learner, s, link->pool);
        apr_pool_pre_cleanup_register(link->pool, link, link_close);
        apr_thread_mutex_create(&link->opening, APR_THREAD_MUTEX_DEFAULT, link->pool);
        if (open_store(link, &err) == NULL) {
            tmpl_health_not_open(&link->health, &err);
            continue;
        }
        ap_log_error(APLOG_MARK, APLOG_INFO, 0, s, TMPL_LOG_STORE_OPEN, link->health.name);
    }
}

/*
 * Whether site is a valid name of a site. A name may be made from what a client sends, so a bad
 * name is no failure of the store, and is logged at most once a second.
 */
static int is_site(tmpl_link_t *link, const char *site, request_rec *r)
{
    apr_size_t len = strlen(site);

    if (len > 0 && len <= TMPL_SITE_MAX) {
        return 1;
    }
    if (tmpl_health_first_in_second(&link->warned)) {
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r, TMPL_LOG_SITE, len, TMPL_SITE_MAX, site);
    }
    return 0;
}

/*
 * Asks the store for its secret, within *timeout, or half of *timeout if a seed is known already.
 * *timeout shrinks by the time that this took. Returns 0 if the store fails or must not be asked
 * now.
 */
static int ask_seed(tmpl_link_t *link, apr_interval_time_t *timeout, request_rec *r,
                    apr_pool_t *pool)
{
    char secret[TMPL_SECRET_SIZE];
    tmpl_error_t err = { APR_SUCCESS, "" };
    apr_interval_time_t most = *timeout;
    apr_time_t began;
    tmpl_store_t *store;

    if (!tmpl_health_allows(&link->health, TMPL_PURPOSE_LOOKUP)) {
        return 0;
    }
    if (apr_atomic_read32(&link->has_seed)) {
        most /= 2; /* leaves time for the look-up, which is possible with the known seed */
    }
    began = tmpl_clock();
    store = open_store(link, &err);
    if (store != NULL) {
        err.status = tmpl_store_secret(store, secret, most, &err, pool);
    }
    if (store == NULL && err.status == APR_SUCCESS) {
        return 0;
    }
    tmpl_health_report(&link->health, TMPL_PURPOSE_LOOKUP, began, tmpl_clock(), &err, r, pool);
    *timeout -= tmpl_clock() - began;
    if (err.status != APR_SUCCESS) {
        return 0;
    }
    apr_atomic_set64(&link->seed, tmpl_seed(secret));
    apr_atomic_set64(&link->seed_until, (apr_uint64_t)(tmpl_clock() + SEED_AGE));
    apr_atomic_set32(&link->has_seed, 1);
    return 1;
}

/*
 * Sets *seed, the seed of a page's keys, from the store's secret, unless the operator has chosen a
 * seed (TmplSecret). Returns 0 if no seed is known, or no time is left: then the store is of no use
 * to this page.
 */
static int find_seed(tmpl_link_t *link, apr_uint64_t *seed, apr_interval_time_t *timeout,
                     request_rec *r, apr_pool_t *pool)
{
    apr_uint64_t now = (apr_uint64_t)tmpl_clock(), until = apr_atomic_read64(&link->seed_until);
    int known = apr_atomic_read32(&link->has_seed) != 0;

    if (*seed != 0) {
        return 1;
    }
    /*
     * One request asks again; the other requests use the known seed. The request that asked also
     * uses the known seed if it gets no answer: in a cluster, another server may have the site.
     */
    if (!known ||
        (now >= until && apr_atomic_cas64(&link->seed_until, now + SEED_AGE, until) == until)) {
        known |= ask_seed(link, timeout, r, pool);
    }
    *seed = apr_atomic_read64(&link->seed);
    return known && *timeout > 0;
}

/* Whether the page may be learnt after its request. */
static int may_wait(const tmpl_input_t *input, const tmpl_conf_t *conf)
{
    return input->learn == TMPL_LEARNING_NOW && tmpl_conf_delay(conf) > 0 &&
           apr_atomic_read32(&watched);
}

/* How long a request may wait for room in the queue: not at all if its page has passed already. */
static apr_interval_time_t room_timeout(const tmpl_conf_t *conf)
{
    return tmpl_conf_holds(conf) ? tmpl_conf_timeout(conf) : 0;
}

/* The store that may be asked for a page now: the replica, or the store itself. NULL: none. */
static tmpl_link_t *whom_to_ask(tmpl_link_t *link, tmpl_link_t *replica, const tmpl_input_t *input)
{
    if (replica != NULL && input->learn != TMPL_LEARNING_NOW &&
        tmpl_health_allows(&replica->health, TMPL_PURPOSE_LOOKUP)) {
        return replica;
    }
    return tmpl_health_allows(&link->health, TMPL_PURPOSE_LOOKUP) ? link : NULL;
}

/* Asks the store itself, not a replica, for a site, without any key: so the store keeps it. */
static void keep_site(tmpl_link_t *link, const tmpl_observation_t *page,
                      apr_interval_time_t timeout, request_rec *r, apr_pool_t *pool)
{
    tmpl_observation_t alone = { .site = page->site,
                                 .document = page->document,
                                 .policy = page->policy,
                                 .learn = TMPL_LEARNING_OFF };
    tmpl_error_t err = { APR_SUCCESS, "" };
    apr_time_t began = tmpl_clock();
    tmpl_counts_t counts;
    tmpl_store_t *store;

    if (tmpl_health_allows(&link->health, TMPL_PURPOSE_LOOKUP)) {
        store = open_store(link, &err);
        if (store != NULL) {
            err.status = tmpl_store_observe(store, &alone, timeout, &counts, &err, pool);
        }
        if (store != NULL || err.status != APR_SUCCESS) {
            tmpl_health_report(&link->health, TMPL_PURPOSE_LOOKUP, began, tmpl_clock(), &err, r,
                               pool);
        }
    }
}

/* Reports the times of a page that has just been judged: read from start to parsed. */
static void report_times(const tmpl_outcome_t *outcome, apr_time_t start, apr_time_t parsed)
{
    tmpl_stage_took(TMPL_STAGE_READ, parsed - start);
    if (outcome->was_asked) {
        tmpl_stage_took(TMPL_STAGE_STORE, outcome->store_took);
    }
    tmpl_stage_took(TMPL_STAGE_DECIDE, tmpl_clock() - parsed - outcome->store_took);
}

/* Queues a page to be learnt later. Sets store_error if the queue or the store has no room. */
static void put_aside(tmpl_outcome_t *outcome, tmpl_link_t *link, const tmpl_conf_t *conf)
{
    if (!tmpl_learner_put_aside(link->learner, &outcome->observation, tmpl_conf_delay(conf),
                                room_timeout(conf))) {
        tmpl_fail(&outcome->store_error, APR_ENOSPC, "too many pages wait to be learnt");
    }
    else if (apr_atomic_read32(&link->health.full)) {
        /* the page is queued all the same: the store may have room when the page is learnt */
        tmpl_fail(&outcome->store_error, APR_ENOSPC, "the store takes no writes");
    }
}

static void clean(tmpl_outcome_t *outcome, const tmpl_input_t *given, const tmpl_conf_t *conf,
                  request_rec *r, apr_pool_t *pool)
{
    tmpl_link_t *link = conf->store != NULL ? conf->store : default_link, *asked = NULL;
    tmpl_error_t err = { APR_SUCCESS, "" };
    tmpl_input_t input = *given;
    tmpl_store_t *store = NULL;
    apr_interval_time_t timeout = tmpl_conf_timeout(conf);
    tmpl_clean_opts_t opts;
    apr_time_t began = 0, opened = 0, start, parsed;
    int usable;

    tmpl_conf_opts(&opts, conf);
    if (link != NULL) {
        notice_loss(link);
    }
    usable = link != NULL && is_site(link, input.site, r) &&
             (find_seed(link, &opts.page.seed, &timeout, r, pool) ||
              (conf->store_read != NULL &&
               find_seed(conf->store_read, &opts.page.seed, &timeout, r, pool)));
    if (may_wait(given, conf)) {
        input.learn = TMPL_LEARNING_LATER;
    }
    start = tmpl_clock();
    /* parse first: a page that the parser declines must not use up the breaker's only trial */
    if (!tmpl_clean_read(outcome, &input, &opts, pool)) {
        return;
    }
    parsed = tmpl_clock();
    if (usable) {
        asked = whom_to_ask(link, conf->store_read, &input);
    }
    if (asked != NULL) {
        began = tmpl_clock();
        store = open_store(asked, &err);
        opened = tmpl_clock();
    }
    tmpl_clean_judge(outcome, &input, &opts, store, timeout, pool);
    report_times(outcome, start, parsed);
    if (store == NULL) {
        if (err.status != APR_SUCCESS) { /* otherwise no store was tried */
            tmpl_health_report(&asked->health, TMPL_PURPOSE_LOOKUP, began, opened, &err, r, pool);
        }
        return;
    }
    tmpl_health_report_room(&asked->health, &outcome->store_error,
                            outcome->counts.counted && !outcome->counts.due, r, pool);
    /* a page that was declined before it was counted says nothing about the store */
    if (outcome->was_asked) {
        /* without the time of judging, which would make the breaker's pause longer */
        tmpl_health_report(&asked->health, TMPL_PURPOSE_LOOKUP, began, opened + outcome->store_took,
                           &outcome->store_error, r, pool);
    }
    if (outcome->counts.due) {
        put_aside(outcome, link, conf);
    }
    if (asked != link && outcome->counts.fading) {
        keep_site(link, &outcome->observation, timeout, r, pool);
    }
}

void tmpl_link_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_conf_t *conf,
                     request_rec *r, apr_pool_t *pool)
{
    apr_atomic_inc32(&inside);
    clean(outcome, input, conf, r, pool);
    apr_atomic_dec32(&inside);
}

tmpl_store_t *tmpl_links_store(const char *name, tmpl_error_t *err)
{
    int i;

    for (i = 0; i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);

        if (name == NULL || strcmp(link->health.name, name) == 0) {
            tmpl_store_t *store = tmpl_health_is_well(&link->health) ? store_of(link) : NULL;

            if (store == NULL) {
                tmpl_fail(err, APR_EGENERAL, "the store does not answer");
            }
            return store;
        }
    }
    tmpl_fail(err, APR_NOTFOUND, "there is no such store");
    return NULL;
}

int tmpl_links_usage(const char *name, tmpl_store_usage_t *usage)
{
    tmpl_error_t err;
    tmpl_store_t *store = tmpl_links_store(name, &err);

    return store != NULL && tmpl_store_usage(store, usage, &err) == APR_SUCCESS;
}
