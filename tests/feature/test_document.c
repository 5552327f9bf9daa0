/* SPDX-License-Identifier: Apache-2.0 */
/* Which document a page is. */
#include "check.h"

#include "feature/document.h"
#include "table/store.h"

static uint64_t id_of(const char *href, const char *uri, const char *key, apr_pool_t *pool)
{
    const char *html =
        apr_pstrcat(pool, "<head><link rel='x CANONICAL' href=\"", href, "\"></head><body>a", NULL);
    return tmpl_document(check_page(html, pool), uri, key, 1, pool).id;
}

static void a_canonical_link_names_the_document(void **state)
{
    uint64_t c = id_of("http://h/c?x=1&y=2", "/u", NULL, *state);
    uint64_t u = id_of("", "/u", NULL, *state);
    static const char *const same[] = { "http://h/c?x=1&amp;y=2",      "https://H:8080/c?x=1&y=2",
                                        "HTTPS://h:/c?y=2&x=1#f",      "//h/c?y=2&x=1&utm_source=z",
                                        "http://h/c?x=1&#38;y=&#x32;", "http://u@h/c?x=1&y=2" };
    static const char *const other[] = { "http://other/c?x=1&y=2", "/c?x=1&y=2", "http://h/c?x=1",
                                         "http://hh/c?x=1&y=2" };
    static const char *const none[] = { "c?x=1&y=2", "mailto://h/c", "http://", "http:///c?x=1" };
    assert_true(c != u);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        assert_true(id_of(same[i], "/u", NULL, *state) == c);
        assert_true(id_of(same[i], "/v", NULL, *state) == c);
    }
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        assert_true(id_of(other[i], "/u", NULL, *state) != c);
        assert_true(id_of(other[i], "/u", NULL, *state) == id_of(other[i], "/v", NULL, *state));
        assert_true(id_of(none[i], "/u", NULL, *state) == u);
    }
    assert_true(id_of("/c?x=1", "/u", NULL, *state) == id_of("", "/c?x=1", NULL, *state));
    assert_true(id_of("http://h", "/u", NULL, *state) == id_of("http://h/", "/u", NULL, *state));
    /* the operator's key overrides both */
    assert_true(id_of("/c?x=1&y=2", "/u", "k", *state) == id_of("", "/v", "k", *state));
    assert_true(id_of("", "/u", "k", *state) != u);
}

static void a_place_has_the_addresses_of_one_script(void **state)
{
    static const struct {
        const char *canonical, *uri, *other_canonical, *other_uri;
        int same;
    } pairs[] = {
        { "", "/a", "", "/a?x=1", 1 },
        { "", "/a?x=1", "", "/a?y=2&x=1", 1 },
        { "", "/dir/story.php/7", "", "/dir/story.php/8/9?x=1", 1 },
        { "", "/dir/story.php", "", "/dir/story.php/8", 1 },
        { "http://h.example/a?x=1", "/", "http://h.example/a?x=2", "/", 1 },
        { "", "/a?x=1", "", "/b?x=1", 0 },
        { "", "/v1.2/a", "", "/v1.2/b", 0 },
        { "", "/dir/story.php", "", "/dir/other.php", 0 },
        { "http://h.example/a", "/", "http://h.example/b", "/", 0 },
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        uint64_t a = id_of(pairs[i].canonical, pairs[i].uri, NULL, *state);
        uint64_t b = id_of(pairs[i].other_canonical, pairs[i].other_uri, NULL, *state);
        assert_true(a != b);
        assert_int_equal(a % TMPL_DOCUMENT_PLACES == b % TMPL_DOCUMENT_PLACES, pairs[i].same);
    }
    /* what the operator names is as far apart as any two addresses */
    assert_true(id_of("", "/", "/a?x=1", *state) % TMPL_DOCUMENT_PLACES !=
                id_of("", "/", "/a?x=2", *state) % TMPL_DOCUMENT_PLACES);
}

static void a_secret_seeds_all(void **state)
{
    (void)state;
    assert_true(tmpl_seed("a") != tmpl_seed("b"));
    assert_true(tmpl_seed(NULL) == 0);
}

static const struct CMUnitTest tests[] = {
    CHECK(a_canonical_link_names_the_document),
    CHECK(a_place_has_the_addresses_of_one_script),
    CHECK(a_secret_seeds_all),
};

TAP_MAIN(tests)
