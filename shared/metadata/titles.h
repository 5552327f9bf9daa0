/* SPDX-License-Identifier: Apache-2.0 */
/* Titles: how alike two are, and the names of the site in them. */
#ifndef TMPL_TITLES_H
#define TMPL_TITLES_H

#include <apr_pools.h>

/* How many words a text has, up to most. */
unsigned tmpl_title_words(const char *text, unsigned most);

/* How much of the words of a text are in another one, 0..1; case does not count. */
double tmpl_title_share(const char *text, const char *other);

/*
 * How much alike two texts are, 0..1: the harmonic mean of the share of the words of each that the
 * other has.
 */
double tmpl_title_likeness(const char *text, const char *other);

/* Whether a text names any site's first page, or the start of a breadcrumb; or any site. */
int tmpl_title_is_home(const char *text);

/* The part of a title in front of its first sign, from pool, and the rest; or all of it, and "". */
const char *tmpl_title_first(const char *title, const char **rest, apr_pool_t *pool);

/* What is known of a site's name: letters and digits in lower case; "": it is not known. */
typedef struct {
    const char *host;     /* of the page's address, without "www." */
    const char *label;    /* the longest label of the host */
    const char *names[2]; /* that the page says */
    apr_pool_t *pool;
} tmpl_site_names_t;

/* The letters and digits of a text of len bytes, in lower case, from pool. */
const char *tmpl_letters(const char *text, apr_size_t len, apr_pool_t *pool);

/* url is the page's address, or ""; name and publisher may be NULL. */
void tmpl_site_init(tmpl_site_names_t *site, const char *url, const char *name,
                    const char *publisher, apr_pool_t *pool);

/* Whether a text of len bytes is, has, or is in, a name of the site. */
int tmpl_site_is_named(const tmpl_site_names_t *site, const char *text, apr_size_t len);

/* Whether a name is most of the longest label of the host: "Harbour" of "www.theharbour.org". */
int tmpl_site_is_host(const tmpl_site_names_t *site, const char *name);

/* The part of a name that the host has; the name itself if it has none. */
const char *tmpl_site_part(const tmpl_site_names_t *site, const char *name);

/* A title without parts at its ends that name the site; *name is such a part, if there is one. */
const char *tmpl_site_without(const tmpl_site_names_t *site, const char *title, const char **name);

/*
 * For a site whose name is not known: the title without its last part, if that has few words and
 * no comma, behind a bar or dash, and what is in front of it is longer than a word. *name is the
 * part; of "Harbour | Home", the other end.
 */
const char *tmpl_site_guess(const tmpl_site_names_t *site, const char *title, const char **name);

#endif
