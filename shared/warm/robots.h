/* SPDX-License-Identifier: Apache-2.0 */
/* What a site's robots.txt lets a crawler ask for: RFC 9309. */
#ifndef TMPL_ROBOTS_H
#define TMPL_ROBOTS_H

#include <apr_time.h>

#include "base/tmpl.h"

typedef struct tmpl_robots_t tmpl_robots_t;

/* Bytes of a robots.txt that are looked at; the RFC asks for 500 KiB at least. */
#define TMPL_ROBOTS_MOST (512 * 1024)

/*
 * The rules in len bytes at text for the crawler that calls itself agent (letters, '-' and '_'): those of all
 * groups that name it, else of all groups for "*", else none. Lines that are no rules are passed over. They
 * come from pool; text need not stay.
 */
const tmpl_robots_t *tmpl_robots_parse(const char *text, apr_size_t len, const char *agent,
                                       apr_pool_t *pool);

/*
 * Whether uri ("/path?query", spelt as tmpl_address_parse does) may be asked for: by the rule that matches
 * the most bytes, an allow before a disallow of equal length. /robots.txt always may.
 */
int tmpl_robots_allow(const tmpl_robots_t *robots, const char *uri);

/* What Crawl-delay asks for, which is no part of the RFC but widely used; 0 if nothing. */
apr_interval_time_t tmpl_robots_delay(const tmpl_robots_t *robots);

#endif
