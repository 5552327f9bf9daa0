/* SPDX-License-Identifier: Apache-2.0 */
#include "warc.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "html/charset.h"
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
    tmpl_address_t address;
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
        tmpl_address_parse(&address, page->url, NULL, &err, pool) != APR_SUCCESS ||
        strlen(address.host) > TMPL_SITE_MAX) {
        return TMPL_DECLINE_BROKEN;
    }
    page->input.site = address.host;
    page->input.uri = address.uri;
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
    page->input.site = site != NULL ? site : page->input.site;
    page->input.charset = tmpl_charset_of_type(page->type, pool);
}
