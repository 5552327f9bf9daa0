/* SPDX-License-Identifier: Apache-2.0 */
/* robots.txt by RFC 9309. */
#include "check.h"
#include "locales.h"

#include "methods/warm/warmup.h"

static const tmpl_robots_t *read_robots(const char *text, apr_pool_t *pool)
{
    return tmpl_robots_parse(text, strlen(text), "tmplctl", pool);
}

typedef struct {
    const char *uri;
    int allowed;
} case_t;

static void check_cases(const char *text, const case_t *cases, size_t n, apr_pool_t *pool)
{
    const tmpl_robots_t *robots = read_robots(text, pool);
    for (size_t i = 0; i < n; i++) {
        if (tmpl_robots_allow(robots, cases[i].uri) != cases[i].allowed) {
            fail_msg("%s should%s be allowed", cases[i].uri, cases[i].allowed ? "" : " not");
        }
    }
}

#define CHECK_CASES(text, cases, pool)                                                             \
    check_cases((text), (cases), sizeof(cases) / sizeof((cases)[0]), (pool))

/* Section 5.1 with other names of crawlers. */
static void the_rfcs_simple_example(void **state)
{
    static const char text[] =
        "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\n"
        "Allow: /publications/\n\nUser-Agent: foobot\nDisallow:/\n"
        "Allow:/example/page.html\nAllow:/example/allowed.gif\n\n"
        "User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n"
        "User-Agent: quxbot\n";
    static const case_t all[] = { { "/", 1 },
                                  { "/a.gif", 0 },
                                  { "/a.gif?x", 1 },
                                  { "/example/x", 0 },
                                  { "/example", 1 },
                                  { "/publications/", 1 },
                                  { "/publications/a.gif", 1 },
                                  { "/robots.txt", 1 } };
    static const struct {
        const char *agent;
        int page, gif, other;
    } agents[] = {
        { "foobot", 1, 1, 0 }, { "barbot", 0, 1, 1 }, { "bazbot", 0, 1, 1 }, { "quxbot", 1, 1, 1 }
    };
    CHECK_CASES(text, all, *state);
    for (size_t i = 0; i < sizeof(agents) / sizeof(agents[0]); i++) {
        const tmpl_robots_t *robots =
            tmpl_robots_parse(text, strlen(text), agents[i].agent, *state);
        assert_int_equal(tmpl_robots_allow(robots, "/example/page.html"), agents[i].page);
        assert_int_equal(tmpl_robots_allow(robots, "/example/allowed.gif"), agents[i].gif);
        assert_int_equal(tmpl_robots_allow(robots, "/other"), agents[i].other);
    }
}

/* Section 5.2, and rules of equal length. */
static void the_longest_match_decides(void **state)
{
    static const case_t longest[] = { { "/example/page/disallowed.gif", 0 },
                                      { "/example/page/", 1 } };
    static const case_t tie[] = { { "/page", 1 }, { "/b", 1 }, { "/c", 0 } };
    CHECK_CASES("User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n",
                longest, *state);
    CHECK_CASES("User-Agent: *\nDisallow: /page\nAllow: /page\nAllow: /b\nDisallow: /b\n"
                "Disallow: /c\nAllow: /\n",
                tie, *state);
}

/* Section 2.2.2, the table of percent-encodings. */
static void patterns_compare_by_what_they_mean(void **state)
{
    static const case_t cases[] = {
        { "/foo/bar?baz=quz", 0 }, { "/bar/%E3%83%84", 0 },   { "/baz/%E3%83%84", 0 },
        { "/qux/bar/~user", 0 },   { "/tilde/~joe/x", 0 },    { "/slash%2Fx", 0 },
        { "/slash/x", 1 },         { "/dollar$", 0 },         { "/dollar$x", 1 },
        { "/literal%24", 0 },      { "/Foo/bar?baz=quz", 1 },
    };
    CHECK_CASES("user-agent:*\ndisallow: /foo/bar?baz=quz\ndisallow: /bar/\xe3\x83\x84\n"
                "disallow: /baz/%e3%83%84\ndisallow: /qux/bar/%7Euser\ndisallow: /tilde/%7ejoe/\n"
                "disallow: /slash%2fx\ndisallow: /dollar$$\ndisallow: /literal%24\n",
                cases, *state);
}

