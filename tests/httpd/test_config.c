/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directives: each field of a section is merged as it must be, whatever is set outside and
 * inside of it, and each bad value is refused with a message that names the directive and what is
 * valid.
 *
 * config.c and section.c are included; what they need of httpd and of the module's other files
 * stands below.
 */
#include <stdio.h>

#include "tap.h"

#include "mod_tmpl/config.c"
#include "mod_tmpl/section.c"
#include "locales.h"

module AP_MODULE_DECLARE_DATA tmpl_module;

struct tmpl_link_t {
    const char *uri;
};

static apr_pool_t *pool;
static int used; /* tmpl_links_used_by was called */

tmpl_link_t *tmpl_link_add(const char *uri, apr_pool_t *pconf)
{
    tmpl_link_t *link = apr_palloc(pconf, sizeof(*link));

    link->uri = apr_pstrdup(pconf, uri);
    return link;
}

const char *tmpl_cache_add(tmpl_cache_t **cache, const char *name, apr_pool_t *pconf,
                           apr_pool_t *ptemp)
{
    (void)ptemp;
    *cache = (tmpl_cache_t *)apr_pstrdup(pconf, name);
    return strcmp(name, "nosuch") == 0 ? "there is none" : NULL;
}

void tmpl_links_used_by(server_rec *s)
{
    (void)s;
    used++;
}

void tmpl_selectors_add(const char *directive, const apr_array_header_t *list, int first)
{
    (void)directive;
    (void)list;
    (void)first;
}

/* Any text is an expression, but for one. */
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

AP_DECLARE(char *) ap_runtime_dir_relative(apr_pool_t *p, const char *name)
{
    return apr_pstrcat(p, "/run/httpd/", name, NULL);
}

static const char *wrong_context; /* what httpd says of where a directive stands */

AP_DECLARE(const char *) ap_check_cmd_context(cmd_parms *cmd, unsigned forbidden)
{
    (void)cmd;
    assert_int_equal(forbidden, GLOBAL_ONLY);
    return wrong_context;
}

