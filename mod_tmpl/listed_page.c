/* SPDX-License-Identifier: Apache-2.0 */
#include "listed_page.h"
#include "page_links.h"
#include "personal.h"
#include "stopping.h"

#include "status/counters.h"

#include <http_vhost.h>

#include <xxhash.h>

#include "address/address.h"
#include "feature/echo.h"
#include "table/listed.h"
#include "text/decode.h"

/* Whether an address is the one that httpd asked a backend for, or uri on the backend's host. */
static int is_of_backend(const tmpl_address_t *canonical, const char *uri, const request_rec *r,
                         apr_pool_t *pool)
{
    static const char proxy[] = "proxy:";
    tmpl_address_t backend;
    tmpl_error_t err;
    if (r->proxyreq != PROXYREQ_REVERSE || r->filename == NULL ||
        strncmp(r->filename, proxy, sizeof(proxy) - 1) != 0) {
        return 0;
    }
    /* mod_proxy has taken "unix:/socket|" off; another | is part of the address (nocanon) */
    return tmpl_address_parse(&backend, r->filename + sizeof(proxy) - 1, NULL, &err, pool) ==
               APR_SUCCESS &&
           tmpl_address_same_host(canonical, &backend) &&
           (strcmp(canonical->uri, uri) == 0 ||
            /* the address that the backend was asked for is known without its query */
            (strchr(uri, '?') == NULL && strcmp(canonical->uri, backend.uri) == 0));
}

/*
 * Whether the page's canonical link leads to its own address, on any host that is this server's or
 * its backend's.
 */
static int is_own_address(const tmpl_page_t *page, const char *uri, request_rec *r,
                          apr_pool_t *pool)
{
    tmpl_address_t own, canonical;
    tmpl_error_t err;
    if (tmpl_address_parse(&own, tmpl_canonical_url(uri, r, pool), NULL, &err, pool) !=
            APR_SUCCESS ||
        tmpl_address_parse(&canonical, tmpl_value_decode(page->src, page->canonical, pool), &own,
                           &err, pool) != APR_SUCCESS) {
        return 0;
    }
    return (strcmp(canonical.uri, own.uri) == 0 &&
            (tmpl_address_same_host(&canonical, &own) ||
             ap_matches_request_vhost(r, canonical.host, r->server->port))) ||
           is_of_backend(&canonical, own.uri, r, pool);
}

/* Whether many documents of the site have a block in the place of this one. */
static int place_is_usual(const tmpl_outcome_t *outcome, const tmpl_block_paths_t *block)
{
    apr_uint32_t path = block->paths[0];
    return path != TMPL_NONE &&
           outcome->counts.records[path].df >= outcome->observation.policy->min_df;
}

/*
 * Sets whether the site knows the places of half of the page's text, and how much of the content is
 * new. Nothing that the request brought is.
 */
static void read_text(tmpl_sighting_t *seen, const tmpl_listed_page_t *sighted,
                      const tmpl_outcome_t *outcome, const request_rec *r, apr_pool_t *pool)
{
    const tmpl_brought_t brought = { sighted->input->uri, tmpl_fields_shown(r, 1, pool), 1 };
    tmpl_observation_t observation = outcome->observation;
    const tmpl_observation_t *page = &observation;
    apr_uint64_t text = 0, usual = 0, content = 1, fresh = 0;
    apr_uint32_t j;
    tmpl_echoes_empty(&observation, outcome->page, &brought, pool);
    for (apr_uint32_t i = 0; i < page->n_blocks; i++) {
        int is_usual = place_is_usual(outcome, &page->blocks[i]);
        int is_content = outcome->verdicts != NULL && !outcome->verdicts[i].template;
        for (j = page->blocks[i].first; j < page->blocks[i].after; j++) {
            apr_uint32_t length = page->shares[j].length;
            text += length;
            usual += is_usual ? length : 0;
            content += is_content ? length : 0;
            fresh += is_content && outcome->counts.fresh[page->shares[j].key] ? length : 0;
        }
    }
    seen->is_settled = usual * 2 >= text;
    seen->fresh = (uint16_t)(fresh * 1000 / content);
}

