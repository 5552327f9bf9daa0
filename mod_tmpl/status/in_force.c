/* SPDX-License-Identifier: Apache-2.0 */
#include "in_force.h"

#include "child_store.h"

/* The row of a directive; NULL: it is not of this module. */
static const tmpl_setting_t *setting_of(const ap_directive_t *directive)
{
    int i = 0;

    while (i < TMPL_SETTING_COUNT &&
           ap_cstr_casecmp(directive->directive, tmpl_settings[i].directive) != 0) {
        i++;
    }
    return i < TMPL_SETTING_COUNT ? &tmpl_settings[i] : NULL;
}

/*
 * The arguments, without what is secret in them. A condition, unless it is a word, may hold a
 * secret that clients send.
 */
static const char *shown_value(const ap_directive_t *directive, tmpl_form_e form, apr_pool_t *pool)
{
    const char *args = directive->args;
    apr_size_t word = strspn(args, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    if (form == TMPL_FORM_SECRET ||
        ((form == TMPL_FORM_CONDITION || form == TMPL_FORM_LEARN) && args[word] != '\0')) {
        return "(set)";
    }
    return form == TMPL_FORM_STORE ? tmpl_child_store_name(ap_getword_conf(pool, &args), pool)
                                   : args;
}

static const char *server_name(const ap_directive_t *at)
{
    while (at != NULL && ap_cstr_casecmp(at->directive, "ServerName") != 0) {
        at = at->next;
    }
    return at != NULL ? at->args : "";
}

/* A section's tag. httpd leaves out the > at the end. */
static const char *tag_of(const ap_directive_t *section, apr_pool_t *pool)
{
    int is_condition = ap_cstr_casecmp(section->directive, "<If") == 0 ||
                       ap_cstr_casecmp(section->directive, "<ElseIf") == 0;

    return apr_pstrcat(pool, section->directive, " ", is_condition ? "..." : section->args,
                       !is_condition && strchr(section->args, '>') != NULL ? "" : ">", NULL);
}

/* Adds the settings of a place: its own settings first, then those of the sections in it. */
static void add_settings(json_t *list, const ap_directive_t *first, const char *server,
                         const char *section, apr_pool_t *pool)
{
    for (const ap_directive_t *at = first; at != NULL; at = at->next) {
        const tmpl_setting_t *setting = setting_of(at);

        if (setting != NULL) {
            json_array_append_new(
                list,
                json_pack("{s:o, s:o, s:s, s:o, s:o, s:i}", "server", tmpl_json_text(server, pool),
                          "section", tmpl_json_text(section, pool), "directive", setting->directive,
                          "value", tmpl_json_text(shown_value(at, setting->form, pool), pool),
                          "file", tmpl_json_text(at->filename, pool), "line", at->line_num));
        }
    }
    for (const ap_directive_t *at = first; at != NULL; at = at->next) {
        if (at->first_child == NULL) {
            continue;
        }
        const char *tag = tag_of(at, pool);
        if (ap_cstr_casecmp(at->directive, "<VirtualHost") == 0) {
            tag = apr_pstrcat(pool, tag, " ", server_name(at->first_child), NULL);
            add_settings(list, at->first_child, tag, section, pool);
        }
        else {
            tag = apr_pstrcat(pool, section, *section != '\0' ? " " : "", tag, NULL);
            add_settings(list, at->first_child, server, tag, pool);
        }
    }
}

json_t *tmpl_in_force(apr_pool_t *pool)
{
    json_t *list = json_array();

    add_settings(list, ap_conftree, "", "", pool);
    return list;
}
