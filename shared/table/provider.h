/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kind of store implements: reading and writing the buckets of one site in a transaction.
 * The engine (engine.h), the same for every store, decides what the buckets hold, how pages are
 * counted, and how the number of buckets grows. docs/lab/detector.md says how to add a
 * store.
 *
 * A site is a head and buckets, numbered from 0. The engine uses a transaction like this:
 *
 *     begin      txn->head is the best guess that needs no question to a server
 *     get        reads some buckets; txn->head is now the head they belong to. May be repeated
 *     commit     writes all changes, or none; at most once, and only if txn->write
 *     end        always, unless begin has failed
 *
 * Each returns APR_SUCCESS, or fills txn->err and returns
 *     APR_ENOSPC   the store is full or takes no writes; reading goes on
 *     APR_EBUSY    others write the site, or room was made for it; the engine begins again
 *     APR_TIMEUP   the deadline has passed
 *     another      the store has failed
 */
#ifndef TMPL_PROVIDER_H
#define TMPL_PROVIDER_H

#include "base/clock.h"
#include "table/rules.h"

#define TMPL_BUCKETS_MOST (1u << 24) /* buckets of a site */

/*
 * Further buckets of a site, with numbers of their own: its listed documents (listed.h). head.n
 * does not count them. They are asked for and committed apart from the others, with policy NULL.
 */
#define TMPL_LISTED         TMPL_BUCKETS_MOST
#define TMPL_LISTED_SHARDS  512
#define TMPL_LISTED_BUCKETS (TMPL_LISTED_SHARDS + 1) /* the shards, and the head behind them */

/* What a store keeps once for each site. All zero: a new site. */
typedef struct {
    tmpl_rules_site_t site;
    uint32_t n;     /* buckets; 0: none yet */
    uint64_t salt;  /* chooses the bucket of a key */
    uint32_t swept; /* the rank (bucket.h) at which the sweeper continues; bits 0-7 count writes */
} tmpl_head_t;

/* Whether both heads put keys into the same buckets. */
static inline int tmpl_head_same_buckets(const tmpl_head_t *a, const tmpl_head_t *b)
{
    return a->n == b->n && a->salt == b->salt;
}

/*
 * A head as bytes: pages (4), version (8), entries (8), n (4), salt (8), swept (4); little-endian.
 * The highest bit of n says that the site is frozen.
 */
#define TMPL_HEAD_SIZE (4 + 8 + 8 + 4 + 8 + 4)
void tmpl_head_pack(unsigned char bytes[TMPL_HEAD_SIZE], const tmpl_head_t *head);
/* Returns 0 if len bytes are not a head, or name more buckets than there may be. */
int tmpl_head_unpack(tmpl_head_t *head, const void *bytes, size_t len);

/* A new secret: hexadecimal digits. */
void tmpl_secret_draw(char secret[TMPL_SECRET_SIZE]);

/* The bytes of a bucket (bucket.h), opaque to a store. len 0: it is empty, and is not stored. */
typedef struct {
    const unsigned char *bytes;
    size_t len;
} tmpl_bucket_t;

/* A bucket of a site. */
typedef struct {
    uint32_t number;
    tmpl_bucket_t is;
} tmpl_numbered_t;

/* A transaction. The engine fills the first part and keeps it as it is. */
typedef struct {
    void *ctx; /* the store, from open */
    const char *site;
    int write;                   /* the transaction may commit */
    apr_interval_time_t age;     /* if it only reads: how old its data may be */
    const tmpl_policy_t *policy; /* NULL: export or import, nothing dies */
    apr_time_t deadline;         /* on tmpl_clock */
    tmpl_error_t *err;
    apr_pool_t *pool; /* buckets from get live as long as pool, but not beyond commit */
    /* the store fills these in begin and get; the engine changes head before it commits */
    tmpl_head_t head; /* all zero if found is 0 */
    int found;        /* the store has the site */
    int fading;       /* the site expires unless the store touches it, which it does if it can */
    void *own;        /* the store's own data */
} tmpl_txn_t;

/*
 * Fills the bytes of n >= 0 buckets by their numbers. If txn->head has another n or salt than
 * before the call, the engine drops the buckets and asks again.
 */
typedef apr_status_t (*tmpl_get_t)(tmpl_txn_t *txn, tmpl_numbered_t *buckets, uint32_t n);

typedef struct {
    const char *scheme; /* the beginning of its URIs */
    apr_status_t (*check)(const char *uri, tmpl_error_t *err, apr_pool_t *pool);
    /* Fills *ctx; a cleanup on pool closes it. */
    apr_status_t (*open)(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                         tmpl_error_t *err, apr_pool_t *pool);
    apr_status_t (*begin)(tmpl_txn_t *txn);
    tmpl_get_t get;
    /*
     * Writes txn->head and n buckets, which come in the order of their ranks (bucket.h), and
     * deletes buckets without bytes. If txn->found is 0, replaces all that is stored under the
     * site's name. APR_EBUSY: somebody has written the site since get.
     */
    apr_status_t (*commit)(tmpl_txn_t *txn, const tmpl_numbered_t *buckets, uint32_t n);
    void (*end)(tmpl_txn_t *txn);
    /* tmpl_store_sites() and tmpl_store_forget(). */
    apr_status_t (*sites)(void *ctx, tmpl_each_site_t each, void *baton, tmpl_error_t *err,
                          apr_pool_t *pool);
    apr_status_t (*forget)(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool);
    /*
     * Sets the store's secret to put, or fills is if put is NULL. A NULL function: the store has
     * none.
     */
    apr_status_t (*secret)(void *ctx, const char *put, char is[TMPL_SECRET_SIZE],
                           apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool);
    /* tmpl_store_usage(); NULL: the store has no limits of its own. */
    apr_status_t (*usage)(void *ctx, tmpl_store_usage_t *usage, tmpl_error_t *err);
    /*
     * tmpl_store_moved(), tmpl_store_is_lost() and tmpl_store_examine(). NULL: the store has no
     * file.
     */
    const char *(*moved)(void *ctx);
    int (*is_lost)(void *ctx);
    apr_status_t (*examine)(const char *uri, tmpl_error_t *err, apr_pool_t *pool);
} tmpl_provider_t;

extern const tmpl_provider_t tmpl_provider_lmdb;
extern const tmpl_provider_t tmpl_provider_redis;
extern const tmpl_provider_t tmpl_provider_memory;

#endif
