/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of directives: config.c and section.c, which are included; stubs of httpd and
 * of the module's other files, as far as both need them; and sections, made of lines as in httpd.
 */
#ifndef CONFIG_FIXTURE_H
#define CONFIG_FIXTURE_H

#include <stdio.h>

#include "tap.h"

#include "mod_tmpl/config.c"
#include "mod_tmpl/section.c"

module AP_MODULE_DECLARE_DATA tmpl_module;

static apr_pool_t *pool;

tmpl_child_store_t *tmpl_child_store_add(const char *uri, apr_pool_t *pconf)
{
    tmpl_child_store_t *ours = apr_palloc(pconf, sizeof(*ours));

    ours->uri = apr_pstrdup(pconf, uri);
    return ours;
}

const char *tmpl_cache_add(tmpl_cache_t **cache, const char *name, apr_pool_t *pconf,
                           apr_pool_t *ptemp)
{
    (void)ptemp;
    *cache = (tmpl_cache_t *)apr_pstrdup(pconf, name);
    return strcmp(name, "nosuch") == 0 ? "there is none" : NULL;
}

void tmpl_config_check_note(cmd_parms *cmd, tmpl_conf_t *section, const void *value)
{
    (void)cmd;
    (void)section;
    (void)value;
}

/* Any text but "%{" is an expression. */
AP_DECLARE(ap_expr_info_t *)
ap_expr_parse_cmd_mi(const cmd_parms *cmd, const char *expr, unsigned int flags, const char **err,
                     ap_expr_lookup_fn_t *lookup, int module_index)
{
    ap_expr_info_t *info = apr_pcalloc(cmd->pool, sizeof(*info));

    (void)lookup;
    (void)module_index;
    *err = strcmp(expr, "%{") == 0 ? "syntax error" : NULL;
    info->filename = expr;
    info->flags = flags;
    return *err == NULL ? info : NULL;
}

/* No request is made. */
AP_DECLARE(int) ap_expr_exec(request_rec *r, const ap_expr_info_t *expr, const char **err)
{
    (void)r;
    (void)expr;
    (void)err;
    return -1;
}

AP_DECLARE(char *) ap_runtime_dir_relative(apr_pool_t *p, const char *name)
{
    return apr_pstrcat(p, "/run/httpd/", name, NULL);
}

static const char *wrong_context; /* httpd's message if a directive stands in a wrong context */

AP_DECLARE(const char *) ap_check_cmd_context(cmd_parms *cmd, unsigned forbidden)
{
    (void)cmd;
    assert_true(forbidden == GLOBAL_ONLY || forbidden == NOT_IN_HTACCESS);
    return forbidden == GLOBAL_ONLY ? wrong_context : NULL;
}

AP_DECLARE(int) ap_cstr_casecmp(const char *a, const char *b)
{
    return strcasecmp(a, b);
}

AP_DECLARE(int) ap_array_str_contains(const apr_array_header_t *array, const char *s)
{
    int is_in = 0;

    for (int i = 0; i < array->nelts; i++) {
        is_in |= strcmp(APR_ARRAY_IDX(array, i, const char *), s) == 0;
    }
    return is_in;
}

AP_DECLARE(char *) ap_server_root_relative(apr_pool_t *p, const char *name)
{
    return apr_pstrdup(p, name);
}

static const command_rec *find(const char *name)
{
    const command_rec *command = tmpl_conf_directives;

    while (command->name != NULL && strcmp(command->name, name) != 0) {
        command++;
    }
    assert_non_null(command->name);
    return command;
}

/* Applies a line as httpd does; returns the result of the directive's handler. */
static const char *apply(tmpl_conf_t *conf, const char *line)
{
    char **argv;
    const char *said = NULL;
    const command_rec *command;
    cmd_parms cmd = { 0 };
    int argc = 0;
    int i;

    assert_int_equal(apr_tokenize_to_argv(line, &argv, pool), APR_SUCCESS);
    while (argv[argc] != NULL) {
        argc++;
    }
    command = find(argv[0]);
    cmd.cmd = command;
    cmd.info = command->cmd_data;
    cmd.pool = pool;
    cmd.temp_pool = pool;
    switch (command->args_how) {
    case FLAG:
        return command->AP_FLAG(&cmd, conf, strcasecmp(argv[1], "on") == 0);
    case TAKE2:
        return command->AP_TAKE2(&cmd, conf, argv[1], argv[2]);
    case TAKE_ARGV:
        return command->AP_TAKE_ARGV(&cmd, conf, argc - 1, argv + 1);
    default:
        for (i = 1; i < argc && said == NULL; i++) {
            said = command->AP_TAKE1(&cmd, conf, argv[i]);
        }
        return said;
    }
}

static tmpl_conf_t *section(const char *lines)
{
    tmpl_conf_t *conf = tmpl_conf_create(pool, NULL);
    char *copy = apr_pstrdup(pool, lines);
    char *rest;
    char *line;

    for (line = apr_strtok(copy, "\n", &rest); line != NULL; line = apr_strtok(NULL, "\n", &rest)) {
        const char *said = apply(conf, line);

        if (said != NULL) {
            fail_msg("%s: %s", line, said);
        }
    }
    return conf;
}

static int setup(void **state)
{
    apr_status_t rv = apr_pool_create(&pool, NULL);

    (void)state;
    tmpl_conf_begin(pool);
    memset(&default_opts.detect.models, 0,
           sizeof(default_opts.detect.models)); /* most tests want no models */
    return rv != APR_SUCCESS;
}

#endif
