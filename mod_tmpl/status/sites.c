/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <xxhash.h>

#include "sites.h"
#include "counters.h"

/* How long a page, and who reads the figures, wait for the lock, which is held for microseconds. */
#define WAIT_PAGE   apr_time_from_msec(1)
#define WAIT_READER apr_time_from_sec(4)
/* The time between two warnings about one site. */
#define WARNING_PAUSE apr_time_from_sec(3600)

/* A page is low below these parts of the usual share and number. */
#define LOW_SHARE 0.25
#define LOW_KNOWN 0.75
/* The usual share is known from this number of pages on. */
#define PAGES_LEAST 4
/* Below this usual share, pages have too little in common to miss it. */
#define USUAL_LEAST 0.1
/* Means are over about this number of pages, the last ones. */
#define PAGES_MOST 32

typedef struct {
    pthread_mutex_t lock;                 /* of all sites and decisions */
    int has_lock;                         /* it is made */
    apr_uint64_t hashes[TMPL_SITES_MOST]; /* of the keys; 0: free */
    apr_time_t last[TMPL_SITES_MOST];     /* when the last page of the site came */
    tmpl_site_t site[TMPL_SITES_MOST];
} sites_t;

/* The last decisions: number i is at i % kept. */
typedef struct {
    apr_uint64_t n; /* made so far */
    tmpl_recent_t decision[];
} recent_t;

static sites_t *sites;   /* NULL: no memory */
static recent_t *recent; /* NULL: none is kept */
static apr_uint32_t kept;

void tmpl_sites_create(server_rec *s, apr_uint32_t most)
{
    sites = tmpl_shm(s, "sites", sizeof(*sites));
    if (sites != NULL && !sites->has_lock) {
        tmpl_clock_lock_make(&sites->lock);
        sites->has_lock = 1;
    }
    kept = most;
    recent =
        kept > 0 ? tmpl_shm(s, "recent", sizeof(*recent) + kept * sizeof(tmpl_recent_t)) : NULL;
}

static int lock_sites(apr_interval_time_t most)
{
    return sites != NULL && tmpl_clock_lock(&sites->lock, tmpl_clock() + most) == 0;
}

static void unlock_sites(void)
{
    pthread_mutex_unlock(&sites->lock);
}

/* The number of decisions made so far; 0: none is kept. */
static apr_uint64_t count_recent(void)
{
    apr_uint64_t n = 0;
    if (recent != NULL && lock_sites(WAIT_READER)) {
        n = recent->n;
        unlock_sites();
    }
    return n;
}

/* Takes the lock for each decision anew, so that no writer waits for a reader. */
apr_array_header_t *tmpl_recent_list(apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, 16, sizeof(tmpl_recent_t));
    apr_uint64_t n = count_recent();
    for (apr_uint64_t i = n; i-- > 0 && n - i <= kept;) {
        if (!lock_sites(WAIT_READER)) {
            break;
        }
        if (recent->n - i <= kept) { /* a newer one may have taken its place by now */
            APR_ARRAY_PUSH(list, tmpl_recent_t) = recent->decision[i % kept];
        }
        unlock_sites();
    }
    return list;
}

/*
 * A site. If it is not there, returns NULL, or makes it for its first page, in place of the site
 * that was seen least recently.
 */
static tmpl_site_t *find_site(const char *key, const tmpl_recent_t *page)
{
    apr_uint64_t hash = XXH3_64bits(key, strlen(key));
    int i = 0, oldest = 0;
    while (i < TMPL_SITES_MOST &&
           (sites->hashes[i] != hash || strcmp(sites->site[i].key, key) != 0)) {
        oldest = sites->last[i] < sites->last[oldest] ? i : oldest; /* a free place has 0 */
        i++;
    }
    if (i == TMPL_SITES_MOST && page == NULL) {
        return NULL;
    }
    if (i == TMPL_SITES_MOST) {
        i = oldest;
        sites->hashes[i] = hash;
        sites->site[i] = (tmpl_site_t){ .first = page->time };
        apr_cpystrn(sites->site[i].key, key, TMPL_SITE_MAX + 1);
    }
    if (page != NULL) {
        sites->last[i] = page->time;
    }
    return &sites->site[i];
}

static void add_to_window(tmpl_site_t *site, tmpl_decline_e decline)
{
    apr_uint32_t at = site->window_next % TMPL_SITES_WINDOW; /* in bounds, whatever memory holds */
    site->window[at] = (unsigned char)decline;
    site->window_next = (at + 1) % TMPL_SITES_WINDOW;
    site->window_n += site->window_n < TMPL_SITES_WINDOW;
}

void tmpl_site_declines(const tmpl_site_t *site, unsigned counts[TMPL_DECLINE_COUNT])
{
    memset(counts, 0, TMPL_DECLINE_COUNT * sizeof(*counts));
    for (apr_uint32_t i = 0; i < site->window_n; i++) {
        counts[site->window[i] % TMPL_DECLINE_COUNT]++;
    }
}

