/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link is a store as one child holds it: opened after the fork, used by all threads, and left
 * alone for a while after it failed. Links are made by TmplStore, one for each URI, so that every
 * child opens each store once; which are there is settled with the configuration.
 *
 * Pages that are to be learnt wait at their link until httpd's watchdog, a thread of each child that looks ten
 * times a second, hands them to the store, many at a time. What is there when a child ends is handed over then.
 */
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_thread_mutex.h>

#include <mod_watchdog.h>
#include <ap_mpm.h>
#include <unixd.h>

#include "mod_tmpl.h"
#include "store/breaker.h"

/* How long a store that failed is left alone: few requests pay for a trial, and it is soon back. */
#define PAUSE apr_time_from_sec(1)

/* So many pages that wait are handed to a store together. */
#define LEARN_AT_ONCE 32
/* How long the store may take to learn them, or one site's: nobody waits for that but who finds no room, and the end of a child. */
#define LEARN_TIMEOUT apr_time_from_sec(1)
/* The rest after that: a part of what it took. */
#define REST_PART 4
#define REST_MOST apr_time_from_msec(2)
/* After so many sites in a row that failed it is the store that fails: the others need not be tried. */
#define SITES_FAIL_MOST 2
/* And how long that waits for whoever is just learning. */
#define CLOSE_TIMEOUT apr_time_from_sec(2)

static const char lmdb_scheme[] = "lmdb:";

struct tmpl_link_t {
    const char *uri;
    const char *name; /* for the log: without passwords */
    /* of the child: */
    server_rec *server;
    apr_pool_t *pool;
    apr_thread_mutex_t *opening;
    tmpl_store_t *store;    /* NULL until it could be opened; atomic */
    tmpl_breaker_t breaker; /* of requests */
    tmpl_breaker_t
        learner; /* of learning what waits: a store that takes nothing may still answer */
    tmpl_later_t *later;
    /* by who learns what waits; it stays when the child's pools go: the watchdog may still come */
    apr_thread_mutex_t *learning;
    apr_uint32_t closed; /* nothing waits any more; atomic */
    apr_uint32_t full;   /* atomic */
    apr_uint32_t told;   /* the second in which a bad site's name was logged last; atomic */
};

/* Made while the configuration is read; from then on only what links hold of a child is written. */
static apr_array_header_t *links;   /* of tmpl_link_t * */
static apr_array_header_t *servers; /* of server_rec *: where a mode other than off is set */
static tmpl_link_t *default_link;

static apr_uint32_t has_watchdog;

/* Of the child: whether somebody will come for what waits. Atomic. */
static apr_uint32_t watched;
/* Likewise: threads within tmpl_link_clean(). Atomic. */
static apr_uint32_t inside;

static const char *without_password(const char *uri, apr_pool_t *pool)
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

void tmpl_links_reset(apr_pool_t *pconf)
{
    links = apr_array_make(pconf, 4, sizeof(tmpl_link_t *));
    servers = apr_array_make(pconf, 4, sizeof(server_rec *));
    default_link = NULL;
    has_watchdog = 0;
}

tmpl_link_t *tmpl_link_add(const char *uri, apr_pool_t *pconf)
{
    tmpl_link_t *link;
    int i;

    for (i = 0; i < links->nelts; i++) {
        link = APR_ARRAY_IDX(links, i, tmpl_link_t *);
        if (strcmp(link->uri, uri) == 0) {
            return link;
        }
    }
    link = apr_pcalloc(pconf, sizeof(*link));
    link->uri = apr_pstrdup(pconf, uri);
    link->name = without_password(uri, pconf);
    APR_ARRAY_PUSH(links, tmpl_link_t *) = link;
    return link;
}

void tmpl_links_used_by(server_rec *s)
{
    APR_ARRAY_PUSH(servers, server_rec *) = s;
}

/* The default store, and its directory, are only for servers that use it. */
static void add_default(apr_pool_t *pconf)
{
    int i;

    for (i = 0; i < servers->nelts && default_link == NULL; i++) {
        const server_rec *s = APR_ARRAY_IDX(servers, i, server_rec *);
        const tmpl_conf_t *conf = ap_get_module_config(s->lookup_defaults, &tmpl_module);

        if (conf->store == NULL) {
            const char *dir = ap_runtime_dir_relative(pconf, TMPL_DEFAULT_DIR);

            default_link = tmpl_link_add(apr_pstrcat(pconf, lmdb_scheme, dir, NULL), pconf);
        }
    }
}

