/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector "style": block style clusters and word offsets, Chen, Ye and Li (SAC 2006). Blocks
 * of one layout style that hold the same words at similar offsets share a template, even if some of
 * their words change: a date, a counter, a name.
 *
 * The paper clusters in batches. Here each cluster has a key in the site's table instead, whose DF
 * is the cluster's size, so the method runs online and over any store:
 *   style      hash of the block's position sequence and of the layout attributes around it
 *              (sections 3.1, 3.2). Ranks from 4 on count as one rank, in place of the paper's
 *              threshold of positions.
 *   signature  of a word: the differences of its offsets in the block, and the gaps before the
 *              first and behind the last offset. They are divided into TMPL_STYLE_PARTS equal
 *              parts. Each part is a bit array of 32 bits (sections 4.1, 4.2).
 *   key        hash of style, word, number of the part and its bits.
 *
 * What a word is:
 *   - a run of letters; in scripts that are written without spaces, a character;
 *   - a run of digits; in a block with other words, all runs of digits are the same word;
 *   - an image, a link without text, a text without letters and digits.
 */
#ifndef TMPL_STYLE_H
#define TMPL_STYLE_H

#include "detect/verdict.h"
#include "table/counts.h"

#define TMPL_STYLE_PARTS 2

/*
 * The most words that are sampled from a block: those with the least hashes, so that the same words
 * are sampled from blocks with the same words.
 */
#define TMPL_STYLE_WORDS 4

/* The most keys of a page. On pages with too many blocks fewer words are sampled from each. */
#define TMPL_STYLE_KEYS 1024

/* A sampled word. */
typedef struct {
    uint32_t keys[TMPL_STYLE_PARTS]; /* the keys of its signature's parts, as indices into keys */
} tmpl_style_word_t;

/* The sampled words of a page, and their keys. */
typedef struct tmpl_style_t {
    uint64_t *keys; /* each once, in order of first appearance */
    uint32_t n_keys;
    tmpl_style_word_t *words;
    uint32_t
        *first_word; /* [n_blocks + 1]: words of block b are [first_word[b], first_word[b + 1]) */
} tmpl_style_t;

/* Fills style for a page; everything is allocated from pool. */
void tmpl_style_read(tmpl_style_t *style, const tmpl_page_t *page, apr_pool_t *pool);

/*
 * Fills verdicts, page->n_blocks of them. A word is a template word if at least half of the parts
 * of its signature have DF >= min_df. ratio is the share of template words among the block's
 * sampled words (Definition 3); a block is template if its ratio is larger than threshold. Counting
 * ends where a block can no longer be template (the paper's early stop), so the ratio of such a
 * block covers the words before that only. records has one record for each of style->keys.
 */
void tmpl_detect_style(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_style_t *style,
                       const tmpl_record_t *records, uint32_t min_df, double threshold);

#endif
