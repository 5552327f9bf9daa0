/* SPDX-License-Identifier: Apache-2.0 */
/* Words, sentences and signs of a text, in any script; and the words of the title. */
#ifndef TMPL_TALLY_H
#define TMPL_TALLY_H

#include "feature/reading.h"

/* ---- the words of a page's title, and which words may be among them (title.c) ---- */

/* The most words of a title; further words are ignored. */
#define TMPL_TITLE_WORDS 64

/* Letters and digits of a word that are compared as one number. */
#define TMPL_TITLE_LETTERS 8

/*
 * Initialise with 0. In begins, word i has bit i % 8 at each value that its first, second and third
 * byte may have. Few other words pass this test.
 */
typedef struct {
    unsigned char begins[3][256];
    uint32_t n;
    struct {
        uint64_t letters; /* the first letters in lower case; 0: some are not ASCII */
        uint32_t hash;
        int is_longer; /* more letters follow */
    } words[TMPL_TITLE_WORDS];
} tmpl_title_t;

/* Which words of the title may begin with these three bytes, as bits of begins. */
static inline unsigned tmpl_title_begins(const tmpl_title_t *title, const unsigned char *s)
{
    return title->begins[0][s[0]] & title->begins[1][s[1]] & title->begins[2][s[2]];
}

/* Which words of the title may begin with this character beyond ASCII. */
static inline unsigned tmpl_title_begins_wide(const tmpl_title_t *title, uint32_t c)
{
    return title->begins[0][0x80 | (c & 0x7F)];
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
    const tmpl_reading_t *reading;
    const unsigned char *s; /* the page's source */
    uint32_t len;           /* bytes of s */
    uint32_t end;           /* the end of the text that is read */
    int in_word;
    int may_be_of_title; /* the title may have the current word, by its beginning */
    uint32_t word;       /* where the current word begins */
    tmpl_title_t *title; /* words are looked up there */
    int learns;          /* words are added to title instead */
    uint32_t titled;     /* words of the title, in halves */
} tmpl_tally_scan_t;

/*
 * Begins to read the blocks of a page with its title. All arguments must stay valid until the end.
 */
void tmpl_tally_begin(tmpl_tally_scan_t *scan, tmpl_title_t *title, const tmpl_reading_t *reading);

/* Adds the counts of a block to the tally. Words end with their segment. */
void tmpl_tally_block(tmpl_tally_t *tally, tmpl_tally_scan_t *scan, uint32_t b);

#endif
