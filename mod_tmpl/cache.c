/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision cache: when the same bytes come again, the decision about them is used again. The
 * cache is one of httpd's shared object caches (mod_socache_*); decision/decision.h says what a
 * value is and when it is too old.
 *
 * A second value, the site's clock, shows whether the site has changed since a decision: the
 * table's version and number of pages when the last page of the site was judged on this server.
 * The clock is stored whenever a page is judged, so it is newer than the decisions made before. If
 * the clock is lost, pages are judged. What other hosts learn is noticed when the next page is
 * judged here, at the latest when decisions expire.
 *
 * Keys contain a secret that is drawn whenever the configuration is read, so no look-up finds a
 * value that was stored under another configuration.
 */
#include <ap_provider.h>
#include <ap_socache.h>
#include <util_mutex.h>

#include "cache.h"
#include "messages.h"
#include "section.h"
#include "status/counters.h"

#include "base/names.h"

/* Seconds a decision lasts. */
#define LIFE 60
/* The longest value: a page with more edits is judged each time. */
#define VALUE_MAX 32768
/* The default size of a shmcb cache: 8 MB, some thousands of pages. */
#define SHMCB_SIZE  "(8388608)"
#define OBJECT_SIZE 1024

static const char mutex_type[] = "tmpl-cache";
static const char shmcb[] = "shmcb";

struct tmpl_cache_t {
    const char *name; /* as configured */
    const ap_socache_provider_t *provider;
    ap_socache_instance_t *instance;
    int ready;
};

typedef struct {
    uint64_t version;
    uint64_t pages;
} site_clock_t;

/* Created with the configuration; only read afterwards. */
static apr_array_header_t *caches; /* of tmpl_cache_t * */
static apr_global_mutex_t *mutex;
static tmpl_decision_secret_t secret;

void tmpl_cache_reset(apr_pool_t *pconf)
{
    caches = apr_array_make(pconf, 2, sizeof(tmpl_cache_t *));
    mutex = NULL;
    ap_mutex_register(pconf, mutex_type, NULL, APR_LOCK_DEFAULT, 0);
}

/* The arguments behind the provider's name, or the default ones. */
static const char *arguments_of(const char *provider, const char *name, apr_pool_t *pool)
{
    const char *colon = ap_strchr_c(name, ':');

    if (colon != NULL) {
        return colon + 1;
    }
    /* shmcb takes a size only behind a path */
    return strcmp(provider, shmcb) == 0
               ? apr_pstrcat(pool, ap_runtime_dir_relative(pool, "tmpl-cache"), SHMCB_SIZE, NULL)
               : NULL;
}

TMPL_ENUM_COLUMN(tmpl_cached_name, tmpl_cached_e, TMPL_CACHED, TMPL_COLUMN_2)

const char *tmpl_cache_add(tmpl_cache_t **cache, const char *name, apr_pool_t *pconf,
                           apr_pool_t *ptemp)
{
    const char *provider = apr_pstrmemdup(ptemp, name, strcspn(name, ":"));
    tmpl_cache_t *made;

    for (int i = 0; i < caches->nelts; i++) {
        made = APR_ARRAY_IDX(caches, i, tmpl_cache_t *);
        if (strcmp(made->name, name) == 0) {
            *cache = made;
            return NULL;
        }
    }
    made = apr_pcalloc(pconf, sizeof(*made));
    *cache = made;
    if (strcmp(name, "none") == 0) {
        return NULL; /* it is never ready */
    }
    made->name = apr_pstrdup(pconf, name);
    made->provider =
        ap_lookup_provider(AP_SOCACHE_PROVIDER_GROUP, provider, AP_SOCACHE_PROVIDER_VERSION);
    if (made->provider == NULL) {
        return apr_psprintf(ptemp, "is mod_socache_%s loaded?", provider);
    }
    APR_ARRAY_PUSH(caches, tmpl_cache_t *) = made;
    return made->provider->create(&made->instance, arguments_of(provider, name, pconf), ptemp,
                                  pconf);
}

static apr_status_t cache_destroy(void *data)
{
    tmpl_cache_t *cache = data;

    if (cache->ready) {
        cache->ready = 0;
        cache->provider->destroy(cache->instance, NULL);
    }
    return APR_SUCCESS;
}

