/* SPDX-License-Identifier: Apache-2.0 */
#include "personal.h"
#include "fields.h"
#include "page_links.h"

#include <apr_cstr.h>
#include <apr_fnmatch.h>
#include <mod_ssl.h>

#include "base/ascii.h"

/* ---- requests that name nobody ---- */

/* Ends of words in names of fields and parameters whose values are secrets, or say who asks. */
static const char *const telling[] = {
    "token",  "key",      "auth",      "session",    "sessionid", "sessid",   "sid",
    "secret", "password", "passwd",    "signature",  "ticket",    "jwt",      "cert",
    "user",   "email",    "invite",    "invitation", "assertion", "identity", "username",
    "userid", "login",    "principal", "account",    "member",    "customer", "authorization"
};

/* The same of parameters only: proxies add fields such as X-Country-Code. */
static const char *const telling_in_address[] = { "code", "hash", "sig", "nonce",
                                                  "otp",  "pin",  "pass" };

/* The least length of a word that looks random, and of one that always does, if it has a digit. */
#define RANDOM_LEAST 6
#define RANDOM_LONG  20

#define ENDS_IN(word, len, list) ends_in_one_of(word, len, list, sizeof(list) / sizeof((list)[0]))

static int ends_in_one_of(const char *word, size_t len, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t end = strlen(list[i]);
        if (len >= end && apr_cstr_casecmpn(word + len - end, list[i], end) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * Whether a word looks random: every fourth of its letters and digits or more is a
 * change, from letter to digit, back, or to a capital. "iphone15pro" and "HowToBuildAHouse" change
 * less often; of 16 hexadecimal digits or 62 letters and digits, every second does.
 */
static int is_random(const char *word, size_t len)
{
    size_t changes = 0, digits = 0;
    for (size_t i = 0; i < len; i++) {
        int is_digit = tmpl_is_digit(word[i]);
        digits += is_digit ? 1 : 0;
        changes += i > 0 && (is_digit != tmpl_is_digit(word[i - 1]) ||
                             (tmpl_lower(word[i]) != word[i] && word[i - 1] >= 'a'));
    }
    return (len >= RANDOM_LEAST && changes >= 2 && changes * 4 >= len) ||
           (len >= RANDOM_LONG && digits > 0);
}

/* Cuts the next word of letters and digits off *rest, which ends at end. 0: there is none. */
static size_t next_name_word(const char **word, const char **rest, const char *end)
{
    while (*rest < end && !tmpl_is_alnum(**rest)) {
        ++*rest;
    }
    *word = *rest;
    while (*rest < end && tmpl_is_alnum(**rest)) {
        ++*rest;
    }
    return (size_t)(*rest - *word);
}

/* Whether a path and query has a secret: a parameter of a telling name, or a random word. */
static int has_secret(const char *uri)
{
    while (*uri != '\0') {
        const char *end = uri + strcspn(uri, "/?&;="), *word;
        size_t len;
        while ((len = next_name_word(&word, &uri, end)) > 0) {
            if (is_random(word, len) || (*end == '=' && (ENDS_IN(word, len, telling) ||
                                                         ENDS_IN(word, len, telling_in_address)))) {
                return 1;
            }
        }
        uri = *end != '\0' ? end + 1 : end;
    }
    return 0;
}

/* Fields that every program sends for all who use it. httpd's own <If> adds them to Vary. */
static int is_of_program(const char *name)
{
    static const char agent[] = "User-Agent";
    size_t len = strlen(name), end = sizeof(agent) - 1;
    return apr_cstr_casecmpn(name, "Accept", 6) == 0 || apr_cstr_casecmpn(name, "Sec-", 4) == 0 ||
           apr_cstr_casecmp(name, "Host") == 0 ||
           (len >= end && apr_cstr_casecmp(name + len - end, agent) == 0);
}

typedef struct {
    request_rec *r;
    const char *vary; /* of the response */
} vary_t;

/* For apr_table_do(): 1 if the field names nobody. */
static int field_names_nobody(void *baton, const char *name, const char *value)
{
    const vary_t *asked = baton;
    const char *rest = name, *end = name + strlen(name), *word;
    size_t len;
    (void)value;
    if (is_of_program(name) || apr_cstr_casecmp(name, "Cookie") == 0) {
        return 1;
    }
    while ((len = next_name_word(&word, &rest, end)) > 0) {
        if (ENDS_IN(word, len, telling)) {
            return 0;
        }
    }
    return asked->vary == NULL || !ap_find_token(asked->r->pool, asked->vary, name);
}

static int has_certificate(request_rec *r)
{
    static char name[] = "SSL_CLIENT_VERIFY";
    APR_OPTIONAL_FN_TYPE(ssl_var_lookup) *look_up = APR_RETRIEVE_OPTIONAL_FN(ssl_var_lookup);
    const char *verified =
        look_up != NULL ? look_up(r->pool, r->server, r->connection, r, name) : NULL;
    return verified != NULL && *verified != '\0' && strcmp(verified, "NONE") != 0;
}

/*
 * Whether nothing in r says who asks: no client certificate, no field that the response's Vary
 * names or whose name says that it holds a secret or a user, and no secret in the address. Cookies,
 * Authorization and r->user are not looked at. Whoever sends such a request gets the same page, so
 * the page is not one person's own, whatever its response says of storing it: many programs send
 * private, no-store or Set-Cookie to everybody.
 */
static int names_nobody(request_rec *r)
{
    vary_t asked = { r, tmpl_field(r, "Vary") };
    return apr_table_do(field_names_nobody, &asked, r->headers_in, NULL) &&
           !has_secret(tmpl_uri_of(r, r->pool)) && !has_certificate(r);
}

/* ---- responses ---- */

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
    for (size_t i = 0; i < sizeof(counting) / sizeof(counting[0]); i++) {
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
    char *state, *pair;
    if (cookies == NULL) {
        return 0;
    }
    char *rest = apr_pstrdup(r->pool, cookies);
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

int tmpl_is_personal(request_rec *r)
{
    return is_for_person(r) || (says_private(r) && (has_choosing_cookie(r) || !names_nobody(r)));
}

int tmpl_may_learn(request_rec *r, const tmpl_conf_t *conf)
{
    const char *why;
    if (r->status != HTTP_OK || r->method_number != M_GET || r->header_only) {
        return 0;
    }
    if (conf->learn == NULL || conf->learn->when == TMPL_LEARN_PUBLIC) {
        return !tmpl_is_personal(r);
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
    if (conf->documents != 1 || r->main != NULL || (r->status != HTTP_OK && !is_missing) ||
        r->method_number != M_GET || r->header_only || is_for_person(r) || says_private(r) ||
        has_choosing_cookie(r)) {
        return TMPL_LISTS_NOT;
    }
    const char *robots = tmpl_field(r, "X-Robots-Tag");
    return is_missing || (robots != NULL && tmpl_forbids_index(robots, strlen(robots)))
               ? TMPL_LISTS_GONE
               : TMPL_LISTS;
}
