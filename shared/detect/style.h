/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block style clusters and word offsets, Chen, Ye and Li (SAC 2006): blocks of one layout style that hold
 * the same words at like places share a template, even where some of their words change: a date, a
 * counter, a name.
 *
 * The paper clusters in batches. Here each cluster has a key instead, so that the segment table counts
 * its size and the method runs online, over any store:
 * - style: a hash of the block's position sequence and of the layout attributes around it (sections 3.1,
 *   3.2). Ranks from 4 on are one, which stands for the paper's threshold of positions.
 * - signature of a word: the differences of its offsets in the block, with the gaps before its first and
 *   behind its last one, cut into TMPL_STYLE_PARTS equal parts, each a bit array of 32 bits (4.1, 4.2).
 * - key: style, word, number of the part, its bits; its DF is the size of the word's cluster.
 *
 * A run of digits is one word, whatever its value, in blocks that have other words. An image or a link
 * without text is a word. In scripts that are written without spaces each character is one.
 */
#ifndef TMPL_STYLE_H
#define TMPL_STYLE_H

#include "detect/verdict.h"
#include "table/store.h"

#define TMPL_STYLE_PARTS 2

/*
 * Words of a block that are looked at, at most: those with the least hashes, so that blocks with the same
 * words are known by the same ones. And keys of a page, at most: if they would be more, fewer words of
 * each block are taken.
 */
#define TMPL_STYLE_WORDS 4
#define TMPL_STYLE_KEYS  1024

/* A word of a block. */
typedef struct {
    uint32_t keys[TMPL_STYLE_PARTS]; /* of the parts of its signature: indices into keys */
} tmpl_style_word_t;

/* A page as the method sees it. */
typedef struct {
    uint64_t *keys; /* each once, in order of first appearance */
    uint32_t n_keys;
    tmpl_style_word_t *words;
    uint32_t *first_word; /* of each block, and of one behind the last */
} tmpl_style_t;

/* Finds styles, words and keys of a page; all from pool. */
void tmpl_style_read(tmpl_style_t *style, const tmpl_page_t *page, apr_pool_t *pool);

/*
 * A word is a template word if at least half the parts of its signature have DF >= min_df; the template
 * ratio of a block is the share of template words among its words (Definition 3), and it is template if
 * that is larger than threshold. Words behind those that settle a block's being content are not
 * looked at (the paper's early stop), so the ratio of such a block counts those before. records is one
 * per style->keys; verdicts has room for page->n_blocks.
 */
void tmpl_detect_style(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_style_t *style,
                       const tmpl_record_t *records, uint32_t min_df, double threshold);

#endif
