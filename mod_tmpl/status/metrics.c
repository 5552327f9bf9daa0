/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"
#include "data.h"
#include "histogram.h"
#include "metrics.h"

/*
 * A metric. Its samples are numbers of data.h: of a member of the server's object or, with labels,
 * of each object of an array or each member of an object.
 */
typedef struct {
    const char *name; /* without _total; NULL: no metric */
    const char *type, *help;
    const char *member;    /* of the server's object */
    const char *labels[2]; /* members of the array's objects; then what an object's names are */
    const char *value; /* the member that is the number; of an object with labels: what the names
                          of its numbers begin with */
} family_t;

#define COUNTER(id, name, metric, explanation)                                                     \
    { metric, "counter", explanation, "counters", { NULL }, name },
#define SHARE(id, name, explanation)                                                               \
    { "tmpl_page_" name "_ratio", "histogram", explanation, "shares", { NULL }, name },
static const family_t families[] = {
    { "tmpl_build_info", "gauge", "The version of mod_tmpl.", "build", { "version" }, "" },
    { "tmpl_start_time_seconds",
      "gauge",
      "When counting began: seconds since 1970.",
      "counted_since",
      { NULL },
      NULL },
    { "tmpl_pages", "counter", "Pages judged, without declined ones.", "modes", { "mode" }, "" },
    { "tmpl_declined",
      "counter",
      "Responses that passed untouched.",
      "declines",
      { "reason" },
      "count" },
    TMPL_COUNTERS(COUNTER){ "tmpl_cache",
                            "counter",
                            "Look-ups in the cache of decisions.",
                            "counters",
                            { "result" },
                            "cache-" },
    { "tmpl_learn_lost",
      "counter",
      "Pages that waited to be learnt, and were lost.",
      "counters",
      { "reason" },
      "learn-lost-" },
    { "tmpl_selector_pages",
      "counter",
      "Judged pages with an element that a selector of TmplKeep or TmplDrop matches.",
      "selectors",
      { "directive", "selector" },
      "pages" },
    { "tmpl_page_seconds",
      "histogram",
      "Time spent on a complete page.",
      "stages",
      { NULL },
      "total" },
    { "tmpl_stage_seconds",
      "histogram",
      "Time of each stage of a page.",
      "stages",
      { "stage" },
      "" },
    TMPL_SHARES(SHARE){ "tmpl_store_errors",
                        "counter",
                        "Calls that a store did not answer.",
                        "stores",
                        { "store", "purpose" },
                        "errors" },
    { "tmpl_store_used_bytes",
      "gauge",
      "Bytes in use of the file of a store.",
      "stores",
      { "store" },
      "bytes" },
    { "tmpl_store_max_bytes",
      "gauge",
      "Bytes that the file of a store may grow to.",
      "stores",
      { "store" },
      "max_bytes" },
    { "tmpl_store_sites", "gauge", "Sites in a store.", "stores", { "store" }, "sites" },
    { "tmpl_store_max_sites",
      "gauge",
      "Sites that a store holds at most.",
      "stores",
      { "store" },
      "max_sites" },
    { "tmpl_store_sites_forgotten",
      "counter",
      "Sites that a store forgot for others.",
      "stores",
      { "store" },
      "sites_forgotten" },
    { "tmpl_breaker_open",
      "gauge",
      "Children that do not use a store now.",
      "stores",
      { "store", "purpose" },
      "breakers_open" },
    { "tmpl_store_full",
      "gauge",
      "Children whose last write to a store found no room.",
      "stores",
      { "store" },
      "full" },
    { "tmpl_learn_waiting_pages",
      "gauge",
      "Pages that wait to be learnt.",
      "waiting_pages",
      { NULL },
      NULL },
    { "tmpl_learn_waiting_bytes",
      "gauge",
      "Bytes of the pages that wait.",
      "waiting_bytes",
      { NULL },
      NULL },
    { "tmpl_sites",
      "gauge",
      "Sites seen, by their state at their last page.",
      "sites_by_state",
      { "state" },
      "" },
    { "tmpl_sites_frozen",
      "gauge",
      "Sites seen that were frozen at their last page.",
      "sites_frozen",
      { NULL },
      NULL },
    { "tmpl_site_pages",
      "counter",
      "Pages of a site, with declined ones.",
      "sites",
      { "site" },
      "pages" },
    { "tmpl_site_declined",
      "counter",
      "Pages of a site that passed untouched.",
      "sites",
      { "site" },
      "declined" },
    { "tmpl_site_removed_ratio",
      "gauge",
      "Share of the bytes of a site's judged pages that was removed.",
      "sites",
      { "site" },
      "removed_ratio" },
};
#undef COUNTER
#undef SHARE

typedef struct {
    request_rec *r;
    int open; /* whether the format is OpenMetrics */
} out_t;

/* labels, with one more; its value has escapes for characters that would end it. */
static const char *add_label(const char *labels, const char *name, const char *value,
                             apr_pool_t *pool)
{
    char *escaped = apr_palloc(pool, 2 * strlen(value) + 1), *to = escaped;

    for (; *value != '\0'; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n') {
            *to++ = '\\';
        }
        *to++ = (char)(*value == '\n' ? 'n' : *value);
    }
    *to = '\0';
    return apr_pstrcat(pool, labels, *labels != '\0' ? "," : "", name, "=\"", escaped, "\"", NULL);
}

static const char *in_braces(const char *labels, apr_pool_t *pool)
{
    return *labels != '\0' ? apr_pstrcat(pool, "{", labels, "}", NULL) : "";
}

