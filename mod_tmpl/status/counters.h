/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that all children share; in it counts over all children, and histograms: how long each
 * stage of a page takes, and shares of the page. And JSON of values.
 */
#ifndef TMPL_COUNTERS_H
#define TMPL_COUNTERS_H

#include <jansson.h>

#include "mod_tmpl.h"

#include "text/decode.h"

/*
 * Memory that all children share and restarts keep, in pieces with names. A piece is written with
 * atomic operations, or with a lock of its own: a child may be killed at any time.
 *
 * The piece of that name, size bytes, all 0 when it is new. For post_config: children inherit the
 * pointer. A graceful restart returns the same piece, but a new one if size or the module's version
 * has changed. NULL, which is logged, if there is no memory: nothing is counted then. Addresses in
 * a piece must not point outside of it: a restart may load the module elsewhere.
 */
void *tmpl_shm(server_rec *s, const char *name, apr_size_t size);

/* X(id, name, explanation): the counters. */
#define TMPL_COUNTERS(X)                                                                           \
    X(PAGES, "pages", "pages judged, without declined ones")                                       \
    X(EDITED, "edited", "pages changed")                                                           \
    X(LEARNED, "learned", "documents counted for the first time")                                  \
    X(NEAR_COPIES, "near-copies", "pages not counted: near copies of a document")                  \
    X(UNLISTED_PERSONAL, "unlisted-personal", "pages not listed: personal, or with a cookie")      \
    X(UNLISTED_ROBOTS, "unlisted-robots", "pages not listed: robots are not to index them")        \
    X(UNLISTED_CANONICAL, "unlisted-canonical",                                                    \
      "pages not listed: their canonical link leads elsewhere")                                    \
    X(UNLISTED_QUERY, "unlisted-query", "pages not listed: a query, and no canonical link")        \
    X(BYTES_IN, "bytes-in", "bytes of the pages judged")                                           \
    X(BYTES_OUT, "bytes-out", "bytes of them passed on")                                           \
    X(BYTES_REMOVED, "bytes-removed", "bytes by which pages became shorter")                       \
    X(STORE_FAILURES, "store-failures", "requests a store did not answer")                         \
    X(STORE_DOWN, "store-down", "times a child stopped using a store for a pause")                 \
    X(STORE_UP, "store-up", "times a store answered again")                                        \
    X(CACHE_HIT, "cache-hit", "pages whose decision was in the cache")                             \
    X(CACHE_MISS, "cache-miss", "pages of whose address nothing was in the cache")                 \
    X(CACHE_CHANGED, "cache-changed", "pages that had changed since their decision")               \
    X(CACHE_PERSONAL, "cache-personal", "pages whose decision was made without learning them")     \
    X(CACHE_STALE, "cache-stale", "pages whose site had changed since their decision")             \
    X(UNCHANGED, "unchanged",                                                                      \
      "requests answered 304, because what would be sent is what the client has")                  \
    X(LATER, "learn-later", "pages queued to be learnt after their request")                       \
    X(LATER_DONE, "learn-done", "of these, pages passed to the store since")                       \
    X(LATER_RUNS, "learn-runs", "times a batch of them was passed to it")                          \
    X(LATER_FAILURES, "learn-failures", "times the store failed to learn a batch")                 \
    X(LATER_FULL, "learn-lost-full", "of these, pages lost because the store is full")             \
    X(LATER_FAILED, "learn-lost-failed",                                                           \
      "of these, pages lost because the store failed five times, or at the end of their child")    \
    X(LATER_NO_ROOM, "learn-lost-room",                                                            \
      "pages lost because too many waited, and the store took none")                               \
    X(SITES_DROPPED, "sites-dropped",                                                              \
      "pages missing in the figures of their site, because others wrote them at that moment")

typedef enum {
#define TMPL_COUNTER_ID(id, name, explanation) TMPL_COUNTER_##id,
    TMPL_COUNTERS(TMPL_COUNTER_ID)
#undef TMPL_COUNTER_ID
        TMPL_COUNTER_COUNT
} tmpl_counter_e;

/* What has a count for each of its values: the counters, and the enums of that name. */
typedef enum {
    TMPL_GROUP_COUNTER,
    TMPL_GROUP_MODE,    /* pages that were judged and not declined */
    TMPL_GROUP_DECLINE, /* responses */
    TMPL_GROUPS
} tmpl_group_e;

/* What has a histogram: stages, and shares of a page that has verdicts and was not declined. */
typedef enum {
    TMPL_STAGE_WAIT,
    TMPL_STAGE_READ,
    TMPL_STAGE_STORE,
    TMPL_STAGE_DECIDE,
    TMPL_STAGE_WRITE,
    TMPL_STAGE_TOTAL,
    TMPL_SHARE_RATIO,
    TMPL_SHARE_CONFIDENCE,
    TMPL_MEASURES
} tmpl_measure_e;

/* post_config hook: creates all counts, which restarts keep. Without shared memory they are 0. */
void tmpl_counters_create(server_rec *s);

/* Count for a counter, and for a value of a group. */
void tmpl_count(tmpl_counter_e counter, apr_uint64_t by);
void tmpl_count_in(tmpl_group_e group, unsigned value);

/* Add to a histogram: a time, of which a negative one counts as 0; the share of a page, 0 to 1. */
void tmpl_stage_took(tmpl_measure_e stage, apr_interval_time_t took);
void tmpl_share_was(tmpl_measure_e share, double value);

/* The i-th count of a group. Returns 0 behind the last one. */
typedef struct {
    const char *name;
    const char *text; /* what it means */
    apr_uint64_t count;
} tmpl_counted_t;
int tmpl_counted(tmpl_counted_t *is, tmpl_group_e group, int i);

/* A histogram as data.h has it: a stage in seconds, or a share. The caller owns it. */
json_t *tmpl_histogram(tmpl_measure_e of);

/* When counting began, on the clock of the day: a graceful restart does not change it. */
apr_time_t tmpl_counted_since(void);

/* Whether a response declined for that reason is a page of a site: images and errors are not. */
int tmpl_decline_is_of_page(tmpl_decline_e reason);

/* --- values of JSON --- */

/* A text of any bytes as a JSON string: a byte that is not UTF-8 becomes U+FFFD. */
static inline json_t *tmpl_json_text(const char *text, apr_pool_t *pool)
{
    const tmpl_decoder_t utf8 = { "UTF-8", NULL };
    tmpl_buf_t buf;

    tmpl_buf_init(&buf, pool);
    tmpl_decode(&buf, &utf8, text, strlen(text));
    return json_stringn(buf.at, buf.len);
}

/* Microseconds as seconds; of a time since 1970, 0 is null. */
static inline json_t *tmpl_json_time(apr_time_t time)
{
    return time != 0 ? json_real((double)time / APR_USEC_PER_SEC) : json_null();
}

#endif
