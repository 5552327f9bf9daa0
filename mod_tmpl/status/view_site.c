/* SPDX-License-Identifier: Apache-2.0 */
/* One site: its state, its learning curve, its tables in the stores, its last decisions. */
#include "admin.h"
#include "plot.h"
#include "views.h"

#define N(columns) ((int)(sizeof(columns) / sizeof((columns)[0])))

static void put_summary(const tmpl_html_t *h)
{
    const json_t *site = h->data;
    double last = tmpl_member_number(site, "last_seen"),
           learnt = tmpl_member_number(site, "last_learnt");

    if (json_object_get(site, "pages") == NULL) {
        tmpl_put(h, "<p>No page of this site has been seen since the start.</p>\n");
        return;
    }
    tmpl_put(h, "<dl>\n");
    tmpl_put_figure(h, "State", tmpl_member_text(site, "state"));
    tmpl_put_figure(h, "Pages seen", tmpl_text_count(h, tmpl_member_count(site, "pages")));
    tmpl_put_figure(h, "Documents learnt",
                    tmpl_text_count(h, tmpl_member_count(site, "documents")));
    tmpl_put_figure(h, "Template share",
                    tmpl_text_share(h, tmpl_member_number(site, "template_share")));
    tmpl_put_figure(h, "Declined", tmpl_text_count(h, tmpl_member_count(site, "declined")));
    tmpl_put_figure(h, "Last seen", tmpl_text_moment(h, last));
    tmpl_put_figure(h, "Last learnt", learnt > 0 ? tmpl_text_moment(h, learnt) : "never");
    tmpl_put(h, "</dl>\n");
}

static void put_curve(const tmpl_html_t *h)
{
    static const tmpl_column_t columns[] = {
        { "Pages seen", "pages", tmpl_cell_count, 1 },
        { "Template share", "template_share", tmpl_cell_share, 1 },
        { "Known segments", "known_share", tmpl_cell_share, 1 },
    };
    const json_t *points = json_object_get(h->data, "curve");

    tmpl_put_section(h, "curve", "Learning curve");
    if (json_array_size(points) == 0) {
        tmpl_put(h, "<p>No page has been judged yet.</p></section>\n");
        return;
    }
    tmpl_put(h, "<div class=\"beside\">\n");
    tmpl_plot_curve(h, points);
    tmpl_put_table(h, "The same as figures", columns, N(columns), points, "");
    tmpl_put(h, "</div>\n</section>\n");
}

static void cell_df(const tmpl_html_t *h, const json_t *row, const char *name)
{
    json_int_t from = tmpl_member_count(row, name), to = tmpl_member_count(row, "to");

    tmpl_put(h, from == to ? "%s" : "%s to %s", tmpl_text_count(h, from), tmpl_text_count(h, to));
}

/* Puts a table of segments by DF. Adds the member "share" (of all segments) to each row. */
static void put_distribution(const tmpl_html_t *h, json_t *ranges)
{
    static const tmpl_column_t columns[] = {
        { "Documents", "from", cell_df, 1 },
        { "Segments", "segments", tmpl_cell_count, 1 },
        { "Share", "share", tmpl_cell_bar, 1 },
    };
    json_t *range;
    double sum = 0;
    size_t i;

    json_array_foreach(ranges, i, range)
    {
        sum += tmpl_member_number(range, "segments");
    }
    json_array_foreach(ranges, i, range)
    {
        json_object_set_new(range, "share",
                            json_real(tmpl_member_number(range, "segments") / (sum > 0 ? sum : 1)));
    }
    tmpl_put_table(h, "Segments by the number of documents that they are on (DF)", columns,
                   N(columns), ranges, "The table has no segments.");
}

