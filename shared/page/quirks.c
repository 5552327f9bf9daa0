/* SPDX-License-Identifier: Apache-2.0 */
#include "page/quirks.h"

#include <string.h>

#include <apr_cstr.h>

#include "text/ascii.h"

/* Whether text begins with prefix, in any case. */
static int begins(const char *text, uint32_t len, const char *prefix)
{
    return len >= strlen(prefix) && apr_cstr_casecmpn(text, prefix, strlen(prefix)) == 0;
}

tmpl_quirks_e tmpl_quirks(const tmpl_tokens_t *tokens, const char *src)
{
    uint32_t i = 0;
    while (i < tokens->n && tokens->tokens[i].type == TMPL_TOKEN_OTHER &&
           !begins(src + tokens->tokens[i].span.start, tmpl_span_len(tokens->tokens[i].span),
                   "<!doctype")) {
        i++;
    }
    uint32_t end = i < tokens->n ? tokens->tokens[i].span.start : tokens->begin;
    if (i == tokens->n || tokens->tokens[i].type != TMPL_TOKEN_OTHER) {
        return TMPL_QUIRKS;
    }
    const char *p = src + end + strlen("<!doctype");
    uint32_t len = tmpl_span_len(tokens->tokens[i].span) - (uint32_t)strlen("<!doctype");
    const char *public = memchr(p, '"', len);
    while (len > 0 && tmpl_is_space(*p)) {
        p++;
        len--;
    }
    if (!begins(p, len, "html")) {
        return TMPL_QUIRKS_UNSURE;
    }
    if (public == NULL) {
        return begins(p, len, "html>") ? TMPL_NO_QUIRKS : TMPL_QUIRKS_UNSURE;
    }
    len -= (uint32_t)(public + 1 - p);
    p = public + 1;
    int has_system = len > 0 && memchr(p, '"', len) != NULL && memmem(p, len, "\"http", 5) != NULL;
    if (begins(p, len, "-//W3C//DTD XHTML 1.") || begins(p, len, "-//W3C//DTD HTML 4.01//")) {
        return TMPL_NO_QUIRKS;
    }
    if (begins(p, len, "-//W3C//DTD HTML 4.01 ")) {
        return has_system ? TMPL_NO_QUIRKS : TMPL_QUIRKS;
    }
    return TMPL_QUIRKS_UNSURE;
}
