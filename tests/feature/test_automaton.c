/* SPDX-License-Identifier: Apache-2.0 */
/* The search for many words at once, and the names that it finds in classes and ids. */
#include "check.h"

#include "feature/automaton.h"
#include "feature/hint_names.h"
#include "feature/part_hints.h"

static uint64_t found(const tmpl_automaton_t *automaton, const char *text)
{
    tmpl_search_t search = tmpl_search(automaton);
    for (; *text != '\0'; text++) {
        tmpl_search_step(&search, tmpl_symbols[(unsigned char)*text]);
    }
    tmpl_search_step(&search, TMPL_BETWEEN);
    return search.says;
}

/* Words that begin, end and hold each other, or begin as another one ends. */
static void all_words_are_found(void **state)
{
    static const tmpl_word_t words[] = { { "her", 1 },    { "he", 2 },     { "hers", 4 },
                                         { "she", 8 },    { "-she-", 16 }, { "-s", 32 },
                                         { "rse-h", 64 }, { "he", 128 } };
    static const struct {
        const char *text;
        uint64_t says;
    } cases[] = {
        { "", 0 },
        { "h", 0 },
        { "HE", 2 | 128 },
        { "she", 2 | 128 | 8 | 16 | 32 },
        { "ushers", 1 | 2 | 128 | 4 | 8 },
        { "she2", 2 | 128 | 8 | 32 },
        { "he.she!", 2 | 128 | 8 | 16 | 32 },
        { "herse he", 1 | 2 | 128 | 4 | 64 },
        { "hhhe", 2 | 128 },
    };
    static tmpl_automaton_t automaton;
    assert_int_equal(tmpl_automaton_fill(&automaton, words, sizeof(words) / sizeof(words[0])), 18);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(found(&automaton, cases[i].text), cases[i].says);
    }
    (void)state;
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
        assert_int_equal(tmpl_names_in(cases[i].value, (uint32_t)strlen(cases[i].value)),
                         cases[i].kinds);
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
        assert_int_equal(tmpl_hints_of_name(cases[i].value, (uint32_t)strlen(cases[i].value)),
                         cases[i].hints);
    }
    (void)state;
}

/* None of the words is left out for want of states. */
static void tables_have_room(void **state)
{
    static const tmpl_word_t kinds[] = {
#define KIND(id)          TMPL_NAMED(id)
#define AND_BAD(id)       (KIND(id) | KIND(BAD))
#define NAME(name, kinds) { name, kinds },
#include "feature/hint_names.def"
    };
    static const tmpl_word_t hints[] = {
#define WORD(hint, word) { word, TMPL_HINT_##hint },
#include "feature/part_hints.def"
    };
    static tmpl_automaton_t automata[2];
    tmpl_automaton_fill(&automata[0], kinds, sizeof(kinds) / sizeof(kinds[0]));
    tmpl_automaton_fill(&automata[1], hints, sizeof(hints) / sizeof(hints[0]));
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        assert_int_equal(found(&automata[0], kinds[i].word) & kinds[i].says, kinds[i].says);
    }
    for (unsigned i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        assert_int_equal(found(&automata[1], hints[i].word) & hints[i].says, hints[i].says);
    }
    (void)state;
}

static const struct CMUnitTest tests[] = {
    CHECK(all_words_are_found),
    CHECK(tables_have_room),
    CHECK(names_of_kinds),
    CHECK(hints_of_names),
};

TAP_MAIN(tests)
