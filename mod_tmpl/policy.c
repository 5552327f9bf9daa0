/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"
#include "fields.h"

/* Directives that may apply to a style element; the first one that a policy has counts. */
static const char *const directives[] = { "style-src-elem", "style-src", "default-src" };
#define DIRECTIVES (sizeof(directives) / sizeof(directives[0]))

/* Whether a list of sources has 'unsafe-inline', and no nonce or hash, which would override it. */
static int allows_inline(char *sources)
{
    static const char *const strict[] = { "'nonce-", "'sha256-", "'sha384-", "'sha512-" };
    int allows = 0;
    char *state;
    char *source;
    size_t i;

    for (source = apr_strtok(sources, " \t", &state); source != NULL;
         source = apr_strtok(NULL, " \t", &state)) {
        allows |= ap_cstr_casecmp(source, "'unsafe-inline'") == 0;
        for (i = 0; i < sizeof(strict) / sizeof(strict[0]); i++) {
            if (ap_cstr_casecmpn(source, strict[i], strlen(strict[i])) == 0) {
                return 0;
            }
        }
    }
    return allows;
}

static int policy_allows(char *policy)
{
    char *sources[DIRECTIVES] = { NULL };
    char *state;
    char *directive;
    char *rest;
    size_t i;

    for (directive = apr_strtok(policy, ";", &state); directive != NULL;
         directive = apr_strtok(NULL, ";", &state)) {
        char *name = apr_strtok(directive, " \t", &rest);

        for (i = 0; name != NULL && i < DIRECTIVES; i++) {
            /* of two directives with the same name the first counts */
            if (sources[i] == NULL && ap_cstr_casecmp(name, directives[i]) == 0) {
                sources[i] = rest;
            }
        }
    }
    for (i = 0; i < DIRECTIVES && sources[i] == NULL;) {
        i++;
    }
    return i == DIRECTIVES || allows_inline(sources[i]);
}

int tmpl_policy_allows_style(request_rec *r)
{
    const char *field = tmpl_field(r, "Content-Security-Policy");
    char *state;
    char *policy;

    if (field == NULL) {
        return 1;
    }
    policy = apr_strtok(apr_pstrdup(r->pool, field), ",", &state);
    while (policy != NULL && policy_allows(policy)) {
        policy = apr_strtok(NULL, ",", &state);
    }
    return policy == NULL;
}
