/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "markup.h"

void tmpl_put(const tmpl_html_t *h, const char *markup, ...)
{
    const char *at;
    va_list texts;

    va_start(texts, markup);
    while ((at = ap_strchr_c(markup, '%')) != NULL) {
        ap_rwrite(markup, (int)(at - markup), h->r);
        ap_rputs(at[1] == 's' ? ap_escape_html(h->r->pool, va_arg(texts, const char *)) : "%",
                 h->r);
        markup = at + 2;
    }
    va_end(texts);
    ap_rputs(markup, h->r);
}

const char *tmpl_text_count(const tmpl_html_t *h, json_int_t n)
{
    const char *digits = apr_psprintf(h->r->pool, "%" APR_INT64_T_FMT, (apr_int64_t)n);
    apr_size_t len = strlen(digits), i;
    char *text = apr_palloc(h->r->pool, 2 * len + 1), *to = text;

    for (i = 0; i < len; i++) {
        *to++ = digits[i];
        if (i + 1 < len && (len - i - 1) % 3 == 0 && digits[i] != '-') {
            *to++ = ',';
        }
    }
    *to = '\0';
    return text;
}

const char *tmpl_text_bytes(const tmpl_html_t *h, double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    size_t i = 0;

    while (bytes >= 1000 && i + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1000;
        i++;
    }
    return apr_psprintf(h->r->pool, "%.*f %s", i > 0, bytes, units[i]);
}

const char *tmpl_text_share(const tmpl_html_t *h, double share)
{
    return apr_psprintf(h->r->pool, "%.1f %%", 100 * share);
}

const char *tmpl_text_duration(const tmpl_html_t *h, double seconds)
{
    return seconds < 0.001         ? apr_psprintf(h->r->pool, "%.0f \xC2\xB5s", 1e6 * seconds)
           : seconds < 1           ? apr_psprintf(h->r->pool, "%.3g ms", 1000 * seconds)
           : seconds < 60          ? apr_psprintf(h->r->pool, "%.3g s", seconds)
           : seconds < 3600        ? apr_psprintf(h->r->pool, "%.0f min", seconds / 60)
           : seconds < 2 * 86400.0 ? apr_psprintf(h->r->pool, "%.0f h", seconds / 3600)
                                   : apr_psprintf(h->r->pool, "%.0f days", seconds / 86400);
}

const char *tmpl_text_moment(const tmpl_html_t *h, double seconds)
{
    char *text = apr_palloc(h->r->pool, sizeof("2026-01-31 12:00:00Z"));
    apr_size_t len;
    apr_time_exp_t utc;

    apr_time_exp_gmt(&utc, (apr_time_t)(seconds * APR_USEC_PER_SEC));
    apr_strftime(text, &len, sizeof("2026-01-31 12:00:00Z"), "%Y-%m-%d %H:%M:%SZ", &utc);
    return text;
}

/* ---- tables ---- */

static int has_number(const json_t *row, const char *name)
{
    return json_is_number(json_object_get(row, name));
}

void tmpl_cell_text(const tmpl_html_t *h, const json_t *row, const char *name)
{
    tmpl_put(h, "%s", tmpl_member_text(row, name));
}

void tmpl_cell_count(const tmpl_html_t *h, const json_t *row, const char *name)
{
    if (has_number(row, name)) {
        tmpl_put(h, "%s", tmpl_text_count(h, tmpl_member_count(row, name)));
    }
}

void tmpl_cell_bytes(const tmpl_html_t *h, const json_t *row, const char *name)
{
    if (has_number(row, name)) {
        tmpl_put(h, "%s", tmpl_text_bytes(h, tmpl_member_number(row, name)));
    }
}

void tmpl_cell_share(const tmpl_html_t *h, const json_t *row, const char *name)
{
    if (has_number(row, name)) {
        tmpl_put(h, "%s", tmpl_text_share(h, tmpl_member_number(row, name)));
    }
}

void tmpl_cell_bar(const tmpl_html_t *h, const json_t *row, const char *name)
{
    if (has_number(row, name)) {
        tmpl_put(h,
                 "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
                 "aria-hidden=\"true\"><rect width=\"%s\" height=\"10\"/></svg>%s",
                 apr_psprintf(h->r->pool, "%.1f", 100 * tmpl_member_number(row, name)),
                 tmpl_text_share(h, tmpl_member_number(row, name)));
    }
}

void tmpl_cell_moment(const tmpl_html_t *h, const json_t *row, const char *name)
{
    if (has_number(row, name)) {
        tmpl_put(h, "<time>%s</time>", tmpl_text_moment(h, tmpl_member_number(row, name)));
    }
}

void tmpl_cell_ago(const tmpl_html_t *h, const json_t *row, const char *name)
{
    double seconds = tmpl_member_number(row, name);

    if (has_number(row, name)) {
        tmpl_put(h, "<time datetime=\"%s\">%s ago</time>", tmpl_text_moment(h, seconds),
                 tmpl_text_duration(h, fmax(1, floor(h->now - seconds))));
    }
}

static void put_row(const tmpl_html_t *h, const tmpl_column_t *columns, int n, const json_t *row)
{
    int i;

    ap_rputs("<tr>", h->r);
    for (i = 0; i < n; i++) {
        ap_rputs(i == 0 && columns[i].is_number ? "<th scope=\"row\" class=\"number\">"
                 : i == 0                       ? "<th scope=\"row\">"
                 : columns[i].is_number         ? "<td class=\"number\">"
                                                : "<td>",
                 h->r);
        columns[i].write(h, row, columns[i].name);
        ap_rputs(i == 0 ? "</th>" : "</td>", h->r);
    }
    ap_rputs("</tr>\n", h->r);
}

void tmpl_put_table(const tmpl_html_t *h, const char *caption, const tmpl_column_t *columns, int n,
                    const json_t *rows, const char *empty)
{
    const json_t *row;
    size_t i;
    int column;

    if (json_array_size(rows) == 0) {
        tmpl_put(h, "<p>%s</p>\n", empty);
        return;
    }
    tmpl_put(h,
             "<div class=\"scroll\" role=\"region\" aria-label=\"%s\" tabindex=\"0\"><table>\n"
             "<caption>%s</caption>\n<thead><tr>",
             caption, caption);
    for (column = 0; column < n; column++) {
        tmpl_put(h,
                 columns[column].is_number ? "<th scope=\"col\" class=\"number\">%s</th>"
                                           : "<th scope=\"col\">%s</th>",
                 columns[column].title);
    }
    ap_rputs("</tr></thead>\n<tbody>\n", h->r);
    json_array_foreach(rows, i, row)
    {
        put_row(h, columns, n, row);
    }
    ap_rputs("</tbody></table></div>\n", h->r);
}

void tmpl_put_section(const tmpl_html_t *h, const char *id, const char *heading)
{
    tmpl_put(h, "<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n", id, id,
             id, heading);
}
