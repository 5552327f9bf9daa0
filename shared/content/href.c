/* SPDX-License-Identifier: Apache-2.0 */
#include "content/href.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"

/* Browsers drop white space around an address. */
static const char *trimmed_href(const char *href)
{
    while (*href != '\0' && (unsigned char)*href <= ' ') {
        href++;
    }
    return href;
}

int tmpl_href_is_safe(const char *href)
{
    static const char *const safe[] = { "http", "https", "mailto", "tel", "ftp", "sms" };
    char scheme[8] = "";
    apr_size_t len = 0;
    href = trimmed_href(href);
    if (*href == '#' && *trimmed_href(href + 1) == '\0') {
        return 0;
    }
    /* browsers drop line breaks and tabs in a scheme */
    for (; *href == '\t' || *href == '\n' || tmpl_is_alnum(*href) ||
           (*href != '\0' && strchr("+-.", *href) != NULL);
         href++) {
        if (*href > ' ' && ++len < sizeof(scheme)) {
            scheme[len - 1] = *href;
        }
    }
    for (apr_size_t i = 0; i < sizeof(safe) / sizeof(safe[0]) && *href == ':'; i++) {
        if (len == strlen(safe[i]) && apr_cstr_casecmp(scheme, safe[i]) == 0) {
            return 1;
        }
    }
    return *href != ':' && (len > 0 || *href != '\0');
}

void tmpl_hrefs_init(tmpl_hrefs_t *hrefs, const char *url, const char *base, apr_pool_t *pool)
{
    *hrefs = (tmpl_hrefs_t){ 0 };
    if (url == NULL || tmpl_scheme_len(url) == 0) {
        return;
    }
    hrefs->url = url;
    hrefs->resolved = apr_palloc(pool, sizeof(*hrefs->resolved));
    tmpl_buf_init(hrefs->resolved, pool);
    tmpl_base_init(&hrefs->base, url);
    if (base != NULL && tmpl_href_is_safe(base)) {
        base = trimmed_href(base);
        tmpl_reference_resolve(hrefs->resolved, &hrefs->base, base, strlen(base));
        tmpl_base_init(&hrefs->base, apr_pstrdup(pool, hrefs->resolved->at));
    }
}

/* Adds bytes of an address, and escapes those that may not stand in it. */
static void add_bytes(tmpl_buf_t *buf, const char *bytes, apr_size_t len)
{
    static const char digits[] = "0123456789ABCDEF";
    static const unsigned char plain[256] = {
        ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['-'] = 1, ['.'] = 1,  ['_'] = 1,
        ['~'] = 1,         ['!'] = 1,         ['$'] = 1,         ['&'] = 1, ['\''] = 1, ['*'] = 1,
        ['+'] = 1,         [','] = 1,         [';'] = 1,         ['='] = 1, [':'] = 1,  ['@'] = 1,
        ['/'] = 1,         ['?'] = 1,         ['#'] = 1,         ['['] = 1, [']'] = 1,  ['%'] = 1,
    };
    for (apr_size_t i = 0, start; i < len; i++) {
        for (start = i; i < len && plain[(unsigned char)bytes[i]]; i++) {
        }
        tmpl_buf_add(buf, bytes + start, i - start);
        if (i < len && (unsigned char)bytes[i] >= ' ') {
            unsigned char c = (unsigned char)bytes[i];
            const char escaped[] = { '%', digits[c >> 4], digits[c & 15] };
            tmpl_buf_add(buf, escaped, sizeof(escaped));
        }
    }
}

void tmpl_href_resolve(tmpl_buf_t *buf, const tmpl_hrefs_t *hrefs, const char *href)
{
    href = trimmed_href(href);
    apr_size_t len = strlen(href);
    while (len > 0 && (unsigned char)href[len - 1] <= ' ') {
        len--;
    }
    if (hrefs->url != NULL && tmpl_scheme_len(href) == 0) {
        tmpl_reference_resolve(hrefs->resolved, &hrefs->base, href, len);
        href = hrefs->resolved->at;
        len = hrefs->resolved->len;
    }
    add_bytes(buf, href, len);
}