/* Two caches of one provider must not share a name. */
static void cache_init(tmpl_cache_t *cache, int number, server_rec *s, apr_pool_t *pconf)
{
    struct ap_socache_hints hints = { TMPL_DECISION_KEY_SIZE, OBJECT_SIZE,
                                      apr_time_from_sec(LIFE) };
    apr_status_t rv = cache->provider->init(
        cache->instance, apr_psprintf(pconf, "tmpl-decisions-%d", number), &hints, s, pconf);

    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, TMPL_LOG_CACHE, cache->name);
        return;
    }
    cache->ready = 1;
    apr_pool_cleanup_register(pconf, cache, cache_destroy, apr_pool_cleanup_null);
}

void tmpl_cache_prepare(server_rec *s, apr_pool_t *pconf)
{
    apr_status_t rv;

    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG || caches->nelts == 0) {
        return;
    }
    rv = apr_generate_random_bytes(secret.bytes, sizeof(secret.bytes));
    if (rv == APR_SUCCESS) {
        rv = ap_global_mutex_create(&mutex, NULL, mutex_type, NULL, s, pconf, 0);
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, TMPL_LOG_CACHE_MUTEX);
        return;
    }
    for (int i = 0; i < caches->nelts; i++) {
        cache_init(APR_ARRAY_IDX(caches, i, tmpl_cache_t *), i, s, pconf);
    }
}

void tmpl_cache_open(server_rec *s, apr_pool_t *pchild)
{
    if (mutex != NULL) {
        apr_status_t rv =
            apr_global_mutex_child_init(&mutex, apr_global_mutex_lockfile(mutex), pchild);

        if (rv != APR_SUCCESS) {
            ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, TMPL_LOG_CACHE_MUTEX);
            mutex = NULL;
        }
    }
}

/* All that a decision depends on except the body, as bytes. */
typedef struct {
    char bytes[4096];
    apr_size_t len;
    int full;
} context_t;

static void context_add(void *baton, const void *bytes, apr_size_t len)
{
    context_t *context = baton;

    if (len > sizeof(context->bytes) - context->len) {
        context->full = 1;
    }
    else if (bytes != NULL) {
        memcpy(context->bytes + context->len, bytes, len);
        context->len += len;
    }
}

#define ADD(context, value) context_add(context, &(value), sizeof(value))

static void context_add_text(context_t *context, const char *text)
{
    apr_size_t len = text != NULL ? strlen(text) + 1 : 0;

    ADD(context, len);
    context_add(context, text, len);
}

/* Returns 0 if the page cannot have keys. */
static int make_keys(tmpl_cached_t *cached, const tmpl_input_t *input, const tmpl_conf_t *conf)
{
    static char site_clock[] = "clock";
    static const struct iovec clock_body = { site_clock, sizeof(site_clock) };
    const struct iovec body = { (void *)input->body, input->len };
    context_t *context = apr_pcalloc(cached->pool, sizeof(*context));

    ADD(context, conf->store);
    context_add_text(context, input->site);
    if (!tmpl_decision_key(&cached->site, &secret, context->bytes, context->len, &clock_body, 1)) {
        return 0;
    }
    context_add_text(context, input->charset);
    tmpl_conf_each_deciding(conf, context_add, context);
    /* full: a name of thousands of bytes, or hundreds of selectors */
    return !context->full &&
           tmpl_decision_key(&cached->page, &secret, context->bytes, context->len, &body, 1);
}

static apr_status_t cache_lock(const tmpl_cache_t *cache)
{
    return cache->provider->flags & AP_SOCACHE_FLAG_NOTMPSAFE ? apr_global_mutex_lock(mutex)
                                                              : APR_SUCCESS;
}

static void cache_unlock(const tmpl_cache_t *cache)
{
    if (cache->provider->flags & AP_SOCACHE_FLAG_NOTMPSAFE) {
        apr_global_mutex_unlock(mutex);
    }
}

static int cache_retrieve(tmpl_cached_t *cached, const tmpl_decision_key_t *key,
                          unsigned char *value, unsigned *len)
{
    const tmpl_cache_t *cache = cached->cache;

    return cache->provider->retrieve(cache->instance, cached->s, key->bytes, sizeof(key->bytes),
                                     value, len, cached->pool) == APR_SUCCESS;
}

/* Ignores failure: a page that the cache does not take is judged again. */
static void cache_store(tmpl_cached_t *cached, const tmpl_decision_key_t *key, unsigned char *value,
                        apr_size_t len, apr_time_t expiry)
{
    const tmpl_cache_t *cache = cached->cache;

    cache->provider->store(cache->instance, cached->s, key->bytes, sizeof(key->bytes), expiry,
                           value, (unsigned)len, cached->pool);
}

