/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listed documents of a site (TmplDocuments): the addresses that anybody may request, their
 * titles, and when they were first seen and changed. They lie in TMPL_LISTED_SHARDS shards beside
 * the site's buckets, by a hash of the address, and in a head (provider.h). So they come and go
 * with the site. listed.c has pure functions; site_listed.c reads and writes them in a store.
 *
 * A sighting is what one response showed of one document. To apply it twice, or after that of
 * another host, changes nothing: hosts that share a store need no coordination.
 *
 * A document has changed if
 *     its text is another one, and both fingerprints are known; and
 *     either its layout is the same, its fingerprint differs, and TMPL_LISTED_FRESH of its content
 *     is text new to the site, in places that the site knows;
 *     or its layout is another one that the site knows, too, and more than TMPL_LISTED_FAR bits
 *     differ.
 * So neither a model, nor a table that has grown, nor a new template dates a change: such a page
 * has nothing new in known places, and its content is near what it was. A page that only lost text
 * counts as unchanged.
 *
 * A shard is a sequence of records, little-endian:
 *
 *     offset   bytes   what
 *     0        2       a: length of the address
 *     2        1       t: length of the title
 *     3        2       day of the last sighting, since 1970
 *     5        2       layout
 *     7        4       text
 *     11       4       first: seconds since 1970, or 0
 *     15       4       changed: seconds since 1970, or 0
 *     19       8       fingerprint, or 0
 *     27       a, t    address and title, UTF-8
 *
 * The head: number of documents (4), since (4), edition (4), evicted (1).
 */
#ifndef TMPL_LISTED_H
#define TMPL_LISTED_H

#include "table/engine.h"

#define TMPL_LISTED_ADDRESS 512 /* bytes of an address, at most; longer ones are not listed */
#define TMPL_LISTED_TITLE   200 /* bytes of a title, at most */
#define TMPL_LISTED_BYTES   160 /* bytes of all documents, for each that may be listed */
#define TMPL_LISTED_DAYS    30  /* days after which a document that was not seen is left out */
/* A document first seen in so many days after its list began may be an old one: first is 0. */
#define TMPL_LISTED_SETTLES 7

#define TMPL_LISTED_NEAR  3  /* bits of a fingerprint that small edits change */
#define TMPL_LISTED_FAR   20 /* bits that another template changes (docs/fingerprint.md) */
#define TMPL_LISTED_FRESH 20 /* thousandths of the content: more than a clock or a counter */

/* A document. address and title are not terminated, and point into the shard. */
typedef struct {
    const char *address, *title; /* path and query, as tmpl_address_parse() spells it */
    uint32_t address_len, title_len;
    uint64_t fingerprint;    /* of the content; 0: not known */
    uint32_t text;           /* a hash of the displayed text */
    uint16_t layout;         /* tmpl_layout_sketch() */
    uint16_t day;            /* of the last sighting, since 1970 */
    uint32_t first, changed; /* seconds since 1970; 0: not known */
} tmpl_listed_t;

typedef struct {
    uint32_t n;       /* documents */
    uint32_t since;   /* when the list began: seconds since 1970; 0: there is none */
    uint32_t edition; /* grows whenever what is listed changes, but for days */
    int evicted;      /* a document has made room for another one */
} tmpl_listed_head_t;

/* What one response showed. of has no day, first and changed. */
typedef struct tmpl_sighting_t {
    tmpl_listed_t of;
    uint32_t now;    /* seconds since 1970 */
    uint32_t most;   /* documents of the site, at most */
    uint16_t fresh;  /* thousandths of the content that are new, in known places */
    char is_settled; /* the site knows the page's layout */
    char is_changed; /* tmpl_listed_judge() has seen a change */
    char is_gone;    /* the document is not to be listed any more */
} tmpl_sighting_t;

typedef enum {
    TMPL_LISTED_SAME, /* nothing is to be written */
    TMPL_LISTED_SEEN, /* the day is another one */
    TMPL_LISTED_CHANGED,
    TMPL_LISTED_NEW,
    TMPL_LISTED_GONE
} tmpl_listed_e;

/* What a sighting means for a document; stored NULL: it is not listed. */
tmpl_listed_e tmpl_listed_judge(const tmpl_listed_t *stored, const tmpl_sighting_t *sighting);

/*
 * 16 bits that stand for the layout paths of a page: pages of one layout differ in few bits, pages
 * of different ones in about 8. 0 if the page has no paths.
 */
