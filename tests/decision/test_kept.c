/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decision that is kept for a page holds for pages that differ in their volatile places only, and
 * then is what judging them gives. KEPT_PAGES names a file with the paths of pages: these, too,
 * with KEPT_EACH mutants each, are judged then ("make kept-pages").
 */
#include <stdio.h>

#include "tap.h"

#include <apr_file_io.h>

#include "kept.h"
#include "settings.h"

static apr_pool_t *pool;

#define NAV  "<nav><a href=\"/a\">One</a> <a href=\"/b\">Two of the menu</a></nav>"
#define TEXT "<p>The text of this page is long enough to be content, and says something.</p>"
#define PAGE(head, more)                                                                           \
    "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>T</title>" head "</head><body>" NAV \
    "<main id=\"main\"><h1>Title</h1>" TEXT TEXT more "</main></body></html>"

/* X's of a page are where another one has Y's: what may differ. */
static const struct {
    const char *page, *other;
    int holds;
} pairs[] = {
    { PAGE("<script nonce=\"XX\">var t = 1;</script>", ""),
      PAGE("<script nonce=\"YYYY\">var t = 12345;</script>", ""), 1 },
    { PAGE("<meta name=\"csrf-token\" content=\"XX\">", ""),
      PAGE("<meta name=\"csrf-token\" content=\"\">", ""), 1 },
    { PAGE("", "<form><input type=\"hidden\" name=\"t\" value='XX'></form>"),
      PAGE("", "<form><input type=\"hidden\" name=\"t\" value='Y'></form>"), 1 },
    { PAGE("", "<div data-t=\"XX\">" TEXT "</div>"), PAGE("", "<div data-t=\"Y>Y\">" TEXT "</div>"),
      1 },
    { PAGE("", "<script>a('XX')</script>"), PAGE("", "<script>a('<b>')</script>"), 1 },
    /* what is read, or shown */
    { PAGE("", "<p>XX</p>"), PAGE("", "<p>YY</p>"), 0 },
    { PAGE("<meta name=\"robots\" content=\"XX\">", ""),
      PAGE("<meta name=\"robots\" content=\"YY\">", ""), 0 },
    { PAGE("", "<form><input type=\"text\" value=\"XX\"></form>"),
      PAGE("", "<form><input type=\"text\" value=\"YY\"></form>"), 0 },
    { PAGE("", "<div data-target=\"XX\">" TEXT "</div>"),
      PAGE("", "<div data-target=\"YY\">" TEXT "</div>"), 0 },
    { PAGE("", "<img src=\"a.png\" data-t=\"XX\">"), PAGE("", "<img src=\"a.png\" data-t=\"YY\">"),
      0 },
    { PAGE("", "<img src=\"a?XX\" width=1 height=\"2\">"),
      PAGE("", "<img src=\"a?YYY\" width=1 height=\"2\">"), 1 },
    { PAGE("", "<img src=\"a?XX\" width=1 height=3>"),
      PAGE("", "<img src=\"a?YYY\" width=1 height=3>"), 0 },
    { PAGE("", "<div data-t=XX>" TEXT "</div>"), PAGE("", "<div data-t=YY>" TEXT "</div>"), 0 },
    { PAGE("", "<style>XX</style>"), PAGE("", "<style>YY</style>"), 0 },
    { PAGE("", "<textarea>XX</textarea>"), PAGE("", "<textarea>YY</textarea>"), 0 },
    /* places that end elsewhere, or hold what changes the rest */
    { PAGE("", "<script>XX</script>"), PAGE("", "<script>YY</script>Z</script>"), 0 },
    { PAGE("", "<script>XX</script>"), PAGE("", "<script>YY</scripty></script>"), 0 },
    { PAGE("", "<script>XX</script>"), PAGE("", "<script><!--<script></script></script>"), 0 },
    { PAGE("", "<script>XX</script>"), PAGE("", "<script>\x1b$B</script>"), 0 },
    { PAGE("", "<script>XX</script>"), PAGE("", "<script>document.write(1)</script>"), 0 },
    { PAGE("", "<script>document.getElementById('x')</script>"),
      PAGE("", "<script>document.getElementById('main')</script>"), 0 },
    { PAGE("", "<script>document.getElementById('x'), 'XX'</script>"),
      PAGE("", "<script>document.getElementById('x'), 'Y'</script>"), 1 },
    { PAGE("", "<form name=\"XX\"><input name=\"a\"></form>"),
      PAGE("", "<form name=\"YYY\"><input name=\"a\"></form>"), 1 },
    { PAGE("", "<div data-t=\"XX\">" TEXT "</div>"),
      PAGE("", "<div data-t=\"Y\" hidden x=\"Y\">" TEXT "</div>"), 0 },
    { PAGE("", "<script>XX</script>"), PAGE("", "<script>x='QAPage'</script>"), 0 },
    { PAGE("", "<script>XX</script>"), PAGE("", "<script>DiscussionForumPosting</script>"), 0 },
    { PAGE("", "<script>XX</script>"), PAGE("", "<script>Page of a Prod</script>"), 1 },
    { PAGE("", "<div data-t=\"XX\">" TEXT "</div>"),
      PAGE("", "<div data-t=\"Product\">" TEXT "</div>"), 0 },
    { PAGE("", "<script type=\"math/tex\">XX</script>"),
      PAGE("", "<script type=\"math/tex\">YY</script>"), 0 },
    { PAGE("", "<svg><script>XX</script></svg>"), PAGE("", "<svg><script>YY</script></svg>"), 0 },
    { PAGE("", "<noscript><svg></noscript><script>XX</script>"),
      PAGE("", "<noscript><svg></noscript><script>YY</script>"), 0 },
};

