/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices that a site has got another template: what its pages have in common with the site is not
 * on its new pages. A site's alarm is part of tmpl_site_t.
 *
 * What a page has in common with its site is usually of the same size, and nearly 0 on the first
 * TMPL_ALARM_KNOWN pages of a new template. So the alarm begins with the fourth document in a row
 * that has less than a quarter of the usual share, and less than three quarters of the usual
 * number: on a long article the share falls, and the number does not. It ends with the fourth
 * document in a row that has more. Of 49 sites of the corpus dev none has an alarm, and each has
 * one when the pages of another site follow its own (make alarms).
 */
#ifndef TMPL_ALARM_H
#define TMPL_ALARM_H

#include <apr_time.h>

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

/* Adds a page of a document, which came at now, and returns what this page has changed. */
tmpl_alarm_e tmpl_alarm_add(tmpl_alarm_t *alarm, const tmpl_common_t *page, apr_uint64_t document,
                            apr_time_t now);

#endif
