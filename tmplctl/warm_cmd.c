/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl warm: teaches a site's table from a few pages that share a template, found by their links (Alarte,
 * Insa, Silva, Tamarit, WWV 2014). Every page loaded is learnt like any other: the table's DF counts
 * documents, here too. So loading goes on past the subdigraph until what its pages share is template by DF.
 */
#include <stdio.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "ctl.h"
#include "fetch.h"
#include "html/charset.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"
#include "warm/subdigraph.h"
#include "warm/warmup.h"

/* A page that was loaded. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome; /* its page is there */
    tmpl_address_t at;
} visit_t;

typedef struct {
    ctl_t *ctl;
    tmpl_store_t *store; /* NULL: a proxy learns */
    ctl_fetch_t *direct;
    ctl_fetch_t *via; /* NULL without --via */
    const char *site;
    const tmpl_robots_t *robots;
    visit_t key; /* the key page */
    tmpl_warmup_t *warmup;
    int loaded;
    int failed;
    int broken; /* the store, or the proxy, does not learn: going on is of no use */
} warm_t;

static void complain(const tmpl_address_t *address, const char *reason, apr_pool_t *pool)
{
    ctl_say("%s: %s", tmpl_address_url(address, pool), reason);
}

/* Only a page can be learnt. */
static apr_status_t check_answer(const ctl_answer_t *answer, tmpl_error_t *err)
{
    static const char html[] = "text/html";
    if (answer->status != 200) {
        return tmpl_fail(err, APR_EGENERAL, "HTTP %ld", answer->status);
    }
    if (answer->type == NULL || apr_cstr_casecmpn(answer->type, html, sizeof(html) - 1) != 0) {
        return tmpl_fail(err, APR_EGENERAL, "is %s, not %s",
                         answer->type != NULL ? answer->type : "of no type", html);
    }
    return APR_SUCCESS;
}

/* Counts a page that was read: in the store, or by sending the proxy for it. */
static apr_status_t learn(warm_t *warm, visit_t *visit, tmpl_error_t *err, apr_pool_t *pool)
{
    ctl_answer_t answer;
    tmpl_clean_opts_t opts = warm->ctl->options.clean;
    if (warm->via != NULL) {
        apr_status_t status = ctl_fetch_get(warm->via, &visit->at, NULL, &answer, err, pool);
        return status != APR_SUCCESS ? status : check_answer(&answer, err);
    }
    opts.mode = TMPL_MODE_LEARN;
    visit->input.learn = 1;
    tmpl_clean_judge(&visit->outcome, &visit->input, &opts, warm->store, CTL_STORE_TIMEOUT, pool);
    *err = visit->outcome.store_error;
    return err->status;
}

/* Loads the page at address and learns it; APR_SUCCESS, or what is wrong has been said. */
static apr_status_t visit_page(warm_t *warm, visit_t *visit, const tmpl_address_t *address,
                               apr_pool_t *pool)
{
    ctl_answer_t answer;
    tmpl_error_t err;
    apr_status_t status = ctl_fetch_get(warm->direct, address, warm->robots, &answer, &err, pool);
    if (status == APR_SUCCESS) {
        status = check_answer(&answer, &err);
    }
    if (status != APR_SUCCESS) {
        complain(address, err.text, pool);
        return status;
    }
    visit->at = answer.at;
    visit->input = (tmpl_input_t){ .body = answer.body,
                                   .len = answer.len,
                                   .site = warm->site,
                                   .uri = answer.at.uri,
                                   .charset = tmpl_charset_of_type(answer.type, pool) };
    if (!tmpl_clean_read(&visit->outcome, &visit->input, &warm->ctl->options.clean, pool)) {
        complain(address, tmpl_decline_text(visit->outcome.decline), pool);
        return APR_EGENERAL;
    }
    status = learn(warm, visit, &err, pool);
    if (status != APR_SUCCESS) {
        warm->broken = status != APR_EINTR;
        complain(address,
                 apr_psprintf(pool, "%s: %s", warm->via != NULL ? warm->ctl->options.via : "store",
                              err.text),
                 pool);
    }
    return status;
}

/* RFC 9309, section 2.3.1: no file, no rules; no answer, no crawling. Section 2.5: of a long file the beginning. */
static apr_status_t read_robots(warm_t *warm, const tmpl_address_t *key)
{
    apr_pool_t *pool = warm->ctl->pool;
    tmpl_address_t address = *key;
    ctl_answer_t answer;
    tmpl_error_t err;
    address.uri = "/robots.txt";
    apr_status_t status = ctl_fetch_get(warm->direct, &address, NULL, &answer, &err, pool);
    if (status == APR_ENOSPC) {
        status = APR_SUCCESS;
    }
    if (status == APR_SUCCESS && answer.status / 100 != 2 && answer.status / 100 != 4) {
        status = tmpl_fail(&err, APR_EGENERAL, "HTTP %ld", answer.status);
    }
    if (status != APR_SUCCESS) {
        complain(&address, apr_psprintf(pool, "%s; no page may be loaded", err.text), pool);
        return status;
    }
    warm->robots =
        tmpl_robots_parse(answer.body, answer.status / 100 == 2 ? answer.len : 0, CTL_AGENT, pool);
    apr_interval_time_t delay = apr_time_from_msec(warm->ctl->options.delay);
    apr_interval_time_t asked = tmpl_robots_delay(warm->robots);
    ctl_fetch_pace(warm->direct, asked > delay ? asked : delay);
    if (warm->via != NULL) {
        ctl_fetch_pace(warm->via, asked > delay ? asked : delay);
    }
    return APR_SUCCESS;
}

