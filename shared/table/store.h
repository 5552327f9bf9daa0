/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page -> counts: the segment table of every site, behind one interface.
 *
 * The table of Wang et al. (WWW 2008), sections 2.2 and 2.4, with what a proxy needs on top:
 * - document frequency counts documents, not requests: while an entry's DF is below min_df it keeps
 *   a 16-bit fingerprint of each document counted, and one already there does not count again. A
 *   document is known by its identity or by its visible text; a known one does not move the clock
 *   and raises no DF that has reached min_df.
 * - the clock is the number of documents seen on the site; an entry that has not been seen for more
 *   than tmpl_lifetime(df) of them counts as absent, whether or not the sweeper has come by.
 *
 * What learning does, to the letter, in every store. fp is the low 16 bits of document->id, "known"
 * means that an entry of kind DOCUMENT exists that is live before step 1, now is the clock after
 * it:
 * 1. Neither id nor text known, and no near copy (2a): the clock moves by one, and the document
 * counts (counts->counted).
 * 2. Text known: no DF changes. If that entry is younger than Tb / 4 pages, nothing is written at
 *    all; otherwise last = now in it and in every live entry of the keys.
 * 2a. Neither known, but the page is a near copy of a document: it does not count
 * (counts->near_copy), no DF changes, nothing new is entered. If all live segments among the keys
 * are younger than Tb / 4 pages, nothing is written at all; otherwise last = now in every live
 * entry of the keys.
 * 3. Otherwise, each key: no live entry: a new one, DF 1, with fp (unless the site is at
 *    max_entries). DF < min_df: if fp is not among its fingerprints, it is added and DF grows by
 *    one; an entry that reaches min_df drops its fingerprints and version grows by one.
 *    DF >= min_df: DF grows by one if the document counts. In each case last = now. Then id and
 *    text are entered as known (also at max_entries), last = now.
 * A near copy shows little but what one document has shown. It is told by the shares, without those
 * of live segments with DF >= min_df: of the lengths of the others, those of live segments that
 * have one fingerprint, other than fp, are more than 90 % and all but at most 200 bytes. Where that
 * fingerprint is of another place, it takes more than 98 %, and shares left out that have a length:
 * without a template that is known, a page of little text looks like a copy. A page without shares
 * is none. Keys of kind PATH go by none of this but by what follows, after the segments have been
 * counted. If the document counts, for each key that a part names: no live entry: a new one, DF 0,
 * no text (unless the site is at max_entries). DF grows by one, last = now. text grows by T, the
 * lengths of the shares of all parts that name it; repeated by R: of these, the length of each
 * share whose segment has DF >= 2 after this observation, twice that if this observation took it
 * from 1 to 2, so that both places of a text are credited. Should text + T pass 2^31, both are
 * halved (rounded down) before they grow, so that the share stays right; both end at 2^32 - 1, and
 * repeated at text. If the document does not count, last = now in each live entry in step 2 where
 * it writes and in step 3, nothing else. Paths have no fingerprints and do not move version. An
 * entry is live while now - last <= tmpl_lifetime(df). Every write also sweeps a few entries on.
 *
 * Who need not wait for the writing observes a page with LATER: the counts are those of learning it
 * now, but nothing is written. If counts->due it hands a copy of the page to tmpl_store_learn(),
 * which learns many pages at the cost of a few. Until then no other page sees that it has been
 * there. Nor need it see by then what others have learnt in the last moment: a store that has to
 * ask somebody may give it counts of up to its age, so that it need not ask for each page. What has
 * been learnt through the same store it sees at once. Counts may then be of several moments of that
 * time, each of one, but none is younger than the site's pages.
 *
 * So an observation is idempotent, and hosts that share a store need no coordination. Keys are
 * hashes: the store holds no text of any page. Stores know nothing of HTML.
 *
 * A store is safe to use from many threads. LMDB must be opened after fork.
 */
#ifndef TMPL_STORE_H
#define TMPL_STORE_H

#include <apr_time.h>

#include "base/tmpl.h"

typedef struct tmpl_store_t tmpl_store_t;

#define TMPL_SITE_MAX 255 /* bytes of a site's name */

/* Microseconds on a clock that nobody sets. */
apr_time_t tmpl_clock(void);

/* A kind of key; each kind has keys of its own. */
typedef enum {
    TMPL_KIND_DOCUMENT, /* a document seen: the store's own, never looked up by callers */
    TMPL_KIND_SEGMENT,  /* a text segment: DOM path and text */
    TMPL_KIND_PATH,     /* a layout path: a place in the layout of the site's pages */
    TMPL_KIND_COUNT
} tmpl_kind_e;

/*
 * A key has the low 40 bits of a hash: a store needs eight bytes for few things else. So a text
 * that a site of n live entries has not seen is taken for one that it has with probability n /
 * 2^40, the same in every store.
 */
#define TMPL_HASH_BITS 40
#define TMPL_HASH_MASK (((uint64_t)1 << TMPL_HASH_BITS) - 1)

typedef struct {
    uint64_t hash; /* at most TMPL_HASH_MASK */
    tmpl_kind_e kind;
} tmpl_key_t;

