/* SPDX-License-Identifier: Apache-2.0 */
#include "control.h"
#include "fields.h"
#include "messages.h"

static const char name[] = "Tmpl-Control";

static const char *const words[TMPL_CONTROL_COUNT] = {
#define TMPL_CONTROL_WORD(id, word) word,
    TMPL_CONTROLS(TMPL_CONTROL_WORD)
#undef TMPL_CONTROL_WORD
};

unsigned tmpl_control_take(request_rec *r)
{
    const char *field = tmpl_field(r, name);
    unsigned set = 0;
    char *state;
    char *word;

    if (field == NULL) {
        return 0;
    }
    for (word = apr_strtok(apr_pstrdup(r->pool, field), ", \t", &state); word != NULL;
         word = apr_strtok(NULL, ", \t", &state)) {
        unsigned i = 0;

        while (i < TMPL_CONTROL_COUNT && ap_cstr_casecmp(word, words[i]) != 0) {
            i++;
        }
        set |= 1u << i;
    }
    if ((set >> TMPL_CONTROL_COUNT) != 0) {
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

int tmpl_control_judges(const request_rec *r)
{
    return apr_table_get(r->subprocess_env, "tmpl-judge") != NULL;
}

int tmpl_control_streams(request_rec *r)
{
    const char *buffering = tmpl_field(r, "X-Accel-Buffering");

    return buffering != NULL && ap_cstr_casecmp(buffering, "no") == 0 && !tmpl_control_judges(r);
}
