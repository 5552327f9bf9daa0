/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

int tmpl_html_write(request_rec *r, tmpl_view_e view, const json_t *data, const char *location)
{
    char *text = json_dumps(data, JSON_INDENT(2));

    (void)view;
    ap_set_content_type(r, "text/html; charset=utf-8");
    ap_rvputs(r, "<!doctype html>\n<html lang=\"en\">\n<title>mod_tmpl</title>\n<h1>mod_tmpl: ",
              ap_escape_html(r->pool, location), "</h1>\n<pre>", ap_escape_html(r->pool, text),
              "</pre>\n", NULL);
    free(text);
    return OK;
}
