/* SPDX-License-Identifier: Apache-2.0 */
/* Which addresses a site's robots.txt allows a crawler to request: RFC 9309. */
#ifndef TMPL_ROBOTS_H
#define TMPL_ROBOTS_H

#include <apr_time.h>

#include "base/tmpl.h"

typedef struct tmpl_robots_t tmpl_robots_t;

/* Bytes of a robots.txt that are read; the RFC demands 500 KiB at least. */
#define TMPL_ROBOTS_MOST (512 * 1024)

/*
 * Parses the len bytes at text and returns the rules for the crawler with the product token agent
 * (letters, '-' and '_'), from pool: the rules of all groups for agent; without such a group, the
 * rules of all groups for "*"; else none. Other lines are ignored. text is not needed afterwards.
 */
const tmpl_robots_t *tmpl_robots_parse(const char *text, apr_size_t len, const char *agent,
                                       apr_pool_t *pool);

/*
 * Whether uri ("/path?query", as tmpl_address_parse spells it) may be requested. The longest rule
 * that matches decides; if an allow and a disallow are equally long, the allow decides. /robots.txt
 * is always allowed.
 */
int tmpl_robots_allow(const tmpl_robots_t *robots, const char *uri);

/* The Crawl-delay, at most an hour; 0 if there is none. Not part of the RFC, but widely used. */
apr_interval_time_t tmpl_robots_delay(const tmpl_robots_t *robots);

#endif
