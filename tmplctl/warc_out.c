/* SPDX-License-Identifier: Apache-2.0 */
#include "warc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <apr_time.h>

#include "base/ascii.h"
#include "content/content.h"
#include "file_io.h"
#include "json.h"
#include "late_codecs.h"
#include "clean.h"
#include "progress.h"

/* The type of what a mode writes, and its column in lines of JSON. */
static const struct {
    const char *suffix, *type, *column;
} contents[] = {
    { ".txt", "text/plain; charset=utf-8", "text" },
    { ".md", "text/markdown; charset=utf-8", "markdown" },
    { ".json", "application/json", "json" },
    { ".html", "text/html", "html" },
};

static apr_size_t content_of(const ctl_mode_t *mode)
{
    apr_size_t i = 0;
    while (strcmp(contents[i].suffix, mode->suffix) != 0) {
        i++;
    }
    return i;
}

/* The longest name of a charset is far shorter. */
#define CHARSET_MOST 64

/* HTML keeps the page's charset, but a reader view is UTF-8. */
static const char *content_type(const ctl_warc_form_t *form, const ctl_warc_page_t *page,
                                apr_pool_t *pool)
{
    const char *type = contents[content_of(form->mode)].type;
    const char *charset = strcmp(form->mode->name, "reader") == 0 ? "utf-8" : page->input.charset;
    return strcmp(type, "text/html") == 0 && charset != NULL && strlen(charset) <= CHARSET_MOST
               ? apr_pstrcat(pool, type, "; charset=", charset, NULL)
               : type;
}

void ctl_warc_info(tmpl_buf_t *to, const ctl_warc_form_t *form, const char *name, apr_pool_t *pool)
{
    tmpl_buf_t head;
    char date[APR_RFC822_DATE_LEN];
    apr_time_exp_t now;
    apr_size_t len;
    const char *about = apr_pstrcat(
        pool,
        "software: tmplctl/" TMPL_VERSION "\r\nformat: WARC File Format 1.1\r\n"
        "conformsTo: "
        "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
        "description: pages without their template, mode ",
        form->mode->name, "\r\n", NULL);
    apr_time_exp_gmt(&now, apr_time_now());
    apr_strftime(date, &len, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &now);
    tmpl_buf_init(&head, pool);
    tmpl_warc_head_begin(&head);
    tmpl_warc_head_add(&head, "WARC-Type", "warcinfo");
    tmpl_warc_head_add(&head, "WARC-Record-ID",
                       tmpl_warc_id(apr_pstrcat(pool, "warcinfo ", name, date, NULL), pool));
    tmpl_warc_head_add(&head, "WARC-Date", date);
    tmpl_warc_head_add(&head, "WARC-Filename", name);
    tmpl_warc_head_add(&head, "Content-Type", "application/warc-fields");
    tmpl_warc_head_add(&head, "WARC-Block-Digest", tmpl_warc_digest(about, strlen(about), pool));
    tmpl_warc_add(to, &head, about, strlen(about));
}

static void write_conversion(tmpl_buf_t *to, const ctl_warc_form_t *form,
                             const ctl_warc_page_t *page, const ctl_rendered_t *rendered)
{
    tmpl_buf_t head;
    apr_pool_t *pool = to->pool;
    const char *id = page->id != NULL ? page->id : page->url;
    tmpl_buf_init(&head, pool);
    tmpl_warc_head_begin(&head);
    tmpl_warc_head_add(&head, "WARC-Type", "conversion");
    tmpl_warc_head_add(&head, "WARC-Record-ID",
                       tmpl_warc_id(apr_pstrcat(pool, id, " ", form->mode->name, NULL), pool));
    tmpl_warc_head_add(&head, "WARC-Refers-To", page->id);
    tmpl_warc_head_add(&head, "WARC-Target-URI", page->url);
    tmpl_warc_head_add(&head, "WARC-Date", page->date);
    tmpl_warc_head_add(&head, "Content-Type", content_type(form, page, pool));
    tmpl_warc_head_add(&head, "WARC-Block-Digest",
                       tmpl_warc_digest(rendered->bytes, rendered->len, pool));
    tmpl_warc_add(to, &head, rendered->bytes, rendered->len);
}

/* Adds the lines of a head except those of the fields named, up to its empty line. */
static void copy_head(tmpl_buf_t *to, const tmpl_fields_t *head, const char *const *without)
{
    const char *at = head->text, *line = at;
    apr_size_t len, name_len;
    for (; tmpl_fields_line(head, &at, &len, &name_len); line = at) {
        const char *const *name = without;
        while (*name != NULL &&
               !(strlen(*name) == name_len && apr_cstr_casecmpn(*name, line, name_len) == 0)) {
            name++;
        }
        if (*name == NULL) {
            tmpl_buf_add(to, line, len);
        }
    }
}

/*
 * The record with the edited page: its head and its fields of HTTP stay, but those that describe
 * how the old body was sent. It takes the place of the old one, so it keeps its id.
 */
