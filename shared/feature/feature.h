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
/* X(id, name, group) */
#define TMPL_BLOCK_FEATURES(X) \
    /* its own text */ \
    X(WORDS, "words", TEXT)           /* words */ \
    X(FREE, "free", TEXT)             /* free words */ \
    X(LINKED, "linked", TEXT)         /* share of words in links */ \
    X(LINKS, "links", TEXT)           /* links */ \
    X(STOPS, "stops", TEXT)           /* ends of sentences for each word */ \
    X(COMMAS, "commas", TEXT)         /* commas */ \
    X(ENDS, "ends", TEXT)             /* 1: it ends like a sentence */ \
    X(LOWER, "lower", TEXT)           /* 1: it begins with a small letter */ \
    X(CAPITALS, "capitals", TEXT)     /* share of words that begin with a capital */ \
    X(DIGITS, "digits", TEXT)         /* share of characters that are digits */ \
    X(SIGNS, "signs", TEXT)           /* share of characters that are ASCII's signs */ \
    X(LETTERS, "letters", TEXT)       /* characters for each word, at most 20 */ \
    X(IMAGES, "images", TEXT)         /* images */ \
    X(AGAIN, "again", TEXT)           /* share of text that stands on the page more than once */ \
    X(RIGHTS, "rights", TEXT)         /* 1: it has a copyright sign */ \
    X(TITLE, "title", TEXT)           /* share of its words that the page's title has */ \
    X(TITLE_SHARE, "title-share", TEXT) /* the same words over the title's words, at most 1 */ \
    X(LINKS_HERE, "links-here", TEXT) /* share of its links that stay on the page */ \
    X(LINKS_WHOLE, "links-whole", TEXT) /* share of its links that name a host */ \
    /* what it says that the page says elsewhere, too (reading.h) */ \
    X(SAID_BEFORE, "said-before", SAID) /* share of its text that an earlier block says */ \
    X(SAID_BEHIND, "said-behind", SAID) /* the same for a later block */ \
    X(SAID_TIMES, "said-times", SAID) /* other copies of its text, a mean */ \
    X(SAID_RANK, "said-rank", SAID)   /* copies before it, a mean */ \
    /* its element, and those it stands in: 0 or 1 */ \
    X(HEADING, "heading", TAG) \
    X(PARAGRAPH, "paragraph", TAG) \
    X(ITEM, "item", TAG) \
    X(CELL, "cell", TAG) \
    X(TERM, "term", TAG) \
    X(VERBATIM, "verbatim", TAG) \
    X(IN_MAIN, "in-main", TAG) \
    X(IN_ARTICLE, "in-article", TAG) \
    X(IN_NAV, "in-nav", TAG) \
    X(IN_ASIDE, "in-aside", TAG) \
    X(IN_HEADER, "in-header", TAG) \
    X(IN_FOOTER, "in-footer", TAG) \
    X(IN_FORM, "in-form", TAG) \
    X(IN_LIST, "in-list", TAG) \
    X(IN_TABLE, "in-table", TAG) \
    X(DEPTH, "depth", TAG)            /* elements around it */ \
    X(NEARER, "nearer", TAG)          /* 1: content's name is nearer, -1: a template's */ \
    X(IN_FIGURE, "in-figure", TAG) \
    X(IN_QUOTE, "in-quote", TAG) \
    /* 1 / steps up to an element of that kind (lexicon.h); 0: there is none */ \
    X(GOOD_NEAR, "good-near", TAG)    /* like content's */ \
    X(BAD_NEAR, "bad-near", TAG)      /* like a template's */ \
    X(NAMED_COMMENT, "named-comment", NAME) \
    X(NAMED_MENU, "named-menu", NAME) \
    X(NAMED_SIDE, "named-side", NAME) \
    X(NAMED_MORE, "named-more", NAME) /* teasers of other pages */ \
    X(NAMED_EDGE, "named-edge", NAME) /* the head or the foot of a page */ \
    X(NAMED_SHARE, "named-share", NAME) \
    X(NAMED_ABOUT, "named-about", NAME) /* by whom, when, under what */ \
    X(NAMED_OFFER, "named-offer", NAME) /* advertising, newsletters, notices */ \
    X(NAMED_DIALOG, "named-dialog", NAME) \
    X(NAMED_COOKIE, "named-cookie", NAME) \
    X(NAMED_TOOLTIP, "named-tooltip", NAME) \
    X(NAMED_READER, "named-reader", NAME) \
    X(NAMED_HIDDEN, "named-hidden", NAME) \
    X(NAMED_ARIA, "named-aria", NAME) \
    X(NAMED_BUTTON, "named-button", NAME) \
    X(NAMED_LABEL, "named-label", NAME) \
    X(NAMED_CAPTION, "named-caption", NAME) \
    X(NAMED_REVIEW, "named-review", NAME) \
    X(NAMED_QA, "named-qa", NAME) \
    X(NAMED_RELATED, "named-related", NAME) \
    X(NAMED_AUTHOR, "named-author", NAME) \
    X(NAMED_TAGS, "named-tags", NAME) \
    X(NAMED_DATE, "named-date", NAME) \
    X(NAMED_PRODUCT, "named-product", NAME) \
    X(NAMED_CART, "named-cart", NAME) \
    X(NAMED_FORM, "named-form", NAME) \
    X(NAMED_NEWS, "named-news", NAME) \
    X(NAMED_FILTER, "named-filter", NAME) \
    X(NAMED_TAB, "named-tab", NAME) \
    X(NAMED_FOLD, "named-fold", NAME) \
    X(NAMED_SLIDE, "named-slide", NAME) \
    X(NAMED_CARD, "named-card", NAME) \
    X(NAMED_LIST, "named-list", NAME) \
    X(NAMED_ITEM, "named-item", NAME) \
    X(NAMED_TITLE, "named-title", NAME) \
    X(NAMED_LEAD, "named-lead", NAME) \
    X(NAMED_POST, "named-post", NAME) \
    X(NAMED_USER, "named-user", NAME) \
    X(NAMED_QUOTE, "named-quote", NAME) \
    X(NAMED_VOTES, "named-votes", NAME) \
    X(NAMED_CODE, "named-code", NAME) \
    X(NAMED_HERO, "named-hero", NAME) \
    X(NAMED_ADVERT, "named-advert", NAME) \
    X(NAMED_MOBILE, "named-mobile", NAME) \
    X(NAMED_ICON, "named-icon", NAME) \
    X(NAMED_TEXT, "named-text", NAME) \
    X(NAMED_LEGAL, "named-legal", NAME) \
    X(NAMED_STATUS, "named-status", NAME) \
    X(NAMED_SPEC, "named-spec", NAME) \
    X(NAMED_LANG, "named-lang", NAME) \
    /* its position */ \
    X(BEFORE, "before", PLACE)        /* share of the page's words before it */ \
    X(LEAD, "lead", PLACE)            /* words before it */ \
    X(REST, "rest", PLACE)            /* words behind it */ \
    X(LONG_BEFORE, "long-before", PLACE) /* share of long text before it */ \
    X(LONG_NEAR, "long-near", PLACE)  /* 1 / (1 + blocks to the nearest long text) */ \
    X(LONG_LAST, "long-last", PLACE)  /* the same, for long text before it */ \
    X(LONG_NEXT, "long-next", PLACE)  /* the same, for long text behind it */ \
    X(TITLED, "titled", PLACE)        /* 1: an h1 stands before it */ \
    /* with the blocks beside it: one, or three, on either side */ \
    X(LINKED_1, "linked-1", BESIDE) \
    X(LINKED_3, "linked-3", BESIDE) \
    X(FREE_1, "free-1", BESIDE)       /* free words a block */ \
    X(FREE_3, "free-3", BESIDE) \
    X(FREE_LAST, "free-last", BESIDE) /* the same, of the block before it alone */ \
    X(FREE_NEXT, "free-next", BESIDE) \
    X(LINKED_LAST, "linked-last", BESIDE) \
    X(LINKED_NEXT, "linked-next", BESIDE) \
    X(STOPS_3, "stops-3", BESIDE) \
    X(LINKED_8, "linked-8", BESIDE) \
    X(FREE_8, "free-8", BESIDE) \
    X(FREE_LAST_3, "free-last-3", BESIDE) /* the same, of the three before it alone */ \
    X(FREE_NEXT_3, "free-next-3", BESIDE) \
    X(LINKED_LAST_3, "linked-last-3", BESIDE) \
    X(LINKED_NEXT_3, "linked-next-3", BESIDE) \
    /* its boxes, the innermost first */ \
    X(BOX1_LINKED, "box1-linked", BOX) \
    X(BOX2_LINKED, "box2-linked", BOX) \
    X(BOX3_LINKED, "box3-linked", BOX) \
    X(BOX4_LINKED, "box4-linked", BOX) \
    X(BEST, "best", BOX)              /* 1: inside the element that scores best (reading.h) */ \
    X(BEST_SHARE, "best-share", BOX)  /* that element's share of the page's words */ \
    X(SCORE, "score", BOX)            /* score of its innermost box over that of the best */ \
    X(SCORE_2, "score-2", BOX)        /* the same for the box around that one */ \
    X(SCORE_3, "score-3", BOX) \
    X(BEST_BEFORE, "best-before", BOX) /* share of that element's long text before it */ \
    /* the site's table: 0 where no other page of the site is known */ \
    X(PAGES, "pages", SITE)           /* log2 pages seen, this one included, at most 6 */ \
    X(DF, "df", SITE)                 /* (DF - 1) / (pages - 1), a mean over its text */ \
    X(DF_LOG, "df-log", SITE)         /* natural log of DF, a mean over its text */ \
    X(REPEATED, "repeated", SITE)     /* share of its text that another page has, too */ \
    X(RATIO, "ratio", SITE)           /* template ratio: share with DF >= min_df */ \
    X(REPEATED_1, "repeated-1", SITE) \
    X(REPEATED_3, "repeated-3", SITE) \
    X(REPEATED_BOX1, "repeated-box1", SITE) \
    X(REPEATED_BOX2, "repeated-box2", SITE) \
    X(REPEATED_BOX3, "repeated-box3", SITE) \
    X(REPEATED_PAGE, "repeated-page", SITE) \
    X(PATH0_REPEATED, "path0-repeated", SITE) /* share of repeated text seen at its layout path */ \
    X(PATH1_REPEATED, "path1-repeated", SITE) \
    X(PATH2_REPEATED, "path2-repeated", SITE) \
    X(PATH0_TEXT, "path0-text", SITE) /* bytes of text seen there */ \
    X(PATH1_TEXT, "path1-text", SITE) \
    X(PATH0_DF, "path0-df", SITE)     /* share of the site's pages that have this path */ \
    X(PATH1_DF, "path1-df", SITE) \
    X(PATH2_DF, "path2-df", SITE) \
    /* mean DF of its text over that of its layout path: DF within the pages of one layout */ \
    X(DF_PATH0, "df-path0", SITE) \
    X(DF_PATH1, "df-path1", SITE) \
    X(DF_PATH2, "df-path2", SITE) \
    /* templateness by the model's first trees (rows.c): its own, then means of others */ \
    X(FIRST, "first", FIRST) \
    X(FIRST_BOX1, "first-box1", FIRST) /* mean of the blocks in its boxes */ \
    X(FIRST_BOX2, "first-box2", FIRST) \
    X(FIRST_BOX3, "first-box3", FIRST) \
    X(FIRST_BOX4, "first-box4", FIRST) \
    X(FIRST_LAST, "first-last", FIRST) /* mean of one, three or eight blocks before it */ \
    X(FIRST_LAST_3, "first-last-3", FIRST) \
    X(FIRST_LAST_8, "first-last-8", FIRST) \
    X(FIRST_NEXT, "first-next", FIRST) /* mean of one, three or eight blocks behind it */ \
    X(FIRST_NEXT_3, "first-next-3", FIRST) \
    X(FIRST_NEXT_8, "first-next-8", FIRST) \
    X(FIRST_LIKE, "first-like", FIRST) /* mean of the page's blocks with its layout path */ \
    X(FIRST_LIKE_BLOCKS, "first-like-blocks", FIRST) /* the number of these blocks */ \
    X(FIRST_PAGE, "first-page", FIRST) /* mean of all blocks */ \
    X(FIRST_BEFORE, "first-before", FIRST) /* share of the page's content before it */ \
    X(FIRST_SAID, "first-said", FIRST) /* lowest of other blocks with its text; 1: there are none */ \
    X(FIRST_CONTENT, "first-content", FIRST) /* the page's words of content */
/* clang-format on */

typedef enum {
#define TMPL_BLOCK_FEATURE_ID(id, name, group) TMPL_BLOCK_FEATURE_##id,
    TMPL_BLOCK_FEATURES(TMPL_BLOCK_FEATURE_ID)
#undef TMPL_BLOCK_FEATURE_ID
        TMPL_BLOCK_FEATURE_COUNT
} tmpl_block_feature_e;

/* Its name ("words", "free", ...) and its group ("TEXT", "TAG", ...). */
const char *tmpl_block_feature_name(tmpl_block_feature_e feature);
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