static void pairs_hold_or_do_not(void **state)
{
    static const tmpl_mode_e modes[] = { TMPL_MODE_STRIP, TMPL_MODE_ANNOTATE };
    (void)state;
    for (unsigned m = 0; m < 2; m++) {
        kept_judge_t judge = kept_judge(modes[m], pool);
        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
            const char *page = pairs[i].page, *other = pairs[i].other;
            kept_t kept = kept_of(&judge, page, strlen(page), pool);
            assert_non_null(kept.bytes);
            assert_int_equal(kept_try(&judge, &kept, page, strlen(page), pool), 1);
            assert_int_equal(kept_try(&judge, &kept, other, strlen(other), pool), pairs[i].holds);
        }
    }
}

/* In a page that does not say it is UTF-8, a byte beyond ASCII would change how it is read. */
static void bytes_of_no_charset_are_refused(void **state)
{
    static const char page[] = NAV "<h1>T</h1>" TEXT "<p>caf\xc3\xa9</p><script>XX</script>",
                      ascii[] = NAV "<h1>T</h1>" TEXT "<p>caf\xc3\xa9</p><script>YYY</script>",
                      latin[] = NAV "<h1>T</h1>" TEXT "<p>caf\xc3\xa9</p><script>\xe9</script>",
                      nul[] = NAV "<h1>T</h1>" TEXT "<p>caf\xc3\xa9</p><script>a\0b</script>";
    kept_judge_t judge = kept_judge(TMPL_MODE_STRIP, pool);
    kept_t kept = kept_of(&judge, page, sizeof(page) - 1, pool);
    (void)state;
    assert_int_equal(kept_try(&judge, &kept, ascii, sizeof(ascii) - 1, pool), 1);
    assert_int_equal(kept_try(&judge, &kept, latin, sizeof(latin) - 1, pool), 0);
    assert_int_equal(kept_try(&judge, &kept, nul, sizeof(nul) - 1, pool), 0);
}

/* Attributes that a selector or a mark names decide about the page; no other ones. */
static void what_the_settings_name_is_no_place(void **state)
{
    static const char page[] = PAGE("", "<div data-t=\"XX\" data-own=\"XX\">" TEXT "</div>"),
                      other[] = PAGE("", "<div data-t=\"YY\" data-own=\"XX\">" TEXT "</div>"),
                      own[] = PAGE("", "<div data-t=\"XX\" data-own=\"YY\">" TEXT "</div>");
    static const struct {
        const char *text;
        int holds;
    } drops[] = {
        { "[data-T=YY]", 0 },
        { "xpath://div[@data-t='YY']", 0 },
        { "xpath://div[@ data_t]", 0 },
        { "xpath://div[@*='YY']", 0 },
        { "xpath://div[@node()='YY']", 0 },
        { "xpath://div[attribute::data-t='YY']", 0 },
        { "xpath://div[attribute::*='YY']", 0 },
        { "xpath://p[@data-u or contains(., 'YY')]", 1 },
        { ".data-t", 1 },
        { NULL, 0 },
    };
    kept_judge_t judge = kept_judge(TMPL_MODE_ANNOTATE, pool);
    tmpl_marks_t *marks = NULL;
    kept_t kept;
    (void)state;
    for (int i = 0; drops[i].text != NULL; i++) {
        kept_drop(&judge, drops[i].text);
        kept = kept_of(&judge, page, sizeof(page) - 1, pool);
        assert_int_equal(kept_try(&judge, &kept, other, sizeof(other) - 1, pool), drops[i].holds);
    }
    assert_null(tmpl_setting_read(&marks, &tmpl_settings[TMPL_SETTING_marks], "data-own", pool));
    judge.opts.marks = marks;
    kept = kept_of(&judge, page, sizeof(page) - 1, pool);
    assert_int_equal(kept_try(&judge, &kept, other, sizeof(other) - 1, pool), 1);
    assert_int_equal(kept_try(&judge, &kept, own, sizeof(own) - 1, pool), 0);
}