AP_DECLARE(int) ap_cstr_casecmp(const char *a, const char *b)
{
    return strcasecmp(a, b);
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

/* Applies a line as httpd does; returns what the handler returned. */
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

static const char *number(apr_int64_t value)
{
    return value == TMPL_UNSET ? "" : apr_psprintf(pool, "%" APR_INT64_T_FMT, value);
}

static const char *share(double value)
{
    return value < 0 ? "" : apr_psprintf(pool, "%.2f", value);
}

static const char *expr(const ap_expr_info_t *info)
{
    return info == NULL ? "" : info->filename;
}

static const char *selectors(const apr_array_header_t *list)
{
    return list == NULL ? "" : number(list->nelts);
}

static const char *show_mode(const tmpl_conf_t *conf)
{
    return number(conf->mode);
}

static const char *show_detector(const tmpl_conf_t *conf)
{
    return number(conf->detector);
}

static const char *show_smoothing(const tmpl_conf_t *conf)
{
    return number(conf->smoothing);
}

/* Which models are named, by what they make of the limit. */
static const char *show_models(const tmpl_conf_t *conf)
{
    const tmpl_model_t *pagelevel = conf->models.pagelevel;
    const tmpl_trees_t *trees = conf->models.trees;

    return apr_pstrcat(
        pool, trees != NULL ? "t" : "", share(trees ? tmpl_trees_threshold(trees) : -1),
        pagelevel != NULL ? "p" : "", share(pagelevel ? pagelevel->threshold : -1), NULL);
}

static const char *show_cache(const tmpl_conf_t *conf)
{
    return conf->cache == NULL ? "" : (const char *)conf->cache; /* as tmpl_cache_add has it */
}

static const char *show_store(const tmpl_conf_t *conf)
{
    return conf->store == NULL ? "" : conf->store->uri;
}

static const char *show_store_read(const tmpl_conf_t *conf)
{
    return conf->store_read == NULL ? "" : conf->store_read->uri;
}

static const char *show_site_key(const tmpl_conf_t *conf)
{
    return expr(conf->site_key);
}

static const char *show_admin(const tmpl_conf_t *conf)
{
    return expr(conf->admin);
}

static const char *show_page_key(const tmpl_conf_t *conf)
{
    return expr(conf->page_key);
}

static const char *show_min_df(const tmpl_conf_t *conf)
{
    return number(conf->min_df);
}

static const char *show_ratio(const tmpl_conf_t *conf)
{
    return share(conf->ratio);
}

static const char *show_lifetime(const tmpl_conf_t *conf)
{
    return apr_pstrcat(pool, number(conf->lifetime.tb), number(conf->lifetime.n), NULL);
}

static const char *show_separators(const tmpl_conf_t *conf)
{
    const char *names = "";
    int tag;

    if (conf->separators == NULL) {
        return "";
    }
    for (tag = 0; tag < TMPL_TAG_COUNT; tag++) {
        if (conf->separators->all.has[tag]) {
            names = apr_pstrcat(pool, names, tmpl_tag_name((tmpl_tag_e)tag), " ", NULL);
        }
    }
    return names;
}

static const char *show_keep(const tmpl_conf_t *conf)
{
    return selectors(conf->keep);
}

static const char *show_drop(const tmpl_conf_t *conf)
{
    return selectors(conf->drop);
}

static const char *show_comments(const tmpl_conf_t *conf)
{
    return number(conf->comments);
}

static const char *show_marks(const tmpl_conf_t *conf)
{
    const char *names = "";
    uint32_t i;

    for (i = 0; conf->marks != NULL && i < conf->marks->n; i++) {
        names = apr_pstrcat(pool, names, conf->marks->marks[i]->name, " ", NULL);
    }
    return names;
}

static const char *show_min_confidence(const tmpl_conf_t *conf)
{
    return share(conf->min_confidence);
}

static const char *show_min_keep(const tmpl_conf_t *conf)
{
    return share(conf->min_keep);
}

static const char *show_highlight_allow(const tmpl_conf_t *conf)
{
    return conf->highlight_allow != NULL ? conf->highlight_allow->filename : "";
}

static const char *show_learn(const tmpl_conf_t *conf)
{
    return conf->learn == NULL
               ? ""
               : apr_psprintf(pool, "%d%s", conf->learn->when, expr(conf->learn->expr));
}

static const char *show_max_body(const tmpl_conf_t *conf)
{
    return number(conf->max_body);
}

static const char *show_max_wait(const tmpl_conf_t *conf)
{
    return number(conf->max_wait);
}

static const char *show_delay(const tmpl_conf_t *conf)
{
    return number(conf->delay);
}

static const char *show_timeout(const tmpl_conf_t *conf)
{
    return number(conf->timeout);
}

static const char *show_secret(const tmpl_conf_t *conf)
{
    return conf->seed == NULL ? "" : apr_psprintf(pool, "%" APR_UINT64_T_HEX_FMT, *conf->seed);
}

static const char *show_markdown(const tmpl_conf_t *conf)
{
    return number(conf->markdown);
}

static const char *show_recent(const tmpl_conf_t *conf)
{
    return number(conf->recent);
}

static const char *show_metrics_sites(const tmpl_conf_t *conf)
{
    return conf->metrics_sites == NULL ? "" : apr_array_pstrcat(pool, conf->metrics_sites, ' ');
}

static const char *show_headers(const tmpl_conf_t *conf)
{
    return number(conf->headers);
}

/* both is what is shown if outer is set outside and inner inside; NULL: inner alone counts. */
static const struct {
    const char *(*show)(const tmpl_conf_t *conf);
    const char *outer;
    const char *inner;
    const char *both;
} merges[] = {
    { show_mode, "TmplMode strip", "TmplMode off", NULL },
    { show_mode, "TmplMode OFF", "TmplMode annotate", NULL },
    { show_detector, "TmplDetector pagelevel", "TmplDetector INCREMENTAL", "0" },
    { show_detector, "TmplDetector incremental", "TmplDetector auto", "3" },
    { show_smoothing, "TmplSmoothing off", "TmplSmoothing max", "1" },
    { show_smoothing, "TmplSmoothing max", "TmplSmoothing on", "2" },
    { show_smoothing, "TmplSmoothing on", "TmplSmoothing OFF", "0" },
    { show_models, "TmplModel tests/models/one.trees", "TmplModel tests/models/two.trees",
      "t0.75" },
    { show_models, "TmplModel tests/models/one.trees", "TmplModel models/pagelevel.model",
      "t0.25p0.50" },
    { show_store, "TmplStore lmdb:/a", "TmplStore lmdb:b", "lmdb:/run/httpd/b" },
    { show_store, "TmplStore lmdb:b", "TmplStore lmdb:b?size=2G&sites=5",
      "lmdb:/run/httpd/b?size=2G&sites=5" },
    { show_store_read, "TmplStoreRead redis://a", "TmplStoreRead redis://b", "redis://b" },
    { show_cache, "TmplCache shmcb", "TmplCache none", "none" },
    { show_site_key, "TmplSiteKey one", "TmplSiteKey %{HTTP_HOST}", NULL },
    { show_page_key, "TmplPageKey one", "TmplPageKey two", NULL },
    { show_min_df, "TmplMinDF 2", "TmplMinDF 64", "64" },
    { show_ratio, "TmplRatio 1", "TmplRatio 0", "0.00" },
    { show_lifetime, "TmplLifetime 100 10", "TmplLifetime 1000000 1", "10000001" },
    { show_separators, "TmplSeparators table", "TmplSeparators \"div ul\"", "div ul " },
    { show_separators, "TmplSeparators table", "TmplSeparators +p +li", "li p table " },
    { show_separators, "TmplSeparators +p", "TmplSeparators div", "div " },
    { show_keep, "TmplKeep aside", "TmplKeep #a .b\nTmplKeep i", "3" },
    { show_drop, "TmplDrop aside, .c", "TmplDrop [x=y]", "3" },
    { show_min_keep, "TmplMinKeep 0", "TmplMinKeep 15%", "0.15" },
    { show_min_keep, "TmplMinKeep 0.5", "TmplMinKeep 0", "0.00" },
    { show_comments, "TmplComments keep", "TmplComments DROP", "2" },
    { show_comments, "TmplComments drop", "TmplComments judge", "0" },
    { show_marks, "TmplMark pagefind", "TmplMark htdig Data-x \"<!--a--><!--b-->\"",
      "htdig Data-x <!--a--><!--b--> " },
    { show_marks, "TmplMark pagefind udm", "TmplMark noindex\nTmplMark data-tmpl", "data-tmpl " },
    { show_min_confidence, "TmplMinConfidence 0.8", "TmplMinConfidence 5%", "0.05" },
    { show_min_confidence, "TmplMinConfidence 1", "TmplMinConfidence 0", "0.00" },
    { show_highlight_allow, "TmplHighlightAllow false", "TmplHighlightAllow true", NULL },
    { show_learn, "TmplLearn on", "TmplLearn off", NULL },
    { show_learn, "TmplLearn off", "TmplLearn public", NULL },
    { show_learn, "TmplLearn public", "TmplLearn true", NULL },
    { show_max_body, "TmplMaxBody 64K", "TmplMaxBody 2m", "2097152" },
    { show_max_body, "TmplMaxBody 1G", "TmplMaxBody 1", "1" },
    { show_max_wait, "TmplMaxWait 10ms", "TmplMaxWait 10min", "600000000" },
    { show_max_wait, "TmplMaxWait 10min", "TmplMaxWait 1s", "1000000" },
    { show_timeout, "TmplTimeout 1s", "TmplTimeout 50ms", "50000" },
    { show_timeout, "TmplTimeout 1ms", "TmplTimeout 10", "10000000" },
    { show_delay, "TmplLearnDelay 1s", "TmplLearnDelay 0", "0" },
    { show_delay, "TmplLearnDelay 0", "TmplLearnDelay 10s", "10000000" },
    { show_secret, "TmplSecret one", "TmplSecret two", NULL },
    { show_markdown, "TmplMarkdown on", "TmplMarkdown off", "0" },
    { show_markdown, "TmplMarkdown off", "TmplMarkdown on", "1" },
    { show_recent, "TmplRecent 0", "TmplRecent 10000", "10000" },
    { show_admin, "TmplAdmin false", "TmplAdmin true", NULL },
    { show_metrics_sites, "TmplMetricsSites a b\nTmplMetricsSites c", "TmplMetricsSites d", "d" },
    { show_headers, "TmplHeaders on", "TmplHeaders off", "0" },
    { show_headers, "TmplHeaders off", "TmplHeaders on", "1" },
};

static void merging(void **state)
{
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
        const char *(*show)(const tmpl_conf_t *conf) = merges[i].show;
        tmpl_conf_t *none = section("");
        tmpl_conf_t *outer = section(merges[i].outer);
        tmpl_conf_t *inner = section(merges[i].inner);
        const char *outer_shown = show(outer);
        const char *inner_shown = show(inner);
        const char *both = merges[i].both != NULL ? merges[i].both : inner_shown;

        assert_string_equal(show(none), "");
        assert_string_not_equal(outer_shown, "");
        assert_string_equal(show(tmpl_conf_merge(pool, none, none)), "");
        assert_string_equal(show(tmpl_conf_merge(pool, outer, none)), outer_shown);
        assert_string_equal(show(tmpl_conf_merge(pool, none, inner)), inner_shown);
        assert_string_equal(show(tmpl_conf_merge(pool, outer, inner)), both);
        /* sections are merged into many others, so merging must not change them */
        assert_string_equal(show(outer), outer_shown);
        assert_string_equal(show(inner), inner_shown);
        assert_string_equal(show(none), "");
    }
}

