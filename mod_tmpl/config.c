/* SPDX-License-Identifier: Apache-2.0 */
/* The directives: httpd's table is made from settings.h, each row with the handler of its form. */
#include "cache.h"
#include "child_store.h"
#include "mod_tmpl.h"

#define TMPL_CONTEXT (RSRC_CONF | ACCESS_CONF)

/* What a parser of settings.h returned, with the directive's name in front. */
static const char *answer_directive(const cmd_parms *cmd, const char *wrong)
{
    return wrong != NULL ? apr_pstrcat(cmd->pool, cmd->cmd->name, " ", wrong, NULL) : NULL;
}

/* why may be NULL. */
static const char *refuse_value(const cmd_parms *cmd, const char *arg, const char *why)
{
    return answer_directive(cmd, tmpl_setting_refuse(cmd->info, arg, why, cmd->pool));
}

/* Where the section keeps the value of a directive, which is noted with its place. */
static void *directive_field(cmd_parms *cmd, void *conf)
{
    tmpl_config_check_note(cmd, conf, NULL);
    return tmpl_conf_field(conf, cmd->info);
}

static const char *conf_set_value(cmd_parms *cmd, void *conf, const char *arg)
{
    return answer_directive(
        cmd, tmpl_setting_read(directive_field(cmd, conf), cmd->info, arg, cmd->pool));
}

/* Blanks between arguments belong to the value: "TmplKeep main p" is a p inside main. */
static const char *conf_set_words(cmd_parms *cmd, void *conf, int argc, char *const argv[])
{
    const char *text = "";
    for (int i = 0; i < argc; i++) {
        text = apr_pstrcat(cmd->pool, text, i > 0 ? " " : "", argv[i], NULL);
    }
    return conf_set_value(cmd, conf, text);
}

/*
 * As for other directives that change what all requests share, .htaccess files cannot have it:
 * AllowOverrideList can allow any directive there, and httpd reads them during requests.
 */
static const char *conf_set_mode(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_conf_t *section = conf;
    const char *wrong = ap_check_cmd_context(cmd, NOT_IN_HTACCESS);
    if (wrong == NULL) {
        wrong = conf_set_value(cmd, conf, arg);
    }
    if (wrong == NULL && section->mode != TMPL_MODE_OFF) {
        tmpl_conf_used_by(cmd->server);
    }
    return wrong;
}

/* Not allowed in a section: the value is for the whole server. */
static const char *conf_set_global(cmd_parms *cmd, void *conf, const char *arg)
{
    const char *wrong = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    return wrong != NULL ? wrong : conf_set_value(cmd, conf, arg);
}

/* Not allowed in a section either: keys of sites, in one directive or in several. */
static const char *conf_set_sites(cmd_parms *cmd, void *conf, const char *arg)
{
    apr_array_header_t **field = directive_field(cmd, conf);
    const char *wrong = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    if (wrong != NULL) {
        return wrong;
    }
    if (arg[0] == '\0') {
        return refuse_value(cmd, arg, NULL);
    }
    if (*field == NULL) {
        *field = apr_array_make(cmd->pool, 4, sizeof(const char *));
    }
    if (!ap_array_str_contains(*field, arg)) {
        APR_ARRAY_PUSH(*field, const char *) = arg;
    }
    return NULL;
}

/* The first line of the file says which detector the model is for. */
static const char *conf_set_model(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_error_t err;
    const char *detector;
    tmpl_models_t *models = tmpl_conf_field(conf, cmd->info);
    const char *path = ap_server_root_relative(cmd->pool, arg);
    if (arg[0] == '\0' || path == NULL ||
        tmpl_models_load(models, &detector, path, &err, cmd->pool) != APR_SUCCESS) {
        return refuse_value(cmd, arg, arg[0] != '\0' && path != NULL ? err.text : NULL);
    }
    tmpl_config_check_note(cmd, conf, detector);
    return NULL;
}

static const char *conf_set_lifetime(cmd_parms *cmd, void *conf, const char *tb, const char *n)
{
    return conf_set_value(cmd, conf, apr_pstrcat(cmd->pool, tb, " ", n, NULL));
}

static const char *conf_set_flag(cmd_parms *cmd, void *conf, int on)
{
    apr_int64_t *field = directive_field(cmd, conf);
    *field = on != 0;
    return NULL;
}