/*
 * Makes a directory that the children can write to. One that is there already is left as it is: it
 * may be anybody's. So are its parents: a path that is mistyped should be seen.
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

/*
 * The link's store, opened if it is not open yet; NULL, and why in err, if it cannot be, or with
 * err->status APR_SUCCESS if another thread is just trying.
 */
static tmpl_store_t *open_store(tmpl_link_t *link, tmpl_error_t *err)
{
    tmpl_store_t *store = __atomic_load_n(&link->store, __ATOMIC_ACQUIRE);
    apr_pool_t *pool;

    err->status = APR_SUCCESS;
    if (store != NULL || apr_thread_mutex_trylock(link->opening) != APR_SUCCESS) {
        return store;
    }
    store = link->store;
    if (store == NULL) {
        apr_pool_create(&pool, link->pool);
        if (tmpl_store_open(&store, link->uri, NULL, err, pool) == APR_SUCCESS) {
            __atomic_store_n(&link->store, store, __ATOMIC_RELEASE);
        }
        else {
            store = NULL;
            apr_pool_destroy(pool);
        }
    }
    apr_thread_mutex_unlock(link->opening);
    return store;
}

/* Of a request, or of the server where there is none. */
static void say(const tmpl_link_t *link, const request_rec *r, int level, const char *text)
{
    if (r != NULL) {
        ap_log_rerror(APLOG_MARK, level, 0, r, "%s", text);
    }
    else {
        ap_log_error(APLOG_MARK, level, 0, link->server, "%s", text);
    }
}

static void report(tmpl_link_t *link, const tmpl_error_t *err, request_rec *r, apr_pool_t *pool)
{
    int ok = err->status == APR_SUCCESS;
    int changed = tmpl_breaker_report(&link->breaker, tmpl_clock(), ok);

    if (!ok) {
        tmpl_count(TMPL_COUNTER_STORE_FAILURES, 1);
    }
    if (!changed) {
        return;
    }
    if (ok) {
        tmpl_count(TMPL_COUNTER_STORE_UP, 1);
        say(link, r, APLOG_NOTICE,
            apr_psprintf(pool, TMPL_LOG_STORE_UP "store %s answers again", link->name));
        return;
    }
    tmpl_count(TMPL_COUNTER_STORE_DOWN, 1);
    say(link, r, APLOG_WARNING,
        apr_psprintf(pool, TMPL_LOG_STORE_DOWN "store %s fails, pages are not counted: %s",
                     link->name, err->text));
}

/* Only who had something to write knows of room: a page that was known already writes nothing. */
static void report_room(tmpl_link_t *link, const tmpl_error_t *err, int written, request_rec *r,
                        apr_pool_t *pool)
{
    apr_uint32_t full = APR_STATUS_IS_ENOSPC(err->status);

    if (!full && (err->status != APR_SUCCESS || !written)) {
        return;
    }
    if (apr_atomic_read32(&link->full) == full || apr_atomic_xchg32(&link->full, full) == full) {
        return;
    }
    if (full) {
        say(link, r, APLOG_WARNING,
            apr_psprintf(pool, TMPL_LOG_STORE_FULL "store %s is full, nothing new is learnt: %s",
                         link->name, err->text));
    }
    else {
        say(link, r, APLOG_NOTICE,
            apr_psprintf(pool, TMPL_LOG_STORE_ROOM "store %s has room again", link->name));
    }
}

/* Whether the store has said that it had no time for this: that tells nothing of how it is. */
static int no_turn(const tmpl_error_t *err)
{
    return err->status == APR_EBUSY;
}

/* What the store has said to a request: a full one is well all the same. */
static void report_all(tmpl_link_t *link, const tmpl_error_t *said, int written, request_rec *r,
                       apr_pool_t *pool)
{
    tmpl_error_t err = *said;

    report_room(link, said, written, r, pool);
    if (APR_STATUS_IS_ENOSPC(err.status)) {
        err.status = APR_SUCCESS;
    }
    if (!no_turn(&err)) {
        report(link, &err, r, pool);
    }
}