/* More places than an entry has room for: all bytes count. */
static void too_many_places_are_none(void **state)
{
    kept_judge_t judge = kept_judge(TMPL_MODE_STRIP, pool);
    (void)state;
    for (int n = TMPL_PLACES_MOST; n <= TMPL_PLACES_MOST + 1; n++) {
        const char *page = PAGE("", "");
        char *other;
        for (int i = 0; i < n; i++) {
            page = apr_pstrcat(pool, page, "<b data-t=\"XX\">b</b>", NULL);
        }
        other = apr_pstrdup(pool, page);
        *strstr(other, "XX") = 'Y';
        kept_t kept = kept_of(&judge, page, strlen(page), pool);
        assert_int_equal(kept_try(&judge, &kept, other, strlen(other), pool),
                         n == TMPL_PLACES_MOST);
    }
}

/* Counts of mutants: those that the decision did not hold for, and for which it did. */
typedef struct {
    unsigned missed, held, refilled, places;
} tried_t;

/* Mutants of a page. Returns 0 if the kept decision is wrong for one. */
static int try_mutants(tried_t *tried, const kept_judge_t *judge, const char *body, apr_size_t len,
                       unsigned mutants, uint64_t series)
{
    apr_pool_t *scratch;
    int right = 1;
    apr_pool_create(&scratch, pool);
    for (unsigned i = 0; right && i < mutants; i++) {
        apr_size_t base_len = len, other_len;
        const char *base = body, *other;
        apr_pool_clear(scratch);
        if (i % 4 == 3) {
            base = kept_insert(&base_len, body, len, &series, scratch);
        }
        kept_t kept = kept_of(judge, base, base_len, scratch);
        if (kept.bytes == NULL) {
            continue;
        }
        other = i % 4 == 2 ? kept_insert(&other_len, base, base_len, &series, scratch)
                           : kept_refill(&other_len, &kept, i % 4 != 0, &series, scratch);
        int holds = kept_try(judge, &kept, other, other_len, scratch);
        tried->held += holds == 1;
        tried->missed += holds == 0;
        tried->refilled += i % 4 == 0 && holds == 1;
        tried->places += i % 4 == 0 ? kept.outcome.page->n_places : 0;
        right = holds >= 0;
    }
    apr_pool_destroy(scratch);
    return right;
}

static void mutants_are_judged_alike_or_missed(void **state)
{
    kept_judge_t judge = kept_judge(TMPL_MODE_STRIP, pool);
    tried_t tried = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_true(try_mutants(&tried, &judge, pairs[i].page, strlen(pairs[i].page), 100, i));
    }
    assert_true(tried.held > 200);
    assert_true(tried.missed > 200);
}

static void pages_of_files(void **state)
{
    const char *list = getenv("KEPT_PAGES"), *each = getenv("KEPT_EACH");
    kept_judge_t judges[] = { kept_judge(TMPL_MODE_STRIP, pool),
                              kept_judge(TMPL_MODE_ANNOTATE, pool) };
    FILE *paths = list != NULL ? fopen(list, "r") : NULL;
    unsigned n = 0;
    tried_t tried = { 0 };
    char path[4096];
    (void)state;
    kept_drop(&judges[1], KEPT_XPATH);
    while (paths != NULL && fgets(path, sizeof(path), paths) != NULL) {
        apr_file_t *file;
        apr_finfo_t info;
        apr_pool_t *own;
        path[strcspn(path, "\n")] = '\0';
        apr_pool_create(&own, pool);
        if (apr_file_open(&file, path, APR_FOPEN_READ, 0, own) == APR_SUCCESS &&
            apr_file_info_get(&info, APR_FINFO_SIZE, file) == APR_SUCCESS && info.size < 1 << 20) {
            apr_size_t len = (apr_size_t)info.size;
            char *body = apr_palloc(own, len + 1);
            assert_int_equal(apr_file_read_full(file, body, len, &len), APR_SUCCESS);
            if (!try_mutants(&tried, &judges[n % 2], body, len,
                             each != NULL ? (unsigned)atoi(each) : 8, n)) {
                fail_msg("%s", path);
            }
            n++;
        }
        apr_pool_destroy(own);
    }
    if (paths != NULL) {
        (void)fclose(paths);
        print_message("# %u pages, %u places: %u mutants held, %u of them refilled; %u missed\n", n,
                      tried.places, tried.held, tried.refilled, tried.missed);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pairs_hold_or_do_not),
    cmocka_unit_test(bytes_of_no_charset_are_refused),
    cmocka_unit_test(what_the_settings_name_is_no_place),
    cmocka_unit_test(too_many_places_are_none),
    cmocka_unit_test(mutants_are_judged_alike_or_missed),
    cmocka_unit_test(pages_of_files),
};

static int setup(void **state)
{
    (void)state;
    return apr_pool_create(&pool, NULL);
}

TAP_MAIN_WITH(tests, setup)
