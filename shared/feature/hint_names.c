/* SPDX-License-Identifier: Apache-2.0 */
/* The search for names in classes and ids. */
#include "feature/hint_names.h"

#include <pthread.h>

#include "feature/automaton.h"

#define KIND(id)    TMPL_NAMED(id)
#define AND_BAD(id) (KIND(id) | KIND(BAD))

static const tmpl_word_t names[] = {
#define NAME(name, kinds) { name, kinds },
#include "feature/hint_names.def"
#undef NAME
};

/* the first state, and one for each character of all names */
enum {
#define NAME(name, kinds) name
    STATES = sizeof(
#include "feature/hint_names.def"
        )
#undef NAME
};

_Static_assert(sizeof(names) / sizeof(names[0]) <= TMPL_WORDS_MAX && STATES <= UINT16_MAX,
               "an automaton has that many words and states at most");

static uint16_t next[STATES][TMPL_SYMBOLS];
static uint64_t says[STATES];
static uint16_t shorter[STATES];
static const tmpl_automaton_t automaton = { next, says, shorter };
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
    unsigned n = tmpl_automaton_fill(&automaton, names, sizeof(names) / sizeof(names[0]));
    for (unsigned s = 0; s < n; s++) {
        next[s][TMPL_DIGIT] = next[s][TMPL_BETWEEN];
    }
}

tmpl_kinds_t tmpl_names_in(const char *value, uint32_t len)
{
    pthread_once(&once, fill);
    tmpl_search_t search = tmpl_search(&automaton);
    for (uint32_t at = 0; at < len; at++) {
        tmpl_search_step(&search, tmpl_symbols[(unsigned char)value[at]]);
    }
    tmpl_search_step(&search, TMPL_BETWEEN);
    /* "hljs-comment", "token comment": a comment in a program */
    return search.says & KIND(CODE) ? search.says & ~AND_BAD(COMMENT) : search.says;
}
