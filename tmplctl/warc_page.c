/* SPDX-License-Identifier: Apache-2.0 */
#include "warc_page.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_tables.h>

#include "base/ascii.h"
#include "html/charset.h"
#include "late_codecs.h"
#include "settings.h"

/* Whether a Content-Type is of that type, whatever its parameters. */
static int is_type(const char *value, const char *type)
{
    apr_size_t n = strlen(type);
    return value != NULL && apr_cstr_casecmpn(value, type, n) == 0 &&
           (value[n] == '\0' || value[n] == ';' || value[n] == ' ');
}

int ctl_warc_may_have_page(const tmpl_warc_record_t *record, apr_pool_t *pool)
{
    const char *type = tmpl_fields_get(&record->head, "Content-Type", pool);
    return strcmp(record->type, "response") == 0   ? is_type(type, "application/http")
           : strcmp(record->type, "resource") == 0 ? is_type(type, "text/html")
                                                   : 0;
}

/* Old versions of wget write <http://...>. */
static const char *target_of(const tmpl_warc_record_t *record, apr_pool_t *pool)
{
    const char *uri = tmpl_fields_get(&record->head, "WARC-Target-URI", pool);
    apr_size_t len = uri != NULL ? strlen(uri) : 0;
    return len >= 2 && uri[0] == '<' && uri[len - 1] == '>' ? apr_pstrmemdup(pool, uri + 1, len - 2)
                                                            : uri;
}

/* What the head of the response says against judging its body. */
static tmpl_decline_e http_decline(const ctl_warc_page_t *page, apr_pool_t *pool)
{
    const tmpl_http_message_t *http = &page->http;
    if (http->status == 206) {
        return TMPL_DECLINE_RANGE;
    }
    if (http->status != 200 && http->status != 0) {
        return TMPL_DECLINE_STATUS;
    }
    if (!is_type(page->type, "text/html")) {
        return TMPL_DECLINE_TYPE;
    }
    const char *disposition =
        http->status != 0 ? tmpl_fields_get(&http->head, "Content-Disposition", pool) : NULL;
    return is_type(disposition, "attachment") ? TMPL_DECLINE_ATTACHMENT : TMPL_DECLINE_NONE;
}

static tmpl_decline_e read_body(ctl_warc_page_t *page, const tmpl_warc_record_t *record,
                                const char *content, apr_pool_t *pool)
{
    tmpl_http_message_t *http = &page->http;
    tmpl_error_t err;
    int is_http = strcmp(record->type, "response") == 0;
    page->input.body = content;
    page->input.len = (apr_size_t)record->length;
    if (is_http && !tmpl_http_parse(http, content, (apr_size_t)record->length)) {
        return TMPL_DECLINE_BROKEN;
    }
    const char *type = tmpl_fields_get(is_http ? &http->head : &record->head, "Content-Type", pool);
    page->type = type != NULL ? type : "";
    tmpl_decline_e decline = http_decline(page, pool);
    if (decline != TMPL_DECLINE_NONE) {
        return decline;
    }
    if (page->url == NULL ||
        tmpl_address_parse(&page->address, page->url, NULL, &err, pool) != APR_SUCCESS ||
        strlen(page->address.host) > TMPL_SITE_MAX) {
        return TMPL_DECLINE_BROKEN;
    }
    http->is_cut = tmpl_fields_get(&record->head, "WARC-Truncated", pool) != NULL;
    return is_http ? tmpl_http_body(&page->input.body, &page->input.len, http, ctl_codecs,
                                    TMPL_DEFAULT_MAX_BODY, pool)
           : page->input.len > TMPL_DEFAULT_MAX_BODY ? TMPL_DECLINE_TOO_LARGE
                                                     : TMPL_DECLINE_NONE;
}

void ctl_warc_page_read(ctl_warc_page_t *page, const tmpl_warc_record_t *record,
                        const char *content, const char *site, apr_pool_t *pool)
{
    *page = (ctl_warc_page_t){ .type = "" };
    page->id = tmpl_fields_get(&record->head, "WARC-Record-ID", pool);
    page->url = target_of(record, pool);
    page->date = tmpl_fields_get(&record->head, "WARC-Date", pool);
    page->decline = read_body(page, record, content, pool);
    if (page->decline == TMPL_DECLINE_NONE && page->input.len == 0) {
        page->decline = TMPL_DECLINE_EMPTY;
    }
    page->input.site = site != NULL ? site : page->address.host;
    page->input.uri = page->address.uri;
    page->input.charset = tmpl_charset_of_type(page->type, pool);
}

/* --- keys of an index --- */

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The words of text between separators, which text loses. */
static apr_array_header_t *words_between(char *text, const char *separator, apr_pool_t *pool)
{
    apr_array_header_t *words = apr_array_make(pool, 8, sizeof(const char *));
    char *rest;
    for (char *word; (word = apr_strtok(text, separator, &rest)) != NULL; text = NULL) {
        APR_ARRAY_PUSH(words, const char *) = word;
    }
    return words;
}

/* Without "www.", "www2." and the like in front. */
static const char *without_www(const char *host)
{
    const char *at = strncmp(host, "www", 3) == 0 ? host + 3 : host;
    while (at > host && tmpl_is_digit(*at)) {
        at++;
    }
    return at > host && *at == '.' ? at + 1 : host;
}

static const char *host_key(const tmpl_address_t *address, apr_pool_t *pool)
{
    const char *host = without_www(address->host), *key = "";
    if (host[0] == '[' || host[strspn(host, "0123456789.")] == '\0') {
        key = host; /* an IP address is no name */
    }
    else {
        apr_array_header_t *names = words_between(apr_pstrdup(pool, host), ".", pool);
        for (int i = names->nelts - 1; i >= 0; i--) {
            key = apr_pstrcat(pool, key, key[0] != '\0' ? "," : "",
                              APR_ARRAY_IDX(names, i, const char *), NULL);
        }
    }
    int usual = address->port == (strcmp(address->scheme, "https") == 0 ? 443 : 80);
    return usual ? key : apr_psprintf(pool, "%s:%d", key, address->port);
}

const char *ctl_warc_index_key(const tmpl_address_t *address, apr_pool_t *pool)
{
    char *path = apr_pstrdup(pool, address->uri);
    for (char *c = path; *c != '\0'; c++) {
        *c = tmpl_lower(*c);
    }
    char *query = strchr(path, '?');
    const char *sorted = "";
    if (query != NULL) {
        *query++ = '\0';
        apr_array_header_t *words = words_between(query, "&", pool);
        qsort(words->elts, (size_t)words->nelts, sizeof(const char *), compare_words);
        const char *joined = apr_array_pstrcat(pool, words, '&');
        sorted = words->nelts > 0 ? apr_pstrcat(pool, "?", joined, NULL) : "";
    }
    apr_size_t len = strlen(path);
    path[len - (len > 1 && path[len - 1] == '/')] = '\0';
    return apr_pstrcat(pool, host_key(address, pool), ")", path, sorted, NULL);
}
