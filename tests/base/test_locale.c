/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing does not depend on the locale of the process. In a Turkish one strncasecmp()
 * distinguishes "TITLE" and "title"; in one with a single-byte charset isalnum() takes bytes of
 * UTF-8 for letters.
 */
#include "check.h"

#include "address/address.h"
#include "clean.h"
#include "methods/pagelevel.h"
#include "html/charset.h"
#include "locales.h"
#include "methods/warm/warmup.h"

/* All names in capitals, with the letter I where possible. */
static const char page_in_capitals[] =
    "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">\n"
    "<HTML><HEAD><TITLE>Site I</TITLE><LINK REL=\"CANONICAL\" "
    "HREF=\"HTTP://SITE.EXAMPLE/I%d?SID=1&IT=2\">\n"
    "<SCRIPT>if (a </b/I) i();</SCRIPT></HEAD><BODY><DIV ID=NAVIGATION CLASS=\"SIDEBAR "
    "MINI\"><UL>\n"
    "<LI><A HREF=\"HTTP://SITE.EXAMPLE/INDEX.HTML\">Site Index</A>\n"
    "<LI><A HREF=\"/SPLIT.GIF\">A Picture</A></UL></DIV>\n"
    "<FIGURE TITLE DATA-TMPL=\"\"><FIGCAPTION>\xc4\xb0 &LT;I&GT; &iquest;&Iacute&eacute; "
    "\xdd\xfd\xe9I</FIGCAPTION></FIGURE>\n"
    "<DIV><P>It is I, in PARTICULAR: <I>things</I>, IN 1 I2 I\xc4\xb1 words.<P>I "
    "&AMP\xe9;<BR>I</DIV>\n"
    "<DIV><IMG SRC=I ALT=I><SPAN>Imprint and Disclaimer</SPAN></DIV><!--TMPL--><!-- tmpl "
    "--></BODY></HTML>\n";

/* A page's properties as a line, and the annotated page. */
static const char *described(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                             apr_pool_t *pool)
{
    apr_size_t len;
    uint64_t keys = 0;
    float scores = 0;
    for (uint32_t i = 0; i < outcome->observation.n; i++) {
        keys = keys * 3 + outcome->observation.keys[i].hash;
    }
    for (uint32_t i = 0; i < outcome->page->n_blocks; i++) {
        scores += outcome->verdicts[i].ratio;
    }
    const char *edited = tmpl_edits_apply(&len, &outcome->edits, input->body, input->len, pool);
    return apr_psprintf(
        pool,
        "%" PRIx64 " %" PRIx64 " %u keys, %" PRIx64 ", %u foreign marks, %s, %.6f, %.6f\n%.*s\n",
        outcome->document.id, outcome->document.text, outcome->page->n_keys, keys,
        outcome->page->n_foreign_marks, tmpl_clean_fingerprint(outcome, input, pool),
        outcome->closure.ratio, (double)scores, (int)len, edited);
}

/* A detector's verdicts on pages of a site. */
static const char *cleaned(const char *detector, apr_pool_t *pool)
{
    tmpl_error_t err;
    tmpl_store_t *store;
    const char *found = detector;
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    assert_int_equal(tmpl_store_open(&store, "memory:", NULL, &err, pool), APR_SUCCESS);
    tmpl_models_builtin(&opts.detect.models, pool);
    assert_true(tmpl_detector_find(detector) >= 0);
    opts.detector = (tmpl_detector_e)tmpl_detector_find(detector);
    assert_int_equal(tmpl_mode_find("ANNOTATE"), TMPL_MODE_ANNOTATE);
    opts.mode = TMPL_MODE_ANNOTATE;
    apr_array_header_t *keeps = apr_array_make(pool, 1, sizeof(const tmpl_selector_t *));
    assert_int_equal(tmpl_selector_parse(keeps, "figure[title]", &err), APR_SUCCESS);
    opts.guards.keep = keeps;
    for (int i = 0; i < 7; i++) {
        tmpl_outcome_t outcome;
        const char *body = apr_psprintf(pool, page_in_capitals, i);
        tmpl_input_t input = {
            .body = body, .len = strlen(body), .site = "s", .uri = "/", .learn = TMPL_LEARNING_NOW
        };
        input.charset = tmpl_charset_of_type("TEXT/HTML; CHARSET=ISO-8859-9", pool);
        tmpl_clean(&outcome, &input, &opts, store, 0, pool);
        assert_string_equal(tmpl_decline_name(outcome.decline), "none");
        found = apr_pstrcat(pool, found, described(&outcome, &input, pool), NULL);
    }
    return found;
}

/* The links of the page that a crawler may follow. */
static const char *links(apr_pool_t *pool)
{
    static const char robots_txt[] = "USER-AGENT: TMPLCTI\nDISALLOW: /SPLIT\nCRAWL-DELAY: 1\n";
    tmpl_error_t err;
    tmpl_address_t at;
    const tmpl_robots_t *robots =
        tmpl_robots_parse(robots_txt, strlen(robots_txt), "tmplcti", pool);
    const tmpl_page_t *page = check_page(page_in_capitals, pool);
    assert_int_equal(tmpl_address_parse(&at, "HTTP://SITE.EXAMPLE/%49.html", NULL, &err, pool),
                     APR_SUCCESS);
    const char *found = apr_psprintf(pool, "%s %s %d", tmpl_address_url(&at, pool),
                                     check_bytes(page, page->title, pool),
                                     tmpl_robots_allow(robots, "/SPLIT.HTML"));
    const apr_array_header_t *array = tmpl_links(page, &at, pool);
    for (int i = 0; i < array->nelts; i++) {
        found = apr_pstrcat(pool, found, " ", APR_ARRAY_IDX(array, i, tmpl_link_t).id, NULL);
    }
    return found;
}

/* More names that are read in any case. */
static const char *names(apr_pool_t *pool)
{
    return apr_psprintf(pool, "%d %s", tmpl_charset_is_ascii("ISO-2022-JP"),
                        tmpl_uri_identity("/I;JSESSIONID=1?SID=2&ID=3", pool));
}

static const char *all(apr_pool_t *pool)
{
    return apr_pstrcat(pool, cleaned("INCREMENTAL", pool), cleaned("STYLE", pool),
                       cleaned("PAGELEVEL", pool), cleaned("AUTO", pool), links(pool), names(pool),
                       NULL);
}

static void a_page_is_the_same_in_every_locale(void **state)
{
    static const char *const charsets[] = { "UTF-8", "ISO-8859-9" };
    const char *expected = all(*state);
    for (size_t i = 0; i < sizeof(charsets) / sizeof(charsets[0]); i++) {
        use_locale(LC_ALL, "tr_TR", charsets[i]);
        const char *found = all(*state);
        setlocale(LC_ALL, "C");
        assert_string_equal(found, expected);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(a_page_is_the_same_in_every_locale),
};

TAP_MAIN(tests)
