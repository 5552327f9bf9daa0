/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates as people and programs write them, as ISO 8601. Days, months and years must all be
 * there. Numbers whose day and month could be exchanged (03/04/2026) are no date; with dots the
 * day is in front (03.04.2026). Months have the names of dates.def, or their first three
 * letters or more.
 */
#ifndef TMPL_DATES_H
#define TMPL_DATES_H

#include <apr.h>

#define TMPL_DATE_SIZE sizeof("2026-01-02T03:04:05+00:00")

/*
 * Finds the first date in a text in UTF-8, of len bytes and a NUL: writes it to iso, and
 * returns the offset behind it, with the offset of its begin in *begin. Returns 0 if there is
 * none. A time is read behind numbers in the order of ISO 8601 only.
 */
apr_size_t tmpl_date_find(char iso[TMPL_DATE_SIZE], apr_size_t *begin, const char *text,
                          apr_size_t len);

/* Whether what stands in front of a date says that it is one of a change: "Last edited". */
int tmpl_date_is_of_change(const char *text, apr_size_t len);

/* Whether a text may have a date: it has four digits in a row. Quick. */
int tmpl_date_may_be(const char *text, apr_size_t len);

#endif
