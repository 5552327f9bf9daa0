/* SPDX-License-Identifier: Apache-2.0 */
/* The last decisions about pages, over all children (TmplRecent). */
#ifndef TMPL_RECENT_H
#define TMPL_RECENT_H

#include "mod_tmpl.h"

#include "base/place.h"

#define TMPL_RECENT_PATH 256 /* bytes that are kept of a path, with its end */

/* A decision. A field that the decision lacks is 0; strings hold any bytes, and end in a 0. */
typedef struct {
    apr_time_t time; /* when the decision was made, on the clock of the day */
    char site[TMPL_SITE_MAX + 1];
    char path[TMPL_RECENT_PATH]; /* the beginning of path and query, as the client sent them */
    tmpl_mode_e mode;
    tmpl_decline_e decline;
    /* the place of the element that caused the decline; line 0: not known, or the whole page */
    apr_uint32_t at, line;
    char tag[TMPL_PLACE_TAG + 1];
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
    int measured;             /* ratio is set, and the next field */
    double segments_known;    /* the share of segments that other documents of the site have, too */
} tmpl_recent_t;

/* post_config hook: a ring of n decisions; 0: none. */
void tmpl_recent_create(server_rec *s, apr_uint32_t n);

/* How many decisions are kept; 0: none. */
apr_uint32_t tmpl_recent_size(void);

void tmpl_recent_add(const tmpl_recent_t *decision);

/* The last decisions as tmpl_recent_t, the newest first. */
apr_array_header_t *tmpl_recent_list(apr_pool_t *pool);

#endif
