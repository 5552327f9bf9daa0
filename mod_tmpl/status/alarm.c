/* SPDX-License-Identifier: Apache-2.0 */
#include "alarm.h"

/* A page is low below these parts of the usual share and number. */
#define LOW_SHARE 0.25
#define LOW_KNOWN 0.75
/* The usual share is known from this number of pages on. */
#define PAGES_LEAST 4
/* Below this usual share, pages have too little in common to miss it. */
#define USUAL_LEAST 0.1
/* The mean is over about this number of pages, the last ones. */
#define PAGES_MOST 32

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

tmpl_alarm_e tmpl_alarm_add(tmpl_alarm_t *alarm, const tmpl_common_t *page, apr_uint64_t document,
                            apr_time_t now)
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
