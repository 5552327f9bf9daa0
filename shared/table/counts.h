/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is counted of a site's pages: the types, and what learning does. After Wang et al. (WWW
 * 2008), sections 2.2 and 2.4, with what a proxy needs on top. store.h has the functions.
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
 *  3  Otherwise, for each SEGMENT key that is not held (below), last = now and:
 *     no live entry    a new one with DF 1 and fp, unless the site has max_entries
 *     DF < min_df      if the entry does not have fp yet, DF grows by one and fp is added; on
 *                      reaching min_df fp is not added, version grows by one, and the entry drops
 *                      its fingerprints unless the clock is 2 * min_df or more
 *     DF >= min_df     DF grows by one if the document counts
 *     In the live entries of keys that are held, last = now, and nothing else changes.
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
 * Two kinds of SEGMENT keys are held: the page does not raise them.
 *     Echoes: text that the request brought. The shares of their keys have length 0.
 *     If the page has some template and the clock is 2 * min_df or more: prose that a document
 *     whose fingerprint is not fp has shown, if it has shown more than 200 bytes of prose. Prose is
 *     what is not in a link, and what is 80 bytes and longer.
 *
 * A page's own text is no template of it: a segment that has reached min_df and has fp among its
 * fingerprints (if it is no prose: as its first one) has DF 1 in the counts of the page. So nobody
 * can take a text off the pages that were the first to show it, once the site is known.
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
#ifndef TMPL_COUNTS_H
#define TMPL_COUNTS_H

#include <string.h>

#include <apr_strings.h>
#include <apr_time.h>

#include "base/tmpl.h"

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
    uint32_t key;         /* index of its SEGMENT key */
    uint32_t length : 31; /* bytes of its text; 0: an echo */
    uint32_t linked : 1;  /* it is in a link */
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
    /*
     * For tmpl_store_learn(): what is to be listed (listed.h); NULL: nothing. With learn OFF the
     * page itself is not learnt.
     */
    const struct tmpl_sighting_t *sighting;
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
    /*
     * One for each key: 1 for a segment that had no live entry, and is in a block whose first path
     * had one: new text in a known place. All 0 unless step 3 was done.
     */
    unsigned char *fresh;
} tmpl_counts_t;

/* The bytes of a copy of a page, with all that it points to. */
size_t tmpl_observation_size(const tmpl_observation_t *page);

/* A copy of a page in one block, which the caller frees with free(); NULL if there is no memory. */
tmpl_observation_t *tmpl_observation_copy(const tmpl_observation_t *page);

typedef struct {
    uint32_t pages;
    uint64_t version;
    uint64_t entries;  /* keys held, live or waiting for the sweeper */
    uint64_t live;     /* entries that a look-up would find */
    uint64_t template; /* live segments with DF >= min_df */
    uint64_t bytes;    /* estimate of the memory or disk that the site takes */
    uint32_t listed;   /* listed documents (listed.h); only tmpl_store_stats() sets it */
    int frozen;        /* nothing is learnt: tmpl_store_freeze(). Imports ignore it */
} tmpl_store_stats_t;

#define TMPL_FINGERPRINTS_MAX (TMPL_MIN_DF_MOST - 1)

/* What a table keeps of a key. */
typedef struct {
    uint32_t df;
    uint32_t last;
    uint32_t text, repeated;           /* only a path has these */
    uint32_t n;                        /* number of fingerprints, at most TMPL_FINGERPRINTS_MAX */
    const unsigned char *fingerprints; /* each two bytes, little-endian: tmpl_value_fingerprint() */
} tmpl_value_t;

/* An entry of a site's table. */
typedef struct {
    tmpl_key_t key;
    tmpl_value_t *value;
} tmpl_entry_t;

/* Called with each entry, or the name of each site, until a call returns an error. */
typedef apr_status_t (*tmpl_each_entry_t)(void *baton, const tmpl_entry_t *entry);
typedef apr_status_t (*tmpl_each_site_t)(void *baton, const char *site);

/* ---- stores ---- */

#define TMPL_SITE_MAX 255 /* bytes of a site's name */

#define TMPL_SECRET_SIZE 64 /* bytes of a secret (store.h) with its end */

/* A status of one site only: its record is damaged, or its key in Redis is another program's. */
#define TMPL_EDAMAGED (APR_OS_START_USERERR + 1)

/* A status of some sites only: the server that holds them fails; the other servers work. */
#define TMPL_EPART (APR_OS_START_USERERR + 2)

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

/* The options a store is opened with when none are given. */
extern const tmpl_store_opts_t tmpl_store_opts_default;

/* What a store holds, and its limits. */
typedef struct {
    uint64_t bytes, max_bytes; /* of the file: in use, and what it may grow to */
    uint64_t sites, max_sites;
    uint64_t evicted; /* sites forgotten for others since the store was made, whoever used it */
} tmpl_store_usage_t;

/* What the URI of an LMDB store begins with, and its directory; NULL for other stores. */
#define TMPL_STORE_LMDB "lmdb:"
static inline const char *tmpl_store_directory(const char *uri, apr_pool_t *pool)
{
    const size_t len = sizeof(TMPL_STORE_LMDB) - 1;
    return strncmp(uri, TMPL_STORE_LMDB, len) == 0
               ? apr_pstrmemdup(pool, uri + len, strcspn(uri + len, "?"))
               : NULL;
}

/* Memory that a store takes for a key and its bucket while it looks a page up, in bytes. */
#define TMPL_STORE_KEY_BYTES 216

#endif