/* Fills n keys of one kind from hashes of 64 bits; returns where the next go. */
static inline tmpl_key_t *tmpl_keys_fill(tmpl_key_t *keys, const uint64_t *hashes, uint32_t n,
                                         tmpl_kind_e kind)
{
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (tmpl_key_t){ hashes[i] & TMPL_HASH_MASK, kind };
    }
    return keys + n;
}

/* What is known of a key, this observation included. */
typedef struct {
    uint32_t df;       /* documents it was seen on; 0: never, or not for a lifetime */
    uint32_t last;     /* the clock when it was last seen; 0 if df is 0 */
    uint32_t text;     /* PATH: bytes of text seen there, see above; 0 for other kinds */
    uint32_t repeated; /* PATH: of these, bytes of text that stood elsewhere, too; <= text */
} tmpl_record_t;

/*
 * A document, by two hashes: one of its address, one of its visible text. id % TMPL_DOCUMENT_PLACES
 * stands for its place: all addresses that anybody can make up for one page have the same (site.h).
 */
#define TMPL_DOCUMENT_PLACES 64
typedef struct {
    uint64_t id;
    uint64_t text;
} tmpl_document_t;

/* How entries are counted and how long they live. */
typedef struct {
    uint32_t min_df;      /* DF from which a segment is template: TMPL_MIN_DF_LEAST..MOST */
    uint32_t lifetime_tb; /* Tb: pages an entry of DF 1 lives unseen */
    uint32_t lifetime_n;  /* N: the longest life is Tb * N pages */
    uint32_t max_entries; /* a site holding this many entries, documents too, takes no new keys */
} tmpl_policy_t;

/* Layout paths of a block: its box, and those around it. */
#define TMPL_PATH_LEVELS 3

/* An occurrence of a segment. */
typedef struct {
    uint32_t key;    /* index of its SEGMENT key */
    uint32_t length; /* bytes of its text */
} tmpl_share_t;

/* A block: where it stands, and its text. */
typedef struct {
    uint32_t paths[TMPL_PATH_LEVELS]; /* indices of PATH keys, each another, or TMPL_NONE */
    uint32_t first, after;            /* its shares */
} tmpl_part_t;

/* What becomes of a document that is observed. */
typedef enum {
    TMPL_LEARNING_OFF,   /* it is not counted: keys are only looked up */
    TMPL_LEARNING_NOW,   /* it is counted, steps 1 to 3 above */
    TMPL_LEARNING_LATER, /* the counts are those of NOW, nothing is written */
} tmpl_learning_e;

/* A page as a store sees it. Nothing of it is kept beyond the call. */
typedef struct {
    const char *site;
    const tmpl_document_t *document;
    const tmpl_key_t *keys; /* each given once: first all of kind SEGMENT, then all of kind PATH */
    uint32_t n;
    const tmpl_share_t *shares;
    uint32_t n_shares;
    const tmpl_part_t *parts;
    uint32_t n_parts;
    const tmpl_policy_t *policy;
    tmpl_learning_e learn;
    apr_interval_time_t age; /* OFF and LATER: how old counts may be; 0: they are of now */
} tmpl_observation_t;

#define TMPL_MIN_DF_LEAST 2
#define TMPL_MIN_DF_MOST  64

typedef struct {
    tmpl_record_t *records; /* one per key, in the order of the keys */
    uint32_t pages;         /* the site's clock: documents seen, this one included if it counted */
    uint64_t version;       /* grows whenever an entry of the site reaches min_df */
    int counted;            /* this document was new and has been counted */
    int near_copy;          /* it was new and has not been counted, as it is a near copy */
    int due;                /* LATER: learning it would write something, so it is to be done */
} tmpl_counts_t;

typedef struct {
    uint32_t pages;
    uint64_t version;
    uint64_t entries;  /* keys held, live or waiting for the sweeper */
    uint64_t live;     /* entries that a look-up would find */
    uint64_t template; /* live segments with DF >= min_df */
    uint64_t bytes;    /* estimate of the memory or disk they take */
} tmpl_store_stats_t;

/* One entry of a site's table, as export and import see it. */
typedef struct {
    tmpl_key_t key;
    tmpl_record_t record;
    const uint16_t *fingerprints; /* of the documents counted while df < min_df */
    uint32_t n_fingerprints;
} tmpl_entry_t;

/*
 * Pages that an entry of document frequency df lives after it was last seen:
 *     f(df) = Tb * N / (1 + (N - 1) * e^-(df - 1))          Wang et al., section 2.4
 * so f(1) = Tb, and f grows to the limit Tb * N. Rounded down.
 */
uint32_t tmpl_lifetime(const tmpl_policy_t *policy, uint32_t df);

/* Limits of the whole store, and the size of its file. */
typedef struct {
    uint32_t max_sites;       /* lmdb: a store at this many sites takes no new one */
    apr_interval_time_t idle; /* a site not observed for so long may be forgotten */
    apr_size_t map_size;      /* lmdb: bytes the file may grow to */
    uint32_t max_connections; /* redis: connections held by this process */
} tmpl_store_opts_t;