/* What the store has said to who learns what has waited; whether requests may ask it is not settled by that. */
static void report_learning(tmpl_link_t *link, const tmpl_error_t *err, request_rec *r,
                            apr_pool_t *pool)
{
    int ok = err->status == APR_SUCCESS || APR_STATUS_IS_ENOSPC(err->status);
    int changed = !no_turn(err) && tmpl_breaker_report(&link->learner, tmpl_clock(), ok);

    if (!ok && !no_turn(err)) {
        tmpl_count(TMPL_COUNTER_LATER_FAILURES, 1);
    }
    if (changed && ok) {
        say(link, r, APLOG_NOTICE,
            apr_psprintf(pool, TMPL_LOG_LEARNS "store %s learns again", link->name));
    }
    else if (changed) {
        say(link, r, APLOG_WARNING,
            apr_psprintf(pool,
                         TMPL_LOG_LEARNS_NOT "store %s does not learn the pages that wait: %s",
                         link->name, err->text));
    }
}

/* Hands pages that have waited to the store. What it fails to learn, as err says, is left to the caller. */
static int hand_over(tmpl_link_t *link, tmpl_store_t *store, const tmpl_waiting_t *taken,
                     unsigned n, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_observation_t **pages = apr_palloc(pool, n * sizeof(*pages));
    uint32_t counted;
    unsigned i;
    int full;

    for (i = 0; i < n; i++) {
        pages[i] = taken[i].page;
    }
    err->status = tmpl_store_learn(store, pages, n, LEARN_TIMEOUT, &counted, err, pool);
    full = APR_STATUS_IS_ENOSPC(err->status);
    report_room(link, err, counted > 0, NULL, pool);
    tmpl_count(TMPL_COUNTER_LATER_RUNS, 1);
    if (full || err->status == APR_SUCCESS) {
        tmpl_count(full ? TMPL_COUNTER_LATER_FULL : TMPL_COUNTER_LATER_DONE, n);
        tmpl_later_free(taken, n);
    }
    tmpl_count(TMPL_COUNTER_LEARNED, counted); /* last: who waits for it finds the others */
    return full || err->status == APR_SUCCESS;
}

/* Puts back what the store failed to learn. */
static void put_back(tmpl_link_t *link, const tmpl_waiting_t *taken, unsigned n, int tried)
{
    tmpl_count(TMPL_COUNTER_LATER_FAILED, tmpl_later_put_back(link->later, taken, n, tried));
}

/* Moves the pages of the first one's site to the front; all stay in their order. Their number. */
static unsigned same_site(tmpl_waiting_t *taken, unsigned n, apr_pool_t *pool)
{
    tmpl_waiting_t *others = apr_palloc(pool, n * sizeof(*others));
    const char *site = taken[0].page->site;
    unsigned same = 0, other = 0, i;

    for (i = 0; i < n; i++) {
        *(strcmp(taken[i].page->site, site) == 0 ? &taken[same++] : &others[other++]) = taken[i];
    }
    memcpy(taken + same, others, other * sizeof(*others));
    return same;
}

/*
 * The same site by site: one that the store fails must not take the others with it. Only its pages come nearer to
 * being given up. err: of the last of those that fail.
 */
static void learn_by_site(tmpl_link_t *link, tmpl_store_t *store, tmpl_waiting_t *taken, unsigned n,
                          tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_error_t said = { APR_SUCCESS, "" };
    unsigned same, in_a_row = 0;
    apr_pool_t *scratch;

    *err = said;
    apr_pool_create(&scratch, pool);
    for (; n > 0 && in_a_row < SITES_FAIL_MOST; taken += same, n -= same) {
        same = same_site(taken, n, scratch);
        if (hand_over(link, store, taken, same, &said, scratch)) {
            in_a_row = 0;
        }
        else {
            in_a_row++;
            *err = said;
            put_back(link, taken, same, !no_turn(&said));
        }
        apr_pool_clear(scratch);
    }
    put_back(link, taken, n, 0);
    apr_pool_destroy(scratch);
}

/* Has some of what waits learnt. Whether there is no reason to stop. */
static int learn_some(tmpl_link_t *link, tmpl_store_t *store, apr_pool_t *pool)
{
    tmpl_waiting_t taken[LEARN_AT_ONCE];
    tmpl_error_t err = { APR_SUCCESS, "" };
    unsigned n = tmpl_later_take(link->later, taken, LEARN_AT_ONCE);

    if (!hand_over(link, store, taken, n, &err, pool)) {
        if (same_site(taken, n, pool) == n) {
            put_back(link, taken, n, !no_turn(&err));
        }
        else {
            learn_by_site(link, store, taken, n, &err, pool);
        }
    }
    report_learning(link, &err, NULL, pool);
    return err.status == APR_SUCCESS || APR_STATUS_IS_ENOSPC(err.status);
}

