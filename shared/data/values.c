/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values.h"

#include <string.h>

#include <apr_strings.h>

#include "data/json_text.h"

void tmpl_value_text(tmpl_buf_t *out, const char *name, const char *text)
{
    if (text != NULL && *text != '\0') {
        tmpl_json_string(out, name, text, strlen(text));
    }
}

void tmpl_value_address(tmpl_buf_t *out, const char *name, const char *address,
                        const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    if (address != NULL && tmpl_href_is_safe(address)) {
        tmpl_buf_t absolute;
        tmpl_buf_init(&absolute, pool);
        tmpl_href_resolve(&absolute, hrefs, address);
        tmpl_value_text(out, name, absolute.at);
    }
}

void tmpl_value_number(tmpl_buf_t *out, const char *name, const char *text)
{
    while (text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
        text++;
    }
    if (tmpl_json_is_number(text)) {
        tmpl_json_word(out, name, text);
    }
}

void tmpl_value_rating(tmpl_buf_t *out, const char *name, const char *text, apr_pool_t *pool)
{
    const char *slash = strchr(text, '/');
    const char *value = apr_pstrmemdup(pool, text, strcspn(text, "/"));
    if (tmpl_json_is_number(value)) {
        tmpl_json_open(out, name, '{');
        tmpl_value_number(out, "value", value);
        if (slash != NULL) {
            tmpl_value_number(out, "best", slash + 1);
        }
        tmpl_json_close(out, '}');
    }
}

void tmpl_value_true(tmpl_buf_t *out, const char *name, const char *text)
{
    if (strcmp(text, "true") == 0) {
        tmpl_json_word(out, name, text);
    }
}
