/* SPDX-License-Identifier: Apache-2.0 */
#include "address/resolve.h"

#include <string.h>

#include "base/ascii.h"

apr_size_t tmpl_scheme_len(const char *reference)
{
    apr_size_t n = 0;
    while (tmpl_is_alnum(reference[n]) || (reference[n] != '\0' && strchr("+-.", reference[n]))) {
        n++;
    }
    return tmpl_is_alpha(reference[0]) && reference[n] == ':' ? n : 0;
}

/* The length of scheme and authority. */
static apr_size_t origin_of(const char *url)
{
    apr_size_t scheme = tmpl_scheme_len(url);
    const char *behind = url + scheme + (scheme > 0 ? 1 : 0);
    behind += strncmp(behind, "//", 2) == 0 ? 2 + strcspn(behind + 2, "/?#") : 0;
    return (apr_size_t)(behind - url);
}

void tmpl_base_init(tmpl_base_t *base, const char *url)
{
    base->url = url;
    base->origin = origin_of(url);
    base->path = base->origin + strcspn(url + base->origin, "?#");
    base->document = base->origin + strcspn(url + base->origin, "#");
    base->directory = base->path;
    while (base->directory > base->origin && url[base->directory - 1] != '/') {
        base->directory--;
    }
}

/* How many bytes of the base stand in front of a reference (section 5.2.2). */
static apr_size_t taken_of(const tmpl_base_t *base, const char *reference)
{
    return tmpl_scheme_len(reference) > 0      ? 0
           : strchr("#", reference[0]) != NULL ? base->document /* empty, too */
           : reference[0] == '?'               ? base->path
           : strncmp(reference, "//", 2) == 0  ? tmpl_scheme_len(base->url) + 1
           : reference[0] == '/'               ? base->origin
                                               : base->directory;
}

/* Removes "." and ".." from the path, in place (section 5.2.4). A path without host stays. */
static void remove_dots(tmpl_buf_t *url)
{
    char *first = url->at + origin_of(url->at);
    if (strncmp(url->at + tmpl_scheme_len(url->at), "://", 3) != 0) {
        return; /* "http:/.//a" would become "http://a" */
    }
    const char *from = first;
    char *to = first;
    while (*from == '/') {
        apr_size_t len = strcspn(from + 1, "/?#");
        int up = len == 2 && from[1] == '.' && from[2] == '.';
        if (!up && !(len == 1 && from[1] == '.')) {
            memmove(to, from, 1 + len);
            to += 1 + len;
        }
        else {
            while (up && to > first && *--to != '/') {
            }
            if (from[1 + len] != '/') {
                *to++ = '/';
            }
        }
        from += 1 + len;
    }
    apr_size_t rest = url->len - (apr_size_t)(from - url->at);
    memmove(to, from, rest + 1);
    url->len = (apr_size_t)(to - url->at) + rest;
}

void tmpl_reference_resolve(tmpl_buf_t *out, const tmpl_base_t *base, const char *reference,
                            apr_size_t len)
{
    apr_size_t taken = taken_of(base, reference);
    tmpl_buf_clear(out);
    tmpl_buf_add(out, base->url, taken);
    if (taken > 0 && taken == base->origin && strchr("/?#", reference[0]) == NULL) {
        tmpl_buf_add_byte(out, '/'); /* the base has no path */
    }
    tmpl_buf_add(out, reference, len);
    remove_dots(out);
}