/* Whether this process is to end: its watchdog is waited for. */
static int is_stopping(void)
{
    int state;

    return ap_mpm_query(AP_MPMQ_MPM_STATE, &state) != APR_SUCCESS || state == AP_MPMQ_STOPPING;
}

/* For others who learn: a store may let one of them write at a time, and wake the next one too late. */
static void rest(apr_interval_time_t worked)
{
    apr_interval_time_t pause = worked / REST_PART;

    if (pause > 0) {
        apr_sleep(pause < REST_MOST ? pause : REST_MOST);
    }
}

/*
 * Has what is due learnt, or all that waits, if the store may be asked; by who holds link->learning. A little at a time:
 * so there is room again soon, and others can write in between.
 */
static void learn_waiting(tmpl_link_t *link, int all, apr_pool_t *pool)
{
    tmpl_store_t *store = __atomic_load_n(&link->store, __ATOMIC_ACQUIRE);
    apr_time_t now = tmpl_clock(), end = all ? now + LEARN_TIMEOUT : APR_INT64_MAX;
    apr_pool_t *scratch;
    int more = store != NULL; /* nothing waits for a store that was never opened */

    apr_pool_create(&scratch, pool);
    while (more && tmpl_later_is_due(link->later, all ? APR_INT64_MAX : now) &&
           tmpl_breaker_allow(&link->learner, now)) { /* last: a trial of one that failed is used */
        apr_time_t start = now;

        more = learn_some(link, store, scratch);
        apr_pool_clear(scratch);
        now = tmpl_clock();
        more &= now < end && (all || !is_stopping());
        if (more) {
            rest(now - start);
            now = tmpl_clock();
        }
    }
    apr_pool_destroy(scratch);
}

/* The watchdog's call. */
static apr_status_t watch(int state, void *data, apr_pool_t *pool)
{
    int i;

    (void)data;
    if (state == AP_WATCHDOG_STATE_STOPPING) {
        apr_atomic_set32(&watched, 0);
    }
    for (i = 0; state == AP_WATCHDOG_STATE_RUNNING && i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);

        apr_thread_mutex_lock(link->learning);
        if (!apr_atomic_read32(&link->closed)) {
            learn_waiting(link, 0, pool);
        }
        apr_thread_mutex_unlock(link->learning);
    }
    return APR_SUCCESS;
}

/* Learns what waits, and counts what cannot be; by who holds link->learning. */
static void learn_last(tmpl_link_t *link)
{
    tmpl_waiting_t lost[LEARN_AT_ONCE];
    unsigned n;

    learn_waiting(link, 1, link->pool);
    while ((n = tmpl_later_take(link->later, lost, LEARN_AT_ONCE)) > 0) {
        tmpl_count(TMPL_COUNTER_LATER_FAILED, n);
        tmpl_later_free(lost, n);
    }
}

/*
 * The child ends, and with it its stores. prefork ends a child from within a signal's handler: whom that
 * interrupts never goes on. It may be a request that is just putting a page aside, and holds a lock, or the watchdog.
 */
static apr_status_t link_close(void *data)
{
    tmpl_link_t *link = data;
    int locked = apr_thread_mutex_timedlock(link->learning, CLOSE_TIMEOUT) == APR_SUCCESS;

    if (locked && apr_atomic_read32(&inside) == 0) {
        learn_last(link);
    }
    else {
        tmpl_count(TMPL_COUNTER_LATER_FAILED, tmpl_later_abandon(link->later));
    }
    apr_atomic_set32(&link->closed, 1);
    if (locked) {
        apr_thread_mutex_unlock(link->learning);
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
        const char *uri = APR_ARRAY_IDX(links, i, tmpl_link_t *)->uri;
        apr_status_t rv;

        if (strncmp(uri, lmdb_scheme, sizeof(lmdb_scheme) - 1) != 0) {
            continue;
        }
        rv = make_directory(uri + sizeof(lmdb_scheme) - 1, ptemp);
        if (rv != APR_SUCCESS) {
            /* pages pass without it, so the server may start */
            ap_log_error(APLOG_MARK, APLOG_ERR, rv, s,
                         TMPL_LOG_DIRECTORY "TmplStore %s: the directory cannot be made", uri);
        }
    }
}

