/* SPDX-License-Identifier: Apache-2.0 */
#include "alarm.h"

/* Pages in a row that begin or end an alarm; of a new template one page less than is known. */
#define ROW (TMPL_ALARM_KNOWN - 1)
/* A share is low below this part of the usual one. */
#define LOW 0.25
/* Of so many pages at least the usual share is known. */
#define PAGES_LEAST 4
/* Below this usual share, pages have too little in common to miss it. */
#define USUAL_LEAST 0.1
/* The mean forgets a page after about so many pages. */
#define PAGES_MOST 32

tmpl_alarm_e tmpl_alarm_add(tmpl_alarm_t *alarm, double share, apr_time_t now)
{
    int is_low = alarm->pages >= PAGES_LEAST && share < LOW * alarm->usual;
    int is_on = alarm->began != 0;

    alarm->row = is_low != is_on ? alarm->row + 1 : 0;
    if (is_on && alarm->row >= ROW) {
        *alarm = (tmpl_alarm_t){ .usual = share, .pages = 1 };
        return TMPL_ALARM_ENDS;
    }
    if (!is_on && alarm->row >= ROW && alarm->usual >= USUAL_LEAST) {
        alarm->row = 0;
        alarm->began = now;
        return TMPL_ALARM_BEGINS;
    }
    if (!is_on && !is_low) {
        alarm->pages += alarm->pages < PAGES_MOST;
        alarm->usual += (share - alarm->usual) / alarm->pages;
    }
    return TMPL_ALARM_NONE;
}
