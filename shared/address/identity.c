/* SPDX-License-Identifier: Apache-2.0 */
#include "address/identity.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_tables.h>

/* Query parameters that track a visitor or a campaign, and never name a page. '*' ends a prefix. */
static const char *const tracking[] = {
    "utm_*",      "gclid",     "gclsrc",        "dclid",      "gbraid",     "wbraid",
    "fbclid",     "msclkid",   "yclid",         "twclid",     "ttclid",     "igshid",
    "mc_cid",     "mc_eid",    "_ga",           "_gl",        "_hsenc",     "_hsmi",
    "mkt_tok",    "vero_id",   "oly_anon_id",   "oly_enc_id", "rb_clickid", "s_cid",
    "ref_src",    "srsltid",   "pk_*",          "mtm_*",      "matomo_*",   "hsa_*",
    "jsessionid", "phpsessid", "aspsessionid*", "sessionid",  "session_id", "sessid",
    "sid",        "cfid",      "cftoken",
};

/* Whether a name of len bytes is the name of a tracking parameter. */
static int is_tracking(const char *name, apr_size_t len)
{
    for (unsigned i = 0; i < sizeof(tracking) / sizeof(tracking[0]); i++) {
        apr_size_t n = strlen(tracking[i]);
        int prefix = tracking[i][n - 1] == '*';
        n -= (apr_size_t)prefix;
        if ((prefix ? len >= n : len == n) && apr_cstr_casecmpn(name, tracking[i], n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether a value is a session's: sixteen hexadecimal digits or more. */
static int is_hash(const char *value, apr_size_t len)
{
    return len >= 16 && strspn(value, "0123456789abcdefABCDEF") >= len;
}

int tmpl_param_is_noise(const char *param, apr_size_t len)
{
    const char *value = memchr(param, '=', len);
    apr_size_t name = value != NULL ? (apr_size_t)(value - param) : len;
    int is_short = (name == 1 && *param == 's') || (name == 3 && memcmp(param, "sid", 3) == 0);
    return is_short ? value != NULL && is_hash(value + 1, len - name - 1)
                    : is_tracking(param, name);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The path without session ids put behind a ';', as servlets do. */
static const char *path_identity(const char *path, apr_size_t len, apr_pool_t *pool)
{
    const char *semicolon = memchr(path, ';', len);
    if (semicolon != NULL && apr_cstr_casecmpn(semicolon + 1, "jsessionid=", 11) == 0) {
        len = (apr_size_t)(semicolon - path);
    }
    return apr_pstrmemdup(pool, path, len);
}

const char *tmpl_uri_identity(const char *uri, apr_pool_t *pool)
{
    apr_size_t len = strcspn(uri, "#");
    const char *query = memchr(uri, '?', len);
    if (query == NULL) {
        return path_identity(uri, len, pool);
    }
    const char *path = path_identity(uri, (apr_size_t)(query - uri), pool);
    apr_array_header_t *kept = apr_array_make(pool, 8, sizeof(const char *));
    char *state;
    char *rest = apr_pstrmemdup(pool, query + 1, len - (apr_size_t)(query + 1 - uri));
    for (char *p = apr_strtok(rest, "&", &state); p != NULL; p = apr_strtok(NULL, "&", &state)) {
        if (!is_tracking(p, strcspn(p, "="))) {
            APR_ARRAY_PUSH(kept, const char *) = p;
        }
    }
    if (kept->nelts == 0) {
        return path;
    }
    qsort(kept->elts, (size_t)kept->nelts, sizeof(const char *), by_bytes);
    return apr_pstrcat(pool, path, "?", apr_array_pstrcat(pool, kept, '&'), NULL);
}