/* A section with a store of its own does not ask the replica of another one. */
static void replica_goes_with_its_store(void **state)
{
    tmpl_conf_t *outer = section("TmplStore redis://a\nTmplStoreRead redis://b");

    (void)state;
    assert_string_equal(
        show_store_read(tmpl_conf_merge(pool, outer, section("TmplStore redis://c"))), "");
    assert_string_equal(show_store_read(tmpl_conf_merge(
                            pool, outer, section("TmplStore redis://c\nTmplStoreRead redis://d"))),
                        "redis://d");
}

/* Each directive has a row above. */
static void every_directive_is_merged(void **state)
{
    size_t i;
    int d;

    (void)state;
    for (d = 0; tmpl_conf_directives[d].name != NULL; d++) {
        const char *name = tmpl_conf_directives[d].name;

        for (i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
            if (strncmp(merges[i].outer, name, strlen(name)) == 0 &&
                merges[i].outer[strlen(name)] == ' ') {
                break;
            }
        }
        if (i == sizeof(merges) / sizeof(merges[0])) {
            fail_msg("%s has no row", name);
        }
    }
    assert_int_equal(d, TMPL_SETTING_COUNT);
}

static void append(void *baton, const void *bytes, apr_size_t len)
{
    apr_array_header_t *all = baton;
    size_t i;

    for (i = 0; i < len; i++) {
        APR_ARRAY_PUSH(all, char) = ((const char *)bytes)[i];
    }
}