/* Fills warning, and returns whether to warn now. */
static int warns_of(tmpl_site_t *site, apr_time_t now, tmpl_site_warning_t *warning)
{
    unsigned counts[TMPL_DECLINE_COUNT];
    warning->declined = 0;
    warning->of = site->window_n;
    warning->reason = TMPL_DECLINE_NONE;
    tmpl_site_declines(site, counts);
    /* TMPL_LOG_STORE_DOWN warns of a store that fails, once for all sites */
    counts[TMPL_DECLINE_STORE] = 0;
    for (int i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        warning->declined += counts[i];
        if (counts[i] > counts[warning->reason] || warning->reason == TMPL_DECLINE_NONE) {
            warning->reason = (tmpl_decline_e)i;
        }
    }
    if (2 * warning->declined <= TMPL_SITES_WINDOW ||
        (site->warned != 0 && now - site->warned < WARNING_PAUSE)) {
        return 0;
    }
    site->warned = now;
    return 1;
}

/* Adds a document to the row. One odd page that is requested again and again is no new template. */
static void add_to_row(tmpl_alarm_t *alarm, apr_uint64_t document)
{
    apr_uint32_t i = 0;
    while (i < alarm->row && alarm->documents[i] != document) {
        i++;
    }
    if (i == alarm->row && i < TMPL_ALARM_ROW) {
        alarm->documents[alarm->row++] = document;
    }
}

/* Adds a page of a document, which came at now, and returns what this page has changed. */
static tmpl_alarm_e add_to_alarm(tmpl_alarm_t *alarm, const tmpl_common_t *page,
                                 apr_uint64_t document, apr_time_t now)
{
    tmpl_common_t *usual = &alarm->usual;
    int is_low = alarm->pages >= PAGES_LEAST && page->share < LOW_SHARE * usual->share &&
                 page->known < LOW_KNOWN * usual->known;
    int is_on = alarm->began != 0;
    if (is_low == is_on) {
        alarm->row = 0;
    }
    else {
        add_to_row(alarm, document);
    }
    if (is_on && alarm->row >= TMPL_ALARM_ROW) {
        *alarm = (tmpl_alarm_t){ .usual = *page, .pages = 1 };
        return TMPL_ALARM_ENDS;
    }
    if (!is_on && alarm->row >= TMPL_ALARM_ROW && usual->share >= USUAL_LEAST) {
        alarm->row = 0;
        alarm->began = now;
        return TMPL_ALARM_BEGINS;
    }
    if (!is_on && !is_low) {
        alarm->pages += alarm->pages < PAGES_MOST;
        usual->share += (page->share - usual->share) / alarm->pages;
        usual->known += (page->known - usual->known) / alarm->pages;
    }
    return TMPL_ALARM_NONE;
}

static int sites_add_page(tmpl_site_t *site, const tmpl_recent_t *page,
                          tmpl_site_warning_t *warning)
{
    site->last = page->time;
    site->pages++;
    add_to_window(site, page->decline);
    if (page->answered) {
        site->state = page->state;
        site->known = page->known;
        site->frozen = page->frozen;
        site->learnt = page->learnt ? page->time : site->learnt;
    }
    if (page->common.share >= 0) {
        warning->alarm = add_to_alarm(&site->alarm, &page->common, page->document, page->time);
    }
    if (page->decline != TMPL_DECLINE_NONE) {
        site->declined++;
        return warns_of(site, page->time, warning);
    }
    site->bytes_in += (apr_uint64_t)page->length;
    site->bytes_out += (apr_uint64_t)page->length_after;
    if (page->answered && page->judged) {
        site->shares += site->shares < PAGES_MOST;
        site->template_share += (page->ratio - site->template_share) / site->shares;
    }
    return 0;
}

int tmpl_sites_add(const char *key, const tmpl_recent_t *page, tmpl_site_warning_t *warning)
{
    int warned = 0;
    warning->alarm = TMPL_ALARM_NONE;
    if (!lock_sites(WAIT_PAGE)) {
        tmpl_count(TMPL_COUNTER_SITES_DROPPED, 1);
        return 0;
    }
    if (recent != NULL) {
        recent->decision[recent->n % kept] = *page;
        recent->n++;
    }
    if (strlen(key) <= TMPL_SITE_MAX) {
        warned = sites_add_page(find_site(key, page), page, warning);
    }
    unlock_sites();
    return warned;
}

int tmpl_sites_find(tmpl_site_t *site, const char *key)
{
    if (!lock_sites(WAIT_READER)) {
        return 0;
    }
    const tmpl_site_t *found = find_site(key, NULL);
    if (found != NULL) {
        *site = *found;
    }
    unlock_sites();
    return found != NULL;
}

static int more_pages_first(const void *one, const void *other)
{
    const tmpl_site_t *a = one, *b = other;
    return a->pages != b->pages ? (a->pages < b->pages) - (a->pages > b->pages)
                                : strcmp(a->key, b->key);
}

apr_array_header_t *tmpl_sites_list(apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, 16, sizeof(tmpl_site_t));
    for (int i = 0; sites != NULL && i < TMPL_SITES_MOST; i++) {
        if (sites->last[i] == 0) {
            continue;
        }
        if (!lock_sites(WAIT_READER)) {
            break; /* its owner is stopped: not the same wait for each site */
        }
        APR_ARRAY_PUSH(list, tmpl_site_t) = sites->site[i];
        unlock_sites();
    }
    qsort(list->elts, (size_t)list->nelts, sizeof(tmpl_site_t), more_pages_first);
    return list;
}
