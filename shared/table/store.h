/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of every site: page -> counts. After Wang et al. (WWW 2008), sections 2.2 and 2.4,
 * with what a proxy needs on top. A store is safe to use from many threads; open LMDB after fork.
 *
 * Document frequency (DF) counts documents, not requests. A document is known by its id or its
 * text. The clock of a site is the number of its documents. An entry is live while clock - last <=
 * tmpl_lifetime(df); a dead entry counts as absent, swept or not.
 *
 * Learning a page, in every store. fp is the low 16 bits of document->id. The id or text is
 * "known" if it has a live entry of kind DOCUMENT before step 1. now is the clock after step 1.
 *  1  Neither id nor text is known, and the page is no near copy: the document counts
 *     (counts->counted), and the clock grows by one.
 *  2  The text is known: no DF changes. If its entry is younger than Tb / 4 documents, nothing is
 *     written. Otherwise last = now in it and in all live entries of the keys.
 *  2a Neither is known, but the page is a near copy (counts->near_copy): no DF changes, and no
 *     entry is new. If all live segments among the keys are younger than Tb / 4, nothing is
 *     written. Otherwise last = now in all live entries of the keys.
 *  3  Otherwise, for each SEGMENT key, last = now and:
 *     no live entry    a new one with DF 1 and fp, unless the site has max_entries
 *     DF < min_df      if the entry does not have fp yet, DF grows by one and fp is added; on
 *                      reaching min_df the entry drops its fingerprints, and version grows by one
 *     DF >= min_df     DF grows by one if the document counts
 *     Then id and text become known with last = now, also at max_entries.
 *  4  After step 3, for each PATH key that a block names, if the document counts: no live entry: a
 *     new one with DF 0, unless the site has max_entries. DF grows by one, last = now. text grows
 *     by T, the lengths of the shares of all blocks that name the key. repeated grows by R, the
 *     lengths of those of these shares whose segment has DF >= 2 now. A length counts twice if step
 *     3 raised the DF from 1 to 2, to credit the first place, too. If text + T passes 2^31, text
 *     and repeated are halved first. text ends at 2^32 - 1, repeated at text. If the document does
 *     not count, last = now in live entries.
 *
 * A near copy shows little but the text of one document. The shares of live segments with DF >=
 * min_df are its template; the other shares are the rest. A document has shown the live segments of
 * the rest that have the document's fingerprint. A page is a near copy of a document whose
 * fingerprint is not fp if that document has shown
 *     more than 90 % of the rest, and all but 200 bytes, if it has the page's place
 *     (TMPL_DOCUMENT_PLACES);
 *     or, if the page has some template and the clock is 2 * min_df or more:
 *     more than 90 % of the rest that has live entries, while the rest without live entries is at
 *     most 500 bytes and at most twice what the document has shown;
 *     or more than a third of the bytes of the rest in shares of 80 bytes and more.
 * On a site that is not known, pages look like copies although they are not, so only documents of
 * the same place count there. A page without shares is no near copy.
 *
 * LATER gives the counts of learning the page now, but writes nothing. If counts->due, hand a copy
 * of the page to tmpl_store_learn(). With age > 0, a store that must ask a server may give counts
 * that are up to age old. Each count was true at some moment in that time, no count is younger than
 * counts->pages, and the counts include all that was learnt through the same store.
 *
 * Nothing is learnt of a frozen site (tmpl_store_freeze()): its pages are only looked up.
 *
 * So learning is idempotent, and hosts that share a store need no coordination. Keys are hashes: a
 * store holds no text. Stores know nothing of HTML.
 */
#ifndef TMPL_STORE_H
#define TMPL_STORE_H

#include <string.h>

#include <apr_strings.h>
#include <apr_time.h>

#include "base/tmpl.h"

typedef struct tmpl_store_t tmpl_store_t;

#define TMPL_SITE_MAX 255 /* bytes of a site's name */

/* A status of one site only: its record is damaged, or its key in Redis is another program's. */
#define TMPL_EDAMAGED (APR_OS_START_USERERR + 1)

/* A status of some sites only: the server that holds them fails; the other servers work. */
#define TMPL_EPART (APR_OS_START_USERERR + 2)

/* Microseconds on a clock that nobody sets. */
apr_time_t tmpl_clock(void);

/* A kind of key; each kind has keys of its own. */
typedef enum {
    TMPL_KIND_DOCUMENT, /* a document seen: the store's own, never looked up by callers */
    TMPL_KIND_SEGMENT,  /* a text segment: DOM path and text */
    TMPL_KIND_PATH,     /* a layout path: a place in the layout of the site's pages */
    TMPL_KIND_COUNT
} tmpl_kind_e;

