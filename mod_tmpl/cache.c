/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision cache: when a page comes again that differs in its volatile places only, the
 * decision about it is used again. decision/decision.h says what a value is. Whether the site has
 * changed since, the store says, which judge.c asks about the site alone.
 *
 * Two decisions about an address are kept, the first one and the last one: some pages come in two
 * forms, and others differ now and then. A cache is one of httpd's shared object caches
 * (mod_socache_*). Keys contain a secret that is drawn whenever the configuration is read, so no
 * look-up finds a value that was stored under another configuration.
 */
#include <ap_provider.h>
#include <ap_socache.h>
#include <util_mutex.h>

#include "cache.h"
#include "messages.h"
#include "page_links.h"
#include "status/counters.h"

#include "base/buf.h"
#include "base/names.h"

/* Seconds a decision lasts at most. */
#define LIFE 600
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
    int ready; /* else provider may be NULL */
};

/* Created with the configuration; only read afterwards. */
static apr_array_header_t *caches; /* of tmpl_cache_t *; the first is the default */
static int is_named;               /* whether the configuration has TmplCache */
static apr_global_mutex_t *mutex;
static tmpl_decision_secret_t secret;

void tmpl_cache_reset(apr_pool_t *pconf)
{
    tmpl_cache_t *automatic = apr_pcalloc(pconf, sizeof(*automatic));
    automatic->name = "auto";
    caches = apr_array_make(pconf, 2, sizeof(tmpl_cache_t *));
    APR_ARRAY_PUSH(caches, tmpl_cache_t *) = automatic;
    is_named = 0;
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
    is_named = 1;
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
        return apr_psprintf(ptemp, "mod_socache_%s is not loaded (a2enmod socache_%s)", provider,
                            provider);
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
    /* before pools below pconf end: mod_socache_dbm has one, and needs it to destroy the cache */
    apr_pool_pre_cleanup_register(pconf, cache, cache_destroy);
}

/* The default cache: shmcb, if it is loaded. */
static void init_default(tmpl_cache_t *cache, server_rec *s, apr_pool_t *pconf)
{
    cache->provider =
        ap_lookup_provider(AP_SOCACHE_PROVIDER_GROUP, shmcb, AP_SOCACHE_PROVIDER_VERSION);
    if (cache->provider == NULL) {
        ap_log_error(APLOG_MARK, is_named ? APLOG_INFO : APLOG_WARNING, 0, s, TMPL_LOG_NO_CACHE);
    }
    else if (cache->provider->create(&cache->instance, arguments_of(shmcb, "", pconf), pconf,
                                     pconf) == NULL) {
        cache_init(cache, 0, s, pconf);
    }
    else {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, s, TMPL_LOG_CACHE, shmcb);
    }
}

