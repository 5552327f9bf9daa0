/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of sites and of decisions. */
#include "views.h"

#define N(columns) ((int)(sizeof(columns) / sizeof((columns)[0])))

void tmpl_put_figure(const tmpl_html_t *h, const char *name, const char *figure)
{
    tmpl_put(h, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, figure);
}

static void cell_site(const tmpl_html_t *h, const json_t *row, const char *name)
{
    const char *site = tmpl_member_text(row, name);

    tmpl_put(h, "<a href=\"%s?site=%s\">%s</a>", h->location, tmpl_member_text(row, "query"),
             *site != '\0' ? site : "(no name)");
}

/* The share of declined pages among all pages. */
static void cell_declined(const tmpl_html_t *h, const json_t *row, const char *name)
{
    double pages = tmpl_member_number(row, "pages");

    if (pages > 0) {
        double share = tmpl_member_number(row, name) / pages;

        tmpl_put(h, share > 0.5 ? "<span class=\"bad\">%s</span>" : "%s",
                 tmpl_text_share(h, share));
    }
}

void tmpl_put_sites(const tmpl_html_t *h, const char *caption, const json_t *sites)
{
    static const tmpl_column_t columns[] = {
        { "Site", "site", cell_site, 0 },
        { "Pages seen", "pages", tmpl_cell_count, 1 },
        { "State", "state", tmpl_cell_text, 0 },
        { "Template share", "template_share", tmpl_cell_bar, 1 },
        { "Last learnt", "last_learnt", tmpl_cell_ago, 0 },
        { "Last seen", "last_seen", tmpl_cell_ago, 0 },
        { "Declined", "declined", cell_declined, 1 },
    };

    tmpl_put_table(h, caption, columns, N(columns), sites, "No site has been seen yet.");
}

/* What happened to the page, and where. */
static void cell_outcome(const tmpl_html_t *h, const json_t *row, const char *name)
{
    const json_t *declined = json_object_get(row, name);

    if (!json_is_object(declined)) {
        double unmarked = tmpl_member_number(row, "unmarked");

        tmpl_put(h, "%s", tmpl_member_text(row, "mode"));
        if (unmarked > 0) {
            tmpl_put(h, ", %s unmarked", tmpl_text_share(h, unmarked));
        }
        return;
    }
    tmpl_put(h, "declined: <b>%s</b>", tmpl_member_text(declined, "reason"));
    if (tmpl_member_count(declined, "line") > 0) {
        tmpl_put(h, " at byte %s, line %s, <code>%s</code>",
                 tmpl_text_count(h, tmpl_member_count(declined, "byte")),
                 tmpl_text_count(h, tmpl_member_count(declined, "line")),
                 tmpl_member_text(declined, "tag"));
    }
}

static void cell_path(const tmpl_html_t *h, const json_t *row, const char *name)
{
    tmpl_put(h, "<code>%s</code>", tmpl_member_text(row, name));
}

/* The number of template blocks and of all blocks. */
static void cell_blocks(const tmpl_html_t *h, const json_t *row, const char *name)
{
    if (json_object_get(row, name) != NULL) {
        tmpl_put(h, "%s of %s", tmpl_text_count(h, tmpl_member_count(row, "template")),
                 tmpl_text_count(h, tmpl_member_count(row, name)));
    }
}

static void cell_took(const tmpl_html_t *h, const json_t *row, const char *name)
{
    tmpl_put(h, "%s", tmpl_text_duration(h, tmpl_member_number(row, name) / 1000));
}

static void cell_confidence(const tmpl_html_t *h, const json_t *row, const char *name)
{
    if (json_object_get(row, name) != NULL) {
        tmpl_put(h, "%s", apr_psprintf(h->r->pool, "%.3f", tmpl_member_number(row, name)));
    }
}

void tmpl_put_decisions(const tmpl_html_t *h, const json_t *decisions, int with_site)
{
    static const tmpl_column_t columns[] = {
        { "Path", "path", cell_path, 0 },
        { "Site", "site", cell_site, 0 },
        { "Time", "time", tmpl_cell_moment, 0 },
        { "Outcome", "declined", cell_outcome, 0 },
        { "State", "state", tmpl_cell_text, 0 },
        { "Template blocks", "blocks", cell_blocks, 1 },
        { "Template share", "ratio", tmpl_cell_share, 1 },
        { "Confidence", "confidence", cell_confidence, 1 },
        { "Took", "milliseconds", cell_took, 1 },
        { "Cache", "cache", tmpl_cell_text, 0 },
    };
    tmpl_column_t without[N(columns) - 1];
    json_t *newest = json_array();
    size_t i, n = json_array_size(decisions);

    without[0] = columns[0];
    memcpy(without + 1, columns + 2, sizeof(columns) - 2 * sizeof(columns[0]));
    for (i = 0; i < n && i < TMPL_DECISIONS_MOST; i++) {
        json_array_append(newest, json_array_get(decisions, i));
    }
    tmpl_put_table(
        h, apr_psprintf(h->r->pool, "The newest %" APR_SIZE_T_FMT " of %" APR_SIZE_T_FMT, i, n),
        with_site ? columns : without, with_site ? N(columns) : N(columns) - 1, newest, "None.");
    json_decref(newest);
}
