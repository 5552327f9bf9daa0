/* SPDX-License-Identifier: Apache-2.0 */
/* The page that a record of an archive has, as tmpl_clean() takes it. */
#ifndef CTL_WARC_PAGE_H
#define CTL_WARC_PAGE_H

#include "archive/http_message.h"
#include "archive/warc_read.h"
#include "clean.h"
#include "address/address.h"

typedef struct {
    const char *id;   /* WARC-Record-ID */
    const char *url;  /* WARC-Target-URI, without angle brackets */
    const char *date; /* WARC-Date */
    const char *type; /* the Content-Type of the page; "" if it has none */
    tmpl_address_t address;
    tmpl_http_message_t http; /* status 0: the record is the page itself */
    tmpl_input_t input;
    tmpl_decline_e decline; /* why it is no page that can be judged */
} ctl_warc_page_t;

/* Whether a record may have a page: responses of HTTP, and resources of type text/html. */
int ctl_warc_may_have_page(const tmpl_warc_record_t *record, apr_pool_t *pool);

/*
 * Fills page, whose strings live as long as pool and content, from a record that may have one. site
 * is that of --site; NULL: the host of the address. Any thread may call it.
 */
void ctl_warc_page_read(ctl_warc_page_t *page, const tmpl_warc_record_t *record,
                        const char *content, const char *site, apr_pool_t *pool);

/*
 * The key of an address in an index of captures, from pool: "org,example)/path?query". The host is
 * without www, all is in lower case, and parameters are sorted, as in pywb's indexes.
 */
const char *ctl_warc_index_key(const tmpl_address_t *address, apr_pool_t *pool);

#endif
