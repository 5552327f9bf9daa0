/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a page's title, and which words of its text may be among them. */
#ifndef TMPL_TITLE_H
#define TMPL_TITLE_H

#include <stdint.h>

/* Words of a title beyond these are not looked at. */
#define TMPL_TITLE_WORDS 64

/* The letters and digits of a word that are compared as a number. */
#define TMPL_TITLE_LETTERS 8

/*
 * All of it is 0 at first. Word i has bit i % 8 in what its first, second and third byte may be. Few words that begin as
 * one of them are none of them.
 */
typedef struct {
    unsigned char begins[3][256];
    uint32_t n;
    struct {
        uint64_t letters; /* the first ones, small, the first one lowest; 0: some are not ASCII */
        uint32_t hash;
        int is_longer; /* than these */
    } words[TMPL_TITLE_WORDS];
} tmpl_title_t;

/* Which words of the title begin so, as bits of begins; so many bytes are read. */
static inline unsigned tmpl_title_begins(const tmpl_title_t *title, const unsigned char *s)
{
    return title->begins[0][s[0]] & title->begins[1][s[1]] & title->begins[2][s[2]];
}

/* Which begin with this character, which is not ASCII, and perhaps others. */
static inline unsigned tmpl_title_begins_wide(const tmpl_title_t *title, uint32_t c)
{
    return title->begins[0][0x80 | (c & 0x7F)];
}

/* Adds the word s[at, end); what follows may be read up to limit. */
void tmpl_title_add(tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                    uint32_t limit);

/* Whether the title has the word, large or small, with or without apostrophes. */
int tmpl_title_has(const tmpl_title_t *title, const unsigned char *s, uint32_t at, uint32_t end,
                   uint32_t limit);

#endif