/* The page's title in UTF-8 on one line, without control characters, as far as it is kept. */
static const char *title_of(const tmpl_page_t *page, const tmpl_input_t *input, apr_pool_t *pool)
{
    tmpl_decoder_t decoder;
    tmpl_buf_t utf8;
    apr_array_header_t *words = apr_array_make(pool, 16, sizeof(char *));
    char *text, *word, *state;
    tmpl_decoder_find(&decoder, input->body, input->len, input->charset, pool);
    tmpl_buf_init(&utf8, pool);
    tmpl_decode(&utf8, &decoder, page->src + page->title.start, tmpl_span_len(page->title));
    /* references name characters of Unicode, whatever the page's charset is */
    text =
        apr_pstrdup(pool, tmpl_value_decode(utf8.at, (tmpl_span_t){ 0, (uint32_t)utf8.len }, pool));
    for (char *at = text; *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at;
    }
    for (; (word = apr_strtok(text, " ", &state)) != NULL; text = NULL) {
        APR_ARRAY_PUSH(words, char *) = word;
    }
    char *line = apr_array_pstrcat(pool, words, ' ');
    apr_size_t len = strlen(line);
    if (len > TMPL_LISTED_TITLE) {
        for (len = TMPL_LISTED_TITLE; len > 0 && (line[len] & 0xC0) == 0x80; len--) {
        }
    }
    line[len] = '\0';
    return line;
}

/* Whether robots are not to index the page. */
static int sighted_is_gone(const tmpl_listed_page_t *page, const tmpl_outcome_t *outcome)
{
    return page->ctx->lists == TMPL_LISTS_GONE || outcome->page->forbids_index;
}

/*
 * Whether the page tells of what is listed at its address; counts why not. A page may be made for
 * the host that the request names, but such a page takes no document off the list.
 */
static int tells_of_address(const tmpl_listed_page_t *page, const tmpl_outcome_t *outcome,
                            request_rec *r, apr_pool_t *pool)
{
    if (page->ctx->lists == TMPL_LISTS_NOT) {
        tmpl_count(TMPL_COUNTER_UNLISTED_PERSONAL, page->ctx->conf->documents == 1);
        return 0;
    }
    if (sighted_is_gone(page, outcome)) {
        tmpl_count(TMPL_COUNTER_UNLISTED_ROBOTS, 1);
        return tmpl_names_own_host(r);
    }
    if (tmpl_span_len(outcome->page->canonical) == 0) {
        int has_query = strchr(page->input->uri, '?') != NULL;
        tmpl_count(TMPL_COUNTER_UNLISTED_QUERY, has_query ? 1 : 0);
        return !has_query;
    }
    int is_own = is_own_address(outcome->page, page->input->uri, r, pool);
    tmpl_count(TMPL_COUNTER_UNLISTED_CANONICAL, is_own ? 0 : 1);
    return is_own;
}

/* What the page showed, without its title, as if all of its content were new to the site. */
static tmpl_sighting_t *sighting_make(const tmpl_listed_page_t *page, const tmpl_outcome_t *outcome,
                                      apr_pool_t *pool)
{
    const char *uri = page->input->uri;
    tmpl_sighting_t *seen = apr_pcalloc(pool, sizeof(*seen));
    int is_warm = outcome->state == TMPL_STATE_WARM && page->fingerprint != NULL;
    seen->of.address = uri;
    seen->of.address_len = (uint32_t)strlen(uri);
    seen->of.title = "";
    seen->of.fingerprint = is_warm ? strtoull(page->fingerprint, NULL, 16) : 0;
    seen->of.text = (uint32_t)outcome->document.text;
    seen->of.layout = tmpl_layout_sketch(&outcome->observation);
    seen->now = (uint32_t)apr_time_sec(apr_time_now());
    seen->most = tmpl_conf_max_documents(page->ctx->conf);
    seen->is_settled = 1;
    seen->fresh = 1000;
    seen->is_gone = (char)sighted_is_gone(page, outcome);
    return seen;
}

/*
 * Reads what is listed at uri, or at another spelling of it with this text (0: none): APR_NOTFOUND
 * if nothing is. Reports a failure of the store.
 */
static apr_status_t list_read(tmpl_listed_t *found, const tmpl_listed_page_t *page, const char *uri,
                              apr_uint32_t text, apr_pool_t *pool)
{
    tmpl_error_t err = { APR_SUCCESS, "" };
    apr_time_t began = tmpl_clock();
    apr_status_t rv = tmpl_site_list_find(page->store, page->ctx->site, uri, text, page->timeout,
                                          found, &err, pool);
    err.status = rv == APR_NOTFOUND ? APR_SUCCESS : rv;
    tmpl_health_report(&page->asked->health, TMPL_PURPOSE_LOOKUP, began, tmpl_clock(), &err);
    return rv;
}

