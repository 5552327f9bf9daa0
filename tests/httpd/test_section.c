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

/* Which models are named, by what they make of the limit. */
static const char *models(const tmpl_models_t *named)
{
    const tmpl_model_t *pagelevel = named->pagelevel;
    const tmpl_trees_t *trees = named->trees;

    return apr_pstrcat(
        pool, trees != NULL ? "t" : "", share(trees ? tmpl_trees_threshold(trees) : -1),
        pagelevel != NULL ? "p" : "", share(pagelevel ? pagelevel->threshold : -1), NULL);
}

static const char *separators(const tmpl_separators_t *named)
{
    const char *names = "";
    int tag;

    for (tag = 0; named != NULL && tag < TMPL_TAG_COUNT; tag++) {
        if (named->all.has[tag]) {
            names = apr_pstrcat(pool, names, tmpl_tag_name((tmpl_tag_e)tag), " ", NULL);
        }
    }
    return names;
}

static const char *marks(const tmpl_marks_t *named)
{
    const char *names = "";
    uint32_t i;

    for (i = 0; named != NULL && i < named->n; i++) {
        names = apr_pstrcat(pool, names, named->marks[i]->name, " ", NULL);
    }
    return names;
}

static const char *show_pointer(const void *value, tmpl_form_e form)
{
    const tmpl_learn_t *learn = value;

    if (value == NULL) {
        return "";
    }
    switch (form) {
    case TMPL_FORM_STORE:
        return ((const tmpl_child_store_t *)value)->uri;
    case TMPL_FORM_CACHE:
        return value; /* as tmpl_cache_add has it */
    case TMPL_FORM_LEARN:
        return apr_psprintf(pool, "%d%s", learn->when, expr(learn->expr));
    case TMPL_FORM_SITES:
        return apr_array_pstrcat(pool, value, ' ');
    case TMPL_FORM_SELECTORS:
        return number(((const apr_array_header_t *)value)->nelts);
    case TMPL_FORM_MARKS:
        return marks(value);
    case TMPL_FORM_SEPARATORS:
        return separators(value);
    default:
        return expr(value);
    }
}

/* The value of a setting; "": it is not set. */
static const char *show(tmpl_conf_t *conf, const tmpl_setting_t *setting)
{
    const void *field = tmpl_conf_field(conf, setting);
    const tmpl_parts_t *parts = field;
    const tmpl_lifetime_t *lifetime = field;

    if (setting->form < TMPL_FORM_STORE) {
        return number(*(const apr_int64_t *)field);
    }
    switch (setting->form) {
    case TMPL_FORM_SECRET:
        return *(const apr_uint64_t *)field == 0
                   ? ""
                   : apr_psprintf(pool, "%" APR_UINT64_T_HEX_FMT, *(const apr_uint64_t *)field);
    case TMPL_FORM_SHARE:
        return share(*(const double *)field);
    case TMPL_FORM_LIFETIME:
        return apr_pstrcat(pool, number(lifetime->tb), number(lifetime->n), NULL);
    case TMPL_FORM_MODEL:
        return models(field);
    case TMPL_FORM_PARTS:
        return parts->off == 0 && parts->on == 0
                   ? ""
                   : tmpl_part_names(TMPL_PARTS_ALL & ~tmpl_parts_without(*parts), pool);
    default:
        return show_pointer(*(const void *const *)field, setting->form);
    }
}

/* both is what is shown if outer is set outside and inner inside; NULL: inner alone counts. */
typedef struct {
    const char *outer, *inner, *both;
} merge_t;