/* Whether a cached decision of one section is no use for the other. */
static int decide_differently(const char *one, const char *other)
{
    const char *lines[2] = { one, other };
    apr_array_header_t *bytes[2];
    int i;

    for (i = 0; i < 2; i++) {
        bytes[i] = apr_array_make(pool, 1024, 1);
        tmpl_conf_each_deciding(section(lines[i]), append, bytes[i]);
    }
    return bytes[0]->nelts != bytes[1]->nelts ||
           memcmp(bytes[0]->elts, bytes[1]->elts, (size_t)bytes[0]->nelts) != 0;
}

/*
 * Sections that differ in a setting decide differently if and only if the table says TMPL_DECIDES:
 * for each setting, set to two values, and set or not.
 */
static void deciding(void **state)
{
    size_t i;

    (void)state;
    assert_false(decide_differently("", ""));
    for (i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
        const char *blank = strchr(merges[i].outer, ' ');
        const char *name = apr_pstrmemdup(pool, merges[i].outer, (size_t)(blank - merges[i].outer));
        const tmpl_setting_t *setting = find(name)->cmd_data;

        if (decide_differently(merges[i].outer, merges[i].inner) != setting->decides ||
            decide_differently(merges[i].outer, "") != setting->decides) {
            fail_msg("%s: TMPL_DECIDES is %d", name, setting->decides);
        }
    }
}

/* Both ends of a range are valid, and the text that people read names them. */
static void ranges(void **state)
{
    int i, n = 0;

    (void)state;
    for (i = 0; i < TMPL_SETTING_COUNT; i++) {
        const tmpl_setting_t *setting = &tmpl_settings[i];
        const char *ends[2] = { setting->least, setting->most };
        int end;

        assert_true((setting->least[0] == '\0') == (setting->most[0] == '\0'));
        for (end = 0; end < 2 && setting->least[0] != '\0'; end++) {
            const char *line = apr_psprintf(pool, "%s %s%s", setting->directive, ends[end],
                                            setting->form == TMPL_FORM_LIFETIME ? " 1000" : "");

            section(line);
            assert_non_null(strstr(setting->values, ends[end]));
            n++;
        }
    }
    assert_true(n > 0);
    assert_int_equal(atoi(tmpl_settings[TMPL_SETTING_min_df].least), TMPL_MIN_DF_LEAST);
    assert_int_equal(atoi(tmpl_settings[TMPL_SETTING_min_df].most), TMPL_MIN_DF_MOST);
}

/* The words of a setting, in the text that people read. */
static void words(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < TMPL_MODE_COUNT; i++) {
        assert_non_null(strstr(TMPL_VALUES_MODE(, ), tmpl_mode_name((tmpl_mode_e)i)));
    }
    for (i = 0; i < TMPL_DETECTOR_COUNT; i++) {
        assert_non_null(strstr(TMPL_VALUES_DETECTOR(, ), tmpl_detector((tmpl_detector_e)i)->name));
    }
}

/* Blanks between arguments are a combinator, unless they are around a comma or a >. */
static void selectors_of_several_words(void **state)
{
    static const char html[] = "<body><main><p>one</p></main><p>two</p><nav>three</nav></body>";
    static const struct {
        const char *line;
        unsigned matched; /* bits: the p in main, p, nav */
        int selectors;
    } cases[] = {
        { "TmplKeep main p", 1, 1 },      { "TmplKeep main > p", 1, 1 },
        { "TmplKeep 'main p'", 1, 1 },    { "TmplKeep p", 3, 1 },
        { "TmplKeep nav, main p", 5, 2 }, { "TmplKeep body > p , nav", 6, 2 },
    };
    const tmpl_page_opts_t opts = { .separators = NULL };
    const tmpl_page_t *page;
    size_t i;

    (void)state;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    assert_int_equal(page->n_nodes, 5); /* body main p p nav */
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_conf_t *conf = section(cases[i].line);
        unsigned matched = 0, node;
        int k;

        for (node = 2; node < 5; node++) {
            for (k = 0; k < conf->keep->nelts; k++) {
                matched |= (unsigned)tmpl_selector_matches(
                               APR_ARRAY_IDX(conf->keep, k, const tmpl_selector_t *), page, node)
                           << (node - 2);
            }
        }
        assert_int_equal(conf->keep->nelts, cases[i].selectors);
        assert_int_equal(matched, cases[i].matched);
    }
}

