/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"
#include "views.h"

/* The assembler searches from the directory that make runs in. */
__asm__(".pushsection .rodata\ntmpl_status_css:\n.incbin \"mod_tmpl/status/status.css\"\n.byte "
        "0\n.popsection\n");
extern const char tmpl_status_css[] __attribute__((visibility("hidden")));

#define NONCE_BYTES 16

/* By tmpl_view_e. */
static const struct {
    void (*write)(const tmpl_html_t *h);
    const char *title;
} views[TMPL_VIEW_COUNT] = {
    { tmpl_view_server, "Status" },
    { tmpl_view_site, "Site" },
    { tmpl_view_sites, "Sites" },
};

/* Allows the page's own style and forms, and nothing else. */
static const char *allow_style(request_rec *r)
{
    unsigned char bytes[NONCE_BYTES];
    char *nonce = apr_palloc(r->pool, 2 * NONCE_BYTES + 1);

    (void)apr_generate_random_bytes(bytes, sizeof(bytes));
    ap_bin2hex(bytes, sizeof(bytes), nonce);
    apr_table_setn(r->headers_out, "Content-Security-Policy",
                   apr_pstrcat(r->pool, "default-src 'none'; style-src 'nonce-", nonce,
                               "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                               NULL));
    apr_table_setn(r->headers_out, "Referrer-Policy", "same-origin");
    return nonce;
}

static void put_begin(const tmpl_html_t *h, tmpl_view_e view)
{
    const char *nonce = allow_style(h->r), *site = tmpl_member_text(h->data, "site");

    ap_set_content_type(h->r, "text/html; charset=utf-8");
    tmpl_put(h,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>%s%s%s - mod_tmpl</title>\n"
             "<style nonce=\"%s\">\n",
             views[view].title, *site != '\0' ? " " : "", site, nonce);
    ap_rputs(tmpl_status_css, h->r);
    tmpl_put(h,
             "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to content</a>\n"
             "<header>\n<h1>%s%s%s</h1>\n<p>mod_tmpl %s on %s, <time>%s</time></p>\n"
             "<nav aria-label=\"Pages\"><ul><li><a href=\"%s\">Status</a></li>"
             "<li><a href=\"%s/sites\">All sites</a></li>"
             "<li><a href=\"%s?format=json\">JSON</a></li>"
             "<li><a href=\"%s/metrics\">Metrics</a></li></ul></nav>\n</header>\n"
             "<main id=\"main\">\n",
             views[view].title, *site != '\0' ? " " : "", site,
             tmpl_member_text(h->data, "version"), ap_get_server_name(h->r),
             tmpl_text_moment(h, h->now), h->location, h->location, h->location, h->location);
}

int tmpl_html_write(request_rec *r, tmpl_view_e view, const json_t *data, const char *location)
{
    tmpl_html_t h = { r, location, data, tmpl_member_number(data, "time") };

    put_begin(&h, view);
    views[view].write(&h);
    tmpl_put(&h, "</main>\n<footer><p>Times are UTC. Figures are those of all children since the "
                 "start of httpd, unless said otherwise.</p></footer>\n</body>\n</html>\n");
    return OK;
}
