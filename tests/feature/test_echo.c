/* SPDX-License-Identifier: Apache-2.0 */
/* Text that the request brought. */
#include "check.h"

#include "feature/echo.h"
#include "feature/layout.h"

#define WORDS                                                                                      \
    "every+word+of+this+long+search+stands+in+the+page+which+shows+what+was+asked+for+so+that+"    \
    "nobody+can+use+it+to+make+copies+of+an+article+look+like+documents+of+their+own+with+"        \
    "quite+a+lot+of+text+that+is+new+each+time+w%C3%B6rter"

/* The length of the share of the page's first text. */
static uint32_t length_of(const char *text, const char *uri, const char *fields, apr_pool_t *pool)
{
    const char *html = apr_pstrcat(pool, "<body><p>", text, "</p><p>the rest</p>", NULL);
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_observation_t observation = { 0 };
    tmpl_segments_observation(&observation, page, 0, pool);
    tmpl_echoes_empty(&observation, page, &(tmpl_brought_t){ uri, fields, TMPL_ECHO_LEAST }, pool);
    return observation.shares[0].length;
}

static void words_of_the_request_are_no_text(void **state)
{
    static const struct {
        const char *text, *uri, *fields;
        int is_echo;
    } cases[] = {
        { "long search", "/?q=" WORDS, NULL, 1 },
        { "found: long search, \xC3\xB6", "/?q=" WORDS, NULL, 1 },
        { "w\xC3\xB6rter", "/?q=" WORDS, NULL, 1 },
        { "w\xC3\xB6rter", "/" WORDS "/", NULL, 1 },
        { "long article about something", "/?q=" WORDS, NULL, 0 }, /* half of the bytes and less */
        { "Search", "/?q=" WORDS, NULL, 0 },
        { "...", "/?q=" WORDS, NULL, 0 },
        { "long search", "/", WORDS, 1 },
        { "long search", "/?q=long+search", NULL, 0 }, /* too short to matter */
        { "long search", "/?q=long+search", "long search", 0 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(length_of(cases[i].text, cases[i].uri, cases[i].fields, *state) == 0,
                         cases[i].is_echo);
    }
}

/* A '%' that is not followed by two digits stays. */
static void broken_addresses_end(void **state)
{
    assert_int_equal(length_of("long search", "/?q=" WORDS "%C", NULL, *state), 0);
    assert_int_equal(length_of("long search", "/?q=" WORDS "%", NULL, *state), 0);
    assert_int_equal(length_of("zzz", "/?q=" WORDS "+%Gzzz", NULL, *state), 3);
}

static const struct CMUnitTest tests[] = {
    CHECK(words_of_the_request_are_no_text),
    CHECK(broken_addresses_end),
};

TAP_MAIN(tests)
