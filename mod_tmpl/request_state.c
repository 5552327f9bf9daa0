/* SPDX-License-Identifier: Apache-2.0 */
#include "request_state.h"
#include "section.h"

tmpl_request_t *tmpl_request_of(request_rec *r)
{
    tmpl_request_t *record = ap_get_module_config(r->request_config, &tmpl_module);
    if (record == NULL) {
        record = apr_pcalloc(r->pool, sizeof(*record));
        ap_set_module_config(r->request_config, &tmpl_module, record);
    }
    return record;
}

const tmpl_request_t *tmpl_request_read(const request_rec *r)
{
    static const tmpl_request_t nothing;
    const tmpl_request_t *record = ap_get_module_config(r->request_config, &tmpl_module);
    return record != NULL ? record : &nothing;
}

/* section in the mode for r, where the mode depends on TmplHighlightAllow. */
static const tmpl_conf_t *conf_for(request_rec *r, const tmpl_conf_t *section)
{
    tmpl_mode_e mode = tmpl_conf_mode(section);
    const char *why;
    /* below 0 the expression failed, which httpd logs */
    if (r->main == NULL && section->highlight_allow != NULL &&
        ap_expr_exec(r, section->highlight_allow, &why) > 0) {
        mode = TMPL_MODE_HIGHLIGHT;
    }
    else if (mode == TMPL_MODE_HIGHLIGHT) {
        mode = TMPL_MODE_HEADERS;
    }
    return tmpl_conf_in_mode(section, mode, r->pool);
}

const tmpl_conf_t *tmpl_request_conf(request_rec *r)
{
    const tmpl_conf_t *section = tmpl_conf_of(r);
    tmpl_mode_e mode = tmpl_conf_mode(section);
    if (mode == TMPL_MODE_OFF ||
        (mode != TMPL_MODE_HIGHLIGHT && section->highlight_allow == NULL)) {
        return section;
    }
    /* evaluated once for each section: what the expression reads may change during the request */
    tmpl_request_t *record = tmpl_request_of(r);
    if (record->section != section) {
        record->section = section;
        record->conf = conf_for(r, section);
    }
    return record->conf;
}
