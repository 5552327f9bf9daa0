/* SPDX-License-Identifier: Apache-2.0 */
/* The server: its sites, decisions, declines, stores, times and configuration. */
#include "plot.h"
#include "views.h"

#define N(columns) ((int)(sizeof(columns) / sizeof((columns)[0])))

static json_int_t counter(const tmpl_html_t *h, const char *name)
{
    return tmpl_member_count(json_object_get(h->data, "counters"), name);
}

static json_int_t sum_of(const json_t *rows, const char *name)
{
    json_int_t sum = 0;
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        sum += tmpl_member_count(row, name);
    }
    return sum;
}

static void put_count(const tmpl_html_t *h, const char *name, json_int_t count)
{
    tmpl_put_figure(h, name, tmpl_text_count(h, count));
}

static void put_summary(const tmpl_html_t *h)
{
    double in = (double)counter(h, "bytes-in"), out = (double)counter(h, "bytes-out");
    json_int_t hits = counter(h, "cache-hit"),
               asked = hits + counter(h, "cache-miss") + counter(h, "cache-stale");
    const json_t *stores = json_object_get(h->data, "stores");

    tmpl_put(h, "<dl>\n");
    put_count(h, "Pages judged", counter(h, "pages"));
    put_count(h, "Pages changed", counter(h, "edited"));
    put_count(h, "Responses declined", sum_of(json_object_get(h->data, "declines"), "count"));
    put_count(h, "Sites seen", tmpl_member_count(h->data, "sites_seen"));
    tmpl_put_figure(h, "Bytes removed", in > 0 ? tmpl_text_share(h, 1 - out / in) : "-");
    tmpl_put_figure(h, "Cache hits",
                    asked > 0 ? tmpl_text_share(h, (double)hits / (double)asked) : "no cache used");
    put_count(h, "Documents learnt", counter(h, "learned"));
    put_count(h, "Pages waiting to be learnt", sum_of(stores, "waiting_pages"));
    put_count(h, "Pages lost before learning",
              counter(h, "learn-lost-full") + counter(h, "learn-lost-failed") +
                  counter(h, "learn-lost-room"));
    tmpl_put(h, "</dl>\n");
}

static void put_sites(const tmpl_html_t *h)
{
    tmpl_put_section(h, "sites", "Sites by traffic");
    tmpl_put_sites(h, "Sites with most pages since the start", json_object_get(h->data, "sites"));
    tmpl_put(h, "<p><a href=\"%s/sites\">All sites of the stores</a></p>\n</section>\n",
             h->location);
}

static void put_option(const tmpl_html_t *h, const char *value, const char *text,
                       const char *chosen)
{
    tmpl_put(h,
             strcmp(value, chosen) == 0 ? "<option value=\"%s\" selected>%s</option>"
                                        : "<option value=\"%s\">%s</option>",
             value, text);
}

static void put_decisions(const tmpl_html_t *h)
{
    const char *chosen = tmpl_member_text(h->data, "decisions_declined");
    const json_t *decline;
    size_t i;

    tmpl_put_section(h, "decisions", "Last decisions");
    tmpl_put(h,
             "<form action=\"%s#decisions\"><label for=\"declined\">Show</label>"
             "<select id=\"declined\" name=\"declined\">",
             h->location);
    put_option(h, "", "all", chosen);
    put_option(h, "any", "all that were declined", chosen);
    json_array_foreach(json_object_get(h->data, "declines"), i, decline)
    {
        const char *reason = tmpl_member_text(decline, "reason");

        put_option(h, reason, apr_pstrcat(h->r->pool, "declined: ", reason, NULL), chosen);
    }
    tmpl_put(h, "</select><button>Show</button></form>\n");
    tmpl_put_decisions(h, json_object_get(h->data, "decisions"), 1);
    tmpl_put(h,
             "<p class=\"note\">The last %s decisions are kept (TmplRecent); JSON has all of "
             "them.</p>\n</section>\n",
             tmpl_text_count(h, tmpl_member_count(h->data, "decisions_kept")));
}

