/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a page's title, and a quick test of which words may be among them. */
#ifndef TMPL_TITLE_H
#define TMPL_TITLE_H

#include <stdint.h>

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

#endif