static void stars_stand_for_any_bytes(void **state)
{
    static const case_t cases[] = {
        { "/a/x/y/b", 0 },    { "/a/b/", 0 }, { "/a", 1 },     { "/p.php", 0 },  { "/p.php5", 1 },
        { "/p.phpp.php", 0 }, { "/q", 1 },    { "/q1q2q", 0 }, { "/q1q2q3", 1 }, { "/r?s", 0 },
        { "/r", 1 },          { "/end", 0 },  { "/endx", 1 },
    };
    CHECK_CASES("User-agent: *\nDisallow: /a*b\nDisallow: *.php$\nDisallow: /q*q*q$\n"
                "Disallow: /r*?\nDisallow: /end*$x\nDisallow: /end$\n",
                cases, *state);
}

static void groups_of_one_name_are_one_group(void **state)
{
    static const case_t named[] = {
        { "/a", 0 }, { "/b", 0 }, { "/c", 1 }, { "/d", 1 }, { "/e", 0 }
    };
    static const case_t unnamed[] = { { "/a", 0 }, { "/b", 0 }, { "/c", 1 } };
    CHECK_CASES(
        "Disallow: /\nUser-agent: TMPLCTL/1.0 (x)\nDisallow: /a\nUser-agent: *\nDisallow: /c\n"
        "User-agent: tmplctl-news\nDisallow: /d\nUser-agent: other\nuser-agent: tmplctl\n"
        "Crawl-delay: 2\nUser-agent: third\nDisallow: /b\nSitemap: /x\nDisallow: /e\n",
        named, *state);
    CHECK_CASES(
        "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /c\nUser-agent: *\nDisallow: /b",
        unnamed, *state);
}

static void odd_lines_are_passed_over(void **state)
{
    static const case_t cases[] = {
        { "/a", 0 }, { "/b", 0 }, { "/c", 1 }, { "/d", 0 }, { "/", 1 }
    };
    static const case_t nothing[] = { { "/", 1 }, { "/a", 1 } };
    CHECK_CASES("\xef\xbb\xbfUSER-AGENT : *  # all\r\n\r\n garbage\r\nDISALLOW : /a # x\r"
                "disallow:/b\nDisallow: # /c\nnoindex: /c\n\tDisallow:\t/d\t\nDisallow:\n",
                cases, *state);
    CHECK_CASES("", nothing, *state);
    CHECK_CASES("<html><body>Disallow: /</body>", nothing, *state);
}

/* The first TMPL_ROBOTS_MOST bytes of a longer text are read; it need not end with a NUL. */
static void long_texts_have_an_end(void **state)
{
    apr_size_t len = TMPL_ROBOTS_MOST + 100;
    char *text = apr_palloc(*state, len);
    memset(text, '#', len);
    memcpy(text, "User-agent: *\nDisallow: /a\n#", 28);
    memcpy(text + TMPL_ROBOTS_MOST, "\nDisallow: /b\n", 14);
    const tmpl_robots_t *robots = tmpl_robots_parse(text, len, "tmplctl", *state);
    assert_false(tmpl_robots_allow(robots, "/a"));
    assert_true(tmpl_robots_allow(robots, "/b"));
}

static void delay_is_the_groups(void **state)
{
    static const struct {
        const char *text;
        apr_interval_time_t delay;
    } cases[] = {
        { "User-agent: *\nCrawl-delay: 1.5\n", 1500000 },
        { "User-agent: *\nCrawl-delay: 1.5\nUser-agent: tmplctl\nDisallow: /x\n", 0 },
        { "User-agent: x\nCrawl-delay: 3\n", 0 },
        { "User-agent: *\nCrawl-delay: -3\n", 0 },
        { "User-agent: *\nCrawl-delay: 1e30\n", apr_time_from_sec(3600) },
        { "User-agent: *\nCrawl-delay: nan\n", 0 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tmpl_robots_delay(read_robots(cases[i].text, *state)), cases[i].delay);
    }
}

static void delay_has_a_point_in_every_locale(void **state)
{
    use_comma();
    apr_interval_time_t delay =
        tmpl_robots_delay(read_robots("User-agent: *\nCrawl-delay: 1.5\n", *state));
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(delay, 1500000);
}

static const struct CMUnitTest tests[] = {
    CHECK(the_rfcs_simple_example),
    CHECK(the_longest_match_decides),
    CHECK(patterns_compare_by_what_they_mean),
    CHECK(stars_stand_for_any_bytes),
    CHECK(groups_of_one_name_are_one_group),
    CHECK(odd_lines_are_passed_over),
    CHECK(long_texts_have_an_end),
    CHECK(delay_is_the_groups),
    CHECK(delay_has_a_point_in_every_locale),
};

TAP_MAIN(tests)
