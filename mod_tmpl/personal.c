/* SPDX-License-Identifier: Apache-2.0 */
#include "personal.h"
#include "fields.h"
#include "nobody.h"

#include <apr_fnmatch.h>

/*
 * Cookies of scripts that count visits or ask for consent. A backend does not choose pages by such
 * cookies, and on many sites most requests have one.
 */
static const char *const counting[] = {
    "_ga",
    "_ga_*",
    "_gid",
    "_gat*",
    "_gac_*",
    "_gcl_*",
    "__utm?",
    "_pk_*",
    "mtm_*",
    "_hj*",
    "_fbp",
    "_fbc",
    "_clck",
    "_clsk",
    "_uetsid",
    "_uetvid",
    "_scid*",
    "_ttp",
    "_pin_*",
    "__hs*",
    "hubspotutk",
    "ajs_*",
    "mp_*",
    "amplitude_*",
    "_ym_*",
    "__gads",
    "__gpi",
    "__eoi",
    "cookieconsent*",
    "cookieyes*",
    "OptanonConsent",
    "OptanonAlertBoxClosed",
    "CookieConsent",
    "euconsent*",
};

static int is_counting(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(counting) / sizeof(counting[0]); i++) {
        if (apr_fnmatch(counting[i], name, 0) == APR_SUCCESS) {
            return 1;
        }
    }
    return 0;
}

/* Whether the request has a cookie by which a backend may choose a page. */
static int has_choosing_cookie(request_rec *r)
{
    const char *cookies = apr_table_get(r->headers_in, "Cookie");
    char *rest;
    char *state;
    char *pair;

    if (cookies == NULL) {
        return 0;
    }
    rest = apr_pstrdup(r->pool, cookies);
    for (pair = apr_strtok(rest, "; \t", &state); pair != NULL;
         pair = apr_strtok(NULL, "; \t", &state)) {
        pair[strcspn(pair, "=")] = '\0';
        if (!is_counting(pair)) {
            return 1;
        }
    }
    return 0;
}

/* Whether each person may get another response. Many servers send Vary: Cookie to everybody. */
static int is_chosen_by_person(request_rec *r)
{
    const char *vary = tmpl_field(r, "Vary");

    return vary != NULL &&
           (ap_find_token(r->pool, vary, "*") || (apr_table_get(r->headers_in, "Cookie") != NULL &&
                                                  ap_find_token(r->pool, vary, "Cookie")));
}

/*
 * A response with public may be stored for all, whoever asked for it (RFC 9111, section 5.2.2.9).
 * public is not heeded with Authorization: a page that all users may see need not be public.
 */
static int is_for_person(request_rec *r)
{
    const char *control = tmpl_field(r, "Cache-Control");
    int is_public = control != NULL && ap_find_token(r->pool, control, "public");

    /* a form, a client certificate or OpenID Connect set a user without Authorization */
    return r->user != NULL || apr_table_get(r->headers_in, "Authorization") != NULL ||
           is_chosen_by_person(r) || (!is_public && has_choosing_cookie(r));
}

/* Whether the response says that it is for its client only. Many say so to everybody. */
static int says_private(request_rec *r)
{
    const char *control = tmpl_field(r, "Cache-Control");

    return tmpl_field(r, "Set-Cookie") != NULL ||
           (control != NULL && (ap_find_token(r->pool, control, "private") ||
                                ap_find_token(r->pool, control, "no-store")));
}

/* Whether r's response may be one person's own. */
static int is_personal(request_rec *r)
{
    return is_for_person(r) ||
           (says_private(r) && (has_choosing_cookie(r) || !tmpl_names_nobody(r)));
}

int tmpl_may_learn(request_rec *r, const tmpl_conf_t *conf)
{
    const char *why;

    if (r->status != HTTP_OK || r->method_number != M_GET || r->header_only) {
        return 0;
    }
    if (conf->learn == NULL || conf->learn->when == TMPL_LEARN_PUBLIC) {
        return !is_personal(r);
    }
    if (conf->learn->when != TMPL_LEARN_IF) {
        return conf->learn->when == TMPL_LEARN_ALWAYS;
    }
    /* below 0 the expression failed, which httpd logs */
    return ap_expr_exec(r, conf->learn->expr, &why) > 0;
}

tmpl_lists_e tmpl_may_list(request_rec *r, const tmpl_conf_t *conf)
{
    int is_missing = r->status == HTTP_NOT_FOUND || r->status == HTTP_GONE;
    const char *robots;

    if (conf->documents != 1 || r->main != NULL || (r->status != HTTP_OK && !is_missing) ||
        r->method_number != M_GET || r->header_only || is_for_person(r) || says_private(r) ||
        has_choosing_cookie(r)) {
        return TMPL_LISTS_NOT;
    }
    robots = tmpl_field(r, "X-Robots-Tag");
    return is_missing || (robots != NULL && tmpl_forbids_index(robots, strlen(robots)))
               ? TMPL_LISTS_GONE
               : TMPL_LISTS;
}
