/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Apache module: the only code that sees httpd.h. What it does to a response is libtmpl's
 * tmpl_clean(); what is here is how a page comes out of a brigade and goes back into it, and HTTP.
 *
 *     config.c       directives -> tmpl_conf_t
 *     section.c      tmpl_conf_t: created, merged, asked
 *     gate.c         first brigade: take the response or decline it, once; guards what was taken
 *     filter.c       brigades -> one page in memory -> one brigade that ends in EOS
 *     beside.c       brigades -> the same brigades, and a copy of the page
 *     gunzip.c       a copy as its site has made it
 *     wait.c         how long a page is waited for
 *     judge.c        a page in memory -> what is decided about it
 *     raw.c          a compressed page as it came
 *     append.c       bytes -> a brigade, in as few buckets as will do
 *     splice.c       edits -> the page's own buckets
 *     validators.c   entity tags of pages that we change
 *     request.c      what the backend is asked for
 *     headers.c      what the response says
 *     connections.c  one store for each URI and child
 *     health.c       whether a store may be asked, by what it has said; and what is logged of it
 *     later.c        pages that wait to be learnt
 *     learning.c     how they are learnt
 *     ending.c       how a child ends
 *     cache.c        decisions about pages that come again
 *     status.c       counters, for mod_status
 *     mod_tmpl.c     hooks
 *
 * After configuration nothing is written but a child's own stores, the shared counters and the caches.
 */
#ifndef MOD_TMPL_H
#define MOD_TMPL_H

#include <httpd.h>
#include <http_config.h>
#include <http_connection.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <util_filter.h>
#include <ap_expr.h>

#include <apr_strings.h>

#include "breaker.h"
#include "clean.h"
#include "decision/decision.h"
#include "settings.h"

extern module AP_MODULE_DECLARE_DATA tmpl_module __attribute__((visibility("default")));
APLOG_USE_MODULE(tmpl);

/*
 * What the module says in the error log: each message starts with a number that stays its own, so
 * that it can be looked for whatever its words. ERR: an administrator must act; WARNING: less is
 * done than was asked for; NOTICE: that is over; INFO: life cycle; DEBUG: one line a decline.
 */
#define TMPL_LOG_DIRECTORY  "tmpl: [T001] " /* ERR: a store's directory cannot be made */
#define TMPL_LOG_COUNTERS   "tmpl: [T002] " /* WARNING: no shared memory: no counters */
#define TMPL_LOG_MODEL      "tmpl: [T003] " /* ERR: a model that is built in is bad: it does not start */
#define TMPL_LOG_STORE_OPEN "tmpl: [T010] " /* INFO: a child has opened a store */
#define TMPL_LOG_STORE_DOWN                                                                        \
    "tmpl: [T011] " /* WARNING: a store fails; it is left alone for a pause */
#define TMPL_LOG_STORE_UP   "tmpl: [T012] " /* NOTICE: it answers again */
#define TMPL_LOG_STORE_FULL "tmpl: [T013] " /* WARNING: a store is full; nothing new is learnt */
#define TMPL_LOG_STORE_ROOM "tmpl: [T014] " /* NOTICE: it has room again */
#define TMPL_LOG_SITE       "tmpl: [T015] " /* WARNING: a site's name is none; at most once a second */
#define TMPL_LOG_CACHE      "tmpl: [T016] " /* ERR: a cache cannot be made: nothing is cached */
#define TMPL_LOG_LEARNS_NOT                                                                        \
    "tmpl: [T017] " /* WARNING: a store does not learn what waits; or one site's */
#define TMPL_LOG_LEARNS   "tmpl: [T018] " /* NOTICE: it does again */
#define TMPL_LOG_DECLINED "tmpl: [T020] " /* DEBUG: a response passes untouched, and why */
#define TMPL_LOG_JUDGED   "tmpl: [T021] " /* TRACE1: a page was judged */