apr_uint32_t tmpl_listed_page_look(const tmpl_listed_page_t *page, tmpl_outcome_t *outcome,
                                   request_rec *r, apr_pool_t *pool)
{
    tmpl_listed_t stored;
    if (outcome->counts.records == NULL || page->timeout <= 0 ||
        strlen(page->input->uri) > TMPL_LISTED_ADDRESS ||
        !tells_of_address(page, outcome, r, pool)) {
        return 0;
    }
    apr_status_t rv =
        list_read(&stored, page, page->input->uri,
                  sighted_is_gone(page, outcome) ? 0 : (apr_uint32_t)outcome->document.text, pool);
    if (rv == APR_NOTFOUND ? outcome->counts.near_copy : rv != APR_SUCCESS) {
        return 0;
    }
    const tmpl_listed_t *listed = rv == APR_SUCCESS ? &stored : NULL;
    tmpl_sighting_t *seen = sighting_make(page, outcome, pool);
    /* most pages say nothing new, whatever their text tells */
    if (tmpl_listed_judge(listed, seen) == TMPL_LISTED_SAME || !page->ctx->learn) {
        return stored.changed;
    }
    read_text(seen, page, outcome, r, pool);
    tmpl_listed_e means = tmpl_listed_judge(listed, seen);
    if (means == TMPL_LISTED_SAME) {
        return stored.changed;
    }
    seen->is_changed = means == TMPL_LISTED_CHANGED;
    if (!seen->is_gone) {
        seen->of.title = title_of(outcome->page, page->input, pool);
        seen->of.title_len = (uint32_t)strlen(seen->of.title);
    }
    outcome->observation.sighting = seen;
    return seen->is_gone ? 0 : seen->is_changed ? seen->now : stored.changed;
}

apr_uint32_t tmpl_listed_page_changed(const tmpl_ctx_t *ctx, const char *uri,
                                      apr_interval_time_t timeout, apr_pool_t *pool)
{
    tmpl_listed_page_t page = { .ctx = ctx, .timeout = timeout };
    tmpl_listed_t stored;
    apr_time_t began;
    if (ctx->lists == TMPL_LISTS_NOT || timeout <= 0) {
        return 0;
    }
    page.asked = tmpl_child_store_of(ctx->conf);
    page.store = page.asked != NULL ? tmpl_child_store_begin(page.asked, &began) : NULL;
    return page.store != NULL && list_read(&stored, &page, uri, 0, pool) == APR_SUCCESS
               ? stored.changed
               : 0;
}

/* ---- pages that are missing ---- */

/* Takes the address of gone off the list: later, if pages are learnt later. */
static void take_off(const tmpl_listed_page_t *page, const tmpl_sighting_t *gone, apr_pool_t *pool)
{
    /* the queue tells pages apart by their documents */
    const tmpl_document_t document = { .id = XXH3_64bits(gone->of.address, gone->of.address_len) };
    const tmpl_clean_opts_t presets = tmpl_clean_opts_default();
    const tmpl_observation_t observation = { .site = page->ctx->site,
                                             .document = &document,
                                             .policy = &presets.policy,
                                             .learn = TMPL_LEARNING_OFF,
                                             .sighting = gone };
    const tmpl_observation_t *const pages = &observation;
    apr_interval_time_t delay = tmpl_conf_delay(page->ctx->conf);
    tmpl_error_t err;
    if (delay > 0 && tmpl_child_learns_later()) {
        tmpl_child_store_put_aside(page->asked, pages, delay, &err);
    }
    else {
        /* if this fails, the next request for it tries again */
        (void)tmpl_store_learn(page->store, &pages, 1, page->timeout, NULL, &err, pool);
    }
}

int tmpl_listed_page_served(request_rec *r)
{
    tmpl_ctx_t ctx = { .conf = tmpl_conf_of(r) };
    tmpl_listed_page_t page = { .ctx = &ctx, .timeout = tmpl_conf_timeout(ctx.conf) };
    tmpl_listed_t listed;
    apr_time_t began;
    if (r->status == HTTP_OK || tmpl_conf_mode(ctx.conf) == TMPL_MODE_OFF ||
        tmpl_stopping_is_closing() || tmpl_may_list(r, ctx.conf) != TMPL_LISTS_GONE ||
        !tmpl_names_own_host(r)) {
        return DECLINED;
    }
    const char *uri = tmpl_uri_of(r, r->pool);
    const tmpl_sighting_t gone = {
        .of = { .address = uri, .title = "", .address_len = (uint32_t)strlen(uri) },
        .now = (uint32_t)apr_time_sec(apr_time_now()),
        .is_gone = 1
    };
    ctx.site = tmpl_site_of(r, ctx.conf);
    page.asked = tmpl_child_store_of(ctx.conf);
    apr_atomic_inc32(&tmpl_child_stores_users);
    if (page.asked != NULL && tmpl_child_store_takes(page.asked, ctx.site, r)) {
        page.store = tmpl_child_store_begin(page.asked, &began);
    }
    if (page.store != NULL && list_read(&listed, &page, uri, 0, r->pool) == APR_SUCCESS) {
        take_off(&page, &gone, r->pool);
    }
    apr_atomic_dec32(&tmpl_child_stores_users);
    return DECLINED;
}