static const merge_t merges[] = {
    { "TmplMode strip", "TmplMode off", NULL },
    { "TmplMode OFF", "TmplMode annotate", NULL },
    { "TmplDetector pagelevel", "TmplDetector INCREMENTAL", "0" },
    { "TmplDetector incremental", "TmplDetector auto", "3" },
    { "TmplSmoothing off", "TmplSmoothing max", "1" },
    { "TmplSmoothing max", "TmplSmoothing on", "2" },
    { "TmplSmoothing on", "TmplSmoothing OFF", "0" },
    { "TmplModel tests/models/one.trees", "TmplModel tests/models/two.trees", "t0.75" },
    { "TmplModel tests/models/one.trees", "TmplModel models/pagelevel.model", "t0.25p0.50" },
    { "TmplStore lmdb:/a", "TmplStore lmdb:b", "lmdb:/run/httpd/b" },
    { "TmplStore lmdb:b", "TmplStore lmdb:b?size=2G&sites=5", "lmdb:/run/httpd/b?size=2G&sites=5" },
    { "TmplStoreRead redis://a", "TmplStoreRead redis://b", "redis://b" },
    { "TmplCache shmcb", "TmplCache none", "none" },
    { "TmplSiteKey one", "TmplSiteKey %{HTTP_HOST}", NULL },
    { "TmplPageKey one", "TmplPageKey two", NULL },
    { "TmplRatio 1", "TmplRatio 0", "0.00" },
    { "TmplLifetime 100 10", "TmplLifetime 1000000 1", "10000001" },
    { "TmplSeparators table", "TmplSeparators \"div ul\"", "div ul " },
    { "TmplSeparators table", "TmplSeparators +p +li", "li p table " },
    { "TmplSeparators +p", "TmplSeparators div", "div " },
    { "TmplKeep aside", "TmplKeep #a .b\nTmplKeep i", "3" },
    { "TmplDrop aside, .c", "TmplDrop [x=y]", "3" },
    { "TmplMinKeep 0", "TmplMinKeep 15%", "0.15" },
    { "TmplMinKeep 0.5", "TmplMinKeep 0", "0.00" },
    { "TmplParts body", "TmplParts headline\nTmplParts +Lead, +QA", "headline lead qa" },
    { "TmplParts body, lead", "TmplParts +comment -lead", "body comment" },
    { "TmplMark pagefind", "TmplMark htdig Data-x \"<!--a--><!--b-->\"",
      "htdig Data-x <!--a--><!--b--> " },
    { "TmplMark pagefind udm", "TmplMark noindex\nTmplMark data-tmpl", "data-tmpl " },
    { "TmplMinConfidence 0.8", "TmplMinConfidence 5%", "0.05" },
    { "TmplHighlightAllow false", "TmplHighlightAllow true", NULL },
    { "TmplLearn on", "TmplLearn off", NULL },
    { "TmplLearn off", "TmplLearn public", NULL },
    { "TmplLearn public", "TmplLearn true", NULL },
    { "TmplMaxBody 64K", "TmplMaxBody 2m", "2097152" },
    { "TmplMaxBody 1G", "TmplMaxBody 1", "1" },
    { "TmplMaxWait 10ms", "TmplMaxWait 10min", "600000000" },
    { "TmplMaxWait 10min", "TmplMaxWait 1s", "1000000" },
    { "TmplTimeout 1s", "TmplTimeout 50ms", "50000" },
    { "TmplTimeout 1ms", "TmplTimeout 10", "10000000" },
    { "TmplLearnDelay 1s", "TmplLearnDelay 0", "0" },
    { "TmplLearnDelay 0", "TmplLearnDelay 10s", "10000000" },
    { "TmplSecret one", "TmplSecret two", NULL },
    { "TmplAdmin false", "TmplAdmin true", NULL },
    { "TmplMetricsSites a b\nTmplMetricsSites c", "TmplMetricsSites d", "d" },
    { "TmplValidate content", "TmplValidate backend", "0" },
    { "TmplValidate backend", "TmplValidate content", "1" },
};

static const tmpl_setting_t *setting_in(const char *line)
{
    return find(apr_pstrmemdup(pool, line, strcspn(line, " ")))->cmd_data;
}

/* Calls test for the rows above, and for each setting that has a range or is a flag. */
static void each_merge(void (*test)(const merge_t *merge))
{
    unsigned char seen[TMPL_SETTING_COUNT] = { 0 };
    size_t i;

    for (i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
        seen[setting_in(merges[i].outer) - tmpl_settings] = 1;
        test(&merges[i]);
    }
    for (i = 0; i < TMPL_SETTING_COUNT; i++) {
        const tmpl_setting_t *setting = &tmpl_settings[i];
        int is_flag = setting->form == TMPL_FORM_FLAG;
        const char *ends[2] = {
            apr_pstrcat(pool, setting->directive, " ", is_flag ? "on" : setting->least, NULL),
            apr_pstrcat(pool, setting->directive, " ", is_flag ? "off" : setting->most, NULL)
        };

        if (is_flag || (setting->least[0] != '\0' && setting->form != TMPL_FORM_LIFETIME)) {
            test(&(merge_t){ ends[0], ends[1], NULL });
            test(&(merge_t){ ends[1], ends[0], NULL });
        }
        else if (!seen[i]) {
            fail_msg("%s has no row", setting->directive);
        }
    }
}

static void merge_is_right(const merge_t *merge)
{
    const tmpl_setting_t *setting = setting_in(merge->outer);
    tmpl_conf_t *none = section("");
    tmpl_conf_t *outer = section(merge->outer);
    tmpl_conf_t *inner = section(merge->inner);
    const char *outer_shown = show(outer, setting);
    const char *inner_shown = show(inner, setting);
    const char *both = merge->both != NULL ? merge->both : inner_shown;

    assert_string_equal(show(none, setting), "");
    assert_string_not_equal(outer_shown, "");
    assert_string_equal(show(tmpl_conf_merge(pool, none, none), setting), "");
    assert_string_equal(show(tmpl_conf_merge(pool, outer, none), setting), outer_shown);
    assert_string_equal(show(tmpl_conf_merge(pool, none, inner), setting), inner_shown);
    assert_string_equal(show(tmpl_conf_merge(pool, outer, inner), setting), both);
    /* sections are merged into many others, so merging must not change them */
    assert_string_equal(show(outer, setting), outer_shown);
    assert_string_equal(show(inner, setting), inner_shown);
    assert_string_equal(show(none, setting), "");
}

