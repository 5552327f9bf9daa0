/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directives: each good value is taken, and each bad one refused with a message that names the
 * directive and what is valid.
 */
#include "config_fixture.h"
#include "locales.h"

/* A line that is refused, with what is valid. */
static void is_refused(const char *line, const tmpl_setting_t *setting)
{
    const char *said = apply(section(""), line);

    if (said == NULL || strstr(said, apr_pstrcat(pool, setting->directive, " must be ",
                                                 setting->values, NULL)) == NULL) {
        fail_msg("%s: %s", line, said != NULL ? said : "it is taken");
    }
}

/*
 * Both ends of a range are valid, and the text that people read names them. What is no number, or a
 * larger one, is refused.
 */
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
        if (setting->least[0] != '\0' && setting->form != TMPL_FORM_LIFETIME) {
            is_refused(apr_pstrcat(pool, setting->directive, " x", NULL), setting);
            is_refused(apr_pstrcat(pool, setting->directive, " ''", NULL), setting);
            is_refused(apr_pstrcat(pool, setting->directive, " -1", NULL), setting);
            is_refused(apr_pstrcat(pool, setting->directive, " 99999999999999999999", NULL),
                       setting);
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
    for (i = TMPL_PART_TEMPLATE + 1; i < TMPL_PART_COUNT; i++) {
        assert_non_null(strstr(TMPL_VALUES_PARTS(, ), tmpl_part_name((tmpl_part_e)i)));
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
                matched |=
                    (unsigned)tmpl_selector_matches(
                        APR_ARRAY_IDX(conf->keep, k, const tmpl_selector_t *), page, node, NULL)
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
    { "TmplAdmin %{", { "TmplAdmin must be an expression that is true or false", "syntax error" } },
    { "TmplMetricsSites ''", { "TmplMetricsSites must be keys of sites, not \"\"" } },
    { "TmplMode on",
      { "TmplMode must be off, learn, headers, annotate, strip, text, markdown, json, reader or "
        "highlight",
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
    { "TmplStore redis://pages:S3cr/etT@127.0.0.1:6399/0", { "TmplStore must be", "are %2F" } },
    { "TmplStoreRead redis://pages:S3cr?etT@127.0.0.1/0", { "TmplStoreRead must be", "are %2F" } },
    { "TmplStore lmdb:/a?size=2T", { "lmdb: size=2T is neither size from 1M to 1024G nor" } },
    { "TmplStore lmdb:/a?sites=0", { "sites=0 is neither", "nor sites from 1 to 100000000" } },
    { "TmplStore lmdb:/a?pages=1", { "lmdb: pages=1 is neither size" } },
    { "TmplStoreRead redis+sentinel://x",
      { "TmplStoreRead must be lmdb:DIR[?size=BYTES&sites=N], redis:",
        "not of the form redis+sentinel://" } },
    { "TmplCache nosuch", { "TmplCache must be auto, none, shmcb", "there is none" } },
    { "TmplSiteKey %{", { "TmplSiteKey must be an expression", "syntax error" } },
    { "TmplSiteKey ''", { "TmplSiteKey must be an expression" } },
    { "TmplPageKey %{", { "TmplPageKey must be an expression", "syntax error" } },
    { "TmplMinDF 1", { "TmplMinDF must be a whole number from 2 to 64", "\"1\"" } },
    { "TmplMinDF 65", { "from 2 to 64" } },
    { "TmplMinDF +5", { "from 2 to 64" } },
    { "TmplMinDF 5x", { "from 2 to 64" } },
    { "TmplRatio 1.01", { "TmplRatio must be a number from 0 to 1", "\"1.01\"" } },
    { "TmplRatio nan", { "from 0 to 1" } },
    { "TmplRatio inf", { "from 0 to 1" } },
    { "TmplRatio 0x1", { "from 0 to 1" } },
    { "TmplRatio .", { "from 0 to 1" } },
    { "TmplRatio 0.7.1", { "from 0 to 1" } },
    { "TmplRatio 101%", { "from 0% to 100%" } },
    { "TmplRatio 5%%", { "from 0% to 100%" } },
    { "TmplLifetime 0 10", { "TmplLifetime must be Tb", "from 1 to 1000000", "\"0 10\"" } },
    { "TmplLifetime 100 0", { "from 1 to 1000", "\"100 0\"" } },
    { "TmplLifetime 100 1001", { "from 1 to 1000", "\"100 1001\"" } },
    { "TmplLifetime x 10", { "TmplLifetime must be Tb", "\"x 10\"" } },
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
    { "TmplParts body text",
      { "TmplParts must be names of parts (all, headline,", "\"body text\"",
        "there is no part \"text\"" } },
    { "TmplParts -body,comment", { "TmplParts must be", "\"comment\" has no + or -" } },
    { "TmplParts template", { "TmplParts must be", "template always goes" } },
    { "TmplParts", { "TmplParts must be", "no part is named" } },
    { "TmplMark", { "TmplMark must be up to 16 of data-tmpl, parts,", "not \"\"" } },
    { "TmplMark pagefind nosuch", { "TmplMark must be up to 16", "\"nosuch\"" } },
    { "TmplMark data-pagefind-body", { "TmplMark must be", "every page" } },
    { "TmplMark '<!--a-->'", { "TmplMark must be", "two comments" } },
    { "TmplMinConfidence 1.1",
      { "TmplMinConfidence must be a number from 0 to 1, or from 0% to 100%", "\"1.1\"" } },
    { "TmplHighlightAllow %{",
      { "TmplHighlightAllow must be an expression that is true or false", "syntax error" } },
    { "TmplLearn %{", { "TmplLearn must be public, on, off or an expression", "syntax error" } },
    { "TmplMaxBody 0", { "TmplMaxBody must be a number of bytes from 1 to 1G", "\"0\"" } },
    { "TmplMaxBody 2G", { "from 1 to 1G" } },
    { "TmplMaxBody K", { "from 1 to 1G" } },
    { "TmplMaxBody 1KB", { "from 1 to 1G" } },
    { "TmplMaxBody 9007199254740993G", { "from 1 to 1G" } },
    { "TmplMaxWait 0", { "TmplMaxWait must be a time from 10ms to 10min", "\"0\"" } },
    { "TmplMaxWait 9ms", { "from 10ms to 10min" } },
    { "TmplMaxWait 601s", { "from 10ms to 10min" } },
    { "TmplTimeout 0", { "TmplTimeout must be a time from 1ms to 10s", "\"0\"" } },
    { "TmplLearnDelay 11s", { "a time from 0 to 10s" } },
    { "TmplTimeout 11s", { "from 1ms to 10s" } },
    { "TmplTimeout 1h", { "from 1ms to 10s" } },
    { "TmplTimeout 50msec", { "from 1ms to 10s" } },
    { "TmplTimeout ms", { "from 1ms to 10s" } },
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
    section("TmplMode off");
    assert_false(tmpl_conf_is_used());
    section("TmplMode learn");
    assert_true(tmpl_conf_is_used());
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(some_stand_in_no_section),
    cmocka_unit_test(ranges),
    cmocka_unit_test(words),
    cmocka_unit_test(selectors_of_several_words),
    cmocka_unit_test(refusing),
    cmocka_unit_test(numbers_have_a_point_in_every_locale),
    cmocka_unit_test(keys_set_no_vary),
    cmocka_unit_test(mode_uses_the_store),
};

TAP_MAIN_WITH(tests, setup)
