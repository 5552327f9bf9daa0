/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every detector with every state of a store, on realistic pages. The article's text always stays.
 * For a site that the store does not know, a detector that can judge the page alone gives the same
 * result whether the store answers or not.
 */
#include "detector_fixture.h"

#define FIRST                                                                                      \
    "<p>The ferry to the island runs again, five weeks after the storm, and it took forty people " \
    "across on its first day.</p>"
#define LAST                                                                                       \
    "<p>Its owner says that all the work has been paid for, and that nobody will have to wait as " \
    "long as that another time.</p>"
#define ICON(title)                                                                                \
    "<svg viewBox=\"0 0 16 16\">" title "<use href=\"#icon\"></use><path d=\"M1 1h9\"/></svg>"
#define HEAD                                                                                       \
    "<!DOCTYPE html><html lang=en><head><title>The ferry runs</title></head><body><main><article>"
#define FOOT "</article></main></body></html>"

/* HTML between two texts of an article. */
static const struct {
    const char *name;
    const char *html;
    int cut; /* by trees for which every block without words is template */
} pages[] = {
    { "nothing", "", 0 },
    { "a picture", "<p><img src=ferry.jpg></p>", 1 },
    { "a large picture", "<p><img src=ferry.jpg width=800 height=600></p>", 0 },
    { "a small picture", "<p><img src=dot.gif width=5 height=5></p>", 1 },
    { "pictures in links", "<p><a href=/1><img src=1.jpg></a><a href=/2><img src=2.jpg></a>", 1 },
    { "a list of pictures", "<ul><li><img src=d.gif> <a href=/1>One</a><li><img src=d.gif></ul>",
      1 },
    { "a figure",
      "<figure><picture><source srcset=a.webp><img src=a.jpg></picture><figcaption>The ferry"
      "</figcaption></figure>",
      1 },
    { "a lazy picture",
      "<div><img src=x.gif data-src=a.jpg><noscript><img src=a.jpg></noscript></div>", 1 },
    { "icons", "<div>" ICON("") "<button>" ICON("") "Share</button></div>", 0 },
    { "icons with a title", "<div>" ICON("<title>To the top</title>") "<p>" ICON("") "</div>", 0 },
    { "a form", "<form action=/q><label>Search <input name=q></label><button>Go</button></form>",
      0 },
    { "a form of pictures", "<form action=/q><input name=q><p><img src=go.gif></form>", 1 },
    { "a table", "<table><tr><th>Day<th>People<tr><td>One<td>40<tr><td>Two<td>55</table>", 0 },
    { "a table of pictures", "<table><tr><td><img src=1.jpg><td><img src=2.jpg></table>", 1 },
    { "a shadow", "<x-card><template shadowrootmode=open><slot></slot></template>A card</x-card>",
      0 },
    { "a dialog", "<dialog><p>Sure?</p></dialog><details><summary>More</summary>Text</details>",
      1 },
};

/* States of the store. */
static const struct {
    const char *name;
    const char *uri;    /* NULL: no store; "lmdb:": in a directory of the test */
    uint32_t max_sites; /* 0: the default */
    uint32_t max_entries;
    int refuses; /* refuses the site because of its name */
    tmpl_learning_e learn;
    apr_status_t status; /* the store's error */
    int answers;
} stores[] = {
    { .name = "no store" },
    { .name = "no store, learning", .learn = TMPL_LEARNING_NOW },
    { .name = "no server",
      "redis://127.0.0.1:1",
      .learn = TMPL_LEARNING_NOW,
      .status = APR_ECONNREFUSED },
    { .name = "the site is refused",
      "memory:",
      .refuses = 1,
      .learn = TMPL_LEARNING_NOW,
      .status = APR_EINVAL },
    { .name = "full",
      "lmdb:",
      .max_sites = 1,
      .learn = TMPL_LEARNING_NOW,
      .status = APR_ENOSPC,
      .answers = 1 },
    { .name = "no room for entries",
      "memory:",
      .max_entries = 1,
      .learn = TMPL_LEARNING_NOW,
      .answers = 1 },
    { .name = "learning is off", "memory:", .answers = 1 },
    { .name = "learning is off, LMDB", "lmdb:", .answers = 1 },
};

