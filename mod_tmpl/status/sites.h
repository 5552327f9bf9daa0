/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last decisions about pages (TmplRecent), and what was seen of each site since the start, over
 * all children: up to TMPL_SITES_MOST sites. After that a new site replaces the site that was seen
 * least recently.
 */
#ifndef TMPL_SITES_H
#define TMPL_SITES_H

#include "mod_tmpl.h"

#include "base/tmpl.h"

/*
 * The alarm notices that a site has got another template: what its pages have in common with the
 * site is not on its new pages.
 *
 * What a page has in common with its site is usually of the same size, and nearly 0 on the first
 * TMPL_ALARM_KNOWN pages of a new template. So the alarm begins with the fourth document in a row
 * that has less than a quarter of the usual share, and less than three quarters of the usual
 * number: on a long article the share falls, and the number does not. It ends with the fourth
 * document in a row that has more. Of 49 sites of the corpus dev none has an alarm, and each has
 * one when the pages of another site follow its own (make alarms).
 */

/* A text or a place of the layout is known from this number of documents on. */
#define TMPL_ALARM_KNOWN 5

/* Documents in a row that begin or end an alarm; one less than a new template takes to be known. */
#define TMPL_ALARM_ROW (TMPL_ALARM_KNOWN - 1)

/* What a page has in common with its site: texts and places of the layout. */
typedef struct {
    double share; /* of its texts, or of its places, whichever is larger; -1: not to be looked at */
    double known; /* how many */
} tmpl_common_t;

typedef struct {
    tmpl_common_t usual; /* the means, of the last 32 pages mostly */
    apr_uint32_t pages;  /* pages in it */
    apr_uint32_t row;    /* documents in a row unlike the state: low, or high while it is on */
    apr_uint64_t documents[TMPL_ALARM_ROW]; /* those documents */
    apr_time_t began;                       /* when it began; 0: it is off */
} tmpl_alarm_t;

typedef enum { TMPL_ALARM_NONE, TMPL_ALARM_BEGINS, TMPL_ALARM_ENDS } tmpl_alarm_e;

#define TMPL_RECENT_PATH 256 /* bytes that are kept of a path, with its end */

/* A decision. A field that the decision lacks is 0; strings hold any bytes, and end in a 0. */
typedef struct {
    apr_time_t time; /* when the decision was made, on the clock of the day */
    char site[TMPL_SITE_MAX + 1];
    char path[TMPL_RECENT_PATH]; /* the beginning of path and query, as the client sent them */
    tmpl_mode_e mode;
    tmpl_decline_e decline;
    apr_off_t length, length_after;
    apr_interval_time_t took;
    int cached;   /* 0: without a cache; else 1 + tmpl_cached_e */
    int answered; /* the store has answered: state and the next three fields are set */
    tmpl_state_e state;
    apr_uint32_t known; /* documents in the site's table */
    int frozen;
    int learnt; /* the page is a new document */
    int judged; /* the next five fields are set */
    tmpl_detector_e detector;
    apr_uint32_t blocks, template_blocks;
    double ratio, confidence; /* as in the Tmpl field */
    double unmarked;          /* as in the Tmpl field; -1: nothing was marked */
    apr_uint64_t document;    /* tmpl_document_t's id */
    tmpl_common_t common;     /* what the alarm of the site looks at */
} tmpl_recent_t;

#define TMPL_SITES_MOST   1024
#define TMPL_SITES_WINDOW 50 /* the last pages of a site, each kept with its decline reason */
typedef struct {
    char key[TMPL_SITE_MAX + 1]; /* any bytes; ends in a 0 */
    apr_time_t first, last;      /* when its first and last page came, on the clock of the day */
    apr_time_t learnt;           /* when its last new document was learnt; 0: none yet */
    apr_uint64_t pages, declined;
    apr_uint64_t bytes_in, bytes_out; /* the bytes of pages that were not declined */
    tmpl_state_e state;               /* the state when the last page was judged */
    apr_uint32_t known;               /* documents in the site's table at that time */
    int frozen;                       /* whether the site was frozen at that time */
    /* the last pages: a tmpl_decline_e each; the next one goes to window_next */
    unsigned char window[TMPL_SITES_WINDOW];
    apr_uint32_t window_n, window_next;
    tmpl_alarm_t alarm;    /* of its template */
    apr_time_t warned;     /* when TMPL_LOG_SITE_DECLINED was logged last; 0: never */
    double template_share; /* of the text: the mean of the last 32 judged pages mostly */
    apr_uint32_t shares;   /* pages in it */
} tmpl_site_t;

/* What is to be logged of a site. */
typedef struct {
    tmpl_alarm_e alarm;    /* what the page has changed */
    unsigned declined, of; /* declined pages, out of so many last pages */
    tmpl_decline_e reason; /* the most frequent one */
} tmpl_site_warning_t;

/* post_config hook: most is how many decisions are kept. */
void tmpl_sites_create(server_rec *s, apr_uint32_t most);

/*
 * Adds a page to the last decisions and, unless its key is too long, to its site. Never waits long:
 * if others write sites, the page is missing, and counted in sites-dropped. Sets
 * warning->alarm. Returns 1 with the rest of *warning filled, once an hour for each site, if more
 * than half of its last TMPL_SITES_WINDOW pages were declined.
 */
int tmpl_sites_add(const char *key, const tmpl_recent_t *page, tmpl_site_warning_t *warning);

/* The last decisions as tmpl_recent_t, the newest first. */
apr_array_header_t *tmpl_recent_list(apr_pool_t *pool);

/* Copies a site that was seen since the start. Returns 0 if it was not seen, or others write it. */
int tmpl_sites_find(tmpl_site_t *site, const char *key);

/* Counts the last pages of a site by their decline reason. */
void tmpl_site_declines(const tmpl_site_t *site, unsigned counts[TMPL_DECLINE_COUNT]);

/* Copies of all sites as tmpl_site_t, those with most pages first. */
apr_array_header_t *tmpl_sites_list(apr_pool_t *pool);

#endif
