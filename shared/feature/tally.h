/* SPDX-License-Identifier: Apache-2.0 */
/* Words, sentences and signs of a text, in any script. */
#ifndef TMPL_TALLY_H
#define TMPL_TALLY_H

#include "feature/reading.h"
#include "feature/title.h"

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
