/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/markdown.h"

#include <string.h>

#include <apr_strings.h>

/* Adds text, shortened to the number of characters, as a string of YAML in double quotes. */
static void write_yaml(tmpl_buf_t *buf, const char *text, apr_size_t characters)
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

void tmpl_front_values(tmpl_buf_t *out, const tmpl_metadata_t *metadata, int field,
                       const char *comma)
{
    const tmpl_metadata_field_t *of = &tmpl_metadata_fields[field];
    const apr_array_header_t *values = metadata->values[field];
    for (int i = 0; i < (of->most > 1 ? values->nelts : 1); i++) {
        tmpl_buf_add_text(out, of->most == 1 ? "" : i == 0 ? "[" : comma);
        write_yaml(out, APR_ARRAY_IDX(values, i, const char *), of->characters);
    }
    tmpl_buf_add_text(out, of->most > 1 ? "]" : "");
}

/* The text of a field whose line is not its values; NULL: it has none. */
static const char *line_text(const tmpl_content_t *content, int field, apr_pool_t *pool)
{
    const apr_array_header_t *values = content->metadata.values[field];
    const char *value = tmpl_metadata_first(&content->metadata, (tmpl_metadata_e)field);
    if (field == TMPL_METADATA_AUTHOR) {
        for (int i = 1; values != NULL && i < values->nelts; i++) {
            value = apr_pstrcat(pool, value, ", ", APR_ARRAY_IDX(values, i, const char *), NULL);
        }
        return value;
    }
    if (field == TMPL_METADATA_CANONICAL && value == NULL) {
        value = content->hrefs.url;
    }
    return field == TMPL_METADATA_CANONICAL || field == TMPL_METADATA_IMAGE
               ? tmpl_href_absolute(&content->hrefs, value, pool)
               : NULL;
}

void tmpl_front_write(tmpl_buf_t *out, const tmpl_content_t *content, apr_pool_t *pool)
{
    apr_size_t before = out->len;
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        const char *text = line_text(content, i, pool);
        int is_values = i != TMPL_METADATA_CANONICAL && i != TMPL_METADATA_IMAGE &&
                        content->metadata.values[i] != NULL;
        if (text == NULL && !is_values) {
            continue;
        }
        tmpl_buf_add(out, "---\n", out->len == before ? 4 : 0);
        tmpl_buf_add_text(out, tmpl_metadata_fields[i].key);
        tmpl_buf_add(out, ": ", 2);
        if (text != NULL) {
            write_yaml(out, text,
                       tmpl_metadata_fields[i].characters *
                           (apr_size_t)tmpl_metadata_fields[i].most);
        }
        else {
            tmpl_front_values(out, &content->metadata, i, ", ");
        }
        tmpl_buf_add(out, "\n", 1);
    }
    tmpl_buf_add(out, "---\n\n", out->len > before ? 5 : 0);
}
