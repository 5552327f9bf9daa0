/* SPDX-License-Identifier: Apache-2.0 */
/* Words, sentences and signs of a text, in any script. */
#ifndef TMPL_TALLY_H
#define TMPL_TALLY_H

#include "feature/reading.h"

#define TMPL_LOOKS 1024

/* The words of the page's title, by hash; set words and room, the rest to 0. */
typedef struct {
    unsigned char looks[TMPL_LOOKS]; /* 1: a word looks like that */
    uint32_t *words;
    uint32_t n;
    uint32_t room;
} tmpl_title_t;

/* A text while it is read. Set tally, s, len and title, and learn if words are to be put there; the rest to 0. */
typedef struct {
    tmpl_tally_t *tally;
    const unsigned char *s;
    uint32_t len; /* of s: so much may be read */
    uint32_t end; /* of the text */
    int in_word;
    int may_be_of_title;       /* the word that it stands in, by its looks */
    uint32_t word;             /* where that begins */
    const tmpl_title_t *title; /* its words are looked up there */
    tmpl_title_t *learn;       /* or put there */
} tmpl_scan_t;

/* Adds what stands in a span of s to the tally. No word goes on from one span to the next. */
void tmpl_tally_span(tmpl_scan_t *scan, tmpl_span_t span);

#endif