uint16_t tmpl_layout_sketch(const tmpl_observation_t *page);

/*
 * The shard of an address. Spellings of a path that servers often take for one (case, slashes twice
 * or at the end, .html) have the same shard.
 */
uint32_t tmpl_listed_shard(const char *address, size_t len);

/*
 * The next document of a shard; *at is 0 at first. Returns 0 at the end, or if bytes are damaged.
 */
int tmpl_listed_next(tmpl_listed_t *listed, const tmpl_bucket_t *shard, size_t *at);

/*
 * Finds a document in its shard; returns 0 if it is not there. With text not 0, another spelling of
 * its address with this text is the document, too, if the address itself is not there.
 */
int tmpl_listed_find(tmpl_listed_t *listed, const tmpl_bucket_t *shard, const char *address,
                     size_t len, uint32_t text);

/*
 * Applies a sighting to its shard and to the head. A list that is full, or a shard that is, loses
 * the youngest document of the shard if it was seen today, so that a flood of made-up addresses
 * replaces itself; else the one that was not seen for the longest time, and of those the youngest.
 * Returns 0 if nothing changed; else the shard has new bytes from pool.
 */
int tmpl_listed_apply(tmpl_bucket_t *shard, tmpl_listed_head_t *head,
                      const tmpl_sighting_t *sighting, apr_pool_t *pool);

/*
 * Adds a document to a shard of an import, in new bytes from pool. Returns 0 if there is no room.
 */
int tmpl_listed_add(tmpl_bucket_t *shard, const tmpl_listed_t *listed, apr_pool_t *pool);

#define TMPL_LISTED_HEAD_SIZE 13
void tmpl_listed_head_pack(unsigned char bytes[TMPL_LISTED_HEAD_SIZE],
                           const tmpl_listed_head_t *head);
/* All zero if the bytes are no head. */
tmpl_listed_head_t tmpl_listed_head_unpack(const tmpl_bucket_t *bytes);

/* Orders documents by their addresses, for qsort(). */
int tmpl_listed_by_address(const void *a, const void *b);

/* The day of a time in seconds since 1970. */
static inline uint16_t tmpl_listed_day(uint32_t seconds)
{
    return (uint16_t)(seconds / 86400);
}

/* Whether a document is still listed on a day: it was seen in the last TMPL_LISTED_DAYS. */
static inline int tmpl_listed_is_due(const tmpl_listed_t *listed, uint32_t now)
{
    return tmpl_listed_day(now) <= listed->day + TMPL_LISTED_DAYS;
}

/*
 * The listed documents (listed.h) of a site in a store. All functions take at most timeout, or the
 * store's patience, and have the errors of tmpl_store_observe(). A site that the store does not
 * know has no list: a page of it is learnt first.
 */

/*
 * Fills found, without address and title, with what is known of a document: of address, or if text
 * is not 0, of another spelling of it with this text (listed.h). APR_NOTFOUND, with
 * found all zero: it is not listed.
 */
apr_status_t tmpl_site_list_find(const tmpl_engine_t *store, const char *site, const char *address,
                                 uint32_t text, apr_interval_time_t timeout, tmpl_listed_t *found,
                                 tmpl_error_t *err, apr_pool_t *pool);

/*
 * Applies the sightings of n pages of one site in one transaction, until deadline (on tmpl_clock).
 * Pages without a sighting do nothing.
 */
apr_status_t tmpl_site_list_apply(const tmpl_engine_t *store,
                                  const tmpl_observation_t *const *pages, uint32_t n,
                                  apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool);

/* Called with each document, until a call returns an error. */
typedef apr_status_t (*tmpl_each_listed_t)(void *baton, const tmpl_listed_t *listed);

/*
 * Reads the head, and calls each with the documents of some shards: at most n from shard first on.
 * n 0: only the head. The documents live as long as the call. APR_NOTFOUND: the store does not know
 * the site.
 */
apr_status_t tmpl_site_list_read(const tmpl_engine_t *store, const char *site, uint32_t first,
                                 uint32_t n, tmpl_listed_head_t *head, tmpl_each_listed_t each,
                                 void *baton, tmpl_error_t *err, apr_pool_t *pool);

/* Replaces the list of a site that the store knows by n documents; head->n is ignored. */
apr_status_t tmpl_site_list_import(const tmpl_engine_t *store, const char *site,
                                   const tmpl_listed_head_t *head, const tmpl_listed_t *listed,
                                   uint32_t n, tmpl_error_t *err, apr_pool_t *pool);

#endif
