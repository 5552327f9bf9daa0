/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/front.h"

#include <string.h>

#include <apr_strings.h>

void tmpl_write_yaml(tmpl_buf_t *buf, const char *text, apr_size_t characters)
{
    apr_size_t len = strlen(text);
    int space = 0;
    tmpl_buf_add_byte(buf, '"');
    apr_size_t start = buf->len;
    for (apr_size_t i = 0, used; i < len; i += used) {
        uint32_t code = tmpl_utf8_next(text + i, len - i, &used);
        if (code == 0xAD || code == 0x200B) {
            continue; /* they only say where a word may break */
        }
        /* characters that are not printable in YAML (5.1), or that YAML reads as a line break */
        if (code <= ' ' || (code >= 0x7F && code <= 0xA0) || code == 0x2028 || code == 0x2029 ||
            code == 0xFEFF) {
            space = 1;
            continue;
        }
        if (characters == 0) {
            tmpl_buf_add_text(buf, "\xE2\x80\xA6");
            break;
        }
        characters--;
        if (space && buf->len > start) {
            tmpl_buf_add_byte(buf, ' ');
        }
        space = 0;
        if (code == '"' || code == '\\') {
            tmpl_buf_add_byte(buf, '\\');
        }
        tmpl_buf_add(buf, text + i, used);
    }
    tmpl_buf_add_byte(buf, '"');
}

static void begin_front_line(tmpl_buf_t *out, apr_size_t before, int field)
{
    tmpl_buf_add(out, "---\n", out->len == before ? 4 : 0);
    tmpl_buf_add_text(out, tmpl_metadata_fields[field].key);
    tmpl_buf_add(out, ": ", 2);
}

/* Adds a field's values as a list in one line. */
static void write_list(tmpl_buf_t *out, const apr_array_header_t *values, apr_size_t characters)
{
    for (int i = 0; i < values->nelts; i++) {
        tmpl_buf_add_text(out, i == 0 ? "[" : ", ");
        tmpl_write_yaml(out, APR_ARRAY_IDX(values, i, const char *), characters);
    }
    tmpl_buf_add_byte(out, ']');
}

/* A field's only text; NULL: the field has no line. */
static const char *line_text(const tmpl_metadata_t *metadata, int field, const tmpl_hrefs_t *hrefs,
                             apr_pool_t *pool)
{
    const char *value = tmpl_metadata_first(metadata, (tmpl_metadata_e)field);
    if (field == TMPL_METADATA_AUTHOR && value != NULL) {
        const apr_array_header_t *names = metadata->values[field];
        for (int i = 1; i < names->nelts; i++) {
            value = apr_pstrcat(pool, value, ", ", APR_ARRAY_IDX(names, i, const char *), NULL);
        }
    }
    if (field == TMPL_METADATA_CANONICAL) {
        value = tmpl_href_absolute(hrefs, value != NULL ? value : hrefs->url, pool);
    }
    return field == TMPL_METADATA_IMAGE ? tmpl_href_absolute(hrefs, value, pool) : value;
}

void tmpl_front_write(tmpl_buf_t *out, const tmpl_content_t *content, apr_pool_t *pool)
{
    const tmpl_metadata_t *metadata = &content->metadata;
    apr_size_t before = out->len;
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        const char *text = line_text(metadata, i, &content->hrefs, pool);
        if (text == NULL || *text == '\0') {
            continue;
        }
        begin_front_line(out, before, i);
        if (tmpl_metadata_fields[i].most > 1 && i != TMPL_METADATA_AUTHOR) {
            write_list(out, metadata->values[i], tmpl_metadata_fields[i].characters);
        }
        else {
            tmpl_write_yaml(out, text, tmpl_metadata_fields[i].characters);
        }
        tmpl_buf_add(out, "\n", 1);
    }
    tmpl_buf_add(out, "---\n\n", out->len > before ? 5 : 0);
}
