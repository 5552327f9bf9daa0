/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections: each field is merged as it must be, whatever the outer and the inner section set; the
 * values that are set, and the defaults of the others, reach the library.
 */
#include "config_fixture.h"

#include "methods/pagelevel_model.h"

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

static const char *show_parts(const tmpl_conf_t *conf)
{
    return conf->parts.off == 0 && conf->parts.on == 0
               ? ""
               : tmpl_part_names(TMPL_PARTS_ALL & ~tmpl_parts_without(conf->parts), pool);
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

static const char *show_documents(const tmpl_conf_t *conf)
{
    return number(conf->documents);
}

static const char *show_max_documents(const tmpl_conf_t *conf)
{
    return number(conf->max_documents);
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

static const char *show_json(const tmpl_conf_t *conf)
{
    return number(conf->json);
}

static const char *show_recent(const tmpl_conf_t *conf)
{
    return number(conf->recent);
}

static const char *show_metrics_sites(const tmpl_conf_t *conf)
{
    return conf->metrics_sites == NULL ? "" : apr_array_pstrcat(pool, conf->metrics_sites, ' ');
}

static const char *show_validate(const tmpl_conf_t *conf)
{
    return number(conf->validate);
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
    { show_parts, "TmplParts body", "TmplParts headline\nTmplParts +Lead, +QA",
      "headline lead qa" },
    { show_parts, "TmplParts body, lead", "TmplParts +comment -lead", "body comment" },
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
    { show_documents, "TmplDocuments on", "TmplDocuments off", "0" },
    { show_max_documents, "TmplMaxDocuments 1000", "TmplMaxDocuments 2000", "2000" },
    { show_delay, "TmplLearnDelay 1s", "TmplLearnDelay 0", "0" },
    { show_delay, "TmplLearnDelay 0", "TmplLearnDelay 10s", "10000000" },
    { show_secret, "TmplSecret one", "TmplSecret two", NULL },
    { show_markdown, "TmplMarkdown on", "TmplMarkdown off", "0" },
    { show_markdown, "TmplMarkdown off", "TmplMarkdown on", "1" },
    { show_json, "TmplJson on", "TmplJson off", "0" },
    { show_json, "TmplJson off", "TmplJson on", "1" },
    { show_recent, "TmplRecent 0", "TmplRecent 10000", "10000" },
    { show_admin, "TmplAdmin false", "TmplAdmin true", NULL },
    { show_metrics_sites, "TmplMetricsSites a b\nTmplMetricsSites c", "TmplMetricsSites d", "d" },
    { show_headers, "TmplHeaders on", "TmplHeaders off", "0" },
    { show_headers, "TmplHeaders off", "TmplHeaders on", "1" },
    { show_validate, "TmplValidate content", "TmplValidate backend", "0" },
    { show_validate, "TmplValidate backend", "TmplValidate content", "1" },
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
    for (d = 0; tmpl_conf_directives[d].cmd_data != NULL; d++) {
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
                "TmplMinKeep 3%\nTmplMinConfidence 80%\nTmplParts "
                "body\nTmplMark elastic\nTmplKeep a b\nTmplDrop i\nTmplSeparators p\n"
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
    assert_int_equal(opts.guards.without, TMPL_PARTS_ALL & ~TMPL_PART_BIT(TMPL_PART_BODY) &
                                              ~TMPL_PART_BIT(TMPL_PART_LEAD));
    assert_ptr_equal(opts.marks, conf->marks);
    assert_int_equal(opts.guards.keep->nelts, 1);
    assert_int_equal(opts.guards.drop->nelts, 1);
    assert_ptr_equal(opts.page.separators, &conf->separators->all);
    assert_int_equal(opts.page.seed, tmpl_seed("s"));
}

/* Trained detectors need no file. */
static void models_are_built_in(void **state)
{
    tmpl_clean_opts_t opts;
    tmpl_conf_t *named = section("TmplModel tests/models/one.trees");

    (void)state;
    tmpl_conf_begin(pool);
    tmpl_conf_opts(&opts, section(""));
    assert_non_null(opts.detect.models.pagelevel);
    assert_non_null(opts.detect.models.trees);
    tmpl_conf_opts(&opts, named);
    assert_non_null(opts.detect.models.pagelevel);
    assert_ptr_equal(opts.detect.models.trees, named->models.trees);
    memset(&builtin, 0, sizeof(builtin)); /* as the other tests expect it */
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
    cmocka_unit_test(merging),
    cmocka_unit_test(replica_goes_with_its_store),
    cmocka_unit_test(every_directive_is_merged),
    cmocka_unit_test(deciding),
    cmocka_unit_test(defaults),
    cmocka_unit_test(values_reach_the_library),
    cmocka_unit_test(models_are_built_in),
    cmocka_unit_test(fields_by_mode),
    cmocka_unit_test(what_is_held),
    cmocka_unit_test(plus_adds_to_what_is_there),
    cmocka_unit_test(reference),
};

TAP_MAIN_WITH(tests, setup)