static const struct {
    const char *line;
    const char *says[3];
} refusals[] = {
    { "TmplRecent 10001", { "TmplRecent must be a whole number from 0 to 10000", "\"10001\"" } },
    { "TmplRecent -1", { "TmplRecent must be a whole number from 0 to 10000" } },
    { "TmplAdmin %{", { "TmplAdmin must be an expression that is true or false", "syntax error" } },
    { "TmplMetricsSites ''", { "TmplMetricsSites must be keys of sites, not \"\"" } },
    { "TmplMode on",
      { "TmplMode must be off, learn, headers, annotate, strip, text, markdown or highlight",
        "\"on\"" } },
    { "TmplMode ''", { "TmplMode must be off" } },
    { "TmplDetector on",
      { "TmplDetector must be incremental, style, pagelevel or auto", "\"on\"" } },
    { "TmplDetector ''", { "TmplDetector must be incremental" } },
    { "TmplSmoothing most", { "TmplSmoothing must be off, max, min or on", "\"most\"" } },
    { "TmplModel /nowhere/model",
      { "TmplModel must be a file that holds a model", "/nowhere/model: No" } },
    { "TmplModel LICENSE", { "LICENSE: line 1: not the head of a model: tmpl-pagelevel 2 or " } },
    { "TmplModel tests/models/bad.trees",
      { "bad.trees: line 5: no feature is called \"wirds\": words, " } },
    { "TmplModel ''", { "TmplModel must be a file that holds a model, not \"\"" } },
    { "TmplStore http://x/",
      { "TmplStore must be lmdb:DIR[?size=BYTES&sites=N], redis:", "a store is lmdb:DIR" } },
    { "TmplStore ''", { "TmplStore must be" } },
    { "TmplStore redis://pages:S3cr/etT@127.0.0.1:6399/0", { "TmplStore must be", "as %2F %3F" } },
    { "TmplStoreRead redis://pages:S3cr?etT@127.0.0.1/0", { "TmplStoreRead must be", "as %2F" } },
    { "TmplStore lmdb:/a?size=2T", { "lmdb: size must be a whole number from 1M to 1024G" } },
    { "TmplStore lmdb:/a?sites=0", { "lmdb: sites must be a whole number from 1 to 100000000" } },
    { "TmplStore lmdb:/a?pages=1", { "\"pages\" is not size or sites" } },
    { "TmplStoreRead redis+sentinel://x",
      { "TmplStoreRead must be lmdb:DIR[?size=BYTES&sites=N], redis:",
        "not of the form redis+sentinel://" } },
    { "TmplCache nosuch", { "TmplCache must be none, shmcb", "there is none" } },
    { "TmplSiteKey %{", { "TmplSiteKey must be an expression", "syntax error" } },
    { "TmplSiteKey ''", { "TmplSiteKey must be an expression" } },
    { "TmplPageKey %{", { "TmplPageKey must be an expression", "syntax error" } },
    { "TmplMinDF 1", { "TmplMinDF must be a whole number from 2 to 64", "\"1\"" } },
    { "TmplMinDF 65", { "from 2 to 64" } },
    { "TmplMinDF -5", { "from 2 to 64" } },
    { "TmplMinDF +5", { "from 2 to 64" } },
    { "TmplMinDF 5x", { "from 2 to 64" } },
    { "TmplMinDF ''", { "from 2 to 64" } },
    { "TmplMinDF 99999999999999999999", { "from 2 to 64" } },
    { "TmplRatio 1.01", { "TmplRatio must be a number from 0 to 1", "\"1.01\"" } },
    { "TmplRatio -0.1", { "from 0 to 1" } },
    { "TmplRatio nan", { "from 0 to 1" } },
    { "TmplRatio inf", { "from 0 to 1" } },
    { "TmplRatio 0x1", { "from 0 to 1" } },
    { "TmplRatio .", { "from 0 to 1" } },
    { "TmplRatio 0.7.1", { "from 0 to 1" } },
    { "TmplRatio 101%", { "from 0% to 100%" } },
    { "TmplRatio 5%%", { "from 0% to 100%" } },
    { "TmplRatio ''", { "from 0 to 1" } },
    { "TmplLifetime 0 10", { "TmplLifetime must be Tb", "from 1 to 1000000", "\"0\"" } },
    { "TmplLifetime 100 0", { "from 1 to 1000", "\"0\"" } },
    { "TmplLifetime 100 1001", { "from 1 to 1000", "\"1001\"" } },
    { "TmplLifetime x 10", { "TmplLifetime must be Tb", "\"x\"" } },
    { "TmplSeparators nosuchtag",
      { "TmplSeparators must be names of HTML elements", "nosuchtag" } },
    { "TmplSeparators div +p", { "all of them or none with a +", "\"+p\"" } },
    { "TmplSeparators +p div", { "all of them or none with a +", "\"div\"" } },
    { "TmplSeparators +", { "names of HTML elements" } },
    { "TmplSeparators ''", { "names of HTML elements" } },
    { "TmplSeparators", { "names of HTML elements" } },
    { "TmplKeep 'div > > p'", { "TmplKeep must be CSS selectors", "\"div > > p\"" } },
    { "TmplKeep aside #", { "TmplKeep must be CSS selectors", "\"aside #\"" } },
    { "TmplKeep aside, ", { "TmplKeep must be CSS selectors", "\"aside,\"" } },
    { "TmplDrop ''", { "TmplDrop must be CSS selectors" } },
    { "TmplDrop", { "TmplDrop must be CSS selectors" } },
    { "TmplComments yes", { "TmplComments must be judge, keep or drop", "\"yes\"" } },
    { "TmplMark", { "TmplMark must be up to 16 of data-tmpl, pagefind,", "not \"\"" } },
    { "TmplMark pagefind nosuch", { "TmplMark must be up to 16", "\"nosuch\"" } },
    { "TmplMark data-pagefind-body", { "TmplMark must be", "every page" } },
    { "TmplMark '<!--a-->'", { "TmplMark must be", "two comments" } },
    { "TmplMinConfidence 1.1",
      { "TmplMinConfidence must be a number from 0 to 1, or from 0% to 100%", "\"1.1\"" } },
    { "TmplMinKeep 2", { "TmplMinKeep must be a number from 0 to 1, or from 0% to 100%" } },
    { "TmplHighlightAllow %{",
      { "TmplHighlightAllow must be an expression that is true or false", "syntax error" } },
    { "TmplLearn %{", { "TmplLearn must be public, on, off or an expression", "syntax error" } },
    { "TmplMaxBody 0", { "TmplMaxBody must be a number of bytes from 1 to 1G", "\"0\"" } },
    { "TmplMaxBody 2G", { "from 1 to 1G" } },
    { "TmplMaxBody K", { "from 1 to 1G" } },
    { "TmplMaxBody 1KB", { "from 1 to 1G" } },
    { "TmplMaxBody 9007199254740993G", { "from 1 to 1G" } },
    { "TmplMaxBody ''", { "from 1 to 1G" } },
    { "TmplMaxWait 0", { "TmplMaxWait must be a time from 10ms to 10min", "\"0\"" } },
    { "TmplMaxWait 9ms", { "from 10ms to 10min" } },
    { "TmplMaxWait 601s", { "from 10ms to 10min" } },
    { "TmplMaxWait soon", { "from 10ms to 10min" } },
    { "TmplTimeout 0", { "TmplTimeout must be a time from 1ms to 10s", "\"0\"" } },
    { "TmplLearnDelay -1", { "TmplLearnDelay must be a time from 0 to 10s", "\"-1\"" } },
    { "TmplLearnDelay 11s", { "a time from 0 to 10s" } },
    { "TmplLearnDelay soon", { "a time from 0 to 10s" } },
    { "TmplTimeout 11s", { "from 1ms to 10s" } },
    { "TmplTimeout 1h", { "from 1ms to 10s" } },
    { "TmplTimeout 50msec", { "from 1ms to 10s" } },
    { "TmplTimeout ms", { "from 1ms to 10s" } },
    { "TmplTimeout -1", { "from 1ms to 10s" } },
    { "TmplTimeout 99999999999999999999s", { "from 1ms to 10s" } },
    { "TmplSecret ''", { "TmplSecret must be" } },
};