/* What applies where the operator said nothing; tmpl_clean_opts_default has the rest. */
#define TMPL_DEFAULT_MAX_BODY (8 * 1024 * 1024)
#define TMPL_DEFAULT_MAX_WAIT apr_time_from_sec(1)
#define TMPL_DEFAULT_TIMEOUT  apr_time_from_msec(100)
#define TMPL_DEFAULT_DELAY    apr_time_from_msec(100)
#define TMPL_DEFAULT_DIR      "tmpl" /* in DefaultRuntimeDir */

/*** config.c ***/

/* A number that was not set. */
#define TMPL_UNSET (-1)

/* What may be learnt from, beyond a 200 answer to a GET. */
typedef enum {
    TMPL_LEARN_PUBLIC, /* all but what is somebody's own: see gate.c */
    TMPL_LEARN_ALWAYS,
    TMPL_LEARN_NEVER,
    TMPL_LEARN_IF /* an expression is true */
} tmpl_learn_e;

typedef struct {
    tmpl_learn_e when;
    const ap_expr_info_t *expr; /* of TMPL_LEARN_IF; NULL otherwise */
} tmpl_learn_t;

typedef struct tmpl_link_t tmpl_link_t;
typedef struct tmpl_cache_t tmpl_cache_t;

/* TmplLifetime; both TMPL_UNSET, or neither. */
typedef struct {
    apr_int64_t tb;
    apr_int64_t n;
} tmpl_lifetime_t;

/* By form: what a section keeps of a setting. Where nothing is said: TMPL_UNSET, or NULL. */
#define TMPL_TYPE_MODE      apr_int64_t /* tmpl_mode_e */
#define TMPL_TYPE_DETECTOR  apr_int64_t /* tmpl_detector_e */
#define TMPL_TYPE_SMOOTHING apr_int64_t /* tmpl_smoothing_e */
#define TMPL_TYPE_NUMBER    apr_int64_t
#define TMPL_TYPE_SIZE      apr_int64_t /* bytes */
#define TMPL_TYPE_TIME      apr_int64_t /* microseconds */
#define TMPL_TYPE_FLAG      apr_int64_t
#define TMPL_TYPE_SHARE     double
#define TMPL_TYPE_LIFETIME  tmpl_lifetime_t
#define TMPL_TYPE_MODEL     tmpl_models_t /* those that were named; each may be NULL */
#define TMPL_TYPE_STORE     tmpl_link_t *
#define TMPL_TYPE_CACHE     tmpl_cache_t *
#define TMPL_TYPE_KEY       const ap_expr_info_t *
#define TMPL_TYPE_LEARN     const tmpl_learn_t *
#define TMPL_TYPE_SECRET    const apr_uint64_t * /* the seed of the keys */
#define TMPL_TYPE_SELECTORS                                                                        \
    apr_array_header_t * /* of const tmpl_selector_t *, those outside first */
#define TMPL_TYPE_SEPARATORS const tmpl_separators_t *

/* A section of the configuration: a field for each setting. */
typedef struct {
#define TMPL_SETTING_FIELD(field, directive, option, form, least, most, preset, decides, about)    \
    TMPL_TYPE_##form field;
    TMPL_SETTINGS(TMPL_SETTING_FIELD)
#undef TMPL_SETTING_FIELD
} tmpl_conf_t;

extern const command_rec tmpl_conf_directives[];

/*** section.c ***/

/* pre_config hook: reads the models that are built in. APR_EINVAL if one is bad. */
apr_status_t tmpl_conf_begin(tmpl_error_t *err, apr_pool_t *pconf);

void *tmpl_conf_create(apr_pool_t *pool, char *dir);
void *tmpl_conf_merge(apr_pool_t *pool, void *base, void *add);

/* Where conf keeps a setting: a TMPL_TYPE_ of its form. */
void *tmpl_conf_field(tmpl_conf_t *conf, const tmpl_setting_t *setting);