static void merging(void **state)
{
    (void)state;
    each_merge(merge_is_right);
}

/* A section with a store of its own does not ask the replica of another one. */
static void replica_goes_with_its_store(void **state)
{
    const tmpl_setting_t *setting = &tmpl_settings[TMPL_SETTING_store_read];
    tmpl_conf_t *outer = section("TmplStore redis://a\nTmplStoreRead redis://b");

    (void)state;
    assert_string_equal(show(tmpl_conf_merge(pool, outer, section("TmplStore redis://c")), setting),
                        "");
    assert_string_equal(
        show(tmpl_conf_merge(pool, outer, section("TmplStore redis://c\nTmplStoreRead redis://d")),
             setting),
        "redis://d");
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
static void decides_as_the_table_says(const merge_t *merge)
{
    const tmpl_setting_t *setting = setting_in(merge->outer);

    if (decide_differently(merge->outer, merge->inner) != setting->decides ||
        decide_differently(merge->outer, "") != setting->decides) {
        fail_msg("%s: TMPL_DECIDES is %d", setting->directive, setting->decides);
    }
}

static void deciding(void **state)
{
    (void)state;
    assert_false(decide_differently("", ""));
    each_merge(decides_as_the_table_says);
}

static void defaults(void **state)
{
    tmpl_clean_opts_t opts, presets = tmpl_clean_opts_default();
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
    opts.age = presets.age;
    assert_memory_equal(&opts, &presets, sizeof(opts));
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
    assert_int_equal(opts.policy.max_entries, tmpl_clean_opts_default().policy.max_entries);
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

/* So do all numbers that the table says it keeps. */
static void numbers_reach_the_library(void **state)
{
    int i, n = 0;

    (void)state;
    for (i = 0; i < TMPL_SETTING_COUNT; i++) {
        const tmpl_setting_t *setting = &tmpl_settings[i];
        tmpl_clean_opts_t opts;

        if (setting->opt != TMPL_NO_OPT && setting->form == TMPL_FORM_NUMBER) {
            tmpl_conf_opts(&opts,
                           section(apr_psprintf(pool, "%s %s", setting->directive, setting->most)));
            assert_int_equal(*(uint32_t *)(void *)((char *)&opts + setting->opt - 1),
                             atoi(setting->most));
            n++;
        }
    }
    assert_true(n > 0);
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
    memset(&default_opts.detect.models, 0,
           sizeof(default_opts.detect.models)); /* as the other tests expect it */
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
    assert_string_equal(separators(section("TmplSeparators div\nTmplSeparators +p")->separators),
                        "div p ");
    assert_string_equal(separators(section("TmplSeparators div\nTmplSeparators p")->separators),
                        "p ");
}

/* The reference file sets the defaults, and names every directive. */
static void reference(void **state)
{
    static char text[65536];
    FILE *file = fopen("conf/tmpl-reference.conf", "r");
    tmpl_conf_t *conf;
    tmpl_clean_opts_t opts;
    tmpl_clean_opts_t expected = tmpl_clean_opts_default();
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
    assert_string_equal(conf->store->uri, "lmdb:/run/httpd/tmpl");
    assert_int_equal(conf->learn->when, TMPL_LEARN_PUBLIC);
    tmpl_conf_opts(&opts, conf);
    assert_memory_equal(opts.page.separators, &tmpl_separators_default, sizeof(tmpl_tag_set_t));
    expected.page.separators = opts.page.separators;
    assert_int_equal(opts.marks->n, 1);
    assert_string_equal(opts.marks->id, tmpl_marks_default.id);
    expected.marks = opts.marks;
    expected.age = conf->delay;
    assert_memory_equal(&opts, &expected, sizeof(opts));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(merging),
    cmocka_unit_test(replica_goes_with_its_store),
    cmocka_unit_test(deciding),
    cmocka_unit_test(defaults),
    cmocka_unit_test(values_reach_the_library),
    cmocka_unit_test(numbers_reach_the_library),
    cmocka_unit_test(models_are_built_in),
    cmocka_unit_test(fields_by_mode),
    cmocka_unit_test(what_is_held),
    cmocka_unit_test(plus_adds_to_what_is_there),
    cmocka_unit_test(reference),
};

TAP_MAIN_WITH(tests, setup)
