/* SPDX-License-Identifier: Apache-2.0 */
#include "clean_report.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "json.h"
#include "outcome.h"

/* Adds a text, or null. */
static void set_text(json_t *json, const char *name, const char *text, apr_pool_t *pool)
{
    json_object_set_new(json, name,
                        text != NULL ? ctl_json_string(text, strlen(text), pool) : json_null());
}

/* Adds a number of bytes, or null. */
static void set_bytes(json_t *json, const char *name, int is_known, apr_size_t bytes)
{
    json_object_set_new(json, name, is_known ? json_integer((json_int_t)bytes) : json_null());
}

/* Adds what the verdicts say, or null. */
static void set_judged(json_t *json, const ctl_page_t *page, apr_pool_t *pool)
{
    const tmpl_outcome_t *outcome = page->outcome;
    const tmpl_closure_t *closure = &outcome->closure;
    int is_judged = outcome->verdicts != NULL;
    json_object_set_new(json, "blocks", is_judged ? json_integer(closure->blocks) : json_null());
    json_object_set_new(json, "template",
                        is_judged ? json_integer(closure->template_blocks) : json_null());
    json_object_set_new(json, "ratio", is_judged ? json_real(closure->ratio) : json_null());
    json_object_set_new(json, "confidence",
                        is_judged ? json_real(closure->confidence) : json_null());
    set_text(json, "fingerprint", tmpl_clean_fingerprint(outcome, page->input, pool), pool);
}

const char *ctl_report_line(const ctl_page_t *page, const ctl_rendered_t *rendered,
                            const char *mode, const char *failed, apr_pool_t *pool)
{
    const tmpl_outcome_t *outcome = page->outcome;
    int is_read = page->input->body != NULL;
    json_t *json = json_object();
    set_text(json, "file", page->path, pool);
    if (page->address != NULL) {
        set_text(json, "address", page->address, pool);
    }
    set_text(json, "mode", mode, pool);
    set_text(json, "failed", failed, pool);
    set_text(json, "decline", is_read ? tmpl_decline_name(outcome->decline) : NULL, pool);
    set_text(json, "state", is_read ? tmpl_state_name(outcome->state) : NULL, pool);
    set_judged(json, page, pool);
    set_bytes(json, "bytes_in", is_read, page->input->len);
    set_bytes(json, "bytes_out", is_read, rendered->len);
    char *text = json_dumps(json, JSON_REAL_PRECISION(6));
    const char *line = apr_pstrcat(pool, text != NULL ? text : "{}", "\n", NULL);
    free(text);
    json_decref(json);
    return line;
}
