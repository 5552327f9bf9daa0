/* SPDX-License-Identifier: Apache-2.0 */
#include "warc_state.h"

#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "file_io.h"
#include "json.h"

static const char *const names[] = {
#define COUNT_NAME(id, name) name,
    CTL_WARC_COUNTS(COUNT_NAME)
#undef COUNT_NAME
};

json_t *ctl_warc_state_report(const ctl_warc_state_t *state)
{
    json_t *report = json_object(), *declined = json_object();
    for (int i = 0; i < CTL_WARC_COUNT_COUNT; i++) {
        json_object_set_new(report, names[i], json_integer(state->counts[i]));
    }
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (state->declined[i] > 0 && i != TMPL_DECLINE_NONE) {
            json_object_set_new(declined, tmpl_decline_name((tmpl_decline_e)i),
                                json_integer(state->declined[i]));
        }
    }
    json_object_set_new(report, "declined", declined);
    json_object_set_new(report, "learnt", json_integer(state->learnt));
    return report;
}

/* The places of a run as JSON, beside the counts. */
#define PLACE_FORMAT "{s:i, s:i, s:I, s:I, s:b, s:I, s:I, s:I}"

apr_status_t ctl_warc_state_save(const ctl_warc_state_t *state, const char *dir, const char *run,
                                 tmpl_error_t *err, apr_pool_t *pool)
{
    json_t *json = ctl_warc_state_report(state);
    json_object_set_new(json, "run", ctl_json_text(run, pool));
    json_object_update_new(json,
                           json_pack(PLACE_FORMAT, "pass", state->pass, "file", state->file,
                                     "member", (json_int_t)state->place.at.member, "inside",
                                     (json_int_t)state->place.at.inside, "is_lost",
                                     state->place.is_lost, "out", (json_int_t)state->out, "index",
                                     (json_int_t)state->index, "micros", state->micros));
    char *text = json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    apr_status_t status = ctl_file_write(dir, CTL_WARC_STATE, text, strlen(text), err, pool);
    free(text);
    return status;
}

static void counts_load(ctl_warc_state_t *state, const json_t *json)
{
    for (int i = 0; i < CTL_WARC_COUNT_COUNT; i++) {
        state->counts[i] = json_integer_value(json_object_get(json, names[i]));
    }
    const json_t *declined = json_object_get(json, "declined");
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        const char *name = tmpl_decline_name((tmpl_decline_e)i);
        state->declined[i] = json_integer_value(json_object_get(declined, name));
    }
    state->learnt = json_integer_value(json_object_get(json, "learnt"));
}

apr_status_t ctl_warc_state_load(ctl_warc_state_t *state, const char *dir, const char *run,
                                 int inputs, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *text, *path = apr_pstrcat(pool, dir, "/" CTL_WARC_STATE, NULL);
    apr_size_t len;
    apr_finfo_t info;
    json_int_t member, inside, out, index;
    *state = (ctl_warc_state_t){ 0 };
    if (apr_stat(&info, path, APR_FINFO_TYPE, pool) != APR_SUCCESS) {
        return APR_ENOENT;
    }
    apr_status_t status = ctl_file_read(&text, &len, path, err, pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    json_t *json = json_loadb(text, len, 0, NULL);
    const char *its = json_string_value(json_object_get(json, "run"));
    if (its == NULL ||
        json_unpack(json, PLACE_FORMAT, "pass", &state->pass, "file", &state->file, "member",
                    &member, "inside", &inside, "is_lost", &state->place.is_lost, "out", &out,
                    "index", &index, "micros", &state->micros) != 0 ||
        state->file < 0 || state->file > inputs) {
        status = tmpl_fail(err, APR_EINVAL, "%s is damaged: remove %s to begin anew", path, dir);
    }
    else if (strcmp(its, run) != 0) {
        status =
            tmpl_fail(err, APR_EINVAL,
                      "%s is of a run with other inputs or options: remove it to begin anew", dir);
    }
    else {
        state->place.at = (tmpl_member_place_t){ (apr_off_t)member, (apr_off_t)inside };
        state->out = (apr_off_t)out;
        state->index = (apr_off_t)index;
        counts_load(state, json);
    }
    json_decref(json);
    return status;
}