/* Buttons for users whom TmplAdmin allows. Forget, which cannot be undone, takes two steps. */
static void put_actions(const tmpl_html_t *h, const char *store, int frozen)
{
    char token[TMPL_TOKEN_SIZE];
    char *key = apr_pstrdup(h->r->pool, tmpl_member_text(h->data, "query"));

    (void)ap_unescape_urlencoded(key);
    tmpl_admin_token(token, h->r, key, store);
    tmpl_put(
        h,
        "<form method=\"post\" action=\"%s?site=%s\"><input type=\"hidden\" name=\"store\" "
        "value=\"%s\"><input type=\"hidden\" name=\"token\" value=\"%s\">\n"
        "<button name=\"action\" value=\"export\">Export</button>\n"
        "<button name=\"action\" value=\"%s\">%s</button>\n"
        "<details><summary>Forget</summary><button name=\"action\" value=\"forget\">Remove all "
        "that was learnt of this site</button></details></form>\n",
        h->location, tmpl_member_text(h->data, "query"), store, token,
        frozen ? "unfreeze" : "freeze", frozen ? "Unfreeze" : "Freeze");
}

static void put_tables(const tmpl_html_t *h)
{
    int may = tmpl_admin_allows(h->r);
    json_t *table;
    size_t i;

    tmpl_put_section(h, "table", "What is learnt");
    json_array_foreach(json_object_get(h->data, "unread"), i, table)
    {
        tmpl_put(h, "<p>The store %s cannot be read: %s</p>\n", tmpl_member_text(table, "store"),
                 tmpl_member_text(table, "why"));
    }
    if (json_array_size(json_object_get(h->data, "tables")) == 0 &&
        json_array_size(json_object_get(h->data, "unread")) == 0) {
        tmpl_put(h, "<p>No store knows this site.</p>\n");
    }
    json_array_foreach(json_object_get(h->data, "tables"), i, table)
    {
        int frozen = json_is_true(json_object_get(table, "frozen"));

        tmpl_put(h, "<h3>%s%s</h3>\n<dl>\n", tmpl_member_text(table, "store"),
                 frozen ? ": frozen, nothing is learnt" : "");
        tmpl_put_figure(h, "Documents", tmpl_text_count(h, tmpl_member_count(table, "documents")));
        tmpl_put_figure(h, "Entries", tmpl_text_count(h, tmpl_member_count(table, "entries")));
        tmpl_put_figure(h, "Template segments",
                        tmpl_text_count(h, tmpl_member_count(table, "template")));
        tmpl_put_figure(h, "Size", tmpl_text_bytes(h, tmpl_member_number(table, "bytes")));
        tmpl_put(h, "</dl>\n");
        put_distribution(h, json_object_get(table, "segments_by_df"));
        if (may) {
            put_actions(h, tmpl_member_text(table, "store"), frozen);
        }
    }
    tmpl_put(h, "</section>\n");
}

/* The declines of the site's last pages. */
static void put_declines(const tmpl_html_t *h)
{
    const json_t *window = json_object_get(h->data, "last_pages"), *count;
    const char *reason;

    if (window == NULL) {
        return;
    }
    tmpl_put_section(h, "declines", "Declines");
    tmpl_put(h, "<p>Of the last %s pages %s were declined.</p>\n",
             tmpl_text_count(h, tmpl_member_count(window, "pages")),
             tmpl_text_count(h, tmpl_member_count(window, "declined")));
    if (json_object_size(json_object_get(window, "reasons")) > 0) {
        tmpl_put(h, "<ul>\n");
        json_object_foreach(json_object_get(window, "reasons"), reason, count)
        {
            tmpl_put(h, "<li>%s: %s</li>\n", reason, tmpl_text_count(h, json_integer_value(count)));
        }
        tmpl_put(h, "</ul>\n");
    }
    tmpl_put(h, "</section>\n");
}

void tmpl_view_site(const tmpl_html_t *h)
{
    put_summary(h);
    put_curve(h);
    put_tables(h);
    put_declines(h);
    tmpl_put_section(h, "decisions", "Last decisions");
    tmpl_put_decisions(h, json_object_get(h->data, "decisions"), 0);
    tmpl_put(h, "</section>\n");
}
