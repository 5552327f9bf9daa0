/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/href.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <libxml/uri.h>

#include "base/ascii.h"

/* The longest path in which "." and ".." are resolved; readers resolve them in longer paths. */
#define PATH_MOST 2048

/* The length of the scheme in front of its colon; 0: there is no scheme. */
static apr_size_t scheme_of(const char *href)
{
    apr_size_t n = 0;
    while (tmpl_is_alnum(href[n]) || (n > 0 && href[n] != '\0' && strchr("+-.", href[n]))) {
        n++;
    }
    return tmpl_is_alpha(href[0]) && href[n] == ':' ? n : 0;
}

/* Browsers drop white space around an address. */
static const char *trimmed(const char *href)
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
    href = trimmed(href);
    if (*href == '#' && *trimmed(href + 1) == '\0') {
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
    if (url == NULL || scheme_of(url) == 0) {
        return;
    }
    hrefs->base = hrefs->url = url;
    if (base != NULL && tmpl_href_is_safe(base)) {
        xmlChar *built = xmlBuildURI((const xmlChar *)base, (const xmlChar *)url);
        if (built != NULL && scheme_of((const char *)built) > 0) {
            hrefs->base = apr_pstrdup(pool, (const char *)built);
        }
        xmlFree(built);
    }
    const char *path = strstr(hrefs->base, "://");
    path = path != NULL ? path + 3 + strcspn(path + 3, "/?#") : hrefs->base;
    hrefs->origin = (apr_size_t)(path - hrefs->base);
    apr_size_t len = strcspn(path, "?#");
    hrefs->document = hrefs->origin + strcspn(path, "#");
    while (len > 0 && path[len - 1] != '/') {
        len--;
    }
    hrefs->directory = hrefs->origin + len;
    hrefs->folder =
        hrefs->directory <= PATH_MOST ? apr_pstrmemdup(pool, hrefs->base, hrefs->directory) : NULL;
}

/* Adds bytes of an address, and escapes those that may not stand in it. */
static void add_bytes(tmpl_buf_t *buf, const char *bytes, apr_size_t len)
{
    static const char digits[] = "0123456789ABCDEF";
    for (apr_size_t i = 0; i < len; i++) {
        char c = bytes[i];
        if (tmpl_is_alnum(c) || (c > ' ' && strchr("-._~!$&'*+,;=:@/?#[]%", c) != NULL)) {
            tmpl_buf_add_byte(buf, c);
        }
        else if ((unsigned char)c >= ' ') {
            const char escaped[] = { '%', digits[(unsigned char)c >> 4], digits[c & 15] };
            tmpl_buf_add(buf, escaped, sizeof(escaped));
        }
    }
}

/* Whether a path has "." or ".." as a part, which must be resolved. */
static int has_dots(const char *path, apr_size_t len)
{
    for (apr_size_t i = 0, end; i < len; i = end + 1) {
        end = i + strcspn(path + i, "/?#");
        if ((end - i == 1 && path[i] == '.') ||
            (end - i == 2 && path[i] == '.' && path[i + 1] == '.')) {
            return 1;
        }
        if (path[end] != '/') {
            return 0;
        }
    }
    return 0;
}

void tmpl_href_resolve(tmpl_buf_t *buf, const tmpl_hrefs_t *hrefs, const char *href)
{
    href = trimmed(href);
    apr_size_t len = strlen(href);
    while (len > 0 && (unsigned char)href[len - 1] <= ' ') {
        len--;
    }
    apr_size_t of_base = 0;
    if (hrefs->base != NULL && scheme_of(href) == 0) {
        if (hrefs->folder != NULL && len <= PATH_MOST && has_dots(href, len)) {
            xmlChar *built = xmlBuildURI((const xmlChar *)href, (const xmlChar *)hrefs->folder);
            if (built != NULL) {
                add_bytes(buf, (const char *)built, strlen((const char *)built));
                xmlFree(built);
                return;
            }
        }
        of_base = href[0] == '#'   ? hrefs->document
                  : href[0] == '?' ? hrefs->origin + strcspn(hrefs->base + hrefs->origin, "?#")
                  : strncmp(href, "//", 2) == 0
                      ? (apr_size_t)(strchr(hrefs->base, ':') - hrefs->base) + 1
                  : href[0] == '/' ? hrefs->origin
                                   : hrefs->directory;
        add_bytes(buf, hrefs->base, of_base);
        if (of_base == hrefs->origin && href[0] != '/' && href[0] != '#' && href[0] != '?') {
            tmpl_buf_add_byte(buf, '/'); /* the base has no path */
        }
    }
    add_bytes(buf, href, len);
}