static void refusing(void **state)
{
    size_t i, s;

    (void)state;
    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        tmpl_conf_t *conf = section("");
        const char *said = apply(conf, refusals[i].line);

        if (said == NULL) {
            fail_msg("%s is taken", refusals[i].line);
        }
        assert_null(strstr(said, "S3cr")); /* a password */
        assert_null(strstr(said, "etT"));
        for (s = 0; s < 3 && refusals[i].says[s] != NULL; s++) {
            if (strstr(said, refusals[i].says[s]) == NULL) {
                fail_msg("%s says %s", refusals[i].line, said);
            }
        }
    }
}

static void defaults(void **state)
{
    tmpl_clean_opts_t opts;
    tmpl_conf_t *conf = section("");

    (void)state;
    assert_int_equal(tmpl_conf_mode(conf), TMPL_MODE_OFF);
    assert_int_equal(tmpl_conf_max_body(conf), 8 * 1024 * 1024);
    assert_int_equal(tmpl_conf_max_wait(conf), 1000 * 1000);
    assert_int_equal(tmpl_conf_timeout(conf), 100 * 1000);
    assert_int_equal(tmpl_conf_delay(conf), 100 * 1000);
    assert_int_equal(tmpl_conf_edits(conf), 0);
    tmpl_conf_opts(&opts, conf);
    assert_int_equal(opts.age, tmpl_conf_delay(conf));
    opts.age = tmpl_clean_opts_default.age;
    assert_memory_equal(&opts, &tmpl_clean_opts_default, sizeof(opts));
}