/* Adds separators to *to if they are named with a +, else replaces it. What *to pointed to stays as it is. */
void tmpl_conf_add_separators(const tmpl_separators_t **to, const tmpl_separators_t *named,
                              apr_pool_t *pool);

/*
 * Gives add, part by part, the values of all settings that decide about a page (TMPL_DECIDES). Two
 * sections of one configuration for which the bytes are equal decide alike.
 */
void tmpl_conf_each_deciding(const tmpl_conf_t *conf,
                             void (*add)(void *baton, const void *bytes, apr_size_t len),
                             void *baton);

/* The section in force for r. */
const tmpl_conf_t *tmpl_conf_of(const request_rec *r);

/* These answer with the default where nothing is set. */
tmpl_mode_e tmpl_conf_mode(const tmpl_conf_t *conf);
apr_off_t tmpl_conf_max_body(const tmpl_conf_t *conf);
apr_interval_time_t tmpl_conf_max_wait(const tmpl_conf_t *conf);
apr_interval_time_t tmpl_conf_timeout(const tmpl_conf_t *conf);
apr_interval_time_t tmpl_conf_delay(const tmpl_conf_t *conf);
int tmpl_conf_headers(const tmpl_conf_t *conf);
void tmpl_conf_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf);

/* Whether the mode changes bodies, and so lengths, validators and digests. */
int tmpl_conf_edits(const tmpl_conf_t *conf);

/* Whether responses are held until their page is whole: it is changed, or their fields say what was found in it. */
int tmpl_conf_holds(const tmpl_conf_t *conf);

/*** gate.c ***/

/*
 * A response, as the gate and the filter it has added share it. Lives as long as its request: EOS may come
 * twice. Set once it is taken: all but conf.
 */
typedef struct {
    const tmpl_conf_t *conf;
    ap_filter_t *filter;       /* TMPL or TMPL_BESIDE; NULL: not decided yet */
    apr_bucket_brigade *held;  /* the page so far; for TMPL_BESIDE a copy */
    apr_bucket_brigade *piece; /* what is just being passed on; empty between calls */
    apr_off_t length;          /* bytes held */
    const char *etag;          /* as the backend sent it; NULL if it did not */
    tmpl_decline_e bypass;     /* why the page is to be passed on as it came; NONE: it is not */
    const char *site;          /* whose page it is */
    const char *page_key;      /* NULL: its address */
    apr_time_t since;          /* when its first byte came, on tmpl_clock; 0: none has */
    unsigned
        inflated : 1; /* INFLATE stands before us, or would if there were a body; the copy is gzip */
    unsigned learn : 1;  /* the page may be learnt */
    unsigned failed : 1; /* a filter before us failed: the page will never be whole */
    unsigned done : 1;   /* all has been passed on, or we are out of the way */
    unsigned whole : 1;  /* the copy has its end, and was not judged yet */

    apr_bucket_brigade *raw; /* the page before INFLATE; NULL where it is not kept */
    apr_off_t raw_length;
    apr_table_t *raw_headers_out;
    apr_table_t *raw_err_headers_out;
    const char *raw_encoding;
} tmpl_ctx_t;

/* insert_filter hook. */
void tmpl_gate_insert(request_rec *r);

/* The gate's filter function. */
apr_status_t tmpl_gate(ap_filter_t *f, apr_bucket_brigade *bb);

/* Logs, counts and, in the Tmpl field of an HTML response, says that r is passed on untouched. */
void tmpl_decline(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason);

/* Whether what r answers may be learnt from. */
int tmpl_may_learn(request_rec *r, const tmpl_conf_t *conf);

/*** filter.c ***/

/* TMPL's filter function; its ctx is a tmpl_ctx_t. */
apr_status_t tmpl_filter(ap_filter_t *f, apr_bucket_brigade *bb);

/*** beside.c ***/

