/* SPDX-License-Identifier: Apache-2.0 */
#include "in_force.h"

#include "child_store.h"
#include "members.h"

/* The server and the section in which a directive is. */
typedef struct {
    const char *server;  /* "" : the main server */
    const char *section; /* "": the whole server */
} place_t;

/* The row of a directive; NULL: it is not of this module. */
static const tmpl_setting_t *setting_of(const ap_directive_t *directive)
{
    int i;

    for (i = 0; i < TMPL_SETTING_COUNT; i++) {
        if (ap_cstr_casecmp(directive->directive, tmpl_settings[i].directive) == 0) {
            return &tmpl_settings[i];
        }
    }
    return NULL;
}

/* Whether to hide args. A condition, unless it is a word, may hold a secret that clients send. */
static int is_secret(const char *args, const tmpl_setting_t *setting)
{
    return setting->form == TMPL_FORM_SECRET ||
           ((setting->form == TMPL_FORM_CONDITION || setting->form == TMPL_FORM_LEARN) &&
            args[strspn(args, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] != '\0');
}

/* The arguments, without what is secret in them. */
static const char *value_of(const ap_directive_t *directive, const tmpl_setting_t *setting,
                            apr_pool_t *pool)
{
    const char *args = directive->args;

    if (is_secret(args, setting)) {
        return "(set)";
    }
    return setting->form == TMPL_FORM_STORE
               ? tmpl_child_store_name(ap_getword_conf(pool, &args), pool)
               : args;
}

static json_t *row_of(const ap_directive_t *directive, const tmpl_setting_t *setting,
                      const place_t *place, apr_pool_t *pool)
{
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:i}", "server",
                     tmpl_json_text(place->server, pool), "section",
                     tmpl_json_text(place->section, pool), "directive", setting->directive, "value",
                     tmpl_json_text(value_of(directive, setting, pool), pool), "file",
                     tmpl_json_text(directive->filename, pool), "line", directive->line_num);
}

static const char *server_name(const ap_directive_t *at)
{
    while (at != NULL && ap_cstr_casecmp(at->directive, "ServerName") != 0) {
        at = at->next;
    }
    return at != NULL ? at->args : "";
}

/* The place inside a section's tag. httpd leaves out the > at the end. */
static place_t inside(const ap_directive_t *section, const place_t *outside, apr_pool_t *pool)
{
    int is_condition = ap_cstr_casecmp(section->directive, "<If") == 0 ||
                       ap_cstr_casecmp(section->directive, "<ElseIf") == 0;
    const char *tag =
        apr_pstrcat(pool, section->directive, " ", is_condition ? "..." : section->args,
                    !is_condition && strchr(section->args, '>') != NULL ? "" : ">", NULL);
    place_t place = *outside;

    if (ap_cstr_casecmp(section->directive, "<VirtualHost") == 0) {
        place.server = apr_pstrcat(pool, tag, " ", server_name(section->first_child), NULL);
    }
    else {
        place.section =
            apr_pstrcat(pool, place.section, *place.section != '\0' ? " " : "", tag, NULL);
    }
    return place;
}

/* Adds the settings of a place: its own settings first, then those of the sections in it. */
static void add(json_t *list, const ap_directive_t *first, const place_t *place, apr_pool_t *pool)
{
    const ap_directive_t *at;

    for (at = first; at != NULL; at = at->next) {
        const tmpl_setting_t *setting = setting_of(at);

        if (setting != NULL) {
            json_array_append_new(list, row_of(at, setting, place, pool));
        }
    }
    for (at = first; at != NULL; at = at->next) {
        if (at->first_child != NULL) {
            place_t within = inside(at, place, pool);

            add(list, at->first_child, &within, pool);
        }
    }
}

json_t *tmpl_in_force(apr_pool_t *pool)
{
    const place_t main_server = { "", "" };
    json_t *list = json_array();

    add(list, ap_conftree, &main_server, pool);
    return list;
}