/* The options a store is opened with when none are given. */
extern const tmpl_store_opts_t tmpl_store_opts_default;

/*
 * Whether uri could be opened, without trying. Forms: "lmdb:DIR",
 * "redis://[user:pass@]host[:port][/db]", "redis+unix:///path[?db=n&user=u&pass=p]"; %xx stands for
 * a byte. APR_SUCCESS, or APR_EINVAL and what is wrong with it.
 */
apr_status_t tmpl_store_check_uri(const char *uri, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Opens the store at uri; opts may be NULL. It is closed when pool is cleaned up. A Redis store
 * connects when it is first used, so a server that is down is no error here. "memory:", which
 * check_uri refuses, is a store that is gone when it is closed. APR_SUCCESS; APR_EINVAL for a bad
 * uri; otherwise the system's or LMDB's error, with text.
 */
apr_status_t tmpl_store_open(tmpl_store_t **store, const char *uri, const tmpl_store_opts_t *opts,
                             tmpl_error_t *err, apr_pool_t *pool);

/*
 * Looks up the keys of a page of a site and, unless learn is OFF, counts the document first. The
 * call takes at most timeout, and the time in which the system's resolver looks up a Redis server's
 * host name (redis_conn.h). counts->records come from pool. Any failure leaves the store usable.
 * APR_TIMEUP  the time is over; counts are not to be used
 * APR_EBUSY   others wrote the site until then. The store may be well
 * APR_ENOSPC  the store is full, or takes no writes for a reason that err tells: nothing was learnt,
 *             but counts are good. LATER does not notice: tmpl_store_learn() will
 * APR_EINVAL  a site's name of 0 or more than 255 bytes, a bad policy, keys out of order or of more
 *             bits than they have, a share or a part that names what is not there
 */
apr_status_t tmpl_store_observe(tmpl_store_t *store, const tmpl_observation_t *observation,
                                apr_interval_time_t timeout, tmpl_counts_t *counts,
                                tmpl_error_t *err, apr_pool_t *pool);

/*
 * Learns n pages of one site in their order, as tmpl_store_observe() with NOW would one after the
 * other, and fills counts of each, in as few transactions as the store can. If the process is
 * killed, the last of them are not learnt. APR_SUCCESS; any failure (APR_EINVAL also for pages of
 * two sites): no counts are good, some pages may be learnt, and each may be observed, which tells
 * why not.
 */
apr_status_t tmpl_store_observe_many(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                                     uint32_t n, apr_interval_time_t timeout, tmpl_counts_t *counts,
                                     tmpl_error_t *err, apr_pool_t *pool);

/*
 * Learns n pages, be they of one site or of several, in their order, each by the steps above,
 * whatever its learn says; in as few transactions, or round trips, as the store can. The whole call
 * takes at most timeout. *counted (may be NULL): how many documents were new. APR_SUCCESS: all are
 * learnt. APR_ENOSPC: some are not, and would not be if they were handed over again soon: the store
 * is full, or takes no writes. APR_EBUSY: others wrote a site until the time was over, which is no
 * failure of the store; hand all over again, and do not count it as a try. Any other failure, as of
 * tmpl_store_observe(): some may be learnt, and all may be handed over again, as learning is
 * idempotent.
 */
apr_status_t tmpl_store_learn(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_interval_time_t timeout, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool);

/*
 * How many pages of a site to hand to tmpl_store_learn() at once, where so many wait: with fewer
 * each costs more, for they share the buckets that are read and written, and with more each time
 * takes longer, and keeps others from writing.
 */
#define TMPL_BATCH_MOST 128

/* Bytes of a copy of a page and of all that it points to. */
size_t tmpl_observation_size(const tmpl_observation_t *page);

/*
 * Such a copy, in one block that the caller frees with free(); NULL if there is no memory. It lives
 * as long as it is kept, whatever becomes of the pool that the page came from.
 */
tmpl_observation_t *tmpl_observation_copy(const tmpl_observation_t *page);

/* A site's figures; APR_NOTFOUND for a site that the store does not know. */
apr_status_t tmpl_store_stats(tmpl_store_t *store, const char *site, const tmpl_policy_t *policy,
                              tmpl_store_stats_t *stats, tmpl_error_t *err, apr_pool_t *pool);

/* Calls each with every site's name until it returns other than APR_SUCCESS, which is returned. */
apr_status_t tmpl_store_sites(tmpl_store_t *store,
                              apr_status_t (*each)(void *baton, const char *site), void *baton,
                              tmpl_error_t *err, apr_pool_t *pool);

/* Removes all that is known of a site; APR_NOTFOUND if nothing is. */
apr_status_t tmpl_store_forget(tmpl_store_t *store, const char *site, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Export calls each with every entry of the site, documents known included, and fills head; import
 * replaces the site by head and n entries. What one kind of store exports any other imports.
 */
apr_status_t tmpl_store_export(tmpl_store_t *store, const char *site, tmpl_store_stats_t *head,
                               apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                               void *baton, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_store_import(tmpl_store_t *store, const char *site,
                               const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                               uint32_t n, tmpl_error_t *err, apr_pool_t *pool);

#endif