static void put_declines(const tmpl_html_t *h)
{
    static const tmpl_column_t columns[] = {
        { "Reason", "reason", tmpl_cell_text, 0 },
        { "Responses", "count", tmpl_cell_count, 1 },
        { "Why", "text", tmpl_cell_text, 0 },
        { "What to do", "advice", tmpl_cell_text, 0 },
    };
    json_t *some = json_array(), *row;
    size_t i;

    json_array_foreach(json_object_get(h->data, "declines"), i, row)
    {
        if (tmpl_member_count(row, "count") > 0) {
            json_array_append(some, row);
        }
    }
    tmpl_put_section(h, "declines", "Declines by reason");
    tmpl_put_table(h, "Responses that passed untouched", columns, N(columns), some,
                   "No response was declined.");
    tmpl_put(h, "</section>\n");
    json_decref(some);
}

/* How many children do not use the store now. */
static void cell_breaker(const tmpl_html_t *h, const json_t *row, const char *name)
{
    json_int_t lookup = tmpl_member_count(json_object_get(row, name), "look-up"),
               learn = tmpl_member_count(json_object_get(row, name), "learn");

    if (lookup + learn == 0) {
        tmpl_put(h, "in use");
        return;
    }
    tmpl_put(h, "<span class=\"bad\">paused</span> by %s children for look-up, by %s for learning",
             tmpl_text_count(h, lookup), tmpl_text_count(h, learn));
}

static void cell_errors(const tmpl_html_t *h, const json_t *row, const char *name)
{
    const json_t *errors = json_object_get(row, name);

    tmpl_put(h, "%s",
             tmpl_text_count(h, tmpl_member_count(errors, "look-up") +
                                    tmpl_member_count(errors, "learn")));
}

static void put_events(const tmpl_html_t *h, const json_t *store)
{
    static const tmpl_column_t columns[] = {
        { "Time", "time", tmpl_cell_moment, 0 },
        { "Event", "event", tmpl_cell_text, 0 },
        { "For", "purpose", tmpl_cell_text, 0 },
        { "Why", "text", tmpl_cell_text, 0 },
    };
    const json_t *events = json_object_get(store, "events");

    if (json_array_size(events) > 0) {
        tmpl_put(h, "<h3>Events of %s</h3>\n", tmpl_member_text(store, "store"));
        tmpl_put_table(h, "As the children saw them, the newest first", columns, N(columns), events,
                       "");
    }
}

static void put_stores(const tmpl_html_t *h)
{
    static const tmpl_column_t columns[] = {
        { "Store", "store", tmpl_cell_text, 0 },
        { "State", "breakers_open", cell_breaker, 0 },
        { "Errors", "errors", cell_errors, 1 },
        { "Pages waiting", "waiting_pages", tmpl_cell_count, 1 },
        { "Bytes waiting", "waiting_bytes", tmpl_cell_bytes, 1 },
        { "Bytes in use", "bytes", tmpl_cell_bytes, 1 },
        { "Most bytes", "max_bytes", tmpl_cell_bytes, 1 },
        { "Sites", "sites", tmpl_cell_count, 1 },
        { "Most sites", "max_sites", tmpl_cell_count, 1 },
        { "Sites forgotten for others", "sites_forgotten", tmpl_cell_count, 1 },
    };
    const json_t *store;
    size_t i;

    tmpl_put_section(h, "stores", "Stores and the learner");
    tmpl_put_table(h, "Stores", columns, N(columns), json_object_get(h->data, "stores"),
                   "No store is configured.");
    tmpl_put(h,
             "<p>Of %s pages that waited to be learnt %s were passed to a store; lost were %s "
             "because a store was full, %s because it failed, %s because too many waited.</p>\n",
             tmpl_text_count(h, counter(h, "learn-later")),
             tmpl_text_count(h, counter(h, "learn-done")),
             tmpl_text_count(h, counter(h, "learn-lost-full")),
             tmpl_text_count(h, counter(h, "learn-lost-failed")),
             tmpl_text_count(h, counter(h, "learn-lost-room")));
    json_array_foreach(json_object_get(h->data, "stores"), i, store)
    {
        put_events(h, store);
    }
    tmpl_put(h, "</section>\n");
}