static void write_response(tmpl_buf_t *to, const ctl_warc_page_t *page,
                           const tmpl_warc_record_t *record, const ctl_rendered_t *rendered)
{
    static const char *const of_record[] = { "Content-Length", "WARC-Block-Digest",
                                             "WARC-Payload-Digest", "WARC-Truncated", NULL };
    static const char *const of_http[] = { "Content-Length",
                                           "Content-Encoding",
                                           "Transfer-Encoding",
                                           "Content-MD5",
                                           "Digest",
                                           "ETag",
                                           "Last-Modified",
                                           NULL };
    apr_pool_t *pool = to->pool;
    tmpl_buf_t head, content;
    tmpl_buf_init(&head, pool);
    tmpl_buf_init(&content, pool);
    copy_head(&head, &record->head, of_record);
    if (page->http.status != 0) {
        copy_head(&content, &page->http.head, of_http);
        tmpl_buf_add_text(
            &content,
            apr_psprintf(pool, "Content-Length: %" APR_SIZE_T_FMT "\r\n\r\n", rendered->len));
        tmpl_warc_head_add(&head, "WARC-Payload-Digest",
                           tmpl_warc_digest(rendered->bytes, rendered->len, pool));
    }
    tmpl_buf_add(&content, rendered->bytes, rendered->len);
    tmpl_warc_head_add(&head, "WARC-Block-Digest", tmpl_warc_digest(content.at, content.len, pool));
    tmpl_warc_add(to, &head, content.at, content.len);
}

/* Fields of metadata that are columns. */
static const tmpl_metadata_e columns[] = { TMPL_METADATA_TITLE,    TMPL_METADATA_LANGUAGE,
                                           TMPL_METADATA_AUTHOR,   TMPL_METADATA_PUBLISHED,
                                           TMPL_METADATA_MODIFIED, TMPL_METADATA_DESCRIPTION,
                                           TMPL_METADATA_CANONICAL };

static void row_metadata(json_t *row, const ctl_page_t *judged, const char *url, apr_pool_t *pool)
{
    tmpl_content_opts_t opts = { .url = url,
                                 .charset = judged->input->charset,
                                 .verdicts = judged->outcome->verdicts };
    tmpl_content_t content;
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    int is_read =
        judged->outcome->page != NULL &&
        tmpl_content_read(&content, judged->outcome->page, &judged->outcome->edits, &opts, scratch);
    for (apr_size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        const apr_array_header_t *values = is_read ? content.metadata.values[columns[i]] : NULL;
        json_object_set_new(
            row, tmpl_metadata_fields[columns[i]].key,
            ctl_json_text(values != NULL ? apr_array_pstrcat(scratch, values, ';') : NULL,
                          scratch));
    }
    apr_pool_destroy(scratch);
}

/* Every line has the same columns, and each column one type: what has no value is null. */
static void write_line(tmpl_buf_t *to, const ctl_warc_form_t *form, const ctl_warc_page_t *page,
                       const ctl_page_t *judged, const ctl_rendered_t *rendered)
{
    apr_pool_t *pool = to->pool;
    const tmpl_outcome_t *outcome = judged->outcome;
    const char *column = contents[content_of(form->mode)].column;
    json_t *row =
        json_pack("{s:o, s:o, s:o, s:o}", "url", ctl_json_text(page->url, pool), "site",
                  ctl_json_text(page->input.site, pool), "date", ctl_json_text(page->date, pool),
                  "record", ctl_json_text(page->id, pool));
    row_metadata(row, judged, page->url, pool);
    json_object_update_new(
        row,
        json_pack("{s:s, s:o, s:o, s:s?}", "decline", tmpl_decline_name(outcome->decline), "ratio",
                  outcome->verdicts != NULL ? json_real(outcome->closure.ratio) : json_null(),
                  "confidence",
                  outcome->verdicts != NULL ? json_real(outcome->closure.confidence) : json_null(),
                  "fingerprint", tmpl_clean_fingerprint(outcome, judged->input, pool)));
    json_object_set_new(row, column, ctl_json_string(rendered->bytes, rendered->len, pool));
    char *text = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(6));
    tmpl_buf_add_text(to, text != NULL ? text : "{}");
    tmpl_buf_add_byte(to, '\n');
    free(text);
    json_decref(row);
}

void ctl_warc_written(tmpl_buf_t *to, const ctl_warc_form_t *form, const ctl_warc_page_t *page,
                      const tmpl_warc_record_t *record, const ctl_page_t *judged,
                      const ctl_rendered_t *rendered)
{
    if (form->json_lines) {
        write_line(to, form, page, judged, rendered);
    }
    else if (form->responses) {
        write_response(to, page, record, rendered);
    }
    else {
        write_conversion(to, form, page, rendered);
    }
}

void ctl_warc_compress(tmpl_buf_t *written, const ctl_warc_form_t *form)
{
    if (form->gzip && written->len > 0) {
        tmpl_buf_t plain = *written;
        tmpl_buf_init(written, plain.pool);
        ctl_gzip(written, plain.at, plain.len);
    }
}

