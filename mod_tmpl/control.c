/* SPDX-License-Identifier: Apache-2.0 */
#include "control.h"
#include "fields.h"
#include "messages.h"

static const char name[] = "Tmpl-Control";

static const char *const words[] = { "off", "learn", "no-learn" };
#define WORDS (sizeof(words) / sizeof(words[0]))

unsigned tmpl_control_take(request_rec *r)
{
    const char *field = tmpl_field(r, name);
    unsigned set = 0;
    char *state;
    if (field == NULL) {
        return 0;
    }
    for (char *word = apr_strtok(apr_pstrdup(r->pool, field), ", \t", &state); word != NULL;
         word = apr_strtok(NULL, ", \t", &state)) {
        unsigned i = 0;
        while (i < WORDS && ap_cstr_casecmp(word, words[i]) != 0) {
            i++;
        }
        set |= 1u << i;
    }
    if ((set >> WORDS) != 0) {
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, TMPL_LOG_CONTROL, field);
    }
    tmpl_field_unset(r, name);
    return set;
}

void tmpl_control_error(request_rec *r)
{
    tmpl_field_unset(r, name);
}

int tmpl_control_is_off(const request_rec *r)
{
    return apr_table_get(r->subprocess_env, "no-tmpl") != NULL;
}

/* Whether tmpl-judge is set: the response is a page, whoever asks for it and however it is sent. */
static int judges_all(const request_rec *r)
{
    return apr_table_get(r->subprocess_env, "tmpl-judge") != NULL;
}

int tmpl_control_streams(request_rec *r)
{
    const char *buffering = tmpl_field(r, "X-Accel-Buffering");
    return buffering != NULL && ap_cstr_casecmp(buffering, "no") == 0 && !judges_all(r);
}

/* ---- requests of scripts ---- */

/* value: NULL for any. Those of browsers come last: Vary names the first. */
static const struct {
    const char *name, *value;
} signs[] = {
    { "HX-Request", NULL },
    { "Turbo-Frame", NULL },
    { "X-Up-Target", NULL },
    { "X-PJAX", NULL },
    { "X-Requested-With", "XMLHttpRequest" }, /* web views of Android send the name of their app */
    { "Sec-Fetch-Dest", "empty" },
};

/* <link rel=prefetch>, which has Sec-Fetch-Dest: empty, too, but a page comes of it. */
static int is_ahead(const request_rec *r)
{
    const char *purpose = apr_table_get(r->headers_in, "Sec-Purpose");
    return purpose != NULL && ap_cstr_casecmpn(purpose, "prefetch", 8) == 0;
}

const char *tmpl_script_field(const request_rec *r, const tmpl_conf_t *conf)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        const char *value = apr_table_get(r->headers_in, signs[i].name);
        if (value != NULL &&
            (signs[i].value == NULL || ap_cstr_casecmp(value, signs[i].value) == 0)) {
            return tmpl_conf_type(conf) != NULL || judges_all(r) || is_ahead(r) ? NULL
                                                                                : signs[i].name;
        }
    }
    return NULL;
}