enum { PAGES = sizeof(pages) / sizeof(pages[0]), STORES = sizeof(stores) / sizeof(stores[0]) };

static const char *html_of(size_t page, const char *before, const char *behind, apr_pool_t *pool)
{
    return apr_pstrcat(pool, HEAD, before, FIRST, pages[page].html, LAST, behind, FOOT, NULL);
}

/* Images and all other blocks without words are template. */
static const tmpl_trees_t *word_trees(apr_pool_t *pool)
{
    return trees_of("tmpl-trees 2\nthreshold 0.5\nbias 0\ntree 3\nsplit words 0.1 1 2\nleaf 3\n"
                    "leaf -4\nend\n",
                    pool);
}

static tmpl_store_t *store_of(size_t i, const tmpl_clean_opts_t *opts, apr_pool_t *pool)
{
    tmpl_store_opts_t limits = { .max_sites = stores[i].max_sites };
    const char *uri = stores[i].uri;
    if (uri == NULL) {
        return NULL;
    }
    uri = strcmp(uri, "lmdb:") == 0 ? empty_store_uri(pool) : uri;
    tmpl_store_t *store = open_store(uri, &limits, pool);
    if (stores[i].status == APR_ENOSPC) {
        clean_at("<p>A page", "another site", "/", opts, store, 1, pool);
        assert_int_equal(tmpl_store_freeze(store, "another site", 1, NULL, pool), APR_SUCCESS);
    }
    return store;
}

/* A site for each page, so that each is the first of its site; or a name of 256 bytes. */
static const char *site_of(size_t store, size_t page, apr_pool_t *pool)
{
    char *name = apr_psprintf(pool, "%0256d", (int)page);
    return stores[store].refuses ? name : name + 200;
}

/* The result for a page. */
typedef struct {
    const char *html;
    tmpl_decline_e decline; /* without regard to the store */
} made_t;

static void check_says(const tmpl_outcome_t *outcome, size_t store)
{
    tmpl_decline_e decline = outcome->detector->need == TMPL_NEED_COUNTS && !stores[store].answers
                                 ? TMPL_DECLINE_STORE
                                 : TMPL_DECLINE_NONE;
    assert_string_equal(tmpl_decline_name(outcome->decline), tmpl_decline_name(decline));
    assert_int_equal(outcome->store_error.status, stores[store].status);
    assert_int_equal(outcome->counts.records != NULL, stores[store].answers);
    assert_int_equal(outcome->verdicts != NULL, decline == TMPL_DECLINE_NONE);
    for (uint32_t b = 0; outcome->verdicts != NULL && b < outcome->page->n_blocks; b++) {
        assert_true(outcome->verdicts[b].ratio >= 0 && outcome->verdicts[b].ratio <= 1);
    }
}

/* Cleans all pages with one detector and one store; first has the results of pages counted. */
static void check_pages(const tmpl_clean_opts_t *usual, size_t store, const made_t *first,
                        apr_pool_t *pool)
{
    tmpl_clean_opts_t opts = *usual;
    if (stores[store].max_entries > 0) {
        opts.policy.max_entries = stores[store].max_entries;
    }
    tmpl_store_t *to = store_of(store, &opts, pool);
    for (size_t p = 0; p < PAGES; p++) {
        const char *html = html_of(p, "", "", pool);
        tmpl_outcome_t outcome =
            clean_at(html, site_of(store, p, pool), "/", &opts, to, stores[store].learn, pool);
        if (first[p].decline == TMPL_DECLINE_NONE) {
            check_says(&outcome, store);
        }
        const char *is = stripped(html, &outcome, pool);
        if (strcmp(is, first[p].html) != 0) {
            fail_msg("%s, %s, %s: %s", outcome.detector->name, stores[store].name, pages[p].name,
                     is);
        }
    }
}