/* --- the index --- */

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

/*
 * The key of an address in an index of captures, from pool: "org,example)/path?query". The host is
 * without www, all is in lower case, and parameters are sorted, as in pywb's indexes.
 */
static const char *index_key(const tmpl_address_t *address, apr_pool_t *pool)
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

/* The digits of a WARC-Date down to the second. */
static const char *timestamp_of(const char *date, apr_pool_t *pool)
{
    enum { DIGITS = 14 };
    char *stamp = apr_pcalloc(pool, DIGITS + 1);
    int n = 0;
    for (; date != NULL && *date != '\0' && n < DIGITS; date++) {
        if (tmpl_is_digit(*date)) {
            stamp[n++] = *date;
        }
    }
    return n == DIGITS ? stamp : NULL;
}

const char *ctl_warc_index_line(const ctl_warc_form_t *form, const ctl_warc_page_t *page,
                                const char *name, apr_off_t offset, apr_size_t len,
                                apr_pool_t *pool)
{
    const char *stamp = timestamp_of(page->date, pool);
    if (stamp == NULL) {
        return NULL;
    }
    json_t *json = json_pack(
        "{s:o, s:o, s:o, s:o}", "url", ctl_json_text(page->url, pool), "mime",
        ctl_json_text(form->responses ? "text/html" : content_type(form, page, pool), pool),
        "length", ctl_json_text(apr_psprintf(pool, "%" APR_SIZE_T_FMT, len), pool), "offset",
        ctl_json_text(apr_psprintf(pool, "%" APR_OFF_T_FMT, offset), pool));
    if (form->responses && page->http.status != 0) {
        json_object_set_new(json, "status", json_string("200"));
    }
    json_object_set_new(json, "filename", ctl_json_text(name, pool));
    char *text = json_dumps(json, JSON_COMPACT);
    const char *line =
        apr_pstrcat(pool, index_key(&page->address, pool), " ", stamp, " ", text, "\n", NULL);
    free(text);
    json_decref(json);
    return line;
}

/* --- sinks --- */

apr_status_t ctl_warc_sink_open(ctl_warc_sink_t *sink, const char *path, apr_off_t len,
                                apr_pool_t *pool)
{
    apr_int32_t flags = APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_BINARY | APR_FOPEN_BUFFERED;
    *sink = (ctl_warc_sink_t){ .path = path != NULL ? path : "standard output",
                               .is_own = path != NULL,
                               .len = len };
    apr_finfo_t info = { .size = 0 };
    apr_status_t status = path == NULL
                              ? apr_file_open_flags_stdout(&sink->file, APR_FOPEN_BUFFERED, pool)
                              : apr_file_open(&sink->file, path, flags, APR_FPROT_OS_DEFAULT, pool);
    if (status == APR_SUCCESS && path != NULL) {
        status = apr_file_info_get(&info, APR_FINFO_SIZE, sink->file);
        status = status == APR_SUCCESS && info.size < len ? APR_EOF : status;
    }
    if (status == APR_SUCCESS && path != NULL) {
        status = apr_file_trunc(sink->file, len);
    }
    if (status == APR_SUCCESS && path != NULL) {
        status = apr_file_seek(sink->file, APR_SET, &len);
    }
    if (status != APR_SUCCESS) {
        ctl_say("warc: %s: cannot write: %s", sink->path, ctl_error_text(status, pool));
    }
    return status;
}

void ctl_warc_sink_add(ctl_warc_sink_t *sink, const char *bytes, apr_size_t len)
{
    if (sink->failed == APR_SUCCESS && len > 0) {
        sink->failed = apr_file_write_full(sink->file, bytes, len, NULL);
        sink->len += (apr_off_t)len;
    }
}

void ctl_warc_sink_cut(ctl_warc_sink_t *sink, apr_off_t len)
{
    /* in front of standard output there may be others' bytes, or it is a pipe */
    apr_status_t status = sink->is_own ? apr_file_flush(sink->file) : APR_FROM_OS_ERROR(ESPIPE);
    status = status == APR_SUCCESS ? apr_file_trunc(sink->file, len) : status;
    status = status == APR_SUCCESS ? apr_file_seek(sink->file, APR_SET, &len) : status;
    sink->failed = sink->failed == APR_SUCCESS ? status : sink->failed;
    sink->len = len;
}

apr_status_t ctl_warc_sink_flush(ctl_warc_sink_t *sink, apr_pool_t *pool)
{
    apr_status_t status = sink->file == NULL            ? APR_SUCCESS
                          : sink->failed == APR_SUCCESS ? apr_file_flush(sink->file)
                                                        : sink->failed;
    if (status != APR_SUCCESS && sink->path != NULL) {
        ctl_say("warc: %s: cannot write: %s", sink->path, ctl_error_text(status, pool));
        sink->path = NULL;
    }
    return status;
}