/* A pool that may be used while other threads use pchild. */
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

    /* its thread is started behind us */
    apr_atomic_set32(&watched, has_watchdog);
    for (i = 0; i < links->nelts; i++) {
        tmpl_link_t *link = APR_ARRAY_IDX(links, i, tmpl_link_t *);

        link->server = s;
        link->pool = make_pool(pchild);
        link->later = tmpl_later_create(link->pool);
        apr_thread_mutex_create(&link->learning, APR_THREAD_MUTEX_TIMED, s->process->pool);
        apr_pool_pre_cleanup_register(link->pool, link, link_close);
        tmpl_breaker_init(&link->breaker, PAUSE);
        tmpl_breaker_init(&link->learner, PAUSE);
        apr_thread_mutex_create(&link->opening, APR_THREAD_MUTEX_DEFAULT, link->pool);
        if (open_store(link, &err) != NULL) {
            ap_log_error(APLOG_MARK, APLOG_INFO, 0, s, TMPL_LOG_STORE_OPEN "store %s is open",
                         link->name);
            continue;
        }
        tmpl_breaker_report(&link->breaker, tmpl_clock(), 0);
        tmpl_count(TMPL_COUNTER_STORE_DOWN, 1);
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                     TMPL_LOG_STORE_DOWN "store %s cannot be opened, pages are not counted: %s",
                     link->name, err.text);
    }
}

/*
 * Whether the store may be asked about that site. The name may be made of what a client sends, so one
 * that is too long is no failure of the store, and told of at most once a second.
 */
static int is_site(tmpl_link_t *link, const char *site, request_rec *r)
{
    apr_size_t len = strlen(site);
    apr_uint32_t now = (apr_uint32_t)apr_time_sec(tmpl_clock()) + 1;
    apr_uint32_t told;

    if (len > 0 && len <= TMPL_SITE_MAX) {
        return 1;
    }
    told = apr_atomic_read32(&link->told);
    if (told != now && apr_atomic_cas32(&link->told, now, told) == told) {
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, r,
                      TMPL_LOG_SITE "a site's name of %" APR_SIZE_T_FMT
                                    " bytes is not 1 to %d bytes "
                                    "long, its pages are not counted: %.64s",
                      len, TMPL_SITE_MAX, site);
    }
    return 0;
}

/* Puts a page aside that is to be learnt. */
static void put_aside(tmpl_link_t *link, const tmpl_observation_t *page, const tmpl_conf_t *conf)
{
    tmpl_later_e added = tmpl_later_add(link->later, page, tmpl_clock() + tmpl_conf_delay(conf),
                                        tmpl_conf_timeout(conf));

    tmpl_count(TMPL_COUNTER_LATER, added == TMPL_LATER_ADDED);
    tmpl_count(TMPL_COUNTER_LATER_NO_ROOM, added == TMPL_LATER_FULL);
}

/* Whether who asks now need not wait until the page is learnt. */
static int may_wait(const tmpl_input_t *input, const tmpl_conf_t *conf)
{
    return input->learn == TMPL_LEARNING_NOW && tmpl_conf_delay(conf) > 0 &&
           apr_atomic_read32(&watched);
}

static void clean(tmpl_outcome_t *outcome, const tmpl_input_t *given, const tmpl_conf_t *conf,
                  request_rec *r, apr_pool_t *pool)
{
    tmpl_link_t *link = conf->store != NULL ? conf->store : default_link;
    tmpl_error_t err = { APR_SUCCESS, "" };
    tmpl_input_t input = *given;
    tmpl_store_t *store = NULL;
    tmpl_clean_opts_t opts;

    tmpl_conf_opts(&opts, conf);
    if (may_wait(given, conf)) {
        input.learn = TMPL_LEARNING_LATER;
    }
    /* a page that the parser declines must not use up the breaker's one trial */
    if (!tmpl_clean_read(outcome, &input, &opts, pool)) {
        return;
    }
    if (link != NULL && is_site(link, input.site, r) &&
        tmpl_breaker_allow(&link->breaker, tmpl_clock())) {
        store = open_store(link, &err);
    }
    tmpl_clean_judge(outcome, &input, &opts, store, tmpl_conf_timeout(conf), pool);
    if (store == NULL) {
        if (err.status != APR_SUCCESS) { /* or nobody was asked */
            report(link, &err, r, pool);
        }
        return;
    }
    report_all(link, &outcome->store_error, outcome->counts.counted && !outcome->counts.due, r,
               pool);
    if (outcome->counts.due) {
        put_aside(link, &outcome->observation, conf);
    }
}

void tmpl_link_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_conf_t *conf,
                     request_rec *r, apr_pool_t *pool)
{
    apr_atomic_inc32(&inside);
    clean(outcome, input, conf, r, pool);
    apr_atomic_dec32(&inside);
}