/* Writes a sample; nothing if number is none. */
static void put_number(const out_t *out, const family_t *family, const char *labels,
                       const json_t *number)
{
    if (json_is_number(number)) {
        ap_rprintf(
            out->r, "%s%s%s %s\n", family->name,
            strcmp(family->type, "counter") == 0 ? "_total" : "", in_braces(labels, out->r->pool),
            json_is_real(number) ? apr_psprintf(out->r->pool, "%.4f", json_real_value(number))
                                 : apr_psprintf(out->r->pool, "%" APR_INT64_T_FMT,
                                                (apr_int64_t)json_integer_value(number)));
    }
}

/* Writes a sample for each number of an object whose name begins with prefix. */
static void put_numbers(const out_t *out, const family_t *family, const char *labels,
                        const char *label, const char *prefix, json_t *object)
{
    const json_t *number;
    const char *name;

    json_object_foreach(object, name, number)
    {
        if (strncmp(name, prefix, strlen(prefix)) == 0) {
            put_number(out, family, add_label(labels, label, name + strlen(prefix), out->r->pool),
                       number);
        }
    }
}

static void put_rows(const out_t *out, const family_t *family, const json_t *rows)
{
    const char *last = family->labels[1];
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        json_t *value = json_object_get(row, family->value);
        const char *labels = add_label("", family->labels[0],
                                       tmpl_member_text(row, family->labels[0]), out->r->pool);

        if (json_is_object(value)) {
            put_numbers(out, family, labels, last, "", value);
        }
        else {
            put_number(out, family,
                       last != NULL
                           ? add_label(labels, last, tmpl_member_text(row, last), out->r->pool)
                           : labels,
                       value);
        }
    }
}

static void put_histogram(const out_t *out, const char *name, const char *labels, const json_t *of)
{
    const json_t *buckets = json_object_get(of, "buckets"), *bucket;
    const char *alone = in_braces(labels, out->r->pool), *comma = *labels != '\0' ? "," : "";
    apr_int64_t below = 0;
    size_t i;

    json_array_foreach(buckets, i, bucket)
    {
        double bound = tmpl_member_number(bucket, "up_to");

        below += (apr_int64_t)tmpl_member_count(bucket, "count");
        ap_rprintf(out->r, "%s_bucket{%s%sle=\"%s\"} %" APR_INT64_T_FMT "\n", name, labels, comma,
                   bound > 0 ? apr_psprintf(out->r->pool, "%.5g", bound) : "+Inf", below);
    }
    ap_rprintf(out->r, "%s_sum%s %.6f\n%s_count%s %" APR_INT64_T_FMT "\n", name, alone,
               tmpl_member_number(of, "seconds") + tmpl_member_number(of, "sum"), name, alone,
               below);
}

/* The histogram that the family names, or, with labels, all others. */
static void put_histograms(const out_t *out, const family_t *family, const json_t *rows)
{
    const char *label = family->labels[0];
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        const char *name = tmpl_member_text(row, "stage");

        name = *name != '\0' ? name : tmpl_member_text(row, "share");
        if (label != NULL && strcmp(name, "total") != 0) {
            put_histogram(out, family->name, add_label("", label, name, out->r->pool), row);
        }
        if (label == NULL && strcmp(name, family->value) == 0) {
            put_histogram(out, family->name, "", row);
        }
    }
}

static void put_family(const out_t *out, const family_t *family, const json_t *data)
{
    json_t *of = json_object_get(data, family->member);
    /* only OpenMetrics names a counter without its suffix */
    const char *suffix = strcmp(family->type, "counter") == 0 && !out->open ? "_total" : "";

    ap_rprintf(out->r, "# HELP %s%s %s\n# TYPE %s%s %s\n", family->name, suffix, family->help,
               family->name, suffix, family->type);
    if (strcmp(family->type, "histogram") == 0) {
        put_histograms(out, family, of);
    }
    else if (json_is_array(of)) {
        put_rows(out, family, of);
    }
    else if (family->labels[0] != NULL) {
        put_numbers(out, family, "", family->labels[0], family->value, of);
    }
    else {
        put_number(out, family, "",
                   family->value != NULL ? json_object_get(of, family->value) : of);
    }
}

/* Adds members that only metrics show. */
static void derive(json_t *data)
{
    const json_t *stores = json_object_get(data, "stores");
    json_t *site;
    size_t i;

    json_object_update_new(data,
                           json_pack("{s:{s:i}, s:I, s:I}", "build", TMPL_VERSION, 1,
                                     "waiting_pages", tmpl_member_sum(stores, "waiting_pages"),
                                     "waiting_bytes", tmpl_member_sum(stores, "waiting_bytes")));
    json_array_foreach(json_object_get(data, "sites"), i, site)
    {
        double in = tmpl_member_number(site, "bytes_in"),
               out = tmpl_member_number(site, "bytes_out");

        json_object_set_new(site, "removed_ratio", json_real(in > out ? (in - out) / in : 0));
    }
}

int tmpl_metrics_write(request_rec *r)
{
    const char *accept = apr_table_getm(r->pool, r->headers_in, "Accept");
    out_t out = { r,
                  accept != NULL && ap_strcasestr(accept, "application/openmetrics-text") != NULL };
    json_t *data = tmpl_data_figures(r);
    size_t i;

    derive(data);
    ap_set_content_type(r, out.open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                    : "text/plain; version=0.0.4; charset=utf-8");
    apr_table_mergen(r->headers_out, "Vary", "Accept");
    for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        if (families[i].name != NULL) {
            put_family(&out, &families[i], data);
        }
    }
    if (out.open) {
        ap_rputs("# EOF\n", r);
    }
    json_decref(data);
    return OK;
}
