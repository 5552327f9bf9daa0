/* SPDX-License-Identifier: Apache-2.0 */
/* The directives: one table of them, from which httpd's own is made. */
#include <stddef.h>

#include <apr_lib.h>

#include "base/ascii.h"
#include "base/number.h"
#include "mod_tmpl.h"

#define TMPL_CONTEXT (RSRC_CONF | ACCESS_CONF)

/* What a directive sets, and what its values must be: rule reads "TmplX must be <rule>". */
typedef struct {
    size_t offset;
    apr_int64_t least;
    apr_int64_t most;
    const char *rule;
} directive_t;

/* "TmplX must be <rule>, not "arg": why". */
static const char *refuse(const cmd_parms *cmd, const char *arg, const char *why)
{
    const directive_t *directive = cmd->info;

    return apr_psprintf(cmd->pool, "%s must be %s, not \"%s\"%s%s", cmd->cmd->name, directive->rule,
                        arg, why != NULL ? ": " : "", why != NULL ? why : "");
}

/* Whether all of arg is a decimal number; it is put into *number. */
static int parse_number(apr_int64_t *number, const char *arg)
{
    char *end;

    errno = 0;
    *number = apr_strtoi64(arg, &end, 10);
    return apr_isdigit(arg[0]) && *end == '\0' && errno == 0;
}

static int in_range(const cmd_parms *cmd, apr_int64_t number)
{
    const directive_t *directive = cmd->info;

    return number >= directive->least && number <= directive->most;
}

static void *field_of(const cmd_parms *cmd, void *conf)
{
    return (char *)conf + ((const directive_t *)cmd->info)->offset;
}

static const char *set_mode(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_mode_e mode;
    apr_int64_t *field = field_of(cmd, conf);

    if (tmpl_mode_parse(&mode, arg, NULL) != APR_SUCCESS) {
        return refuse(cmd, arg, NULL);
    }
    if (mode != TMPL_MODE_OFF) {
        tmpl_links_used_by(cmd->server);
    }
    *field = mode;
    return NULL;
}

static const char *set_detector(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_detector_e detector;
    apr_int64_t *field = field_of(cmd, conf);

    if (tmpl_detector_parse(&detector, arg, NULL) != APR_SUCCESS) {
        return refuse(cmd, arg, NULL);
    }
    *field = detector;
    return NULL;
}

static const char *set_smoothing(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_smoothing_e smoothing;
    apr_int64_t *field = field_of(cmd, conf);

    if (tmpl_smoothing_parse(&smoothing, arg, NULL) != APR_SUCCESS) {
        return refuse(cmd, arg, NULL);
    }
    *field = smoothing;
    return NULL;
}

/* The file says itself which detector it is for. */
static const char *set_model(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_error_t err;
    const char *detector;
    tmpl_models_t *models = field_of(cmd, conf);
    const char *path = ap_server_root_relative(cmd->pool, arg);

    if (arg[0] == '\0' || path == NULL ||
        tmpl_models_load(models, &detector, path, &err, cmd->pool) != APR_SUCCESS) {
        return refuse(cmd, arg, arg[0] != '\0' && path != NULL ? err.text : NULL);
    }
    return NULL;
}

static const char *set_number(cmd_parms *cmd, void *conf, const char *arg)
{
    apr_int64_t number;
    apr_int64_t *field = field_of(cmd, conf);

    if (!parse_number(&number, arg) || !in_range(cmd, number)) {
        return refuse(cmd, arg, NULL);
    }
    *field = number;
    return NULL;
}

static const char *set_lifetime(cmd_parms *cmd, void *conf, const char *tb, const char *n)
{
    apr_int64_t pages, factor;
    tmpl_conf_t *section = conf;

    if (!parse_number(&pages, tb) || !in_range(cmd, pages)) {
        return refuse(cmd, tb, "Tb");
    }
    if (!parse_number(&factor, n) || factor < 1 || factor > 1000) {
        return refuse(cmd, n, "N");
    }
    section->lifetime_tb = pages;
    section->lifetime_n = factor;
    return NULL;
}

/* A share from 0 to 1, or from 0% to 100%. */
static const char *set_share(cmd_parms *cmd, void *conf, const char *arg)
{
    char *end;
    double share;
    double *field = field_of(cmd, conf);

    /* tmpl_number knows nan, inf and hexadecimal numbers */
    if (strspn(arg, "0123456789.%") != strlen(arg) || !strpbrk(arg, "0123456789")) {
        return refuse(cmd, arg, NULL);
    }
    share = tmpl_number(arg, &end);
    if (*end == '%') {
        share /= 100;
        end++;
    }
    if (*end != '\0' || share > 1) {
        return refuse(cmd, arg, NULL);
    }
    *field = share;
    return NULL;
}