static void check_detector(tmpl_detector_e detector, const tmpl_trees_t *trees, apr_pool_t *pool)
{
    made_t first[PAGES];
    tmpl_clean_opts_t opts = opts_of(detector, trees, pool);
    tmpl_store_t *store = open_store("memory:", NULL, pool);
    for (size_t p = 0; p < PAGES; p++) {
        const char *html = html_of(p, "", "", pool);
        tmpl_outcome_t outcome = clean_at(html, site_of(0, p, pool), "/", &opts, store, 1, pool);
        assert_int_equal(outcome.counts.counted, outcome.decline == TMPL_DECLINE_NONE);
        first[p] = (made_t){ stripped(html, &outcome, pool), outcome.decline };
        assert_non_null(strstr(first[p].html, FIRST));
        assert_non_null(strstr(first[p].html, LAST));
    }
    for (size_t s = 0; s < STORES; s++) {
        check_pages(&opts, s, first, pool);
    }
}

static void a_first_page_is_the_same_whatever_the_store_says(void **state)
{
    for (unsigned d = 0; d < TMPL_DETECTOR_COUNT; d++) {
        check_detector((tmpl_detector_e)d, NULL, *state);
    }
    check_detector(TMPL_DETECTOR_AUTO, word_trees(*state), *state);
}

/* The pages above exercise pictures.h: a large image stays. */
static void pictures_go_but_for_large_ones(void **state)
{
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, word_trees(*state), *state);
    for (size_t p = 0; p < PAGES; p++) {
        tmpl_outcome_t outcome = clean(html_of(p, "", "", *state), "/", &opts, NULL, 0, *state);
        if ((outcome.edits.n > 0) != pages[p].cut) {
            fail_msg("%s: %u edits", pages[p].name, (unsigned)outcome.edits.n);
        }
    }
}

#define MENU "<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/sport>Sport</a></nav>"
#define END  "<footer>Printed by the makers of the paper</footer>"

static const char *one_of_the_site(int i, apr_pool_t *pool)
{
    return apr_psprintf(
        pool, HEAD MENU "<p>%c%d: of a thing that no other page tells.</p>" END FOOT, 'a' + i, i);
}

static tmpl_store_t *known_site(const tmpl_clean_opts_t *opts, apr_pool_t *pool)
{
    tmpl_store_t *store = open_store("memory:", NULL, pool);
    for (int i = 0; i < 6; i++) {
        clean(one_of_the_site(i, pool), apr_psprintf(pool, "/%d", i), opts, store, 1, pool);
    }
    return store;
}

/* The site's seventh page is not learnt, or only half of it. */
static void a_known_site_is_judged_by_what_is_known(void **state)
{
    for (unsigned i = 0; i < 2 * TMPL_DETECTOR_COUNT; i++) {
        int learn = i % 2 != 0;
        tmpl_clean_opts_t opts = opts_of((tmpl_detector_e)(i / 2), NULL, *state);
        tmpl_store_t *store = known_site(&opts, *state);
        opts.policy.max_entries = 1;
        for (size_t p = 0; p < PAGES; p++) {
            const char *html = html_of(p, MENU, END, *state);
            const char *uri = apr_psprintf(*state, "/p%zu", p);
            tmpl_outcome_t outcome = clean(html, uri, &opts, store, learn, *state);
            const char *is = stripped(html, &outcome, *state);
            int judged = outcome.decline == TMPL_DECLINE_NONE;
            assert_int_equal(outcome.counts.pages >= 6, judged);
            assert_non_null(strstr(is, FIRST));
            assert_non_null(strstr(is, LAST));
            assert_int_equal(strstr(is, MENU) == NULL, judged);
            assert_int_equal(strstr(is, END) == NULL, judged);
        }
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(a_first_page_is_the_same_whatever_the_store_says),
    CHECK(pictures_go_but_for_large_ones),
    CHECK(a_known_site_is_judged_by_what_is_known),
};

TAP_MAIN(tests)
