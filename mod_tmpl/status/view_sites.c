/* SPDX-License-Identifier: Apache-2.0 */
/* The sites of a store, part by part. */
#include "views.h"

void tmpl_view_sites(const tmpl_html_t *h)
{
    const char *store = tmpl_member_text(h->data, "store"),
               *next = tmpl_member_text(h->data, "next");
    const json_t *name;
    size_t i;

    tmpl_put_section(h, "sites", "Sites of a store");
    if (json_array_size(json_object_get(h->data, "stores")) > 1) {
        tmpl_put(h,
                 "<form action=\"%s/sites\"><label for=\"store\">Store</label>"
                 "<select id=\"store\" name=\"store\">",
                 h->location);
        json_array_foreach(json_object_get(h->data, "stores"), i, name)
        {
            tmpl_put(h,
                     strcmp(json_string_value(name), store) == 0 ? "<option selected>%s</option>"
                                                                 : "<option>%s</option>",
                     json_string_value(name));
        }
        tmpl_put(h, "</select><button>Show</button></form>\n");
    }
    tmpl_put_sites(h, apr_psprintf(h->r->pool, "In the order of %s", store),
                   json_object_get(h->data, "sites"));
    if (*next != '\0') {
        tmpl_put(h, "<p><a href=\"%s/sites?store=%s&amp;after=%s\">More sites</a></p>\n",
                 h->location, ap_escape_urlencoded(h->r->pool, store), next);
    }
    tmpl_put(h, "</section>\n");
}
