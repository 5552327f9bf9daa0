/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl warm: teaches a site's table from a few pages that share a template, found by their links
 * (Alarte, Insa, Silva, Tamarit, WWV 2014). Every page loaded is learnt like any other page, so
 * loading goes on past the subdigraph until the text that its pages share is template by DF.
 */
#include <stdio.h>

#include "ctl.h"
#include "html/charset.h"
#include "page_input.h"
#include "methods/warm/warmup.h"

_Static_assert(CTL_SIZE_MOST <= TMPL_SUBDIGRAPH_SIZE_MOST, "--size");
_Static_assert(CTL_LOADS_MOST <= TMPL_SUBDIGRAPH_LINKS_MOST, "--max-loads");

/* A page that was loaded and parsed. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    tmpl_address_t at;
} loaded_t;

typedef struct {
    ctl_t *ctl;
    tmpl_store_t *store;
    ctl_fetch_t *fetch;
    const char *site;
    const tmpl_robots_t *robots;
    loaded_t key; /* the page at URL */
    tmpl_warmup_t *warmup;
    int loaded;
    int failed;
    int broken; /* the store failed to learn a page: load no more */
} warm_t;

/* Loads the page at address and learns it. On failure prints the reason. */
static apr_status_t load_page(warm_t *warm, loaded_t *page, const tmpl_address_t *address,
                              apr_pool_t *pool)
{
    ctl_response_t response;
    tmpl_error_t err;
    apr_status_t status = ctl_fetch_page(warm->fetch, address, &response, &err, pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", tmpl_address_url(address, pool), err.text);
        return status;
    }
    page->at = response.at;
    page->input = (tmpl_input_t){ .body = response.body,
                                  .len = response.len,
                                  .site = warm->site,
                                  .uri = response.at.uri,
                                  .charset = tmpl_charset_of_type(response.type, pool) };
    tmpl_clean_opts_t opts = warm->ctl->options.clean;
    opts.mode = TMPL_MODE_LEARN;
    page->input.learn = TMPL_LEARNING_NOW;
    if (!tmpl_clean_read(&page->outcome, &page->input, &opts, pool)) {
        ctl_say("%s: %s", tmpl_address_url(address, pool),
                tmpl_decline_text(page->outcome.decline));
        return APR_EGENERAL;
    }
    tmpl_clean_judge(&page->outcome, &page->input, &opts, warm->store, CTL_STORE_TIMEOUT, pool);
    status = page->outcome.store_error.status;
    if (status != APR_SUCCESS) {
        warm->broken = 1;
        ctl_say("%s: store: %s", tmpl_address_url(address, pool), page->outcome.store_error.text);
    }
    return status;
}

static int robots_allow(const void *robots, const char *uri)
{
    return tmpl_robots_allow(robots, uri);
}

/*
 * RFC 9309, section 2.3.1: without a file (4xx) every page may be loaded, without a response none.
 * Section 2.5: if the file is too long, its beginning counts.
 */
static apr_status_t read_robots(warm_t *warm, const tmpl_address_t *key)
{
    apr_pool_t *pool = warm->ctl->pool;
    tmpl_address_t address = *key;
    ctl_response_t response;
    tmpl_error_t err;
    address.uri = "/robots.txt";
    apr_status_t status = ctl_fetch_get(warm->fetch, &address, &response, &err, pool);
    if (status == APR_ENOSPC) {
        status = APR_SUCCESS;
    }
    if (status == APR_SUCCESS && response.status / 100 != 2 && response.status / 100 != 4) {
        status = tmpl_fail(&err, APR_EGENERAL, "HTTP %ld", response.status);
    }
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s; without robots.txt no page is loaded", tmpl_address_url(&address, pool),
                err.text);
        return status;
    }
    warm->robots = tmpl_robots_parse(response.body, response.status / 100 == 2 ? response.len : 0,
                                     CTL_AGENT, pool);
    ctl_fetch_obey(warm->fetch, robots_allow, warm->robots);
    apr_interval_time_t delay = apr_time_from_msec(warm->ctl->options.delay);
    apr_interval_time_t crawl_delay = tmpl_robots_delay(warm->robots);
    ctl_fetch_pace(warm->fetch, crawl_delay > delay ? crawl_delay : delay);
    return APR_SUCCESS;
}

static void follow_link(warm_t *warm, const char *uri, apr_pool_t *pool)
{
    loaded_t loaded;
    tmpl_address_t address = warm->key.at;
    address.uri = uri;
    if (load_page(warm, &loaded, &address, pool) != APR_SUCCESS) {
        warm->failed += !ctl_interrupted();
        return;
    }
    const tmpl_page_t *page = loaded.outcome.page;
    apr_array_header_t *links = tmpl_links(page, &loaded.at, pool);
    tmpl_links_order(links, page, loaded.at.uri, TMPL_SUBDIGRAPH_LINKS_MOST, pool);
    tmpl_warmup_add(warm->warmup, links, page->keys, page->n_keys, page->text);
    warm->loaded++;
}

