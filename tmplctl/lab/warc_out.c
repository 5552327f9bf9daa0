/* SPDX-License-Identifier: Apache-2.0 */
#include "warc.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_time.h>

#include "content/content.h"
#include "clean.h"
#include "render.h"

/* The longest name of a charset is far shorter. */
#define CHARSET_MOST 64

/* HTML keeps the page's charset. */
static const char *content_type(const ctl_mode_t *mode, const ctl_warc_page_t *page,
                                apr_pool_t *pool)
{
    const char *charset = page->input.charset;
    return strcmp(mode->type, "text/html") == 0 && charset != NULL &&
                   strlen(charset) <= CHARSET_MOST
               ? apr_pstrcat(pool, mode->type, "; charset=", charset, NULL)
               : mode->type;
}

void ctl_warc_info(tmpl_buf_t *to, const ctl_warc_run_t *run, const char *name, apr_pool_t *pool)
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
        run->run.mode->name, "\r\n", NULL);
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

static void write_conversion(tmpl_buf_t *to, const ctl_mode_t *mode, const ctl_warc_page_t *page,
                             const ctl_rendered_t *rendered)
{
    tmpl_buf_t head;
    apr_pool_t *pool = to->pool;
    const char *id = page->id != NULL ? page->id : page->url;
    tmpl_buf_init(&head, pool);
    tmpl_warc_head_begin(&head);
    tmpl_warc_head_add(&head, "WARC-Type", "conversion");
    tmpl_warc_head_add(&head, "WARC-Record-ID",
                       tmpl_warc_id(apr_pstrcat(pool, id, " ", mode->name, NULL), pool));
    tmpl_warc_head_add(&head, "WARC-Refers-To", page->id);
    tmpl_warc_head_add(&head, "WARC-Target-URI", page->url);
    tmpl_warc_head_add(&head, "WARC-Date", page->date);
    tmpl_warc_head_add(&head, "Content-Type", content_type(mode, page, pool));
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
static void write_line(tmpl_buf_t *to, const ctl_mode_t *mode, const ctl_item_t *item,
                       const ctl_warc_page_t *page)
{
    apr_pool_t *pool = to->pool;
    const tmpl_outcome_t *outcome = &item->outcome;
    int is_judged = outcome->verdicts != NULL;
    json_t *row =
        json_pack("{s:o, s:o, s:o, s:o}", "url", ctl_json_text(page->url, pool), "site",
                  ctl_json_text(page->input.site, pool), "date", ctl_json_text(page->date, pool),
                  "record", ctl_json_text(page->id, pool));
    row_metadata(row, &item->page, page->url, pool);
    json_object_update_new(
        row,
        json_pack("{s:s, s:o, s:o, s:s?, s:o}", "decline", tmpl_decline_name(outcome->decline),
                  "ratio", is_judged ? json_real(outcome->closure.ratio) : json_null(),
                  "confidence", is_judged ? json_real(outcome->closure.confidence) : json_null(),
                  "fingerprint", tmpl_clean_fingerprint(outcome, &item->input, pool), mode->column,
                  ctl_json_string(item->rendered.bytes, item->rendered.len, pool)));
    tmpl_buf_add_text(to, ctl_json_line(row, JSON_COMPACT, pool));
}

void ctl_warc_written(tmpl_buf_t *to, const ctl_warc_run_t *run, const ctl_item_t *item,
                      const ctl_warc_page_t *page, const tmpl_warc_record_t *record)
{
    if (run->json_lines) {
        write_line(to, run->run.mode, item, page);
    }
    else if (run->responses) {
        write_response(to, page, record, &item->rendered);
    }
    else {
        write_conversion(to, run->run.mode, page, &item->rendered);
    }
}

void ctl_warc_compress(tmpl_buf_t *written, const ctl_warc_run_t *run)
{
    if (run->gzip && written->len > 0) {
        tmpl_buf_t plain = *written;
        tmpl_buf_init(written, plain.pool);
        ctl_gzip(written, plain.at, plain.len);
    }
}