/*
 * Neither a key nor a condition changes the response, so httpd must not add the fields that its
 * expression reads to Vary: caches would only miss more often; and no cache keeps a page that only
 * a condition lets a person see. A query that a condition reads is part of the page's address.
 */
static const char *conf_set_expr(cmd_parms *cmd, const ap_expr_info_t **to, const char *arg,
                                 unsigned flags)
{
    const char *why = NULL;
    const ap_expr_info_t *expr =
        ap_expr_parse_cmd(cmd, arg, flags | AP_EXPR_FLAG_DONT_VARY, &why, NULL);
    if (why != NULL) {
        /* httpd's parser says of a word only that it ends too soon */
        int is_word = strpbrk(arg, " %('\"") == NULL;
        return refuse_value(cmd, arg,
                            is_word ? "for everybody write true, for this host "
                                      "\"-R '127.0.0.1' || -R '::1'\""
                                    : why);
    }
    *to = expr;
    return NULL;
}

static const char *conf_set_key(cmd_parms *cmd, void *conf, const char *arg)
{
    const ap_expr_info_t **field = directive_field(cmd, conf);
    return arg[0] == '\0' ? refuse_value(cmd, arg, NULL)
                          : conf_set_expr(cmd, field, arg, AP_EXPR_FLAG_STRING_RESULT);
}

static const char *conf_set_condition(cmd_parms *cmd, void *conf, const char *arg)
{
    return conf_set_expr(cmd, directive_field(cmd, conf), arg, 0);
}

static const char *conf_set_learn(cmd_parms *cmd, void *conf, const char *arg)
{
    static const char *const words[] = {
        [TMPL_LEARN_PUBLIC] = "public", [TMPL_LEARN_ALWAYS] = "on", [TMPL_LEARN_NEVER] = "off"
    };
    const tmpl_learn_t **field = directive_field(cmd, conf);
    tmpl_learn_t *learn = apr_pcalloc(cmd->pool, sizeof(*learn));
    const char *wrong = NULL;
    while (learn->when < TMPL_LEARN_IF && ap_cstr_casecmp(arg, words[learn->when]) != 0) {
        learn->when++;
    }
    if (learn->when == TMPL_LEARN_IF) {
        wrong = conf_set_expr(cmd, &learn->expr, arg, 0);
    }
    if (wrong == NULL) {
        *field = learn;
    }
    return wrong;
}

static const char *conf_set_selectors(cmd_parms *cmd, void *conf, int argc, char *const argv[])
{
    const char *wrong = ap_check_cmd_context(cmd, NOT_IN_HTACCESS);
    return wrong != NULL ? wrong : conf_set_words(cmd, conf, argc, argv);
}

static const char *conf_set_separators(cmd_parms *cmd, void *conf, int argc, char *const argv[])
{
    tmpl_separators_t *named = apr_palloc(cmd->pool, sizeof(*named));
    const char *wrong = tmpl_setting_separators(named, cmd->info, argc, argv, cmd->pool);
    if (wrong == NULL) {
        tmpl_conf_add_separators(directive_field(cmd, conf), named, cmd->pool);
    }
    return answer_directive(cmd, wrong);
}

/* One directive names all marks of a section: a second directive replaces the first. */
static const char *conf_set_marks(cmd_parms *cmd, void *conf, int argc, char *const argv[])
{
    tmpl_marks_t **field = directive_field(cmd, conf);
    tmpl_marks_t *named = NULL;
    if (argc == 0) {
        return refuse_value(cmd, "", NULL);
    }
    for (int i = 0; i < argc; i++) {
        const char *wrong = tmpl_setting_read(&named, cmd->info, argv[i], cmd->pool);
        if (wrong != NULL) {
            return answer_directive(cmd, wrong);
        }
    }
    *field = named;
    return NULL;
}

/* The URI with a relative directory made absolute in DefaultRuntimeDir. NULL: not a valid path. */
static const char *absolute_uri(const char *uri, apr_pool_t *pool)
{
    const char *dir = tmpl_store_directory(uri, pool);
    const char *limits = strchr(uri, '?');
    if (dir == NULL || dir[0] == '/') {
        return uri;
    }
    dir = ap_runtime_dir_relative(pool, dir);
    return dir != NULL ? apr_pstrcat(pool, TMPL_STORE_LMDB, dir, limits, NULL) : NULL;
}

