/* SPDX-License-Identifier: Apache-2.0 */
#include "missing.h"
#include "child_store.h"
#include "ending.h"
#include "judge.h"
#include "page_links.h"
#include "personal.h"
#include "section.h"

#include "table/site_listed.h"

#include <xxhash.h>

/* Whether uri is listed. Reports the store's answer. */
static int is_listed(tmpl_child_store_t *ours, tmpl_store_t *store, const char *site,
                     const char *uri, request_rec *r)
{
    tmpl_error_t err = { APR_SUCCESS, "" };
    tmpl_listed_t found;
    apr_time_t began = tmpl_clock();
    apr_status_t rv = tmpl_site_list_find(store, site, uri, 0, tmpl_conf_timeout(tmpl_conf_of(r)),
                                          &found, &err, r->pool);

    err.status = rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    tmpl_health_report(&ours->health, TMPL_PURPOSE_LOOKUP, began, tmpl_clock(), &err, r, r->pool);
    return rv == APR_SUCCESS;
}

/* Takes uri off the list: later, if pages are learnt later. */
static void take_off(tmpl_child_store_t *ours, tmpl_store_t *store, const char *site,
                     const char *uri, const tmpl_conf_t *conf, apr_pool_t *pool)
{
    const tmpl_sighting_t gone = {
        .of = { .address = uri, .title = "", .address_len = (uint32_t)strlen(uri) },
        .now = (uint32_t)apr_time_sec(apr_time_now()),
        .is_gone = 1
    };
    /* the queue tells pages apart by their documents */
    const tmpl_document_t document = { .id = XXH3_64bits(uri, strlen(uri)) };
    const tmpl_observation_t page = { .site = site,
                                      .document = &document,
                                      .policy = &tmpl_clean_opts_default.policy,
                                      .learn = TMPL_LEARNING_OFF,
                                      .sighting = &gone };
    const tmpl_observation_t *const pages = &page;
    tmpl_error_t err;

    if (tmpl_conf_delay(conf) > 0 && tmpl_child_learns_later()) {
        tmpl_child_store_put_aside(ours, &page, tmpl_conf_delay(conf), 0, &err);
    }
    else {
        /* if this fails, the next request for it tries again */
        (void)tmpl_store_learn(store, &pages, 1, tmpl_conf_timeout(conf), NULL, &err, pool);
    }
}

int tmpl_missing_served(request_rec *r)
{
    const tmpl_conf_t *conf = tmpl_conf_of(r);
    const char *site, *uri;
    tmpl_child_store_t *ours;
    tmpl_store_t *store;
    apr_time_t began;

    if (r->status == HTTP_OK || tmpl_conf_mode(conf) == TMPL_MODE_OFF || tmpl_ending_is_closing() ||
        tmpl_may_list(r, conf) != TMPL_LISTS_GONE || !tmpl_names_own_host(r)) {
        return DECLINED;
    }
    site = tmpl_site_of(r, conf);
    uri = tmpl_uri_of(r, r->pool);
    ours = tmpl_child_store_of(conf);
    apr_atomic_inc32(&tmpl_child_stores_users);
    store = ours != NULL && tmpl_child_store_takes(ours, site, r)
                ? tmpl_child_store_begin(ours, &began, r, r->pool)
                : NULL;
    if (store != NULL && is_listed(ours, store, site, uri, r)) {
        take_off(ours, store, site, uri, conf, r->pool);
    }
    apr_atomic_dec32(&tmpl_child_stores_users);
    return DECLINED;
}