/* TMPL_BESIDE's filter function; its ctx is a tmpl_ctx_t. */
apr_status_t tmpl_beside(ap_filter_t *f, apr_bucket_brigade *bb);

/* log_transaction hook: the client has been served. Judges the copy of its page, if that was not done behind EOS. */
int tmpl_beside_served(request_rec *r);

/*** gunzip.c ***/

/*
 * Makes data what gzip has made it of, and *length its length. APR_ENOSPC if that is more than limit, APR_EGENERAL if
 * data is not one whole member (RFC 1952, 2.2) and nothing else; then bb is as it was.
 */
apr_status_t tmpl_gunzip(apr_bucket_brigade *bb, apr_off_t *length, apr_off_t limit);

/*** wait.c ***/

/* mod_proxy's create_req hook: whom r's answer comes from. */
int tmpl_wait_create_req(request_rec *r, request_rec *to_backend);

/*
 * Waits until the backend sends something, so long at most; whether it did not. Only for who is called with the
 * FLUSH that a proxy sends because nothing came. 0 at once where the backend cannot be seen.
 */
int tmpl_wait_is_silent(request_rec *r, apr_interval_time_t patience);

#define TMPL_WAIT_FOR_EVER APR_INT64_MAX

/*
 * Moves buckets from the front of bb, which is not empty, to the end of piece: all up to the first one of unknown length.
 * If bb begins with such a bucket, it is read, until end, a time on tmpl_clock, and the data that came is moved. APR_EAGAIN:
 * none came by then. Otherwise what apr_bucket_read returns: APR_TIMEUP is httpd's own Timeout, and an error.
 */
apr_status_t tmpl_wait_for_piece(apr_bucket_brigade *piece, apr_bucket_brigade *bb, apr_time_t end);

/*** raw.c ***/

/* From now on the page is kept as it comes, and its fields as they are. */
void tmpl_raw_start(tmpl_ctx_t *ctx, request_rec *r);

/* Keeps a copy of bb. What apr_bucket_read returns if that fails. */
apr_status_t tmpl_raw_keep(tmpl_ctx_t *ctx, apr_bucket_brigade *bb);

/*
 * Whether the length bytes that INFLATE has made of the page are all of it. A gzip file may have
 * several members (RFC 1952, 2.2), and INFLATE stops behind the first one.
 */
int tmpl_raw_is_all(const tmpl_ctx_t *ctx);

/* Makes the page and its fields what came; metadata, EOS too, is as it came. */
void tmpl_raw_restore(tmpl_ctx_t *ctx, request_rec *r);

void tmpl_raw_drop(tmpl_ctx_t *ctx);

/*** append.c ***/

/*
 * Puts a copy of len bytes behind what bb holds. apr_brigade_write() does that, too, but without a
 * flush function it makes a bucket for each piece once its first buffer is full.
 */
void tmpl_append(apr_bucket_brigade *bb, const char *data, apr_size_t len);

/*** splice.c ***/

/*
 * Applies edits to the data of bb in a single pass. Metadata keeps its place; long runs of data
 * are shared, short ones and the edits' texts are copied together. What the page was read from
 * must not be read any more. The lengths of all buckets must be known. What reading or splitting
 * buckets returns if that fails.
 */
apr_status_t tmpl_splice(apr_bucket_brigade *bb, const tmpl_edits_t *edits);

/*** validators.c ***/

/*
 * The tag of the page that mode makes of one tagged etag: W/"abc-tmpl-strip" of "abc". It is
 * weak, for the page changes a little whenever something new is known of its site, and names the
 * mode, for a page of another mode is another representation. NULL if etag is no entity tag.
 */
const char *tmpl_etag_of(const char *etag, tmpl_mode_e mode, apr_pool_t *pool);

/*
 * The If-None-Match field list with the backend's own tag for each of mode's in it: instead of
 * it, or behind it if keep is set. The list itself if there are none.
 */
const char *tmpl_etag_for_backend(const char *list, tmpl_mode_e mode, int keep, apr_pool_t *pool);