/* A number of bytes, with K, M or G behind it or nothing. */
static const char *set_size(cmd_parms *cmd, void *conf, const char *arg)
{
    static const char units[] = "kmg";
    apr_size_t len = strlen(arg);
    const char *unit = len > 0 ? strchr(units, tmpl_lower(arg[len - 1])) : NULL;
    const char *digits = unit != NULL ? apr_pstrmemdup(cmd->pool, arg, len - 1) : arg;
    apr_int64_t bytes;
    apr_int64_t *field = field_of(cmd, conf);
    int shift = unit != NULL ? 10 * (int)(unit - units + 1) : 0;

    if (!parse_number(&bytes, digits) || bytes > APR_INT64_MAX >> shift ||
        !in_range(cmd, bytes << shift)) {
        return refuse(cmd, arg, NULL);
    }
    *field = bytes << shift;
    return NULL;
}

/* httpd's own parser does not look at what stands behind a unit's first letters. */
static int is_unit(const char *unit)
{
    static const char *const units[] = { "", "ms", "s", "mi", "min", "h" };
    size_t i;

    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (ap_cstr_casecmp(unit, units[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static const char *set_time(cmd_parms *cmd, void *conf, const char *arg)
{
    apr_interval_time_t interval;
    apr_int64_t *field = field_of(cmd, conf);
    apr_size_t digits = strspn(arg, "0123456789");

    if (digits == 0 || digits > 9 || !is_unit(arg + digits) ||
        ap_timeout_parameter_parse(arg, &interval, "s") != APR_SUCCESS ||
        !in_range(cmd, interval)) {
        return refuse(cmd, arg, NULL);
    }
    *field = interval;
    return NULL;
}

static const char *set_flag(cmd_parms *cmd, void *conf, int on)
{
    apr_int64_t *field = field_of(cmd, conf);

    *field = on != 0;
    return NULL;
}

/*
 * A key says whose page this is, not what the answer looks like: a Vary for it would only make
 * caches miss, so none is set.
 */
static const char *set_key(cmd_parms *cmd, void *conf, const char *arg)
{
    const char *why = NULL;
    const ap_expr_info_t **field = field_of(cmd, conf);
    const ap_expr_info_t *expr = ap_expr_parse_cmd(
        cmd, arg, AP_EXPR_FLAG_STRING_RESULT | AP_EXPR_FLAG_DONT_VARY, &why, NULL);

    if (why != NULL || arg[0] == '\0') {
        return refuse(cmd, arg, why);
    }
    *field = expr;
    return NULL;
}

static const char *set_learn(cmd_parms *cmd, void *conf, const char *arg)
{
    static const struct {
        const char *word;
        tmpl_learn_t learn;
    } words[] = {
        { "public", { TMPL_LEARN_PUBLIC, NULL } },
        { "on", { TMPL_LEARN_ALWAYS, NULL } },
        { "off", { TMPL_LEARN_NEVER, NULL } },
    };
    const char *why = NULL;
    const tmpl_learn_t **field = field_of(cmd, conf);
    tmpl_learn_t *learn;
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (ap_cstr_casecmp(arg, words[i].word) == 0) {
            *field = &words[i].learn;
            return NULL;
        }
    }
    learn = apr_palloc(cmd->pool, sizeof(*learn));
    learn->when = TMPL_LEARN_IF;
    learn->expr = ap_expr_parse_cmd(cmd, arg, AP_EXPR_FLAG_DONT_VARY, &why, NULL);
    if (why != NULL) {
        return refuse(cmd, arg, why);
    }
    *field = learn;
    return NULL;
}

/* Called for each argument. */
static const char *set_selector(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_error_t err;
    const tmpl_selector_t *selector;
    apr_array_header_t **field = field_of(cmd, conf);

    if (tmpl_selector_parse(&selector, arg, &err, cmd->pool) != APR_SUCCESS) {
        return refuse(cmd, arg, err.text);
    }
    if (*field == NULL) {
        *field = apr_array_make(cmd->pool, 4, sizeof(const tmpl_selector_t *));
    }
    APR_ARRAY_PUSH(*field, const tmpl_selector_t *) = selector;
    return NULL;
}

/* Either each argument has a + in front, or none. */
static const char *set_separators(cmd_parms *cmd, void *conf, int argc, char *const argv[])
{
    tmpl_error_t err;
    const tmpl_separators_t **field = field_of(cmd, conf);
    tmpl_separators_t *set = apr_pcalloc(cmd->pool, sizeof(*set));
    int i;

    if (argc == 0) {
        return refuse(cmd, "", NULL);
    }
    set->relative = argv[0][0] == '+';
    for (i = 0; i < argc; i++) {
        const char *words = argv[i] + set->relative;

        if ((argv[i][0] == '+') != set->relative || words[strspn(words, " \t")] == '\0') {
            return refuse(cmd, argv[i], NULL);
        }
        if (tmpl_tag_set_add(&set->own, words, &err) != APR_SUCCESS) {
            return refuse(cmd, argv[i], err.text);
        }
    }
    set->all = set->own;
    for (i = 0; set->relative && i < (int)sizeof(set->all.has); i++) {
        set->all.has[i] |= tmpl_separators_default.has[i];
    }
    tmpl_conf_add_separators(field, set, cmd->pool);
    return NULL;
}

static const char *set_secret(cmd_parms *cmd, void *conf, const char *arg)
{
    apr_uint64_t seed;
    const apr_uint64_t **field = field_of(cmd, conf);

    if (arg[0] == '\0') {
        return refuse(cmd, arg, NULL);
    }
    seed = tmpl_seed(arg);
    *field = apr_pmemdup(cmd->pool, &seed, sizeof(seed));
    return NULL;
}

/* A relative directory is one in DefaultRuntimeDir. NULL if it is no path, or too long for one. */
static const char *absolute_uri(const char *uri, apr_pool_t *pool)
{
    static const char scheme[] = "lmdb:";
    const char *dir = uri + sizeof(scheme) - 1;

    if (strncmp(uri, scheme, sizeof(scheme) - 1) != 0 || dir[0] == '/') {
        return uri;
    }
    dir = ap_runtime_dir_relative(pool, dir);
    return dir != NULL ? apr_pstrcat(pool, scheme, dir, NULL) : NULL;
}

static const char *set_store(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_error_t err;
    tmpl_link_t **field = field_of(cmd, conf);
    const char *uri;

    if (tmpl_store_check_uri(arg, &err, cmd->temp_pool) != APR_SUCCESS) {
        return refuse(cmd, arg, err.text);
    }
    uri = absolute_uri(arg, cmd->pool);
    if (uri == NULL) {
        return refuse(cmd, arg, "that is no path");
    }
    *field = tmpl_link_add(uri, cmd->pool);
    return NULL;
}

/* none, or what mod_socache_* there are, with arguments of theirs behind a colon. */
static const char *set_cache(cmd_parms *cmd, void *conf, const char *arg)
{
    tmpl_cache_t **field = field_of(cmd, conf);
    const char *why = tmpl_cache_add(field, arg, cmd->pool, cmd->temp_pool);

    return why != NULL ? refuse(cmd, arg, why) : NULL;
}

#define TEXT_(x)       #x
#define TEXT(x)        TEXT_(x)
#define MIN_DF_RULE    "a whole number from " TEXT(TMPL_MIN_DF_LEAST) " to " TEXT(TMPL_MIN_DF_MOST)
#define SHARE_RULE     "a number from 0 to 1, or from 0% to 100%"
#define SIZE_RULE      "a number of bytes from 1 to 1G, with K, M, G or nothing behind it"
#define TIME_RULE      "a time from 1ms to 10s"
#define DELAY_RULE     "0, or a time up to 10s"
#define WAIT_RULE      "a time from 10ms to 10min"
#define SELECTOR_RULE  "simple selectors: tag, #id, .class, [attr], [attr=value] or such joined"
#define SEPARATOR_RULE "names of HTML elements, all of them or none with a + in front"
#define STORE_RULE     "lmdb:DIR, redis://[user:pass@]host[:port][/db] or redis+unix:///path[?db=n]"
#define LEARN_RULE     "public, on, off or an expression"

/* X(args, name, handler, field, least, most, rule, what it is for) */
/* clang-format off */
#define TMPL_DIRECTIVES(X) \
    X(TAKE1, "TmplMode", set_mode, mode, 0, 0, \
      "off, learn, headers, annotate or strip", "What is done with pages") \
    X(TAKE1, "TmplDetector", set_detector, detector, 0, 0, \
      "one of" TMPL_DETECTOR_NAMES, "What judges pages") \
    X(TAKE1, "TmplModel", set_model, models, 0, 0, \
      "a file that holds a model", "What detectors that are trained judge by") \
    X(TAKE1, "TmplSmoothing", set_smoothing, smoothing, 0, 0, \
      "off, max, min or on", "How detector pagelevel makes the parts of a page agree") \
    X(TAKE1, "TmplStore", set_store, store, 0, 0, STORE_RULE, "Where the sites' tables are kept") \
    X(TAKE1, "TmplCache", set_cache, cache, 0, 0, \
      "none, shmcb or another of httpd's shared object caches", "Where decisions are kept") \
    X(TAKE1, "TmplSiteKey", set_key, site_key, 0, 0, \
      "an expression that gives a name", "Which site's table a page belongs to") \
    X(TAKE1, "TmplPageKey", set_key, page_key, 0, 0, \
      "an expression that gives a name", "Which document a page is") \
    X(TAKE1, "TmplMinDF", set_number, min_df, TMPL_MIN_DF_LEAST, TMPL_MIN_DF_MOST, \
      MIN_DF_RULE, "Pages a segment must have stood on to be template") \
    X(TAKE1, "TmplRatio", set_share, ratio, 0, 0, \
      SHARE_RULE, "Share of template above which a block is template") \
    X(TAKE2, "TmplLifetime", set_lifetime, lifetime_tb, 1, 1000000, \
      "Tb, a whole number of pages from 1 to 1000000, and N, one from 1 to 1000", \
      "Pages a segment is remembered: Tb at first, Tb * N at most") \
    X(TAKE_ARGV, "TmplSeparators", set_separators, separators, 0, 0, \
      SEPARATOR_RULE, "Elements that begin and end blocks") \
    X(ITERATE, "TmplKeep", set_selector, keep, 0, 0, \
      SELECTOR_RULE, "Elements that are content, in addition to those named outside") \
    X(ITERATE, "TmplDrop", set_selector, drop, 0, 0, \
      SELECTOR_RULE, "Elements that are template, in addition to those named outside") \
    X(TAKE1, "TmplMinKeep", set_share, min_keep, 0, 0, \
      SHARE_RULE, "Share of a page's text that must be left, or the page is left alone") \
    X(TAKE1, "TmplLearn", set_learn, learn, 0, 0, LEARN_RULE, "Which pages are learnt from") \
    X(TAKE1, "TmplLearnDelay", set_time, delay, 0, 10 * APR_USEC_PER_SEC, \
      DELAY_RULE, "How long a page waits at least until it is learnt") \
    X(TAKE1, "TmplMaxBody", set_size, max_body, 1, APR_INT64_C(1) << 30, \
      SIZE_RULE, "Longest page that is looked at") \
    X(TAKE1, "TmplMaxWait", set_time, max_wait, 10000, 600 * APR_USEC_PER_SEC, \
      WAIT_RULE, "Longest time for which a page is held, from its first byte on") \
    X(TAKE1, "TmplTimeout", set_time, timeout, 1000, 10 * APR_USEC_PER_SEC, \
      TIME_RULE, "Longest wait for the store") \
    X(TAKE1, "TmplSecret", set_secret, seed, 0, 0, \
      "at least one character long", "Secret of the keys in the store") \
    X(FLAG, "TmplHeaders", set_flag, headers, 0, 1, \
      "On or Off", "Whether responses have the fields Tmpl and Server-Timing")
/* clang-format on */

enum {
#define TMPL_DIRECTIVE_ID(args, name, handler, field, least, most, rule, help) DIRECTIVE_##field,
    TMPL_DIRECTIVES(TMPL_DIRECTIVE_ID)
#undef TMPL_DIRECTIVE_ID
        DIRECTIVE_COUNT
};

static const directive_t directives[] = {
#define TMPL_DIRECTIVE_ROW(args, name, handler, field, least, most, rule, help)                    \
    { offsetof(tmpl_conf_t, field), least, most, rule },
    TMPL_DIRECTIVES(TMPL_DIRECTIVE_ROW)
#undef TMPL_DIRECTIVE_ROW
};

const command_rec tmpl_conf_directives[] = {
#define TMPL_DIRECTIVE_COMMAND(args, name, handler, field, least, most, rule, help)                \
    AP_INIT_##args(name, handler, (void *)&directives[DIRECTIVE_##field], TMPL_CONTEXT,            \
                   help ": " rule),
    TMPL_DIRECTIVES(TMPL_DIRECTIVE_COMMAND)
#undef TMPL_DIRECTIVE_COMMAND
        { NULL, { NULL }, NULL, 0, RAW_ARGS, NULL }
};
