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

/* The most words of a title; further words are ignored. */
#define TMPL_TITLE_WORDS 64

/* The words of a page's title, as hashes; some: which hashes may be among them. */
typedef struct {
    uint32_t n;
    uint32_t hashes[TMPL_TITLE_WORDS];
    uint64_t some;
} tmpl_title_t;

/* The state while blocks are read. */
typedef struct {
    tmpl_tally_t *tally;
    const tmpl_page_t *page;
    const tmpl_contexts_t *contexts;
    const unsigned char *s; /* the page's source */
    uint32_t end;           /* the end of the text that is read */
    int in_word;
    uint32_t hash;      /* of the current word, so far */
    tmpl_title_t title; /* words are looked up there */
    int learns;         /* words are added to title instead */
    uint32_t titled;    /* words of the title, in halves */
} tmpl_tally_scan_t;

/* Begins to read the blocks of a page with its title. page and contexts must stay valid. */
void tmpl_tally_begin(tmpl_tally_scan_t *scan, const tmpl_page_t *page,
                      const tmpl_contexts_t *contexts);

/* Adds the counts of a block, but for again, to the tally. Words end with their segment. */
void tmpl_tally_block(tmpl_tally_t *tally, tmpl_tally_scan_t *scan, uint32_t b);

#endif