/* A key has 40 bits: with n live entries, n of 2^40 new texts are taken for known ones. */
#define TMPL_HASH_BITS 40
#define TMPL_HASH_MASK (((uint64_t)1 << TMPL_HASH_BITS) - 1)

typedef struct {
    uint64_t hash; /* at most TMPL_HASH_MASK */
    tmpl_kind_e kind;
} tmpl_key_t;

/* Fills n keys of one kind from hashes of 64 bits; returns the place of the next key. */
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
    uint32_t repeated; /* PATH: the part of text that other documents have, too */
} tmpl_record_t;

/*
 * A document: hashes of its address and of its visible text. id % TMPL_DOCUMENT_PLACES is its
 * place: it is the same for all addresses that people can invent for one page (document.h).
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

/*
 * Layout paths of a block: of its element, of its box, and of the box around that
 * (feature/layout.h).
 */
#define TMPL_PATH_LEVELS 3

/* An occurrence of a segment. */
typedef struct {
    uint32_t key;    /* index of its SEGMENT key */
    uint32_t length; /* bytes of its text */
} tmpl_share_t;

/* A block: its layout paths and its text. */
typedef struct {
    uint32_t paths[TMPL_PATH_LEVELS]; /* indices of different PATH keys, or TMPL_NONE */
    uint32_t first, after;            /* its shares: [first, after) */
} tmpl_block_paths_t;

/* What to do with a document. */
typedef enum {
    TMPL_LEARNING_OFF,   /* look its keys up */
    TMPL_LEARNING_NOW,   /* learn it */
    TMPL_LEARNING_LATER, /* give the counts of NOW, write nothing */
} tmpl_learning_e;

/* A page as a store sees it. Nothing of it is kept beyond the call. */
typedef struct {
    const char *site;
    const tmpl_document_t *document;
    const tmpl_key_t *keys; /* each once: first all of kind SEGMENT, then all of kind PATH */
    uint32_t n;
    const tmpl_share_t *shares;
    uint32_t n_shares;
    const tmpl_block_paths_t *blocks;
    uint32_t n_blocks;
    const tmpl_policy_t *policy;
    tmpl_learning_e learn;
    apr_interval_time_t age; /* OFF and LATER: how old counts may be; 0: they must be current */
} tmpl_observation_t;

#define TMPL_MIN_DF_LEAST 2
#define TMPL_MIN_DF_MOST  64

typedef struct {
    tmpl_record_t *records; /* one per key, in the order of the keys */
    uint32_t pages;         /* the site's clock, with this document if it counted */
    uint64_t version;       /* grows whenever an entry of the site reaches min_df */
    int counted;            /* the document was new and counted */
    int near_copy;          /* the document was new but did not count: a near copy */
    int due;                /* LATER: learning it would write something */
    int fading;             /* the site expires unless a store that takes writes is asked for it */
    int frozen;             /* the site is frozen: nothing is learnt of it */
} tmpl_counts_t;

#define TMPL_STATS_DF 33 /* ranges of DF, of 32 bits */

typedef struct {
    uint32_t pages;
    uint64_t version;
    uint64_t entries;  /* keys held, live or waiting for the sweeper */
    uint64_t live;     /* entries that a look-up would find */
    uint64_t template; /* live segments with DF >= min_df */
    uint64_t bytes;    /* estimate of the memory or disk that the site takes */
    /* live segments by DF: [0] of DF 1, [i] of a DF above 2^(i-1) and up to 2^i */
    uint64_t by_df[TMPL_STATS_DF];
    int frozen; /* nothing is learnt: tmpl_store_freeze(). Imports ignore it */
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
    uint32_t max_sites;       /* lmdb: for one more site, another one is forgotten */
    apr_interval_time_t idle; /* redis: a site not observed for so long is forgotten */
    apr_size_t map_size;      /* lmdb: bytes the file may grow to */
    uint32_t max_connections; /* redis: connections held by this process */
    /* How long calls without a timeout wait for a server, or for others to write. */
    apr_interval_time_t patience;
    int leaves_damaged; /* lmdb: a damaged file is an error; else it is moved aside */
} tmpl_store_opts_t;

/* Memory that a store takes for each key while it looks pages up, in bytes. */
#define TMPL_STORE_KEY_BYTES 216

/* The options a store is opened with when none are given. */
extern const tmpl_store_opts_t tmpl_store_opts_default;

/*
 * Checks the form of uri: "lmdb:DIR[?size=BYTES&sites=N]", "redis://[user:pass@]host[:port][/db]"
 * or another form of docs/stores.md; %xx is a byte, except in DIR. Reads the certificates that it
 * names. size and sites are limits, in place of map_size and max_sites: size is 1M to 1024G, sites
 * 1 to 100000000. A file that is larger than size stays as large as it is. APR_SUCCESS, or
 * APR_EINVAL or APR_ENOTIMPL with text.
 */