/*
 * The tag by which the If-None-Match field list names the page that mode makes of etag, with a compressing filter's suffix or
 * without; NULL if it does not.
 */
const char *tmpl_etag_listed(const char *list, const char *etag, tmpl_mode_e mode,
                             apr_pool_t *pool);

/*** request.c ***/

/*
 * fixups hook: conditional requests that name our tags work with any handler, and what the choice
 * of the mode has looked at stays in Vary.
 */
int tmpl_request_fixups(request_rec *r);

/* handler hook, in front of mod_proxy's: changes what the backend is asked for. Handles nothing itself. */
int tmpl_request_handler(request_rec *r);

/* Makes r's fields what the client sent; also an insert_error_filter hook. Does nothing where they are. */
void tmpl_request_restore(request_rec *r);

/* The connection to the backend that answers r; NULL if that is not known. It may be used until EOS has come. */
void tmpl_request_set_backend(request_rec *r, conn_rec *backend);
conn_rec *tmpl_request_backend(const request_rec *r);

/* The page that is read beside r's response; NULL if there is none. */
void tmpl_request_set_beside(request_rec *r, tmpl_ctx_t *ctx);
tmpl_ctx_t *tmpl_request_beside(const request_rec *r);

/*** cache.c ***/

/* X(id, name): what became of the question whether a page is in the cache. */
#define TMPL_CACHED(X)                                                                             \
    X(MISS, "miss")                                                                                \
    X(STALE, "stale") /* the site has changed since */                                             \
    X(HIT, "hit")

typedef enum {
#define TMPL_CACHED_ID(id, name) TMPL_CACHED_##id,
    TMPL_CACHED(TMPL_CACHED_ID)
#undef TMPL_CACHED_ID
} tmpl_cached_e;

/* A page on its way past the cache. */
typedef struct {
    tmpl_cache_t *cache; /* NULL: it is none of this page's */
    server_rec *s;
    apr_pool_t *pool;
    tmpl_decision_key_t page, site;
    tmpl_cached_e found;
} tmpl_cached_t;

/* The cache of that name, made if there is none yet: NULL, or what is wrong. Configuration only. */
const char *tmpl_cache_add(tmpl_cache_t **cache, const char *name, apr_pool_t *pconf,
                           apr_pool_t *ptemp);

/* pre_config, post_config and child_init hooks: forget; make what was named; join. */
void tmpl_cache_reset(apr_pool_t *pconf);
void tmpl_cache_prepare(server_rec *s, apr_pool_t *pconf);
void tmpl_cache_open(server_rec *s, apr_pool_t *pchild);

/*
 * Whether what was decided about the same page before still holds; then outcome and fingerprint are
 * filled. Always fills cached, for tmpl_cache_keep.
 */
int tmpl_cache_find(tmpl_cached_t *cached, tmpl_outcome_t *outcome, const char **fingerprint,
                    const tmpl_input_t *input, const tmpl_conf_t *conf, request_rec *r,
                    apr_pool_t *pool);

/* Keeps what was decided about a page that was not found. */
void tmpl_cache_keep(tmpl_cached_t *cached, const tmpl_outcome_t *outcome, const char *fingerprint,
                     const tmpl_input_t *input, const tmpl_conf_t *conf);

/*** judge.c ***/

/* What was found of a page. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    tmpl_cached_t cached;
    const char *fingerprint; /* of what is not template; NULL if there is none */
    apr_time_t start;        /* on tmpl_clock */
} tmpl_judged_t;

/*
 * Before a page comes: what it is called, and whether it may be learnt, by its fields as they are now. Once it has been sent
 * they are what other modules have made of them, and the status may be that of a part.
 */
void tmpl_judge_expect(tmpl_ctx_t *ctx, request_rec *r);

/* Judges the page that ctx holds, or finds it in the cache. What reading its buckets returns if that fails. */
apr_status_t tmpl_judge(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, request_rec *r,
                        apr_pool_t *pool);

