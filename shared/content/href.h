/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in a page, made absolute (RFC 3986, 5) and safe as destinations in Markdown. */
#ifndef TMPL_HREF_H
#define TMPL_HREF_H

#include <libxml/tree.h>

#include "address/address.h"
#include "dom/dom.h"

/* The address to which references on a page are relative. */
typedef struct {
    const char *url;      /* the page's URL; NULL: not known */
    tmpl_base_t base;     /* of the page's base element, or of url */
    tmpl_buf_t *resolved; /* temporary */
} tmpl_hrefs_t;

/*
 * url is the page's URL, or NULL; base is the href of the page's base element, or NULL. If neither
 * is absolute, references stay as they are.
 */
void tmpl_hrefs_init(tmpl_hrefs_t *hrefs, const char *url, const char *base, apr_pool_t *pool);

/*
 * Whether an address may be written: it is relative to the page, or its scheme opens a page, a mail
 * or a call. Other addresses (javascript:, data:) are code, and "#" alone leads nowhere: it stands
 * for a script.
 */
int tmpl_href_is_safe(const char *href);

/*
 * Adds the absolute address of a safe href. Parentheses, and bytes that RFC 3986 forbids, are
 * escaped: the result has no white space, and no byte that ends a destination. Parameters that only
 * track visitors or sessions are left out.
 */
void tmpl_href_resolve(tmpl_buf_t *buf, const tmpl_hrefs_t *hrefs, const char *href);

/* The same from pool; NULL for NULL or an address that is not safe. */
const char *tmpl_href_absolute(const tmpl_hrefs_t *hrefs, const char *href, apr_pool_t *pool);

/* What is behind the page's own address in an absolute one: a '#', or its end; NULL: another. */
const char *tmpl_href_own(const tmpl_hrefs_t *hrefs, const char *address);

/*
 * The address that a link to href is written with: href, or "mailto:" and the mail address that
 * Cloudflare hides behind a link to its page: hexadecimal digits in the fragment of href, or else
 * in the link's attribute data-cfemail; the first byte is the key of the others. *text is the mail
 * address if the link's own text only says that it is hidden, else NULL. Both are from pool.
 */
const char *tmpl_href_mail(const char **text, const xmlNode *link, const char *href,
                           apr_pool_t *pool);

/* --- Permalinks: links in headings and terms, for people who copy addresses --- */

/*
 * Whether a link with that href is the permalink of leaf, the heading or term around it: the link
 * leads to a fragment, and its text is symbols only, or the fragment. A link that is the whole
 * heading is no permalink: its symbols are the heading's text, as "+" where operators are
 * documented. leaf is NULL elsewhere: there its text is of tmpl_permalink_signs.
 */
int tmpl_permalink_is(const tmpl_page_t *page, const xmlNode *leaf, const xmlNode *link,
                      const char *href);

/* Whether a link is a whole heading or term: if it leads to the page, its text needs no link. */
int tmpl_permalink_is_whole(const xmlNode *leaf, const xmlNode *link);

#endif