apr_status_t tmpl_store_check_uri(const char *uri, tmpl_error_t *err, apr_pool_t *pool);

/* What the URI of an LMDB store begins with, and its directory; NULL for other stores. */
#define TMPL_STORE_LMDB "lmdb:"
static inline const char *tmpl_store_directory(const char *uri, apr_pool_t *pool)
{
    const size_t len = sizeof(TMPL_STORE_LMDB) - 1;
    return strncmp(uri, TMPL_STORE_LMDB, len) == 0
               ? apr_pstrmemdup(pool, uri + len, strcspn(uri + len, "?"))
               : NULL;
}

/*
 * Opens the store at uri; opts may be NULL. A cleanup on pool closes it. A Redis store connects
 * when it is first used, so a server that is down is no error here. "memory:", which check_uri
 * refuses, is a store that ends when it is closed. APR_SUCCESS; APR_EINVAL for a bad uri;
 * otherwise the system's or LMDB's error, with text.
 */
apr_status_t tmpl_store_open(tmpl_store_t **store, const char *uri, const tmpl_store_opts_t *opts,
                             tmpl_error_t *err, apr_pool_t *pool);

/*
 * The name of a damaged file that was moved aside when store was opened, which then began anew;
 * NULL if there was none. It lives as long as store.
 */
const char *tmpl_store_moved(const tmpl_store_t *store);

/*
 * Whether somebody has removed or replaced the file of store since it was opened. Opening the URI
 * again makes or finds another file. store remains usable until it is closed, without effect on
 * that other file. Makes a system call.
 */
int tmpl_store_is_lost(const tmpl_store_t *store);

/*
 * Reads the file of a store from end to end, in search of damage. Writers wait meanwhile, up to the
 * usual deadlines. APR_SUCCESS; APR_ENOTIMPL for a store without a file; APR_EINVAL for a bad uri;
 * APR_EGENERAL with text if it is damaged; or the system's error.
 */