/* Counts it, with its bytes before and after. */
void tmpl_judge_report(const tmpl_judged_t *judged, request_rec *r, apr_off_t before,
                       apr_off_t after, apr_interval_time_t took);

/*** headers.c ***/

/* All of the response's field lines of that name, joined by commas; NULL if there are none. */
const char *tmpl_field(request_rec *r, const char *name);

/* A copy of the fields of those names, lines of one name joined; the list of names ends in NULL. */
apr_table_t *tmpl_fields_copy(const apr_table_t *from, const char *const *names, apr_pool_t *pool);

/* Makes these fields what they were when the copy was made: those that were not there go. */
void tmpl_fields_restore(apr_table_t *to, const char *const *names, const apr_table_t *copy);

/* The fields of a page that was judged in so many microseconds and is length bytes long now. */
void tmpl_headers_judged(request_rec *r, const tmpl_ctx_t *ctx, const tmpl_judged_t *judged,
                         apr_off_t length, apr_interval_time_t took);

/* What was found of a page whose response has been sent: httpd's note "tmpl", for its logs. */
void tmpl_headers_noted(request_rec *r, const tmpl_judged_t *judged);

/* The fields of an answer to HEAD that came without a body. */
void tmpl_headers_head(request_rec *r, const tmpl_ctx_t *ctx);

/* The fields of a 304. */
void tmpl_headers_not_modified(request_rec *r, const tmpl_conf_t *conf);

/* insert_error_filter hook: a handler's own 304 passes no content filters. */
void tmpl_headers_error(request_rec *r);

/* The note, and with field set the Tmpl field, of a response that is declined. */
void tmpl_headers_declined(request_rec *r, tmpl_decline_e reason, int field);

/*** connections.c ***/

/* The link to the store at uri, which tmpl_store_check_uri has found good. Configuration only. */
tmpl_link_t *tmpl_link_add(const char *uri, apr_pool_t *pconf);

/* Says that s has a section with a mode other than off. Configuration only. */
void tmpl_links_used_by(server_rec *s);

/* Whether s has such a section, or the main server has, of which each server has all. */
int tmpl_links_are_used_by(const server_rec *s);

/* pre_config, post_config and child_init hooks: forget; make directories, find who learns; open. */
void tmpl_links_reset(apr_pool_t *pconf);
void tmpl_links_prepare(server_rec *s, apr_pool_t *pconf, apr_pool_t *ptemp);
void tmpl_links_open(server_rec *s, apr_pool_t *pchild);

/*
 * tmpl_clean() with the link's store, or without one while its breaker is open; conf->store NULL is
 * the default store. What is to be learnt is put aside for httpd's watchdog, if there is one and the section
 * wants no other. Logs the store's failure and recovery.
 */
void tmpl_link_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_conf_t *conf,
                     request_rec *r, apr_pool_t *pool);

/*** health.c ***/

/* What a store is asked to do. */
typedef enum {
    TMPL_PURPOSE_ASK,   /* by requests */
    TMPL_PURPOSE_LEARN, /* pages that have waited */
    TMPL_PURPOSES
} tmpl_purpose_e;

/* How a store is, in a child. For many threads. */
typedef struct {
    const char *name; /* for the log: without passwords */
    server_rec *server;
    tmpl_breaker_t breakers[TMPL_PURPOSES];
    apr_uint32_t full; /* atomic */
} tmpl_health_t;

/* At the start of a child; name is there already. Well, as far as is known. */
void tmpl_health_init(tmpl_health_t *health, server_rec *s);

/* Whether the store may be asked; if it has failed once a second, and then tmpl_health_report() is owed. */
int tmpl_health_allows(tmpl_health_t *health, tmpl_purpose_e purpose);

/* Whether a store has said that others wrote all the time: that tells nothing of how it is. */
int tmpl_health_had_no_turn(const tmpl_error_t *err);

