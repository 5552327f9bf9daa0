/* SPDX-License-Identifier: Apache-2.0 */
/* The words that the lexicon finds in classes and ids. */
#include "check.h"

#include <apr_strings.h>

#include "feature/lexicon.h"

static tmpl_says_t said_by(const char *name)
{
    return tmpl_says_of_name(name, (uint32_t)strlen(name));
}

/* A word is anywhere, begins a word, or is one; digits are no letters in names of kinds. */
static void names_of_kinds(void **state)
{
    static const struct {
        const char *value;
        tmpl_kinds_t kinds;
    } cases[] = {
        { "pageHeader", TMPL_NAMED(BAD) | TMPL_NAMED(EDGE) },
        { "x-ad", TMPL_NAMED(BAD) | TMPL_NAMED(OFFER) | TMPL_NAMED(ADVERT) },
        { "ad2", TMPL_NAMED(BAD) | TMPL_NAMED(OFFER) | TMPL_NAMED(ADVERT) },
        { "bad", 0 },
        { "adx", 0 },
        { "2alerts", TMPL_NAMED(STATUS) },
        { "token comment", TMPL_NAMED(CODE) },
        { "c", 0 },
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(said_by(cases[i].value).kinds, cases[i].kinds);
    }
    (void)state;
}

/* Words side by side, however they are written; digits are letters; names of other things. */
static void hints_of_names(void **state)
{
    static const struct {
        const char *value;
        unsigned hints;
    } cases[] = {
        { "related-posts", TMPL_HINT_RELATED },
        { "xx RelatedPosts", TMPL_HINT_RELATED },
        { "related__posts", TMPL_HINT_RELATED },
        { "Author-Box", TMPL_HINT_AUTHOR | TMPL_HINT_BIO },
        { "author2", 0 },
        { "no-author", 0 },
        { "No-Author author", TMPL_HINT_AUTHOR },
        { "has-ads\xC3\xA9 author", TMPL_HINT_AUTHOR },
        /* bytes that are not ASCII end a name, whether a char has a sign or not */
        { "no-x\xC3\xA9-author", TMPL_HINT_AUTHOR },
        { "advertising", TMPL_HINT_OFFER },
        { "", 0 },
        { "-", 0 },
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(said_by(cases[i].value).hints, cases[i].hints);
    }
    (void)state;
}

/* Each word is found, alone and behind the beginning of another one. */
static void all_words_are_found(void **state)
{
    static const struct {
        const char *word;
        tmpl_says_t says;
    } words[] = {
#define KIND(id)        TMPL_NAMED(id)
#define AND_BAD(id)     (KIND(id) | KIND(BAD))
#define HINT(id)        TMPL_HINT_##id
#define CUE(id)         TMPL_CUE_##id
#define WORD(word, ...) { word, { __VA_ARGS__ } },
#include "feature/lexicon.def"
    };
    for (unsigned i = 0; i < 2 * sizeof(words) / sizeof(words[0]); i++) {
        const tmpl_says_t *expected = &words[i / 2].says;
        tmpl_says_t says =
            said_by(apr_pstrcat(*state, i % 2 ? "adver" : "", words[i / 2].word, NULL));
        assert_int_equal(says.kinds & expected->kinds, expected->kinds);
        assert_int_equal(says.cues & expected->cues, expected->cues);
        /* a name of comments is none of threads, and one of code nothing else */
        if (!(says.hints & (HINT(COMMENT) | HINT(CODE)))) {
            assert_int_equal(says.hints & expected->hints, expected->hints);
        }
    }
}

/* A page says the same of a name however often it is asked, and knows it with other digits. */
static void a_page_keeps_what_names_say(void **state)
{
    static const char *const names[] = { "post-12 comment", "post-34 comment", "ad2", "ad7", "2ad",
                                         "author-name",     "AuthorName",      "",    "x" };
    const char *longest = apr_pstrcat(*state, "x", names[0], NULL);
    uint64_t hash = 0, other = 1;
    while (strlen(longest) <= TMPL_NAME_MOST) {
        longest = apr_pstrcat(*state, "u ", longest, NULL);
    }
    const char *html = apr_pstrcat(*state, "<p class='", longest, "'>text", NULL);
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        html = apr_pstrcat(*state, html, "<p class='", names[i], "'>text", NULL);
    }
    const tmpl_page_t *page = check_page(html, *state);
    for (unsigned again = 0; again < 2; again++) {
        for (uint32_t i = 1; i < page->n_nodes; i++) {
            const tmpl_known_attr_t *class = tmpl_node_attr(page, &page->nodes[i], TMPL_ATTR_CLASS);
            if (class != NULL) {
                tmpl_says_t is = tmpl_says_of_span(page, class->value, i == 2 ? &hash : &other);
                tmpl_says_t says =
                    tmpl_says_of_name(page->src + class->value.start, tmpl_span_len(class->value));
                assert_int_equal(is.kinds, says.kinds);
                assert_int_equal(is.hints, says.hints);
                assert_int_equal(is.cues, says.cues);
                assert_true(i != 3 || other == hash);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(a_page_keeps_what_names_say),
    CHECK(all_words_are_found),
    CHECK(names_of_kinds),
    CHECK(hints_of_names),
};

TAP_MAIN(tests)