static void follow_link(warm_t *warm, const char *uri, apr_pool_t *pool)
{
    visit_t visit;
    tmpl_address_t address = warm->key.at;
    address.uri = uri;
    if (visit_page(warm, &visit, &address, pool) != APR_SUCCESS) {
        warm->failed += !ctl_interrupted();
        return;
    }
    const tmpl_page_t *page = visit.outcome.page;
    apr_array_header_t *links = tmpl_links(page, &visit.at, pool);
    tmpl_links_order(links, page, visit.at.uri, TMPL_SUBDIGRAPH_LINKS_MOST, pool);
    tmpl_warmup_add(warm->warmup, links, page->keys, page->n_keys, page->text);
    warm->loaded++;
}

static void follow_links(warm_t *warm)
{
    apr_pool_t *pool;
    const char *uri;
    apr_pool_create(&pool, warm->ctl->pool);
    ctl_progress_start("loading", (int)warm->ctl->options.max_loads);
    for (int asked = 1; !ctl_interrupted() && !warm->broken; asked++) {
        ctl_progress_step(asked);
        uri = tmpl_warmup_next(warm->warmup);
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

/* What the store makes of the key page now. */
static int print_by_store(warm_t *warm)
{
    tmpl_outcome_t outcome;
    tmpl_clean_opts_t opts = warm->ctl->options.clean;
    opts.mode = TMPL_MODE_ANNOTATE;
    warm->key.input.learn = 0;
    tmpl_clean(&outcome, &warm->key.input, &opts, warm->store, CTL_STORE_TIMEOUT, warm->ctl->pool);
    if (outcome.store_error.status != APR_SUCCESS) {
        complain(&warm->key.at,
                 apr_pstrcat(warm->ctl->pool, "store: ", outcome.store_error.text, NULL),
                 warm->ctl->pool);
        return CTL_FAILED;
    }
    printf("key page: %u of %u blocks and %.1f%% of the text are template; site %s, %u pages\n",
           outcome.closure.template_blocks, outcome.closure.blocks, 100 * outcome.closure.ratio,
           tmpl_state_name(outcome.state), outcome.counts.pages);
    return CTL_OK;
}

/* What the proxy says of the key page now. */
static int print_by_proxy(warm_t *warm)
{
    ctl_answer_t answer;
    tmpl_error_t err;
    apr_pool_t *pool = warm->ctl->pool;
    apr_status_t status = ctl_fetch_get(warm->via, &warm->key.at, NULL, &answer, &err, pool);
    if (status == APR_SUCCESS && answer.tmpl == NULL) {
        status = tmpl_fail(&err, APR_EGENERAL,
                           "answers without a Tmpl field: is TmplMode set and TmplHeaders on?");
    }
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s: %s", tmpl_address_url(&warm->key.at, pool), warm->ctl->options.via,
                err.text);
        return CTL_FAILED;
    }
    printf("key page: Tmpl: %s\n", answer.tmpl);
    return CTL_OK;
}

static int run(warm_t *warm, const tmpl_address_t *key)
{
    ctl_t *ctl = warm->ctl;
    tmpl_warmup_opts_t opts = { ctl->options.size, ctl->options.max_loads,
                                ctl->options.clean.policy.min_df, NULL };
    ctl_interrupt_catch();
    if (read_robots(warm, key) != APR_SUCCESS ||
        visit_page(warm, &warm->key, key, ctl->pool) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    warm->loaded++;
    opts.robots = warm->robots;
    warm->warmup = tmpl_warmup_begin(warm->key.outcome.page, &warm->key.at, &opts, ctl->pool);
    follow_links(warm);
    if (ctl_interrupted()) {
        ctl_say("interrupted: %d pages are learnt", warm->loaded);
        return CTL_FAILED;
    }
    apr_array_header_t *found = tmpl_warmup_found(warm->warmup, ctl->pool);
    print_subdigraph(warm, found);
    int code = warm->via != NULL ? print_by_proxy(warm) : print_by_store(warm);
    if (found->nelts == 0) {
        complain(&warm->key.at, "links to no other page that can be loaded", ctl->pool);
    }
    return found->nelts == 0 || warm->broken ? CTL_FAILED : code;
}

static int warm_up(ctl_t *ctl, tmpl_store_t *store)
{
    warm_t warm = { .ctl = ctl, .store = store };
    tmpl_address_t key;
    tmpl_error_t err;
    if (tmpl_address_parse(&key, APR_ARRAY_IDX(ctl->args, 0, const char *), NULL, &err,
                           ctl->pool) != APR_SUCCESS) {
        ctl_say("warm: %s", err.text);
        return CTL_USAGE;
    }
    if (ctl->options.via != NULL && strcmp(key.scheme, "http") != 0) {
        ctl_say("warm: --via: a proxy sees nothing of the pages of https: %s",
                APR_ARRAY_IDX(ctl->args, 0, const char *));
        return CTL_USAGE;
    }
    warm.site = ctl->options.site != NULL ? ctl->options.site : key.host;
    if (ctl_fetch_open(&warm.direct, NULL, &err, ctl->pool) != APR_SUCCESS ||
        (ctl->options.via != NULL &&
         ctl_fetch_open(&warm.via, ctl->options.via, &err, ctl->pool) != APR_SUCCESS)) {
        ctl_say("warm: %s", err.text);
        return err.status == APR_EINVAL ? CTL_USAGE : CTL_FAILED;
    }
    return run(&warm, &key);
}

int ctl_warm(ctl_t *ctl)
{
    if (ctl->options.via == NULL) {
        return ctl_store_with(ctl, warm_up);
    }
    if (ctl->options.store != NULL) {
        ctl_say("warm: --store has no use with --via: the proxy learns into its own");
        return CTL_USAGE;
    }
    return warm_up(ctl, NULL);
}
