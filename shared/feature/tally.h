/* SPDX-License-Identifier: Apache-2.0 */
/* Words, sentences and signs of a text, in any script; and the words of the title. */
#ifndef TMPL_TALLY_H
#define TMPL_TALLY_H

#include "feature/context.h"

/*
 * X(name): what is counted in a block. Words count in halves, so that all counts are whole numbers
 * and sums are exact; no page has 2^32 of anything.
 */
#define TMPL_TALLIES(X)                                                                            \
    X(words)                                                                                       \
    X(linked) /* words in links */                                                                 \
    X(again)  /* bytes of segments that stand on the page more than once */                        \
    X(titled) /* words that are in the page's title, too */                                        \
    X(stops)  /* ends of sentences */                                                              \
    X(commas)                                                                                      \
    X(chars) /* all but white space */                                                             \
    X(digits)                                                                                      \
    X(signs)                                                                                       \
    X(capitals) /* words that begin with a capital, not in halves */                               \
    X(links)                                                                                       \
    X(here)  /* links to a position on the page */                                                 \
    X(whole) /* links to an address with a host */                                                 \
    X(images)

typedef struct {
#define TMPL_TALLY(name) uint32_t name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    unsigned char rights; /* there is a copyright sign */
    unsigned char ends;   /* it ends like a sentence */
    unsigned char lower;  /* it begins with a small letter */
} tmpl_tally_t;

/* ---- the words of a page's title, and which words may be among them (title.c) ---- */

/* The most words of a title; further words are ignored. */
#define TMPL_TITLE_WORDS 64

/* Letters of a word that are compared as one number. */
#define TMPL_TITLE_LETTERS 8

/*
 * Initialise with 0. Word i has bit i % 8 in begins at each value that its first and second byte
 * may have, and in lengths at the number of its letters. Few other words pass this test.
 */
typedef struct {
    unsigned char begins[2][256];
    unsigned char lengths[TMPL_TITLE_LETTERS + 2]; /* the last one: of longer words */
    uint32_t n;
    uint32_t hashes[TMPL_TITLE_WORDS];
    uint64_t letters[TMPL_TITLE_WORDS]; /* all of a word of ASCII, in lower case; 0: has more */
} tmpl_title_t;

/* Which words of the title may begin with these two bytes, as bits. */
static inline unsigned tmpl_title_begins(const tmpl_title_t *title, const unsigned char *s)
{
    return title->begins[0][s[0]] & title->begins[1][s[1]];
}

/* Whether a word of the title may begin with this character beyond ASCII. */
static inline int tmpl_title_begins_wide(const tmpl_title_t *title, uint32_t c)
{
    return title->begins[0][0x80 | (c & 0x7F)] != 0;
}

/* Whether the title has the word of ASCII with these letters, in lower case. */
static inline int tmpl_title_has_letters(const tmpl_title_t *title, uint64_t letters)
{
    uint32_t i = 0;
    while (i < title->n && title->letters[i] != letters) {
        i++;
    }
    return i < title->n;
}

/* Adds the word s[at, end). The text ends at limit. */
void tmpl_title_add(tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                    uint32_t limit);

/* Whether the title has the word, in any case, with or without apostrophes. */
int tmpl_title_has(const tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                   uint32_t limit);

/* ---- the text of blocks ---- */

/* The state while blocks are read. */
typedef struct {
    tmpl_tally_t *tally;
    const tmpl_page_t *page;
    const tmpl_contexts_t *contexts;
    const unsigned char *s; /* the page's source */
    uint32_t end;           /* the end of the text that is read */
    int in_word;
    int may_be_of_title; /* the title may have the current word, by its beginning */
    uint32_t word;       /* where the current word begins */
    tmpl_title_t title;  /* words are looked up there */
    int learns;          /* words are added to title instead */
    uint32_t titled;     /* words of the title, in halves */
} tmpl_tally_scan_t;

/* Begins to read the blocks of a page with its title. page and contexts must stay valid. */
void tmpl_tally_begin(tmpl_tally_scan_t *scan, const tmpl_page_t *page,
                      const tmpl_contexts_t *contexts);

/* Adds the counts of a block, but for again, to the tally. Words end with their segment. */
void tmpl_tally_block(tmpl_tally_t *tally, tmpl_tally_scan_t *scan, uint32_t b);

#endif