void tmpl_cache_prepare(server_rec *s, apr_pool_t *pconf)
{
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG || !tmpl_conf_is_used()) {
        return;
    }
    apr_status_t rv = ap_global_mutex_create(&mutex, NULL, mutex_type, NULL, s, pconf, 0);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, TMPL_LOG_CACHE_MUTEX);
        mutex = NULL;
    }
    rv = apr_generate_random_bytes(secret.bytes, sizeof(secret.bytes));
    for (int i = 0; rv == APR_SUCCESS && i < caches->nelts; i++) {
        tmpl_cache_t *cache = APR_ARRAY_IDX(caches, i, tmpl_cache_t *);
        if (i == 0) {
            init_default(cache, s, pconf);
        }
        else {
            cache_init(cache, i, s, pconf);
        }
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

static void add_bytes(void *context, const void *bytes, apr_size_t len)
{
    tmpl_buf_add(context, bytes, len);
}

/* Adds a text with its length. */
static void add_text(tmpl_buf_t *context, const char *text)
{
    apr_size_t len = text != NULL ? strlen(text) + 1 : 0;
    add_bytes(context, &len, sizeof(len));
    add_bytes(context, text, len);
}

/* The key has all that a decision depends on except the body. */
static void make_key(tmpl_cached_t *cached, const tmpl_input_t *input, const tmpl_conf_t *conf,
                     const request_rec *r)
{
    tmpl_buf_t context;
    tmpl_buf_init(&context, cached->pool);
    add_bytes(&context, &conf->store, sizeof(conf->store));
    add_text(&context, input->site);
    add_text(&context, input->uri);
    add_text(&context, input->charset);
    if (tmpl_conf_type(conf) != NULL) {
        /* what is sent names the page's address, and its version only if no tag is made of it */
        add_text(&context, tmpl_canonical_url(input->uri, r, cached->pool));
        add_text(&context, tmpl_conf_tags_content(conf) ? "1" : "0");
    }
    tmpl_conf_each_deciding(conf, add_bytes, &context);
    tmpl_decision_key(&cached->key, &secret, context.at, context.len);
}

static int needs_mutex(const tmpl_cache_t *cache)
{
    return (cache->provider->flags & AP_SOCACHE_FLAG_NOTMPSAFE) != 0;
}

/* Returns 0 if the cache cannot be used now. */
static int cache_lock(const tmpl_cache_t *cache)
{
    return !needs_mutex(cache) || (mutex != NULL && apr_global_mutex_lock(mutex) == APR_SUCCESS);
}

static void cache_unlock(const tmpl_cache_t *cache)
{
    if (needs_mutex(cache)) {
        apr_global_mutex_unlock(mutex);
    }
}

/* The name under which the first or second decision about an address is kept. */
static tmpl_decision_key_t id_of(const tmpl_cached_t *cached, int slot)
{
    tmpl_decision_key_t id = cached->key;
    id.bytes[0] ^= (unsigned char)slot;
    return id;
}

/* Fills a value of VALUE_MAX bytes; returns its length, 0 if there is none. */
static unsigned cache_retrieve(tmpl_cached_t *cached, int slot, unsigned char *value)
{
    const tmpl_cache_t *cache = cached->cache;
    const tmpl_decision_key_t id = id_of(cached, slot);
    unsigned len = VALUE_MAX;
    if (!cache_lock(cache)) {
        return 0;
    }
    int found = cache->provider->retrieve(cache->instance, cached->s, id.bytes, sizeof(id.bytes),
                                          value, &len, cached->pool) == APR_SUCCESS;
    cache_unlock(cache);
    return found ? len : 0;
}

/* Ignores failure: a page that the cache does not take is judged again. */
static void cache_store(tmpl_cached_t *cached, unsigned char *value, apr_size_t len)
{
    const tmpl_cache_t *cache = cached->cache;
    const tmpl_decision_key_t id = id_of(cached, cached->slot);
    apr_time_t expiry = apr_time_now() + apr_time_from_sec(LIFE);
    cache->provider->store(cache->instance, cached->s, id.bytes, sizeof(id.bytes), expiry, value,
                           (unsigned)len, cached->pool);
}

static apr_status_t count_value(ap_socache_instance_t *instance, server_rec *s, void *usage,
                                const unsigned char *id, unsigned id_len,
                                const unsigned char *value, unsigned len, apr_pool_t *pool)
{
    tmpl_cache_usage_t *to = usage;
    (void)instance, (void)s, (void)id, (void)id_len, (void)value, (void)pool;
    to->entries++;
    to->bytes += len;
    return APR_SUCCESS;
}

tmpl_cache_usage_t tmpl_cache_usage(server_rec *s, apr_pool_t *pool)
{
    tmpl_cache_usage_t usage = { 0 };
    for (int i = 0; i < caches->nelts; i++) {
        tmpl_cache_t *cache = APR_ARRAY_IDX(caches, i, tmpl_cache_t *);
        const char *size = ap_strrchr_c(cache->name, '(');
        if (cache->ready && cache_lock(cache)) {
            (void)cache->provider->iterate(cache->instance, s, &usage, count_value, pool);
            cache_unlock(cache);
            size = size != NULL || strcmp(cache->provider->name, shmcb) != 0 ? size : SHMCB_SIZE;
            usage.max_bytes += size != NULL ? apr_atoi64(size + 1) : 0;
        }
    }
    return usage;
}

int tmpl_cache_find(tmpl_cached_t *cached, tmpl_decision_t *decision, const tmpl_input_t *input,
                    const tmpl_conf_t *conf, request_rec *r, apr_pool_t *pool)
{
    tmpl_cache_t *cache =
        conf->cache != NULL ? conf->cache : APR_ARRAY_IDX(caches, 0, tmpl_cache_t *);
    tmpl_mode_e mode = tmpl_conf_mode(conf);
    *cached = (tmpl_cached_t){ .cache = cache, .s = r->server, .pool = pool };
    if (!cache->ready || (mutex == NULL && needs_mutex(cache)) || mode <= TMPL_MODE_LEARN ||
        mode == TMPL_MODE_HIGHLIGHT || input->len >= TMPL_NONE) {
        cached->cache = NULL;
        return 0;
    }
    make_key(cached, input, conf, r);
    unsigned char *value = apr_palloc(pool, VALUE_MAX);
    for (int slot = 0; slot < 2; slot++) {
        unsigned len = cache_retrieve(cached, slot, value);
        if (len > 0 &&
            tmpl_decision_unpack(decision, value, len, &cached->key, &secret, input, pool)) {
            cached->slot = slot;
            cached->found = TMPL_CACHED_HIT;
            return 1;
        }
        if (len > 0 && slot == 0) {
            cached->found = TMPL_CACHED_CHANGED;
            cached->slot = 1;
        }
    }
    return 0;
}

void tmpl_cache_count(const tmpl_cached_t *cached)
{
    static const tmpl_counter_e counters[] = { [TMPL_CACHED_MISS] = TMPL_COUNTER_CACHE_MISS,
                                               [TMPL_CACHED_CHANGED] = TMPL_COUNTER_CACHE_CHANGED,
                                               [TMPL_CACHED_PERSONAL] = TMPL_COUNTER_CACHE_PERSONAL,
                                               [TMPL_CACHED_STALE] = TMPL_COUNTER_CACHE_STALE,
                                               [TMPL_CACHED_HIT] = TMPL_COUNTER_CACHE_HIT };
    if (cached->cache != NULL) {
        tmpl_count(counters[cached->found], 1);
    }
}

void tmpl_cache_keep(tmpl_cached_t *cached, const tmpl_outcome_t *outcome, const char *fingerprint,
                     const char *body, apr_size_t body_len, const tmpl_input_t *input,
                     const tmpl_conf_t *conf)
{
    tmpl_clean_opts_t opts;
    apr_size_t len;
    if (cached->cache == NULL || !tmpl_decision_lasts(outcome)) {
        return;
    }
    tmpl_conf_opts(&opts, conf);
    tmpl_decision_t decision =
        tmpl_decision_of(outcome, opts.detector, fingerprint,
                         input->learn != TMPL_LEARNING_OFF && !outcome->counts.frozen);
    decision.made = apr_time_now();
    decision.body = body;
    decision.body_len = body_len;
    unsigned char *value = tmpl_decision_pack(&len, &decision, &cached->key, &secret, input,
                                              outcome->page, cached->pool);
    if (value == NULL || len > VALUE_MAX || !cache_lock(cached->cache)) {
        return;
    }
    cache_store(cached, value, len);
    cache_unlock(cached->cache);
}
