/* SPDX-License-Identifier: Apache-2.0 */
#include "page_input.h"

#include <string.h>

#include <apr_strings.h>

#include "base/place.h"
#include "fetch.h"
#include "file_io.h"
#include "html/charset.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"

int ctl_page_is_url(const char *arg)
{
    return strstr(arg, "://") != NULL;
}

static int parse_url(tmpl_address_t *address, const ctl_t *ctl, const char *url)
{
    tmpl_error_t err;
    if (tmpl_address_parse(address, url, NULL, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        return 0;
    }
    return 1;
}

const char *ctl_page_site(ctl_t *ctl, const char *arg)
{
    tmpl_address_t address;
    if (ctl->options.site != NULL) {
        return ctl->options.site;
    }
    if (!ctl_page_is_url(arg)) {
        ctl_say("%s: --site KEY is missing: only a URL tells the site by its host",
                ctl->command->name);
        return NULL;
    }
    return parse_url(&address, ctl, arg) ? address.host : NULL;
}

static int load_url(tmpl_input_t *input, ctl_t *ctl, const char *url)
{
    tmpl_address_t address;
    ctl_fetch_t *fetch;
    ctl_response_t response;
    tmpl_error_t err;
    if (!parse_url(&address, ctl, url)) {
        return CTL_USAGE;
    }
    ctl_interrupt_catch();
    apr_status_t status = ctl_fetch_open(&fetch, NULL, &err, ctl->pool);
    if (status == APR_SUCCESS) {
        status = ctl_fetch_page(fetch, &address, NULL, &response, &err, ctl->pool);
    }
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", url, err.text);
        return CTL_FAILED;
    }
    input->body = response.body;
    input->len = response.len;
    input->uri = response.at.uri;
    input->charset = tmpl_charset_of_type(response.type, ctl->pool);
    return CTL_OK;
}

int ctl_page_load(tmpl_input_t *input, ctl_t *ctl, const char *arg, const char *site)
{
    tmpl_error_t err;
    *input = (tmpl_input_t){ .site = site };
    if (ctl_page_is_url(arg)) {
        return load_url(input, ctl, arg);
    }
    input->uri = apr_pstrcat(ctl->pool, "/", arg, NULL);
    input->page_key = arg;
    if (ctl_file_read(&input->body, &input->len, arg, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: %s", arg, err.text);
        return CTL_FAILED;
    }
    return CTL_OK;
}

int ctl_page_with(ctl_t *ctl, int (*work)(ctl_t *ctl, const tmpl_input_t *input, const char *name,
                                          tmpl_store_t *store))
{
    const char *arg = APR_ARRAY_IDX(ctl->args, 0, const char *);
    const char *site = "-";
    ctl_store_t store = { 0 };
    tmpl_input_t input;
    if ((ctl->options.store == NULL) != (ctl->options.site == NULL) &&
        !(ctl->options.store != NULL && ctl_page_is_url(arg))) {
        ctl_say("%s: --store and --site must be given together", ctl->command->name);
        return CTL_USAGE;
    }
    if (ctl->options.store != NULL && (site = ctl_page_site(ctl, arg)) == NULL) {
        return CTL_USAGE;
    }
    if (ctl->options.store != NULL && ctl_store_open(&store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    int code = ctl_page_load(&input, ctl, arg, site);
    if (code == CTL_OK) {
        code = work(ctl, &input, arg, store.store);
    }
    if (store.store != NULL) {
        ctl_store_close(&store);
    }
    return code;
}

const char *ctl_page_place(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                           apr_pool_t *pool)
{
    if (outcome->declined_at == TMPL_NONE) {
        return NULL;
    }
    tmpl_place_t place = tmpl_place(input->body, (uint32_t)input->len, outcome->declined_at);
    return apr_psprintf(pool, "byte %u, line %u: %.*s", outcome->declined_at, place.line,
                        (int)tmpl_span_len(place.tag), input->body + place.tag.start);
}

int ctl_page_declined(const tmpl_outcome_t *outcome, const tmpl_input_t *input, const char *name,
                      apr_pool_t *pool)
{
    const char *place = ctl_page_place(outcome, input, pool);
    ctl_say("%s: declined: %s (%s)%s%s", name, tmpl_decline_name(outcome->decline),
            tmpl_decline_text(outcome->decline), place != NULL ? " at " : "",
            place != NULL ? place : "");
    return CTL_FAILED;
}
