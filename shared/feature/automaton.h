/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search for many words at once, which takes one step for each character of a text, however many
 * words there are (Aho and Corasick, "Efficient String Matching", CACM 18(6), 1975).
 *
 * Words and texts consist of symbols: small letters, TMPL_BETWEEN for what is between words, and
 * TMPL_DIGIT, which no word holds. As characters of a word they are 'a' to 'z' and '-'; so "-ad-"
 * is the whole word "ad", "-advert" a word that begins so, and "banner" is found anywhere.
 */
#ifndef TMPL_AUTOMATON_H
#define TMPL_AUTOMATON_H

#include <stdint.h>

/* Symbols; letters are 1 to 26. */
enum { TMPL_BETWEEN = 0, TMPL_DIGIT = 27, TMPL_SYMBOLS = 32 };

typedef struct {
    const char *word;
    uint64_t says; /* a set of what the word says */
} tmpl_word_t;

#define TMPL_WORDS_MOST  512
#define TMPL_STATES_MOST 8192

/* A state is the longest end of the text so far that a word begins with; 0: there is none. */
typedef struct {
    uint16_t next[TMPL_STATES_MOST][TMPL_SYMBOLS]; /* the state behind a symbol */
    uint64_t says[TMPL_STATES_MOST];               /* what the words say that end here */
    uint16_t shorter[TMPL_STATES_MOST]; /* the state of the longest end of this one; for filling */
} tmpl_automaton_t;

/* A search in progress. A text begins behind TMPL_BETWEEN, and ends with it. */
typedef struct {
    const tmpl_automaton_t *automaton;
    unsigned state;
    uint64_t says; /* what the words found so far say */
} tmpl_search_t;

static inline tmpl_search_t tmpl_search(const tmpl_automaton_t *automaton)
{
    return (tmpl_search_t){ automaton, automaton->next[0][TMPL_BETWEEN], 0 };
}

static inline void tmpl_search_step(tmpl_search_t *search, unsigned symbol)
{
    search->state = search->automaton->next[search->state][symbol];
    search->says |= search->automaton->says[search->state];
}

/* The symbols of characters: of letters in any case, and of digits; all others are TMPL_BETWEEN. */
extern const unsigned char tmpl_symbols[256];

/*
 * Fills an automaton that is all 0, and returns the number of its states. All words must have less
 * than TMPL_STATES_MOST characters: those behind are left out, as are those behind TMPL_WORDS_MOST.
 */
unsigned tmpl_automaton_fill(tmpl_automaton_t *automaton, const tmpl_word_t *words, unsigned n);

#endif