static void values_reach_the_library(void **state)
{
    tmpl_clean_opts_t opts;
    tmpl_conf_t *conf =
        section("TmplMode strip\nTmplMinDF 7\nTmplRatio 0.25\nTmplLifetime 11 12\n"
                "TmplMinKeep 3%\nTmplMinConfidence 80%\nTmplComments "
                "drop\nTmplMark elastic\nTmplKeep a b\nTmplDrop i\nTmplSeparators p\n"
                "TmplSecret s\nTmplDetector pagelevel\nTmplSmoothing max\n"
                "TmplModel tests/models/one.trees");

    (void)state;
    tmpl_conf_opts(&opts, conf);
    assert_int_equal(opts.mode, TMPL_MODE_STRIP);
    assert_int_equal(opts.policy.min_df, 7);
    assert_int_equal(opts.policy.lifetime_tb, 11);
    assert_int_equal(opts.policy.lifetime_n, 12);
    assert_int_equal(opts.policy.max_entries, tmpl_clean_opts_default.policy.max_entries);
    assert_true(opts.detect.ratio > 0.249 && opts.detect.ratio < 0.251);
    assert_true(opts.detect.threshold > 0.249 && opts.detect.threshold < 0.251);
    assert_int_equal(opts.detector, TMPL_DETECTOR_PAGELEVEL);
    assert_int_equal(opts.detect.smoothing, TMPL_SMOOTHING_MAX);
    assert_ptr_equal(opts.detect.models.trees, conf->models.trees);
    assert_true(opts.guards.min_keep > 0.029 && opts.guards.min_keep < 0.031);
    assert_true(opts.guards.min_confidence > 0.79 && opts.guards.min_confidence < 0.81);
    assert_int_equal(opts.guards.comments, TMPL_COMMENTS_DROP);
    assert_ptr_equal(opts.marks, conf->marks);
    assert_int_equal(opts.guards.keep->nelts, 1);
    assert_int_equal(opts.guards.drop->nelts, 1);
    assert_ptr_equal(opts.page.separators, &conf->separators->all);
    assert_int_equal(opts.page.seed, tmpl_seed("s"));
}

/* Any module of a server may set a locale; a configuration means the same in each. */
static void numbers_have_a_point_in_every_locale(void **state)
{
    tmpl_conf_t *point, *comma = section("");
    const char *said;

    (void)state;
    use_comma();
    point = section("TmplRatio 0.25\nTmplMinKeep 2.5%");
    said = apply(comma, "TmplRatio 0,25");
    setlocale(LC_NUMERIC, "C");
    assert_true(point->ratio > 0.249 && point->ratio < 0.251);
    assert_true(point->min_keep > 0.0249 && point->min_keep < 0.0251);
    assert_non_null(said);
}

/* Trained detectors need no file. */
static void models_are_built_in(void **state)
{
    tmpl_clean_opts_t opts;
    tmpl_error_t err;
    tmpl_conf_t *named = section("TmplModel tests/models/one.trees");

    (void)state;
    assert_int_equal(tmpl_conf_begin(&err, pool), APR_SUCCESS);
    tmpl_conf_opts(&opts, section(""));
    assert_non_null(opts.detect.models.pagelevel);
    assert_non_null(opts.detect.models.trees);
    tmpl_conf_opts(&opts, named);
    assert_non_null(opts.detect.models.pagelevel);
    assert_ptr_equal(opts.detect.models.trees, named->models.trees);
    memset(&builtin, 0, sizeof(builtin)); /* as the other tests expect it */
}

/* They are for the whole server, so httpd may refuse them where they stand. */
static void some_stand_in_no_section(void **state)
{
    tmpl_conf_t *conf = section("");

    (void)state;
    wrong_context = "not here";
    assert_string_equal(apply(conf, "TmplRecent 5"), "not here");
    assert_string_equal(apply(conf, "TmplMetricsSites a"), "not here");
    wrong_context = NULL;
    assert_int_equal(conf->recent, TMPL_UNSET);
    assert_null(conf->metrics_sites);
}

/* Mode learn sends no fields unless TmplHeaders is on. */
static void fields_by_mode(void **state)
{
    (void)state;
    assert_false(tmpl_conf_headers(section("TmplMode learn")));
    assert_true(tmpl_conf_headers(section("TmplMode headers")));
    assert_true(tmpl_conf_headers(section("TmplMode annotate")));
    assert_true(tmpl_conf_headers(section("TmplMode strip")));
    assert_false(tmpl_conf_headers(section("TmplMode strip\nTmplHeaders off")));
    assert_true(tmpl_conf_headers(section("TmplMode learn\nTmplHeaders on")));
}

/* A page that is neither changed nor described in fields is not held. */
static void what_is_held(void **state)
{
    (void)state;
    assert_false(tmpl_conf_holds(section("")));
    assert_false(tmpl_conf_holds(section("TmplMode learn")));
    assert_false(tmpl_conf_holds(section("TmplMode headers\nTmplHeaders off")));
    assert_true(tmpl_conf_holds(section("TmplMode learn\nTmplHeaders on")));
    assert_true(tmpl_conf_holds(section("TmplMode headers")));
    assert_true(tmpl_conf_holds(section("TmplMode annotate\nTmplHeaders off")));
    assert_true(tmpl_conf_holds(section("TmplMode strip\nTmplHeaders off")));
}

