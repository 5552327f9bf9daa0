/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

/* The curve, in units of its viewBox: pixels on a phone. */
#define LEFT   34
#define TOP    8
#define WIDTH  310
#define HEIGHT 150

static const char *at(const tmpl_html_t *h, double place)
{
    return apr_psprintf(h->r->pool, "%.1f", place);
}

/* Draws a polyline through the member name of all points; a dot if there is only one point. */
static void put_line(const tmpl_html_t *h, const json_t *points, const char *name,
                     const char *class, double most)
{
    const json_t *point;
    size_t i;

    tmpl_put(h, "<polyline class=\"%s\" points=\"%s,%s", class, at(h, LEFT),
             at(h, TOP + HEIGHT * (1 - tmpl_member_number(json_array_get(points, 0), name))));
    json_array_foreach(points, i, point)
    {
        tmpl_put(h, " %s,%s", at(h, LEFT + WIDTH * tmpl_member_number(point, "pages") / most),
                 at(h, TOP + HEIGHT * (1 - tmpl_member_number(point, name))));
    }
    ap_rputs("\"/>\n", h->r);
}

static void put_level(const tmpl_html_t *h, double share)
{
    double y = TOP + HEIGHT * (1 - share);

    tmpl_put(h,
             "<path class=\"axis\" d=\"M%s %sh%s\"/><text x=\"%s\" y=\"%s\" "
             "text-anchor=\"end\">%s</text>\n",
             at(h, LEFT), at(h, y), at(h, WIDTH), at(h, LEFT - 4), at(h, y + 4),
             apr_psprintf(h->r->pool, "%.0f%%", 100 * share));
}

void tmpl_plot_curve(const tmpl_html_t *h, const json_t *points)
{
    const json_t *last = json_array_get(points, json_array_size(points) - 1);
    double most = tmpl_member_number(last, "pages");
    int i;

    tmpl_put(h,
             "<figure><svg class=\"plot\" viewBox=\"0 0 360 200\" role=\"img\" aria-label=\"After "
             "%s pages the share of template is %s, and that of known segments %s.\">\n",
             tmpl_text_count(h, (json_int_t)most),
             tmpl_text_share(h, tmpl_member_number(last, "template_share")),
             tmpl_text_share(h, tmpl_member_number(last, "known_share")));
    for (i = 0; i <= 4; i++) {
        put_level(h, i / 4.0);
    }
    put_line(h, points, "template_share", "line-one", most > 0 ? most : 1);
    put_line(h, points, "known_share", "line-two", most > 0 ? most : 1);
    tmpl_put(h,
             "<text x=\"%s\" y=\"176\">0</text><text x=\"%s\" y=\"176\" "
             "text-anchor=\"end\">%s pages</text>\n",
             at(h, LEFT), at(h, LEFT + WIDTH), tmpl_text_count(h, (json_int_t)most));
    tmpl_put(
        h, "<path class=\"line-one\" d=\"M34 191h24\"/><text x=\"62\" y=\"195\">template</text>"
           "<path class=\"line-two\" d=\"M130 191h24\"/><text x=\"158\" y=\"195\">segments "
           "that other pages have</text>\n</svg>\n"
           "<figcaption>Shares of the text and of the segments of a page</figcaption></figure>\n");
}

/* The upper bound of the bucket that a share of all times reaches; "-" if there are no times. */
static const char *below(const tmpl_html_t *h, const json_t *stage, double share)
{
    double wanted = share * tmpl_member_number(stage, "count"), sum = 0;
    const json_t *bucket;
    size_t i;

    json_array_foreach(json_object_get(stage, "buckets"), i, bucket)
    {
        sum += tmpl_member_number(bucket, "count");
        if (sum > 0 && sum >= wanted) {
            double bound = tmpl_member_number(bucket, "up_to");

            return bound > 0 ? apr_pstrcat(h->r->pool, "\xE2\x89\xA4 ",
                                           tmpl_text_duration(h, bound), NULL)
                             : "> 10 s";
        }
    }
    return "-";
}

static double greatest(const json_t *buckets)
{
    double most = 1;
    const json_t *bucket;
    size_t i;

    json_array_foreach(buckets, i, bucket)
    {
        double count = tmpl_member_number(bucket, "count");

        most = count > most ? count : most;
    }
    return most;
}

void tmpl_plot_stage(const tmpl_html_t *h, const json_t *stage)
{
    const json_t *buckets = json_object_get(stage, "buckets"), *bucket;
    double most = greatest(buckets), step = 340.0 / (double)json_array_size(buckets);
    const char *half = below(h, stage, 0.5), *nearly_all = below(h, stage, 0.95);
    size_t i;

    tmpl_put(
        h,
        "<figure><svg class=\"plot\" viewBox=\"0 0 360 90\" role=\"img\" aria-label=\"Stage %s: "
        "half of the times %s, 95 %% of them %s.\">\n",
        tmpl_member_text(stage, "stage"), half, nearly_all);
    json_array_foreach(buckets, i, bucket)
    {
        double height = 64 * tmpl_member_number(bucket, "count") / most;

        tmpl_put(h, "<rect class=\"one\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>",
                 at(h, 10 + step * (double)i), at(h, 70 - height), at(h, step - 3), at(h, height));
    }
    ap_rputs("<path class=\"axis\" d=\"M10 70h340\"/>", h->r);
    for (i = 0; i + 1 < json_array_size(buckets); i += 5) {
        tmpl_put(h, "<text x=\"%s\" y=\"84\" text-anchor=\"middle\">%s</text>",
                 at(h, 10 + step * ((double)i + 0.5)),
                 tmpl_text_duration(h, tmpl_member_number(json_array_get(buckets, i), "up_to")));
    }
    ap_rputs("</svg>\n", h->r);
    tmpl_put(h, "<figcaption><b>%s</b>: %s. %s times; half %s, 95 %% %s.</figcaption></figure>\n",
             tmpl_member_text(stage, "stage"), tmpl_member_text(stage, "text"),
             tmpl_text_count(h, tmpl_member_count(stage, "count")), half, nearly_all);
}