static void follow_links(warm_t *warm)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, warm->ctl->pool);
    for (int requested = 1; !ctl_interrupted() && !warm->broken; requested++) {
        ctl_progress("loading: %d/%u", requested, warm->ctl->options.max_loads);
        const char *uri = tmpl_warmup_next(warm->warmup);
        if (uri == NULL) {
            break;
        }
        follow_link(warm, uri, pool);
        apr_pool_clear(pool);
    }
    ctl_progress_end();
    apr_pool_destroy(pool);
}

static void print_subdigraph(const warm_t *warm, const apr_array_header_t *found)
{
    int forbidden = tmpl_warmup_forbidden(warm->warmup);
    printf("site %s: %d page%s loaded, %d failed, %d link%s forbidden by robots.txt\n", warm->site,
           warm->loaded, warm->loaded == 1 ? "" : "s", warm->failed, forbidden,
           forbidden == 1 ? "" : "s");
    printf("%d page%s that link each other, of %u looked for\n", found->nelts,
           found->nelts == 1 ? "" : "s", warm->ctl->options.size);
    for (int i = 0; i < found->nelts; i++) {
        tmpl_address_t address = warm->key.at;
        address.uri = APR_ARRAY_IDX(found, i, const char *);
        printf("  %s\n", tmpl_address_url(&address, warm->ctl->pool));
    }
}

/* Judges the key page again, by the counts that the store has now. */
static int print_key_page(warm_t *warm)
{
    tmpl_outcome_t outcome;
    tmpl_clean_opts_t opts = warm->ctl->options.clean;
    opts.mode = TMPL_MODE_ANNOTATE;
    warm->key.input.learn = TMPL_LEARNING_OFF;
    tmpl_clean(&outcome, &warm->key.input, &opts, warm->store, CTL_STORE_TIMEOUT, warm->ctl->pool);
    if (outcome.store_error.status != APR_SUCCESS) {
        ctl_say("%s: store: %s", tmpl_address_url(&warm->key.at, warm->ctl->pool),
                outcome.store_error.text);
        return CTL_FAILED;
    }
    printf("key page: %u of %u blocks and %.1f%% of the text are template; site %s, %u pages\n",
           outcome.closure.template_blocks, outcome.closure.blocks, 100 * outcome.closure.ratio,
           tmpl_state_name(outcome.state), outcome.counts.pages);
    return CTL_OK;
}

static int load_site(warm_t *warm, const tmpl_address_t *key)
{
    ctl_t *ctl = warm->ctl;
    tmpl_warmup_opts_t opts = { ctl->options.size, ctl->options.max_loads,
                                ctl->options.clean.policy.min_df, NULL };
    ctl_interrupt_catch();
    ctl_progress("loading: robots.txt of %s", key->host);
    if (read_robots(warm, key) != APR_SUCCESS ||
        load_page(warm, &warm->key, key, ctl->pool) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    warm->loaded++;
    opts.robots = warm->robots;
    warm->warmup = tmpl_warmup_begin(warm->key.outcome.page, &warm->key.at, &opts, ctl->pool);
    follow_links(warm);
    if (ctl_interrupted()) {
        ctl_say("interrupted: %d pages learnt", warm->loaded);
        return CTL_FAILED;
    }
    apr_array_header_t *found = tmpl_warmup_found(warm->warmup, ctl->pool);
    print_subdigraph(warm, found);
    int code = print_key_page(warm);
    if (found->nelts == 0) {
        ctl_say("%s: links to no other page that can be loaded",
                tmpl_address_url(&warm->key.at, ctl->pool));
    }
    return found->nelts == 0 || warm->broken ? CTL_FAILED : code;
}

static int warm_site(ctl_t *ctl, tmpl_store_t *store)
{
    warm_t warm = { .ctl = ctl, .store = store };
    tmpl_address_t key;
    tmpl_error_t err;
    if (!ctl_page_parse_url(&key, ctl, APR_ARRAY_IDX(ctl->args, 0, const char *))) {
        return CTL_USAGE;
    }
    warm.site = ctl->options.site != NULL ? ctl->options.site : key.host;
    if (ctl_fetch_open(&warm.fetch, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("warm: %s", err.text);
        return CTL_FAILED;
    }
    return load_site(&warm, &key);
}

int ctl_warm(ctl_t *ctl)
{
    tmpl_address_t key;
    /* before a store is made for it */
    return ctl_page_parse_url(&key, ctl, APR_ARRAY_IDX(ctl->args, 0, const char *))
               ? ctl_store_with(ctl, warm_site)
               : CTL_USAGE;
}
