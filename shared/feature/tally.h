/* SPDX-License-Identifier: Apache-2.0 */
/* Words, sentences and signs of a text, in any script. */
#ifndef TMPL_TALLY_H
#define TMPL_TALLY_H

#include "feature/reading.h"
#include "feature/title.h"

/* Blocks while they are read. */
typedef struct {
    tmpl_tally_t *tally;
    const tmpl_reading_t *reading;
    const unsigned char *s; /* its source */
    uint32_t len;           /* of s: so much may be read */
    uint32_t end;           /* of the text that is read */
    int in_word;
    int may_be_of_title; /* the word that it stands in, by its begin */
    uint32_t word;       /* where that begins */
    tmpl_title_t *title; /* its words are looked up there */
    int learns;          /* or put there */
    uint32_t titled;     /* words of the title, in halves */
} tmpl_scan_t;

/* Begins to read the blocks of a page: reads its title. All arguments must stay as they are meanwhile. */
void tmpl_tally_begin(tmpl_scan_t *scan, tmpl_title_t *title, const tmpl_reading_t *reading);

/* Adds what stands in a block to the tally. No word goes on from one segment to the next. */
void tmpl_tally_block(tmpl_tally_t *tally, tmpl_scan_t *scan, uint32_t b);

#endif
