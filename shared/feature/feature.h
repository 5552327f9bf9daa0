/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The features of a leaf block: what a model knows of it. The blocks of a page are leaf blocks,
 * text without a block-level boundary in it, if the page was parsed with tmpl_separators_leaf.
 *
 * In the table below, a "box" of a block is an element around it that holds more blocks than the
 * box below, so wrappers around the same blocks are not boxes of their own. A character of a script
 * without spaces counts as half a word. "free" is outside links, a share is 0..1.
 */
#ifndef TMPL_FEATURE_H
#define TMPL_FEATURE_H

/* clang-format off */
/*
 * X(id, name, group, what it is of the block, as explain says it). With "?" it is 0, no, or 1, yes,
 * or 1 / steps up to an element around.
 */
#define TMPL_BLOCK_FEATURES(X) \
    /* its own text */ \
    X(WORDS, "words", TEXT, "words") \
    X(FREE, "free", TEXT, "words outside links") \
    X(LINKED, "linked", TEXT, "share of words in links") \
    X(LINKS, "links", TEXT, "links") \
    X(STOPS, "stops", TEXT, "ends of sentences for each word") \
    X(COMMAS, "commas", TEXT, "commas") \
    X(ENDS, "ends", TEXT, "ends like a sentence?") \
    X(LOWER, "lower", TEXT, "begins with a small letter?") \
    X(CAPITALS, "capitals", TEXT, "share of words with a capital") \
    X(DIGITS, "digits", TEXT, "share of digits") \
    X(SIGNS, "signs", TEXT, "share of signs") \
    X(LETTERS, "letters", TEXT, "letters for each word") /* at most 20 */ \
    X(IMAGES, "images", TEXT, "images") \
    X(AGAIN, "again", TEXT, "share that the page says again") \
    X(RIGHTS, "rights", TEXT, "a copyright sign?") \
    X(TITLE, "title", TEXT, "share of its words that the title has") \
    X(TITLE_SHARE, "title-share", TEXT, "share of the title's words") /* at most 1 */ \
    X(LINKS_HERE, "links-here", TEXT, "share of links that stay on the page") \
    X(LINKS_WHOLE, "links-whole", TEXT, "share of links that name a host") \
    /* what it says that the page says elsewhere, too (reading.h) */ \
    X(SAID_BEFORE, "said-before", SAID, "share said before") \
    X(SAID_BEHIND, "said-behind", SAID, "share said again behind it") \
    X(SAID_TIMES, "said-times", SAID, "other copies of its text, a mean") \
    X(SAID_RANK, "said-rank", SAID, "copies before it, a mean") \
    /* its element, and those it stands in: 0 or 1 */ \
    X(HEADING, "heading", TAG, "a heading?") \
    X(PARAGRAPH, "paragraph", TAG, "a paragraph?") \
    X(ITEM, "item", TAG, "an item of a list?") \
    X(CELL, "cell", TAG, "a cell?") \
    X(TERM, "term", TAG, "a term?") \
    X(VERBATIM, "verbatim", TAG, "verbatim text?") \
    X(IN_MAIN, "in-main", TAG, "in main?") \
    X(IN_ARTICLE, "in-article", TAG, "in article?") \
    X(IN_NAV, "in-nav", TAG, "in nav?") \
    X(IN_ASIDE, "in-aside", TAG, "in aside?") \
    X(IN_HEADER, "in-header", TAG, "in header?") \
    X(IN_FOOTER, "in-footer", TAG, "in footer?") \
    X(IN_FORM, "in-form", TAG, "in a form?") \
    X(IN_LIST, "in-list", TAG, "in a list?") \
    X(IN_TABLE, "in-table", TAG, "in a table?") \
    X(DEPTH, "depth", TAG, "elements around it") \
    X(NEARER, "nearer", TAG, "whose name is nearer, content's (1) or a template's (-1)") \
    X(IN_FIGURE, "in-figure", TAG, "in a figure?") \
    X(IN_QUOTE, "in-quote", TAG, "in a quote?") \
    /* 1 / steps up to an element of that kind (lexicon.h); 0: there is none */ \
    X(GOOD_NEAR, "good-near", TAG, "named like content?") \
    X(BAD_NEAR, "bad-near", TAG, "named like template?") \
    X(NAMED_COMMENT, "named-comment", NAME, "named like a comment?") \
    X(NAMED_MENU, "named-menu", NAME, "named like a menu?") \
    X(NAMED_SIDE, "named-side", NAME, "named like a sidebar?") \
    X(NAMED_MORE, "named-more", NAME, "named like teasers of other pages?") \
    X(NAMED_EDGE, "named-edge", NAME, "named like the head or foot of a page?") \
    X(NAMED_SHARE, "named-share", NAME, "named like buttons to share?") \
    X(NAMED_ABOUT, "named-about", NAME, "named like by whom, when, under what?") \
    X(NAMED_OFFER, "named-offer", NAME, "named like advertising or a newsletter?") \
    X(NAMED_DIALOG, "named-dialog", NAME, "named like a dialog?") \
    X(NAMED_COOKIE, "named-cookie", NAME, "named like a notice of cookies?") \
    X(NAMED_TOOLTIP, "named-tooltip", NAME, "named like a tooltip?") \
    X(NAMED_READER, "named-reader", NAME, "named like text for screen readers?") \
    X(NAMED_HIDDEN, "named-hidden", NAME, "named like something hidden?") \
    X(NAMED_ARIA, "named-aria", NAME, "named like something with ARIA?") \
    X(NAMED_BUTTON, "named-button", NAME, "named like a button?") \
    X(NAMED_LABEL, "named-label", NAME, "named like a label?") \
    X(NAMED_CAPTION, "named-caption", NAME, "named like a caption?") \
    X(NAMED_REVIEW, "named-review", NAME, "named like a review?") \
    X(NAMED_QA, "named-qa", NAME, "named like questions and answers?") \
    X(NAMED_RELATED, "named-related", NAME, "named like related pages?") \
    X(NAMED_AUTHOR, "named-author", NAME, "named like an author?") \
    X(NAMED_TAGS, "named-tags", NAME, "named like tags?") \
    X(NAMED_DATE, "named-date", NAME, "named like a date?") \
    X(NAMED_PRODUCT, "named-product", NAME, "named like a product?") \
    X(NAMED_CART, "named-cart", NAME, "named like a cart?") \
    X(NAMED_FORM, "named-form", NAME, "named like a form?") \
    X(NAMED_NEWS, "named-news", NAME, "named like news?") \
    X(NAMED_FILTER, "named-filter", NAME, "named like a filter?") \
    X(NAMED_TAB, "named-tab", NAME, "named like a tab?") \
    X(NAMED_FOLD, "named-fold", NAME, "named like something that folds?") \
    X(NAMED_SLIDE, "named-slide", NAME, "named like a slide?") \
    X(NAMED_CARD, "named-card", NAME, "named like a card?") \
    X(NAMED_LIST, "named-list", NAME, "named like a list?") \
    X(NAMED_ITEM, "named-item", NAME, "named like an item?") \
    X(NAMED_TITLE, "named-title", NAME, "named like a title?") \
    X(NAMED_LEAD, "named-lead", NAME, "named like a lead?") \
    X(NAMED_POST, "named-post", NAME, "named like a post?") \
    X(NAMED_USER, "named-user", NAME, "named like a user?") \
    X(NAMED_QUOTE, "named-quote", NAME, "named like a quote?") \
    X(NAMED_VOTES, "named-votes", NAME, "named like votes?") \
    X(NAMED_CODE, "named-code", NAME, "named like code?") \
    X(NAMED_HERO, "named-hero", NAME, "named like a hero?") \
    X(NAMED_ADVERT, "named-advert", NAME, "named like an advertisement?") \
    X(NAMED_MOBILE, "named-mobile", NAME, "named like something for phones?") \
    X(NAMED_ICON, "named-icon", NAME, "named like an icon?") \
    X(NAMED_TEXT, "named-text", NAME, "named like text?") \
    X(NAMED_LEGAL, "named-legal", NAME, "named like legal text?") \
    X(NAMED_STATUS, "named-status", NAME, "named like a status?") \
    X(NAMED_SPEC, "named-spec", NAME, "named like a specification?") \
    X(NAMED_LANG, "named-lang", NAME, "named like a choice of languages?") \
    /* its position */ \
    X(BEFORE, "before", PLACE, "share of the page's words before it") \
    X(LEAD, "lead", PLACE, "words before it") \
    X(REST, "rest", PLACE, "words behind it") \
    X(LONG_BEFORE, "long-before", PLACE, "share of long text before it") \
    X(LONG_NEAR, "long-near", PLACE, "nearness of long text") /* 1 / (1 + blocks between) */ \
    X(LONG_LAST, "long-last", PLACE, "nearness of long text before it") \
    X(LONG_NEXT, "long-next", PLACE, "nearness of long text behind it") \
    X(TITLED, "titled", PLACE, "an h1 before it?") \
    /* with the blocks beside it: one, or three, on either side */ \
    X(LINKED_1, "linked-1", BESIDE, "share of words in links, with a block on either side") \
    X(LINKED_3, "linked-3", BESIDE, "share of words in links, with three blocks on either side") \
    X(FREE_1, "free-1", BESIDE, "words outside links, with a block on either side") \
    X(FREE_3, "free-3", BESIDE, "words outside links, with three blocks on either side") \
    X(FREE_LAST, "free-last", BESIDE, "words outside links in the block before it") \
    X(FREE_NEXT, "free-next", BESIDE, "words outside links in the next block") \
    X(LINKED_LAST, "linked-last", BESIDE, "share of words in links in the block before it") \
    X(LINKED_NEXT, "linked-next", BESIDE, "share of words in links in the next block") \
    X(STOPS_3, "stops-3", BESIDE, "ends of sentences for each word, with three on either side") \
    X(LINKED_8, "linked-8", BESIDE, "share of words in links, with eight blocks on either side") \
    X(FREE_8, "free-8", BESIDE, "words outside links, with eight blocks on either side") \
    X(FREE_LAST_3, "free-last-3", BESIDE, "words outside links in the three before it") \
    X(FREE_NEXT_3, "free-next-3", BESIDE, "words outside links in the next three") \
    X(LINKED_LAST_3, "linked-last-3", BESIDE, "share of words in links in the three before it") \
    X(LINKED_NEXT_3, "linked-next-3", BESIDE, "share of words in links in the next three") \
    /* its boxes, the innermost first */ \
    X(BOX1_LINKED, "box1-linked", BOX, "share of words in links of its box") \
    X(BOX2_LINKED, "box2-linked", BOX, "share of words in links of the second box") \
    X(BOX3_LINKED, "box3-linked", BOX, "share of words in links of the third box") \
    X(BOX4_LINKED, "box4-linked", BOX, "share of words in links of the fourth box") \
    X(BEST, "best", BOX, "inside the element with most text?") /* reading.h */ \
    X(BEST_SHARE, "best-share", BOX, "share of the page in the element with most text") \
    X(SCORE, "score", BOX, "text of its box, divided by the fullest one's") /* reading.h */ \
    X(SCORE_2, "score-2", BOX, "text of the second box, divided by the fullest one's") \
    X(SCORE_3, "score-3", BOX, "text of the third box, divided by the fullest one's") \
    X(BEST_BEFORE, "best-before", BOX, "share before it of the element with most text") \
    /* the site's table: 0 where no other page of the site is known */ \
    X(PAGES, "pages", SITE, "log2 of the site's pages") /* with this one, at most 6 */ \
    X(DF, "df", SITE, "share of pages that have its text") /* (DF - 1) / (pages - 1), a mean */ \
    X(DF_LOG, "df-log", SITE, "natural log of DF, a mean over its text") \
    X(REPEATED, "repeated", SITE, "share of its text that another page has") \
    X(RATIO, "ratio", SITE, "template ratio") /* share with DF >= min_df */ \
    X(REPEATED_1, "repeated-1", SITE, "share that another page has, with a block on either side") \
    X(REPEATED_3, "repeated-3", SITE, "share that another page has, with three on either side") \
    X(REPEATED_BOX1, "repeated-box1", SITE, "share of its box that another page has") \
    X(REPEATED_BOX2, "repeated-box2", SITE, "share of the second box that another page has") \
    X(REPEATED_BOX3, "repeated-box3", SITE, "share of the third box that another page has") \
    X(REPEATED_PAGE, "repeated-page", SITE, "share of the page that another page has") \
    X(PATH0_REPEATED, "path0-repeated", SITE, "repeated text seen at its place in the layout") \
    X(PATH1_REPEATED, "path1-repeated", SITE, "repeated text seen at the place around it") \
    X(PATH2_REPEATED, "path2-repeated", SITE, "repeated text seen two places around it") \
    X(PATH0_TEXT, "path0-text", SITE, "bytes of text seen at its place in the layout") \
    X(PATH1_TEXT, "path1-text", SITE, "bytes of text seen at the place around it") \
    X(PATH0_DF, "path0-df", SITE, "share of pages that have its place in the layout") \
    X(PATH1_DF, "path1-df", SITE, "share of pages that have the place around it") \
    X(PATH2_DF, "path2-df", SITE, "share of pages that have the second place around it") \
    /* mean DF of its text over that of its layout path: DF within the pages of one layout */ \
    X(DF_PATH0, "df-path0", SITE, "share of pages with its place that have its text") \
    X(DF_PATH1, "df-path1", SITE, "share of pages with the place around it that have its text") \
    X(DF_PATH2, "df-path2", SITE, "share of pages with the second place around it that have it") \
    /* templateness by the model's first trees (rows.c): its own, then means of others */ \
    X(FIRST, "first", FIRST, "first estimate") \
    X(FIRST_BOX1, "first-box1", FIRST, "first estimate of its box") \
    X(FIRST_BOX2, "first-box2", FIRST, "first estimate of the second box") \
    X(FIRST_BOX3, "first-box3", FIRST, "first estimate of the third box") \
    X(FIRST_BOX4, "first-box4", FIRST, "first estimate of the fourth box") \
    X(FIRST_LAST, "first-last", FIRST, "first estimate of the block before it") \
    X(FIRST_LAST_3, "first-last-3", FIRST, "first estimate of the three before it") \
    X(FIRST_LAST_8, "first-last-8", FIRST, "first estimate of the eight before it") \
    X(FIRST_NEXT, "first-next", FIRST, "first estimate of the next block") \
    X(FIRST_NEXT_3, "first-next-3", FIRST, "first estimate of the next three") \
    X(FIRST_NEXT_8, "first-next-8", FIRST, "first estimate of the next eight") \
    X(FIRST_LIKE, "first-like", FIRST, "first estimate of blocks in such places") \
    X(FIRST_LIKE_BLOCKS, "first-like-blocks", FIRST, "blocks in such places") \
    X(FIRST_PAGE, "first-page", FIRST, "first estimate of the page") \
    X(FIRST_BEFORE, "first-before", FIRST, "share of the likely content before it") \
    X(FIRST_SAID, "first-said", FIRST, "least first estimate of copies") /* 1: none */ \
    X(FIRST_CONTENT, "first-content", FIRST, "words of likely content")
/* clang-format on */

typedef enum {
#define TMPL_BLOCK_FEATURE_ID(id, name, group, text) TMPL_BLOCK_FEATURE_##id,
    TMPL_BLOCK_FEATURES(TMPL_BLOCK_FEATURE_ID)
#undef TMPL_BLOCK_FEATURE_ID
        TMPL_BLOCK_FEATURE_COUNT
} tmpl_block_feature_e;

/* Its name ("words", "free", ...), what it is in words, and its group ("TEXT", "TAG", ...). */
const char *tmpl_block_feature_name(tmpl_block_feature_e feature);
const char *tmpl_block_feature_text(tmpl_block_feature_e feature);
const char *tmpl_block_feature_group(tmpl_block_feature_e feature);

/* The feature with that name, in any case; -1: there is none. */
int tmpl_block_feature_find(const char *name);

/* Rows of some blocks, one column for each feature: feature f of the block at i is of[f][i]. */
#define TMPL_BLOCKS_AT_ONCE 64
typedef struct {
    float of[TMPL_BLOCK_FEATURE_COUNT][TMPL_BLOCKS_AT_ONCE];
} tmpl_columns_t;

/* A page while its features are computed: reading.h. */
typedef struct tmpl_reading_t tmpl_reading_t;

#endif