/*
 * What the store has said: failures are counted, and the first one, and that it is over, is logged: of r, or of the
 * server where that is NULL. A full store is well.
 */
void tmpl_health_report(tmpl_health_t *health, tmpl_purpose_e purpose, const tmpl_error_t *err,
                        request_rec *r, apr_pool_t *pool);

/*
 * Whether the store is full, which is logged when it changes. Only if something was written is it known that there is
 * room: a page that was known already writes nothing.
 */
void tmpl_health_report_room(tmpl_health_t *health, const tmpl_error_t *err, int written,
                             request_rec *r, apr_pool_t *pool);

/* The store could not be opened with its child. */
void tmpl_health_not_open(tmpl_health_t *health, const tmpl_error_t *err);

/*** learning.c ***/

/* What has pages that wait for one store learnt, in one child. */
typedef struct tmpl_learner_t tmpl_learner_t;

/* pre_config and post_config hooks; number tells it from those of other stores. */
void tmpl_learning_reset(apr_pool_t *pconf);
tmpl_learner_t *tmpl_learner_create(tmpl_health_t *health, int number, server_rec *s,
                                    apr_pool_t *pconf);

/* child_init hook; pool goes with the child, and may be used by other threads. */
void tmpl_learner_open(tmpl_learner_t *learner, server_rec *s, apr_pool_t *pool);

/* A page is to be learnt after so long. If many wait, so does the caller, timeout at most. 0: it is lost. */
int tmpl_learner_put_aside(tmpl_learner_t *learner, const tmpl_observation_t *page,
                           apr_interval_time_t delay, apr_interval_time_t timeout);

/* Learns those that are due; store may be NULL. By the watchdog, even when pool's child has closed the learner. */
void tmpl_learner_turn(tmpl_learner_t *learner, tmpl_store_t *store, apr_pool_t *pool);

/*
 * The child ends: learns what waits. Not if somebody was interrupted for good who may be in the midst of it: then
 * it is counted as lost.
 */
void tmpl_learner_close(tmpl_learner_t *learner, tmpl_store_t *store, int interrupted,
                        apr_pool_t *pool);

/*** ending.c ***/

/* pre_connection hook: where a child has no threads, it is kept in mind that it serves somebody. */
int tmpl_ending_pre_connection(conn_rec *c, void *socket);

/* child_stopping hook. A child that was interrupted while it served somebody ends two seconds later at the latest. */
void tmpl_ending_child_stopping(apr_pool_t *pchild, int graceful);

/* Whether it ends, and nobody waits for that. */
int tmpl_ending_is_graceful(void);

/* Whether it ends at once: its stores may be gone while the pools of requests are still to be destroyed. */
int tmpl_ending_is_closing(void);

/*** later.c ***/

/* Pages of one store that wait to be learnt, in one child: bounded in number and bytes. For many threads. */
typedef struct tmpl_later_t tmpl_later_t;

/* A page that has been taken from them. */
typedef struct {
    tmpl_observation_t *page; /* from malloc */
    apr_size_t size;
    apr_time_t due; /* on tmpl_clock: from when on it is to be learnt */
    tmpl_document_t document;
    unsigned site;  /* a hash of its name */
    unsigned tries; /* how often that has failed */
} tmpl_waiting_t;

/*
 * None yet. A cleanup on pool frees those that are left. What threads wait with is of the process' pool: prefork
 * may destroy the other while one waits, and to destroy what it waits with would wait for it.
 */
tmpl_later_t *tmpl_later_create(apr_pool_t *pool, apr_pool_t *process);

/* What becomes of a page that is put aside. */
typedef enum {
    TMPL_LATER_ADDED,
    TMPL_LATER_KNOWN, /* the same page waits already: nothing is left to do */
    TMPL_LATER_FULL   /* there is no room for it */
} tmpl_later_e;