/* Looks up the page and its site's clock, with the mutex taken once. */
static tmpl_cached_e cache_look_up(tmpl_cached_t *cached, tmpl_decision_t *decision,
                                   const tmpl_input_t *input, const tmpl_conf_t *conf)
{
    unsigned char *value = apr_palloc(cached->pool, VALUE_MAX);
    unsigned len = VALUE_MAX, clock_len = sizeof(site_clock_t);
    tmpl_clean_opts_t opts;
    site_clock_t now;
    int found;

    if (cache_lock(cached->cache) != APR_SUCCESS) {
        return TMPL_CACHED_MISS;
    }
    found = cache_retrieve(cached, &cached->page, value, &len) &&
            cache_retrieve(cached, &cached->site, (unsigned char *)&now, &clock_len) &&
            clock_len == sizeof(now);
    cache_unlock(cached->cache);
    if (!found ||
        !tmpl_decision_unpack(decision, value, len, &cached->page, input->len, cached->pool)) {
        return TMPL_CACHED_MISS;
    }
    tmpl_conf_opts(&opts, conf);
    if (tmpl_decision_is_stale(decision, now.version, (uint32_t)now.pages,
                               opts.policy.lifetime_tb) ||
        (input->learn != TMPL_LEARNING_OFF && !decision->learned)) {
        return TMPL_CACHED_STALE;
    }
    decision->pages = (uint32_t)now.pages;
    return TMPL_CACHED_HIT;
}

int tmpl_cache_find(tmpl_cached_t *cached, tmpl_outcome_t *outcome, const char **fingerprint,
                    const tmpl_input_t *input, const tmpl_conf_t *conf, request_rec *r,
                    apr_pool_t *pool)
{
    static const tmpl_counter_e counters[] = { [TMPL_CACHED_MISS] = TMPL_COUNTER_CACHE_MISS,
                                               [TMPL_CACHED_STALE] = TMPL_COUNTER_CACHE_STALE,
                                               [TMPL_CACHED_HIT] = TMPL_COUNTER_CACHE_HIT };
    tmpl_decision_t decision;

    *cached = (tmpl_cached_t){ .cache = conf->cache, .s = r->server, .pool = pool };
    if (mutex == NULL || conf->cache == NULL || !conf->cache->ready ||
        tmpl_conf_mode(conf) <= TMPL_MODE_LEARN || tmpl_conf_mode(conf) == TMPL_MODE_HIGHLIGHT ||
        !make_keys(cached, input, conf)) {
        cached->cache = NULL;
        return 0;
    }
    cached->found = cache_look_up(cached, &decision, input, conf);
    tmpl_count(counters[cached->found], 1);
    if (cached->found != TMPL_CACHED_HIT) {
        return 0;
    }
    tmpl_decision_outcome(outcome, &decision, pool);
    *fingerprint = decision.fingerprint;
    return 1;
}

void tmpl_cache_keep(tmpl_cached_t *cached, const tmpl_outcome_t *outcome, const char *fingerprint,
                     const tmpl_input_t *input, const tmpl_conf_t *conf)
{
    apr_time_t expiry = apr_time_now() + apr_time_from_sec(LIFE);
    site_clock_t now = { outcome->counts.version, outcome->counts.pages };
    tmpl_clean_opts_t opts;
    tmpl_decision_t decision;
    unsigned char *value = NULL;
    apr_size_t len = 0;

    if (cached->cache == NULL || outcome->counts.records == NULL) {
        return;
    }
    if (tmpl_decision_lasts(outcome)) {
        tmpl_conf_opts(&opts, conf);
        decision = tmpl_decision_of(outcome, opts.detector, fingerprint,
                                    input->learn != TMPL_LEARNING_OFF);
        value = tmpl_decision_pack(&len, &decision, &cached->page, input->len, cached->pool);
    }
    if (cache_lock(cached->cache) != APR_SUCCESS) {
        return;
    }
    cache_store(cached, &cached->site, (unsigned char *)&now, sizeof(now), expiry);
    if (value != NULL && len <= VALUE_MAX) {
        cache_store(cached, &cached->page, value, len, expiry);
    }
    cache_unlock(cached->cache);
}
