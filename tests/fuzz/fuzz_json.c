/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages in mode json, read by jansson: whatever the page is, there is one object in one line, in
 * UTF-8, no member of an object is there twice, and it is as long as it says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <jansson.h>

#include "data/page_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop(const char *json, const char *what)
{
    fprintf(stderr, "found %s in\n%s\n", what, json);
    abort();
}

static void check(const char *json, apr_size_t len)
{
    json_error_t error;
    if (strlen(json) != len || len == 0 || strchr(json, '\n') != json + len - 1) {
        stop(json, "a wrong length");
    }
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object)) {
        stop(json, object == NULL ? error.text : "no object");
    }
    json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int ready;
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    apr_pool_t *pool;
    if (!ready) {
        apr_initialize();
        ready = 1;
    }
    apr_pool_create(&pool, NULL);
    const char *html = apr_pstrmemdup(pool, (const char *)data, size);
    if (tmpl_page_parse(&page, html, size, &opts, pool) == TMPL_DECLINE_NONE) {
        static const char *const charsets[] = { NULL, "utf-8", "windows-1252", "shift_jis" };
        tmpl_edits_t none = { 0 };
        tmpl_content_t content;
        tmpl_content_opts_t how = { .url = "https://a.example/b", .charset = charsets[size % 4] };
        tmpl_data_opts_t known = { 0 };
        apr_size_t len;
        const char *json = tmpl_content_read(&content, page, &none, &how, pool)
                               ? tmpl_data(&len, &content, &known, pool)
                               : NULL;
        if (json != NULL) {
            check(json, len);
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
