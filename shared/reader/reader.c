/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/reader.h"

#include <stdlib.h>

#include <apr_strings.h>

#include "reader/view.h"

/* Adds an element with a text, unless the text is NULL. */
static void add_element_text(tmpl_buf_t *out, const char *start, const char *text, const char *end)
{
    if (text != NULL) {
        tmpl_buf_add_text(out, start);
        tmpl_html_escape(out, text);
        tmpl_buf_add_text(out, end);
    }
}

/* The direction of the page's text; NULL: it does not say one. */
static const char *direction_of(const tmpl_content_t *content, const char *language)
{
    const char *dir = tmpl_dom_attribute(content->html, "dir");
    dir = dir != NULL ? dir : tmpl_dom_attribute(content->body, "dir");
    if (dir == NULL && language != NULL) {
        tmpl_span_t primary = { 0, (uint32_t)strcspn(language, "-") };
        return tmpl_span_is_any(language, primary, "ar dv fa he iw ku ps sd ug ur yi") ? "rtl"
                                                                                       : NULL;
    }
    if (dir == NULL) {
        return NULL;
    }
    return apr_cstr_casecmp(dir, "rtl") == 0   ? "rtl"
           : apr_cstr_casecmp(dir, "ltr") == 0 ? "ltr"
                                               : NULL;
}

/* Writes all up to body. url: the page's address; NULL: not known. */
static void write_head(tmpl_buf_t *out, const tmpl_content_t *content, const char *title,
                       const char *url)
{
    const char *language = tmpl_metadata_first(&content->metadata, TMPL_METADATA_LANGUAGE);
    tmpl_buf_add_text(out, "<!doctype html>\n<html");
    add_element_text(out, " lang=\"", language, "\"");
    add_element_text(out, " dir=\"", direction_of(content, language), "\"");
    tmpl_buf_add_text(out, ">\n<head>\n<meta charset=\"utf-8\">\n");
    add_element_text(out, "<title>", title, "</title>\n");
    tmpl_buf_add_text(out, "<meta name=\"viewport\" content=\"width=device-width, "
                           "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
                           "content=\"");
    tmpl_buf_add_text(out, tmpl_reader_policy);
    tmpl_buf_add_text(out, "\">\n");
    add_element_text(out, "<link rel=\"canonical\" href=\"", url, "\">\n");
    tmpl_buf_add_text(out, "<style>");
    tmpl_buf_add_text(out, tmpl_reader_style);
    tmpl_buf_add_text(out, "</style>\n</head>\n");
}

/* Begins a part of the line below the headline. */
static void begin_fact(tmpl_buf_t *out, int *n)
{
    tmpl_buf_add_text(out, (*n)++ == 0 ? "<p>" : " \xC2\xB7 ");
}

static void end_facts(tmpl_buf_t *out, int n)
{
    tmpl_buf_add_text(out, n > 0 ? "</p>\n" : "");
}

const char *tmpl_view_date(const tmpl_metadata_t *metadata)
{
    const char *published = tmpl_metadata_first(metadata, TMPL_METADATA_PUBLISHED);
    return published != NULL ? published : tmpl_metadata_first(metadata, TMPL_METADATA_MODIFIED);
}

/* Who wrote it, when, and on which site. */
static void write_byline(tmpl_buf_t *out, const tmpl_metadata_t *metadata)
{
    const apr_array_header_t *authors = metadata->values[TMPL_METADATA_AUTHOR];
    const char *date = tmpl_view_date(metadata);
    const char *site = tmpl_metadata_first(metadata, TMPL_METADATA_SITE);
    int n = 0;
    for (int i = 0; authors != NULL && i < authors->nelts; i++) {
        i == 0 ? begin_fact(out, &n) : tmpl_buf_add_text(out, ", ");
        tmpl_html_escape(out, APR_ARRAY_IDX(authors, i, const char *));
    }
    if (date != NULL) {
        begin_fact(out, &n);
        add_element_text(out, "<time datetime=\"", date, "\">");
        tmpl_buf_add(out, date, strcspn(date, "T"));
        tmpl_buf_add_text(out, "</time>");
    }
    if (site != NULL) {
        begin_fact(out, &n);
        tmpl_html_escape(out, site);
    }
    end_facts(out, n);
}

/* "4.25/5" of "4.248459958932238/5". */
static const char *short_rating(const char *rating, apr_pool_t *pool)
{
    apr_size_t digits = strcspn(rating, "/"), point = strcspn(rating, ".");
    return digits > point + 3 ? apr_psprintf(pool, "%.2f%s", strtod(rating, NULL), rating + digits)
                              : rating;
}

/* What a product costs, and whether it can be had. */
static void write_offer(tmpl_buf_t *out, const tmpl_metadata_t *metadata, apr_pool_t *pool)
{
    static const tmpl_metadata_e fields[] = { TMPL_METADATA_BRAND, TMPL_METADATA_PRICE,
                                              TMPL_METADATA_AVAILABILITY, TMPL_METADATA_RATING };
    const char *currency = tmpl_metadata_first(metadata, TMPL_METADATA_CURRENCY);
    int n = 0;
    for (apr_size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const char *value = tmpl_metadata_first(metadata, fields[i]);
        const char *site = tmpl_metadata_first(metadata, TMPL_METADATA_SITE);
        if (value == NULL || (site != NULL && strcmp(value, site) == 0)) {
            continue;
        }
        begin_fact(out, &n);
        value = fields[i] == TMPL_METADATA_RATING ? short_rating(value, pool) : value;
        tmpl_html_escape(out, value);
        if (fields[i] == TMPL_METADATA_PRICE && currency != NULL) {
            add_element_text(out, " ", currency, "");
        }
    }
    end_facts(out, n);
}

/* The page's address: its canonical one, or where it was found; NULL: not known. */
static const char *whole_page(tmpl_view_t *w)
{
    const tmpl_content_t *content = w->content;
    const char *url = tmpl_metadata_first(&content->metadata, TMPL_METADATA_CANONICAL);
    url = url != NULL ? url : content->hrefs.url;
    int may = url != NULL && tmpl_href_is_safe(url) && tmpl_view_may(w, url, 1);
    return may ? apr_pstrdup(w->pool, tmpl_view_address(w, url)) : NULL;
}

const char *tmpl_reader(apr_size_t *len, const tmpl_content_t *content, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    tmpl_view_t *w = apr_palloc(scratch, sizeof(*w));
    tmpl_view_init(w, content, 3 * (apr_size_t)content->page->len + 64 * 1024, pool, scratch);
    tmpl_buf_t *out = &w->html.out;
    const char *title = tmpl_metadata_first(&content->metadata, TMPL_METADATA_TITLE);
    const char *url = whole_page(w);
    title = title != NULL ? title : url != NULL ? url : "Untitled";
    write_head(out, content, title, url);
    tmpl_buf_add_text(out, "<body>\n<main>\n<article>\n<header>\n");
    add_element_text(out, "<h1>", title, "</h1>\n");
    write_byline(out, &content->metadata);
    write_offer(out, &content->metadata, scratch);
    tmpl_buf_add_text(out, "</header>\n");
    tmpl_view_content(w, content->body);
    if (url != NULL) {
        add_element_text(out, "<footer><p lang=\"en\"><a href=\"", url,
                         "\">The whole page</a></p></footer>\n");
    }
    tmpl_buf_add_text(out, "</article>\n</main>\n</body>\n</html>\n");
    *len = out->len;
    const char *html = w->html.over ? NULL : out->at;
    apr_pool_destroy(scratch);
    return html;
}