static const char *conf_set_store(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_error_t err;
    tmpl_child_store_t **field = tmpl_conf_field(conf, cmd->info);
    const char *wrong = ap_check_cmd_context(cmd, NOT_IN_HTACCESS);
    if (wrong != NULL) {
        return wrong;
    }
    if (tmpl_store_check_uri(arg, &err, cmd->temp_pool) != APR_SUCCESS) {
        return refuse_value(cmd, arg, err.text);
    }
    const char *uri = absolute_uri(arg, cmd->pool);
    if (uri == NULL) {
        return refuse_value(cmd, arg, "not a valid path");
    }
    *field = tmpl_child_store_add(uri, cmd->pool);
    tmpl_config_check_note(cmd, conf, *field);
    return NULL;
}

/* arg is none, or the name of a mod_socache_*, with its arguments behind a colon. */
static const char *conf_set_cache(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_cache_t **field = directive_field(cmd, conf);
    const char *wrong = ap_check_cmd_context(cmd, NOT_IN_HTACCESS);
    if (wrong != NULL) {
        return wrong;
    }
    const char *why = tmpl_cache_add(field, arg, cmd->pool, cmd->temp_pool);
    return why != NULL ? refuse_value(cmd, arg, why) : NULL;
}

/* By form: how httpd reads the arguments, the function that takes them, where it may stand. */
#define TAKES_MODE       AP_INIT_TAKE1, conf_set_mode, TMPL_CONTEXT
#define TAKES_DETECTOR   AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_SMOOTHING  AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_VALIDATE   AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_NUMBER     AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_SIZE       AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_TIME       AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_GLOBAL     AP_INIT_TAKE1, conf_set_global, RSRC_CONF
#define TAKES_SITES      AP_INIT_ITERATE, conf_set_sites, RSRC_CONF
#define TAKES_FLAG       AP_INIT_FLAG, conf_set_flag, TMPL_CONTEXT
#define TAKES_SHARE      AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_LIFETIME   AP_INIT_TAKE2, conf_set_lifetime, TMPL_CONTEXT
#define TAKES_MODEL      AP_INIT_TAKE1, conf_set_model, TMPL_CONTEXT
#define TAKES_STORE      AP_INIT_TAKE1, conf_set_store, TMPL_CONTEXT
#define TAKES_CACHE      AP_INIT_TAKE1, conf_set_cache, TMPL_CONTEXT
#define TAKES_KEY        AP_INIT_TAKE1, conf_set_key, TMPL_CONTEXT
#define TAKES_CONDITION  AP_INIT_TAKE1, conf_set_condition, TMPL_CONTEXT
#define TAKES_LEARN      AP_INIT_TAKE1, conf_set_learn, TMPL_CONTEXT
#define TAKES_SECRET     AP_INIT_TAKE1, conf_set_value, TMPL_CONTEXT
#define TAKES_SELECTORS  AP_INIT_TAKE_ARGV, conf_set_selectors, TMPL_CONTEXT
#define TAKES_PARTS      AP_INIT_TAKE_ARGV, conf_set_words, TMPL_CONTEXT
#define TAKES_MARKS      AP_INIT_TAKE_ARGV, conf_set_marks, TMPL_CONTEXT
#define TAKES_SEPARATORS AP_INIT_TAKE_ARGV, conf_set_separators, TMPL_CONTEXT
#define COMMAND(...)     COMMAND_OF(__VA_ARGS__)
#define COMMAND_OF(init, set, where, name, setting, help)                                          \
    init(name, set, (void *)&tmpl_settings[setting], where, help)

const command_rec tmpl_conf_directives[] = {
#define TMPL_SETTING_COMMAND(field, directive, option, form, least, most, preset, decides, opt,    \
                             group, about)                                                         \
    COMMAND(TAKES_##form, directive, TMPL_SETTING_##field,                                         \
            about ": " TMPL_VALUES_##form(least, most)),
    TMPL_SETTINGS(TMPL_SETTING_COMMAND)
#undef TMPL_SETTING_COMMAND
        { NULL, { NULL }, NULL, 0, RAW_ARGS, NULL }
};
