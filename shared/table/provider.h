/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kind of store implements: to read and to write the buckets of one site within a transaction. What stands in
 * them, how they are counted, grow and shrink is the engine's (engine.h), and the same for every store;
 * docs/store-format.md says how to add one.
 *
 * A site is a head and buckets that are numbered from 0 on. The engine uses a transaction like this:
 *
 *     begin      txn->head: what the store knows of the head, as good as it can be told without asking
 *     get        some buckets; txn->head is now the one they belong to. More gets may follow
 *     commit     of a transaction that writes, at most once: all changes, or none
 *     end        always, unless begin has failed
 *
 * Each returns APR_SUCCESS or fills txn->err (tmpl_fail). These are told apart, others are failures of the store:
 * APR_ENOSPC: the store is full, or takes no writes; reading goes on. APR_EBUSY: others write the site; begin anew.
 * APR_TIMEUP: the deadline has passed.
 */
#ifndef TMPL_PROVIDER_H
#define TMPL_PROVIDER_H

#include "table/rules.h"

#define TMPL_BUCKETS_MOST (1u << 24) /* buckets of a site */

/* What a store keeps once for each site. All zero: a site that is new. */
typedef struct {
    tmpl_rules_site_t site;
    uint32_t n;     /* buckets; 0: none yet */
    uint64_t salt;  /* by which keys are placed */
    uint32_t swept; /* the place (buckets.h) at which the sweeper goes on */
} tmpl_head_t;

/* A head as bytes: pages (4), version (8), entries (8), n (4), salt (8), swept (4); little-endian. */
#define TMPL_HEAD_SIZE (4 + 8 + 8 + 4 + 8 + 4)
void tmpl_head_pack(unsigned char bytes[TMPL_HEAD_SIZE], const tmpl_head_t *head);
/* Returns 0 if len bytes are no head, or one of more buckets than there may be. */
int tmpl_head_unpack(tmpl_head_t *head, const void *bytes, size_t len);

/* The bytes of a bucket (bucket.h), which a store does not look into. len 0: it is empty, and not kept. */
typedef struct {
    const unsigned char *bytes;
    size_t len;
} tmpl_bucket_t;

/* One of a site's. */
typedef struct {
    uint32_t number;
    tmpl_bucket_t is;
} tmpl_numbered_t;

/* A transaction. The engine fills the first part, which does not change. */
typedef struct {
    void *ctx; /* the store, as open has given it */
    const char *site;
    int write;                   /* it may commit */
    apr_interval_time_t age;     /* if it only reads: how old what it reads may be */
    const tmpl_policy_t *policy; /* NULL: nothing dies */
    apr_time_t deadline;         /* on tmpl_clock */
    tmpl_error_t *err;
    apr_pool_t *pool; /* what get gives lives as long, and until commit */
    /* of the store */
    tmpl_head_t head; /* found is 0: all zero. The engine changes it before it commits */
    int found;        /* the store has the site */
    void *own;
} tmpl_txn_t;

typedef struct {
    const char *scheme; /* the URI up to and with the colon */
    /*
     * Before a page is learnt it is looked up without writing, and nothing is done if it would bring nothing new: for
     * stores where reading is cheap and does not wait for writers.
     */
    int look_first;
    apr_status_t (*check)(const char *uri, tmpl_error_t *err, apr_pool_t *pool);
    /* Fills *ctx; a cleanup on pool closes it. */
    apr_status_t (*open)(void **ctx, const char *uri, const tmpl_store_opts_t *opts,
                         tmpl_error_t *err, apr_pool_t *pool);
    apr_status_t (*begin)(tmpl_txn_t *txn);
    /* Fills the bytes of n >= 0 buckets. If txn->head has another n or salt than before, they may be wrong ones. */
    apr_status_t (*get)(tmpl_txn_t *txn, tmpl_numbered_t *buckets, uint32_t n);
    /*
     * Writes txn->head and n buckets; one of no bytes is deleted. Where txn->found is 0, whatever is stored under the
     * site's name is replaced. APR_EBUSY: somebody has written the site since get, and nothing was done.
     */
    apr_status_t (*commit)(tmpl_txn_t *txn, const tmpl_numbered_t *buckets, uint32_t n);
    void (*end)(tmpl_txn_t *txn);
    /* An estimate of the bytes that the site takes, behind a get. */
    uint64_t (*size)(tmpl_txn_t *txn);
    /* tmpl_store_sites() and tmpl_store_forget(). */
    apr_status_t (*sites)(void *ctx, apr_status_t (*each)(void *baton, const char *site),
                          void *baton, tmpl_error_t *err, apr_pool_t *pool);
    apr_status_t (*forget)(void *ctx, const char *site, tmpl_error_t *err, apr_pool_t *pool);
} tmpl_provider_t;

extern const tmpl_provider_t tmpl_provider_lmdb;
extern const tmpl_provider_t tmpl_provider_redis;
extern const tmpl_provider_t tmpl_provider_redis_unix;
extern const tmpl_provider_t tmpl_provider_memory;

#endif