apr_status_t tmpl_store_examine(const char *uri, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Whether this process could use the store at uri; creates and changes nothing. A file that no
 * other process uses is read from end to end. A directory that is missing is an error here.
 * APR_SUCCESS, also for a store without a file, which is not asked; or the error, with text.
 */
apr_status_t tmpl_store_test(const char *uri, tmpl_error_t *err, apr_pool_t *pool);

/*
 * A store keeps a secret of its own, which is drawn when the store is first used. tmpl_seed()
 * (document.h) makes the seed of all keys from this secret, unless the operator has chosen another
 * one. So nobody who does not know the store can make up texts with equal keys, and two stores
 * cannot be compared.
 */
#define TMPL_SECRET_SIZE 64 /* bytes of a secret with its end */

/*
 * Fills secret; empty: the store has none, as it is in memory, or older than secrets. All users of
 * a store get the same. It may change if somebody empties the store, so ask again now and then. The
 * call takes at most timeout. Errors: those of tmpl_store_observe().
 */
apr_status_t tmpl_store_secret(tmpl_store_t *store, char secret[TMPL_SECRET_SIZE],
                               apr_interval_time_t timeout, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Has the store use a secret, so that keys made with it can be imported. APR_SUCCESS if the store
 * has this secret already, or knows no site yet; APR_EINVAL with text if it knows sites, whose keys
 * were made with another one.
 */
apr_status_t tmpl_store_take_secret(tmpl_store_t *store, const char *secret, tmpl_error_t *err,
                                    apr_pool_t *pool);

/*
 * Looks up the keys of a page of a site and, unless learn is OFF, counts the document first. The
 * call takes at most timeout, and the time in which the system's resolver looks up a Redis
 * server's host name (redis_conn.h). counts->records come from pool. Any failure leaves the store
 * usable.
 * APR_TIMEUP  the time is over; counts are not to be used
 * APR_EBUSY   others wrote the site until the time was over, or no time was left to ask. The store
 *             itself may work
 * APR_ENOSPC  the store is full, or takes no writes for a reason that err tells: nothing was
 *             learnt, but counts are good. LATER does not notice: tmpl_store_learn() will
 * APR_EINVAL  a site's name of 0 or more than 255 bytes, a bad policy, keys out of order or of more
 *             bits than they have, a share or a block that names a key or share that does not exist
 * TMPL_EDAMAGED  the site's record is damaged, or its key in Redis belongs to another program.
 *             The store serves the other sites
 * TMPL_EPART  the server of a cluster that has the site fails. The store serves the other sites
 */
apr_status_t tmpl_store_observe(tmpl_store_t *store, const tmpl_observation_t *observation,
                                apr_interval_time_t timeout, tmpl_counts_t *counts,
                                tmpl_error_t *err, apr_pool_t *pool);

/*
 * Learns n pages of one site in their order, like tmpl_store_observe() with NOW, and fills the
 * counts of each, in few transactions. After any failure (APR_EINVAL also for pages of two sites)
 * no counts are good, and some pages may be learnt; observe each page to know more.
 */
apr_status_t tmpl_store_observe_many(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                                     uint32_t n, apr_interval_time_t timeout, tmpl_counts_t *counts,
                                     tmpl_error_t *err, apr_pool_t *pool);

/*
 * Learns n pages of any sites, whatever their learn says, in few transactions. The pages of one
 * site are learnt in their order. The call takes at most timeout. *counted (may be NULL): how many
 * documents were new.
 * APR_SUCCESS  all are learnt
 * APR_ENOSPC   the store is full, or takes no writes of a site, and no site has another fault: some
 *              pages are not learnt. To try again soon would not help
 * APR_EBUSY    others wrote a site until the time was over. Try again; the store itself may work
 * others       as of tmpl_store_observe(): some pages may be learnt, and all may be tried again
 */
apr_status_t tmpl_store_learn(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_interval_time_t timeout, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool);

/*
 * The pages of a site that one transaction learns at most. In a smaller batch each page costs more,
 * because pages share buckets; a larger batch keeps others from writing for longer.
 */
#define TMPL_BATCH_MOST 128

/* The bytes of a copy of a page, with all that it points to. */
size_t tmpl_observation_size(const tmpl_observation_t *page);

/* A copy of a page in one block, which the caller frees with free(); NULL if there is no memory. */
tmpl_observation_t *tmpl_observation_copy(const tmpl_observation_t *page);

/* A site's figures; APR_NOTFOUND for a site that the store does not know. */
apr_status_t tmpl_store_stats(tmpl_store_t *store, const char *site, const tmpl_policy_t *policy,
                              tmpl_store_stats_t *stats, tmpl_error_t *err, apr_pool_t *pool);

/* Calls each with the name of every site until a call returns an error; returns that error. */
apr_status_t tmpl_store_sites(tmpl_store_t *store,
                              apr_status_t (*each)(void *baton, const char *site), void *baton,
                              tmpl_error_t *err, apr_pool_t *pool);

/*
 * The list of sites in parts: calls each with about n names, and sets *next, from pool, to the
 * place where the next part begins, or to NULL if there is none. from is NULL for the first part,
 * then the last *next. The cost of a part depends on its names, not on the number of all sites.
 * Sites that come and go meanwhile may be missed; Redis may name a site twice. APR_EINVAL for a
 * from that the store never gave.
 */
apr_status_t tmpl_store_sites_part(tmpl_store_t *store, const char *from, uint32_t n,
                                   apr_status_t (*each)(void *baton, const char *site), void *baton,
                                   const char **next, tmpl_error_t *err, apr_pool_t *pool);

/* What a store holds, and its limits. */
typedef struct {
    uint64_t bytes, max_bytes; /* of the file: in use, and what it may grow to */
    uint64_t sites, max_sites;
    uint64_t evicted; /* sites forgotten for others since the store was made, whoever used it */
} tmpl_store_usage_t;

/*
 * Fills usage, in a time that does not depend on the number of sites. APR_ENOTIMPL without text:
 * the store has no limits of its own (Redis has maxmemory, and counts evicted_keys).
 */
apr_status_t tmpl_store_usage(tmpl_store_t *store, tmpl_store_usage_t *usage, tmpl_error_t *err);

/* Removes a site; APR_NOTFOUND if the store does not know it. */
apr_status_t tmpl_store_forget(tmpl_store_t *store, const char *site, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Freezes a site, or unfreezes it. No user of the store learns from pages of a frozen site, and
 * every page is judged by the table as it was when the site was frozen. Forgetting or importing the
 * site unfreezes it, too. APR_NOTFOUND if the store does not know the site; other errors are those
 * of tmpl_store_observe().
 */
apr_status_t tmpl_store_freeze(tmpl_store_t *store, const char *site, int frozen, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Export fills head, then calls each with every entry of a site, documents included. Import
 * replaces the site by head and n entries. Any kind of store imports what another one exported.
 */
apr_status_t tmpl_store_export(tmpl_store_t *store, const char *site, tmpl_store_stats_t *head,
                               apr_status_t (*each)(void *baton, const tmpl_entry_t *entry),
                               void *baton, tmpl_error_t *err, apr_pool_t *pool);
apr_status_t tmpl_store_import(tmpl_store_t *store, const char *site,
                               const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                               uint32_t n, tmpl_error_t *err, apr_pool_t *pool);

#endif