/* The buckets of all stages in one table: a row for each bound. */
static void put_times_as_table(const tmpl_html_t *h, const json_t *stages)
{
    const json_t *stage, *bucket;
    size_t i, at;

    tmpl_put(h, "<details><summary>The same as figures</summary>"
                "<div class=\"scroll\" role=\"region\" aria-label=\"Times\" tabindex=\"0\"><table>"
                "<thead><tr><th scope=\"col\">Up to</th>");
    json_array_foreach(stages, i, stage)
    {
        tmpl_put(h, "<th scope=\"col\" class=\"number\">%s</th>", tmpl_member_text(stage, "stage"));
    }
    tmpl_put(h, "</tr></thead>\n<tbody>\n");
    json_array_foreach(json_object_get(json_array_get(stages, 0), "buckets"), at, bucket)
    {
        double bound = tmpl_member_number(bucket, "up_to");

        tmpl_put(h, "<tr><th scope=\"row\">%s</th>",
                 bound > 0 ? tmpl_text_duration(h, bound) : "longer");
        json_array_foreach(stages, i, stage)
        {
            tmpl_put(h, "<td class=\"number\">%s</td>",
                     tmpl_text_count(
                         h, tmpl_member_count(json_array_get(json_object_get(stage, "buckets"), at),
                                              "count")));
        }
        tmpl_put(h, "</tr>\n");
    }
    tmpl_put(h, "</tbody></table></div></details>\n");
}

static void put_times(const tmpl_html_t *h)
{
    const json_t *stages = json_object_get(h->data, "stages"), *stage;
    size_t i;

    tmpl_put_section(h, "times", "Time by stage");
    tmpl_put(h, "<div class=\"plots\">\n");
    json_array_foreach(stages, i, stage)
    {
        tmpl_plot_stage(h, stage);
    }
    tmpl_put(h, "</div>\n");
    put_times_as_table(h, stages);
    tmpl_put(h, "</section>\n");
}

static void cell_place(const tmpl_html_t *h, const json_t *row, const char *name)
{
    tmpl_put(h, "%s:%s", tmpl_member_text(row, name),
             apr_psprintf(h->r->pool, "%.0f", tmpl_member_number(row, "line")));
}

static void cell_code(const tmpl_html_t *h, const json_t *row, const char *name)
{
    tmpl_put(h, "<code>%s</code>", tmpl_member_text(row, name));
}

/* One table for each server; the rows of a server follow each other. */
static void put_configuration(const tmpl_html_t *h)
{
    static const tmpl_column_t columns[] = {
        { "Directive", "directive", cell_code, 0 },
        { "Value", "value", cell_code, 0 },
        { "Section", "section", cell_code, 0 },
        { "Written in", "file", cell_place, 0 },
    };
    const json_t *rows = json_object_get(h->data, "configuration");
    size_t i = 0, n = json_array_size(rows);

    tmpl_put_section(h, "configuration", "Configuration in force");
    tmpl_put(h,
             "<p class=\"note\">As it is written. A section has what it does not set itself from "
             "those around it, and a virtual host from the main server; what nobody sets has its "
             "default.</p>\n");
    while (i < n) {
        const char *server = tmpl_member_text(json_array_get(rows, i), "server");
        json_t *own = json_array();

        while (i < n && strcmp(tmpl_member_text(json_array_get(rows, i), "server"), server) == 0) {
            json_array_append(own, json_array_get(rows, i++));
        }
        tmpl_put_table(h, *server != '\0' ? server : "Main server", columns, N(columns), own, "");
        json_decref(own);
    }
    tmpl_put(h, "</section>\n");
}

static void put_selectors(const tmpl_html_t *h)
{
    static const tmpl_column_t columns[] = {
        { "Selector", "selector", cell_code, 0 },
        { "Directive", "directive", cell_code, 0 },
        { "Pages matched", "pages", tmpl_cell_count, 1 },
    };

    tmpl_put_section(h, "selectors", "Selectors");
    tmpl_put_table(h, "Pages on which a selector of TmplKeep or TmplDrop matched", columns,
                   N(columns), json_object_get(h->data, "selectors"),
                   "TmplKeep and TmplDrop have no selector.");
    tmpl_put(h, "</section>\n");
}

void tmpl_view_server(const tmpl_html_t *h)
{
    put_summary(h);
    put_sites(h);
    put_decisions(h);
    put_declines(h);
    put_stores(h);
    put_times(h);
    put_selectors(h);
    put_configuration(h);
}
