/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/automaton.h"

#include <string.h>

#define LETTER(small, capital) [small] = (small)&31, [capital] = (small)&31
/* clang-format off */
const unsigned char tmpl_symbols[256] = {
    LETTER('a', 'A'), LETTER('b', 'B'), LETTER('c', 'C'), LETTER('d', 'D'), LETTER('e', 'E'),
    LETTER('f', 'F'), LETTER('g', 'G'), LETTER('h', 'H'), LETTER('i', 'I'), LETTER('j', 'J'),
    LETTER('k', 'K'), LETTER('l', 'L'), LETTER('m', 'M'), LETTER('n', 'N'), LETTER('o', 'O'),
    LETTER('p', 'P'), LETTER('q', 'Q'), LETTER('r', 'R'), LETTER('s', 'S'), LETTER('t', 'T'),
    LETTER('u', 'U'), LETTER('v', 'V'), LETTER('w', 'W'), LETTER('x', 'X'), LETTER('y', 'Y'),
    LETTER('z', 'Z'), ['0' ... '9'] = TMPL_DIGIT,
};
/* clang-format on */

/* A word, as far as it has been added. */
typedef struct {
    const char *rest;
    unsigned state;
} part_t;

/* Adds the next character of a word; returns how many states are new. States from first on are. */
static unsigned add_character(const tmpl_automaton_t *a, part_t *part, unsigned first, unsigned n)
{
    unsigned symbol = tmpl_symbols[(unsigned char)*part->rest++];
    uint16_t *next = &a->next[part->state][symbol];
    unsigned is_new = *next < first;
    if (is_new) {
        a->shorter[n] = part->state == 0 ? 0 : a->next[a->shorter[part->state]][symbol];
        *next = (uint16_t)n;
    }
    part->state = *next;
    return is_new;
}

/*
 * States are numbered by their lengths: those of one length are added together, and then continue
 * as the next shorter state does, which is complete by then.
 */
unsigned tmpl_automaton_fill(const tmpl_automaton_t *a, const tmpl_word_t *words, unsigned n)
{
    part_t parts[TMPL_WORDS_MAX];
    unsigned first = 0;
    unsigned n_states = 1;
    for (unsigned i = 0; i < n; i++) {
        parts[i] = (part_t){ words[i].word, 0 };
    }
    while (first < n_states) {
        first = n_states;
        for (unsigned i = 0; i < n; i++) {
            if (*parts[i].rest != '\0') {
                n_states += add_character(a, &parts[i], first, n_states);
                a->says[parts[i].state] |= *parts[i].rest == '\0' ? words[i].says : 0;
            }
        }
        for (unsigned s = first; s < n_states; s++) {
            memcpy(a->next[s], a->next[a->shorter[s]], sizeof(a->next[s]));
            a->says[s] |= a->says[a->shorter[s]];
        }
    }
    return n_states;
}