static void plus_adds_to_what_is_there(void **state)
{
    tmpl_conf_t *conf = section("TmplSeparators +p");
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(tmpl_separators_default.has); i++) {
        int expected = tmpl_separators_default.has[i] || i == TMPL_TAG_P;

        assert_int_equal(conf->separators->all.has[i] != 0, expected);
    }
    assert_string_equal(show_separators(section("TmplSeparators div\nTmplSeparators +p")),
                        "div p ");
    assert_string_equal(show_separators(section("TmplSeparators div\nTmplSeparators p")), "p ");
}

static void keys_set_no_vary(void **state)
{
    tmpl_conf_t *conf = section("TmplSiteKey a\nTmplPageKey b\nTmplLearn c\nTmplHighlightAllow d");

    (void)state;
    assert_int_equal(conf->site_key->flags, AP_EXPR_FLAG_STRING_RESULT | AP_EXPR_FLAG_DONT_VARY);
    assert_int_equal(conf->page_key->flags, AP_EXPR_FLAG_STRING_RESULT | AP_EXPR_FLAG_DONT_VARY);
    assert_int_equal(conf->learn->expr->flags, AP_EXPR_FLAG_DONT_VARY);
    assert_int_equal(conf->highlight_allow->flags, AP_EXPR_FLAG_DONT_VARY);
}

/* The default store is created only for servers that use it. */
static void mode_uses_the_store(void **state)
{
    (void)state;
    used = 0;
    section("TmplMode off");
    assert_int_equal(used, 0);
    section("TmplMode learn");
    assert_int_equal(used, 1);
}

/* The reference file sets the defaults, and names every directive. */
static void reference(void **state)
{
    static char text[65536];
    FILE *file = fopen("conf/tmpl-reference.conf", "r");
    tmpl_conf_t *conf;
    tmpl_clean_opts_t opts;
    tmpl_clean_opts_t expected = tmpl_clean_opts_default;
    char *lines = apr_pstrdup(pool, "");
    char *line, *rest;
    int d;

    (void)state;
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    for (d = 0; d < TMPL_SETTING_COUNT; d++) {
        if (strstr(text, tmpl_conf_directives[d].name) == NULL) {
            fail_msg("%s is missing", tmpl_conf_directives[d].name);
        }
    }
    for (line = apr_strtok(text, "\n", &rest); line != NULL; line = apr_strtok(NULL, "\n", &rest)) {
        if (line[0] != '#') {
            lines = apr_pstrcat(pool, lines, line, "\n", NULL);
        }
    }
    conf = section(lines);
    assert_string_equal(conf->store->uri, "lmdb:/run/httpd/" TMPL_DEFAULT_DIR);
    assert_int_equal(conf->max_body, TMPL_DEFAULT_MAX_BODY);
    assert_int_equal(conf->max_wait, TMPL_DEFAULT_MAX_WAIT);
    assert_int_equal(conf->timeout, TMPL_DEFAULT_TIMEOUT);
    assert_int_equal(conf->delay, TMPL_DEFAULT_DELAY);
    assert_int_equal(conf->learn->when, TMPL_LEARN_PUBLIC);
    tmpl_conf_opts(&opts, conf);
    assert_memory_equal(opts.page.separators, &tmpl_separators_default, sizeof(tmpl_tag_set_t));
    expected.page.separators = opts.page.separators;
    assert_int_equal(opts.marks->n, 1);
    assert_string_equal(opts.marks->id, tmpl_marks_default.id);
    expected.marks = opts.marks;
    expected.age = TMPL_DEFAULT_DELAY;
    assert_memory_equal(&opts, &expected, sizeof(opts));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(some_stand_in_no_section),
    cmocka_unit_test(merging),
    cmocka_unit_test(replica_goes_with_its_store),
    cmocka_unit_test(every_directive_is_merged),
    cmocka_unit_test(deciding),
    cmocka_unit_test(ranges),
    cmocka_unit_test(words),
    cmocka_unit_test(selectors_of_several_words),
    cmocka_unit_test(refusing),
    cmocka_unit_test(defaults),
    cmocka_unit_test(values_reach_the_library),
    cmocka_unit_test(numbers_have_a_point_in_every_locale),
    cmocka_unit_test(models_are_built_in),
    cmocka_unit_test(fields_by_mode),
    cmocka_unit_test(what_is_held),
    cmocka_unit_test(plus_adds_to_what_is_there),
    cmocka_unit_test(keys_set_no_vary),
    cmocka_unit_test(mode_uses_the_store),
    cmocka_unit_test(reference),
};

static int setup(void **state)
{
    (void)state;
    return apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

TAP_MAIN_WITH(tests, setup)