/* Puts a copy of a page behind them; waits for room, so long at most, unless none is to be expected. 0: not at all. */
tmpl_later_e tmpl_later_add(tmpl_later_t *later, const tmpl_observation_t *page, apr_time_t due,
                            apr_interval_time_t timeout);

/* Whether one of them is due; they all are while there is half as much room as could be, or less. */
int tmpl_later_is_due(tmpl_later_t *later, apr_time_t now);

/*
 * Takes up to so many, the oldest and what else waits of their sites, which stand together: their number. From
 * now on there is room.
 */
unsigned tmpl_later_take(tmpl_later_t *later, tmpl_waiting_t *taken, unsigned most);

/*
 * Puts those back that could not be learnt; returns how many of them are lost. If it was tried, no room is to
 * be expected until some are taken again.
 */
unsigned tmpl_later_put_back(tmpl_later_t *later, const tmpl_waiting_t *taken, unsigned n,
                             int tried);

void tmpl_later_free(const tmpl_waiting_t *taken, unsigned n);

/*
 * Gives up all that wait, and returns their number: for the end of a process in which somebody was interrupted
 * who may be in the midst of them. Takes no lock and frees nothing.
 */
unsigned tmpl_later_abandon(tmpl_later_t *later);

/*** status.c ***/

/* X(id, name, explanation): what is counted beside declines. */
#define TMPL_COUNTERS(X)                                                                           \
    X(PAGES, "pages", "pages judged")                                                              \
    X(EDITED, "edited", "pages changed")                                                           \
    X(EDITS, "edits", "edits made")                                                                \
    X(LEARNED, "learned", "documents counted for the first time")                                  \
    X(NEAR_COPIES, "near-copies", "pages not counted, as a document has shown nearly all of them") \
    X(BYTES_IN, "bytes-in", "bytes of the pages judged")                                           \
    X(BYTES_OUT, "bytes-out", "bytes of them passed on")                                           \
    X(MICROSECONDS, "microseconds", "time spent judging")                                          \
    X(STORE_FAILURES, "store-failures", "requests a store did not answer")                         \
    X(STORE_DOWN, "store-down", "times a child gave a store up for a while")                       \
    X(STORE_UP, "store-up", "times it came back")                                                  \
    X(CACHE_HIT, "cache-hit", "pages whose decision was in the cache")                             \
    X(CACHE_MISS, "cache-miss", "pages whose decision was not")                                    \
    X(CACHE_STALE, "cache-stale", "pages whose decision was too old")                              \
    X(LATER, "learn-later", "pages put aside to be learnt after their request")                    \
    X(LATER_DONE, "learn-done", "of these, pages handed to the store since")                       \
    X(LATER_RUNS, "learn-runs", "times some were handed to it, in as few steps as it can")         \
    X(LATER_FAILURES, "learn-failures", "times it failed to learn some of them")                   \
    X(LATER_FULL, "learn-lost-full", "of these, pages lost because the store is full")             \
    X(LATER_FAILED, "learn-lost-failed",                                                           \
      "of these, pages lost because the store failed five times, or at the end of their child")    \
    X(LATER_NO_ROOM, "learn-lost-room",                                                            \
      "pages lost because too many waited, and the store took none")

typedef enum {
#define TMPL_COUNTER_ID(id, name, explanation) TMPL_COUNTER_##id,
    TMPL_COUNTERS(TMPL_COUNTER_ID)
#undef TMPL_COUNTER_ID
        TMPL_COUNTER_COUNT
} tmpl_counter_e;

void tmpl_count(tmpl_counter_e counter, apr_uint64_t by);
void tmpl_count_detector(const tmpl_detector_t *detector);
void tmpl_count_decline(tmpl_decline_e reason);

/* post_config hook: the counters are shared by all children and kept over restarts. */
void tmpl_status_create(server_rec *s);

/* mod_status's hook. */
int tmpl_status_report(request_rec *r, int flags);

#endif
